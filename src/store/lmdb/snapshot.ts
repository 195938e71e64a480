import type { RootDatabase } from 'lmdb';
import type { TableAddress } from '../store.ts';
import type { ReadTransaction } from './row-reader.ts';
import type { Tables } from './tables.ts';

/**
 * The read transaction that reads share, since beginning one for each of them cost as much as the read. How long
 * it is current depends on who writes:
 *
 * - This process: until its next commit. Whoever commits must call `release` before telling anyone.
 * - Another one, which may have told a client meanwhile: until the end of what runs now. A snapshot that lived
 *   into the next callback of the event loop might be older than a request which that callback reads.
 */
export class Snapshot {
  readonly #root: RootDatabase;
  readonly #tables: Tables;
  readonly #isWrittenElsewhere: boolean;
  #current: { readonly transaction: ReadTransaction } | undefined;
  /** Ids looked up in this snapshot, by account and name as they were asked for. */
  readonly #tableIds = new Map<string, number>();

  constructor(root: RootDatabase, tables: Tables, isWrittenElsewhere: boolean) {
    this.#root = root;
    this.#tables = tables;
    this.#isWrittenElsewhere = isWrittenElsewhere;
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
    this.#current ??= this.#begin();
    return this.#current;
  }

  release(): void {
    this.#current?.transaction.done();
    this.#current = undefined;
    this.#tableIds.clear();
  }

  #begin(): { readonly transaction: ReadTransaction } {
    if (this.#isWrittenElsewhere) {
      // lmdb itself hands out the transaction before this one until a timer of its own fires.
      this.#root.resetReadTxn();
      queueMicrotask(() => this.release());
    }
    return { transaction: this.#root.useReadTransaction() };
  }
}
