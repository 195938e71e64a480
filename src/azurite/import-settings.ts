import { isDeepStrictEqual } from 'node:util';
import { defaultServiceProperties } from '../account/service-properties.ts';
import type { Store, TableAddress } from '../store/store.ts';
import { serviceName } from '../table/request.ts';
import { readStoredPolicies, readStoredProperties } from './stored-settings.ts';
import { LeftOutError } from './stored-value.ts';

/** Sets the access policies of a table that has none; false where there are none to set. Rejects with LeftOutError. */
export async function importAccessPolicies(
  store: Store<never>,
  address: TableAddress,
  stored: unknown,
): Promise<boolean> {
  const policies = readStoredPolicies(stored);
  if (policies.length === 0) return false;
  const current = await store.readAccessPolicies(address);
  if (isDeepStrictEqual(current, policies)) return false;
  if (current.length > 0) throw new LeftOutError('the table has others');
  await store.writeAccessPolicies(address, policies);
  return true;
}

/** Sets the service properties of an account that has set none; false where there is nothing to set. Rejects with LeftOutError. */
export async function importServiceProperties(
  store: Store<never>,
  account: string,
  stored: unknown,
): Promise<boolean> {
  const changes = readStoredProperties(stored);
  if (Object.keys(changes).length === 0) return false;
  const properties = { ...defaultServiceProperties, ...changes };
  const current = await store.readServiceProperties(account, serviceName);
  if (isDeepStrictEqual(current, properties)) return false;
  if (current !== undefined) throw new LeftOutError('the account has others');
  await store.updateServiceProperties(account, serviceName, properties);
  return true;
}
