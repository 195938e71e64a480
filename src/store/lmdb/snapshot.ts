import type { RootDatabase } from 'lmdb';
import type { ReadTransaction } from './row-reader.ts';

/**
 * The read transaction that point reads share. Only this process writes, so a snapshot is current until the
 * next commit: beginning one for each turn of the event loop, as lmdb does by itself, cost more than the
 * reads. Whoever commits must call `release` before telling anyone.
 */
export class Snapshot {
  readonly #root: RootDatabase;
  #current: { readonly transaction: ReadTransaction } | undefined;

  constructor(root: RootDatabase) {
    this.#root = root;
  }

  /** To pass to a read; valid until the end of the turn. */
  get options(): { readonly transaction: ReadTransaction } {
    this.#current ??= { transaction: this.#root.useReadTransaction() };
    return this.#current;
  }

  release(): void {
    this.#current?.transaction.done();
    this.#current = undefined;
  }
}
