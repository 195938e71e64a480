import { BlockList, isIPv4 } from 'node:net';

/** Whether an address is the one, or in the range `a-b`, both ends included. False where either is no IPv4. */
export function isAddressIn(range: string, address: string): boolean {
  const client = address.replace(/^::ffff:/i, '');
  const [first = '', last = first, ...rest] = range.split('-');
  if (rest.length > 0 || ![client, first, last].every(text => isIPv4(text))) return false;
  const list = new BlockList();
  try {
    list.addRange(first, last);
  } catch {
    return false; // the range ends before it begins
  }
  return list.check(client);
}
