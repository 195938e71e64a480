import type { Grant } from '../auth/grant.ts';
import { ServiceError } from '../errors.ts';
import { compareKeys, type Key, type KeyRange, successor } from '../store/key.ts';

/** The keys that a grant reaches, undefined for all (REST: Create a service SAS, table access ranges). */
export function signedRange(grant: Grant): KeyRange | undefined {
  if (grant.by !== 'service SAS') return undefined;
  const { startPartitionKey, startRowKey, endPartitionKey, endRowKey } = grant;
  if (startPartitionKey === undefined && endPartitionKey === undefined) return undefined;
  const from = { partitionKey: startPartitionKey ?? '', rowKey: startRowKey ?? '' };
  if (endPartitionKey === undefined) return { from };
  const to =
    endRowKey === undefined
      ? { partitionKey: successor(endPartitionKey), rowKey: '' }
      : { partitionKey: endPartitionKey, rowKey: successor(endRowKey) };
  return { from, to };
}

/** Whether the grant reaches a key. */
export function isReached(grant: Grant, key: Key): boolean {
  const range = signedRange(grant);
  if (range === undefined) return true;
  const { from, to } = range;
  return compareKeys(from, key) <= 0 && (to === undefined || compareKeys(key, to) < 0);
}

/** Throws AuthorizationFailure for a write of what the grant does not reach (recorded). */
export function requireReach(grant: Grant, key: Key): void {
  if (!isReached(grant, key)) throw new ServiceError('AuthorizationFailure');
}
