import { ServiceError } from '../errors.ts';
import type { Store } from './store.ts';

/**
 * Makes a store keep the name of a deleted table taken for a while, as the service does for 40 seconds or more
 * (REST: Delete Table): `createTable` rejects with TableBeingDeleted. It is forgotten with the process.
 */
export function simulateTableDeleting(store: Store<never>, durationMs: number, now: () => number): void {
  const createTable = store.createTable.bind(store);
  const deleteTable = store.deleteTable.bind(store);
  const freeAtMs = new Map<string, number>();
  const idOf = (account: string, name: string): string => `${account}/${name.toLowerCase()}`;

  store.createTable = async (account, name) => {
    const id = idOf(account, name);
    if ((freeAtMs.get(id) ?? 0) > now()) throw new ServiceError('TableBeingDeleted');
    freeAtMs.delete(id);
    return createTable(account, name);
  };
  store.deleteTable = async (account, name) => {
    const wasThere = await deleteTable(account, name);
    if (wasThere) freeAtMs.set(idOf(account, name), now() + durationMs);
    return wasThere;
  };
}
