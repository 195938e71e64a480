import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Base64 of the HMAC-SHA256 of a text: what Shared Key and shared access signatures are made of. */
export function sign(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}

/** Whether one of the keys made the signature, which is compared in constant time. */
export function isSigned(keys: readonly KeyObject[], signature: string, text: string): boolean {
  const claimed = Buffer.from(signature, 'base64');
  return keys.some(key => {
    const expected = digest(key, text);
    return claimed.length === expected.length && timingSafeEqual(claimed, expected);
  });
}

const keptDigestsMax = 256;
const keptDigests = new WeakMap<KeyObject, Map<string, Buffer>>();

/** Requests of one second for one resource, such as inserts into a table, sign one text: its digest is kept for them. */
function digest(key: KeyObject, text: string): Buffer {
  let kept = keptDigests.get(key);
  if (kept === undefined) {
    kept = new Map();
    keptDigests.set(key, kept);
  }
  let bytes = kept.get(text);
  if (bytes === undefined) {
    bytes = createHmac('sha256', key).update(text).digest();
    if (kept.size === keptDigestsMax) kept.clear();
    kept.set(text, bytes);
  }
  return bytes;
}
