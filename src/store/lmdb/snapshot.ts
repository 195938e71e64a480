import type { RootDatabase } from 'lmdb';
import type { TableAddress } from '../store.ts';
import type { ReadTransaction } from './row-reader.ts';
import type { Tables } from './tables.ts';

/**
 * The read transaction that point reads share. Only this process writes, so a snapshot is current until the
 * next commit: beginning one for each turn of the event loop, as lmdb does by itself, cost more than the
 * reads. Whoever commits must call `release` before telling anyone.
 */
export class Snapshot {
  readonly #root: RootDatabase;
  readonly #tables: Tables;
  #current: { readonly transaction: ReadTransaction } | undefined;
  /** Ids looked up in this snapshot, by account and name as they were asked for. */
  readonly #tableIds = new Map<string, number>();

  constructor(root: RootDatabase, tables: Tables) {
    this.#root = root;
    this.#tables = tables;
  }

  /** Throws TableNotFound. */
  tableId(address: TableAddress): number {
    const name = `${address.account}/${address.table}`;
    let id = this.#tableIds.get(name);
    if (id === undefined) {
      id = this.#tables.idOf(address, this.options);
      this.#tableIds.set(name, id);
    }
    return id;
  }

  /** To pass to a read; valid until the end of the turn. */
  get options(): { readonly transaction: ReadTransaction } {
    this.#current ??= { transaction: this.#root.useReadTransaction() };
    return this.#current;
  }

  release(): void {
    this.#current?.transaction.done();
    this.#current = undefined;
    this.#tableIds.clear();
  }
}
