import type { Database, RootDatabase } from 'lmdb';
import { ServiceError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import type { TableAddress } from '../store.ts';
import { encodeTableKey } from './keys.ts';

interface TableRecord {
  /** Names its rows; never given to another table. */
  readonly id: number;
  /** As it was created. */
  readonly name: string;
}

type ReadOptions = Parameters<Database['get']>[1];

/** The tables of all accounts. Methods that write must run inside a write transaction. */
export class Tables {
  readonly #records: Database<TableRecord, Buffer>;
  readonly #meta: Database<unknown, string>;
  /** Ids of dropped tables whose rows are still there. */
  readonly #retired: Database<true, number>;

  constructor(root: RootDatabase, meta: Database<unknown, string>) {
    this.#records = root.openDB({ name: 'tables', encoding: 'json', keyEncoding: 'binary' });
    this.#retired = root.openDB({ name: 'retired', encoding: 'json', keyEncoding: 'ordered-binary' });
    this.#meta = meta;
  }

  find({ account, table }: TableAddress, options?: ReadOptions): TableRecord | undefined {
    // Longer texts reach us in addresses; the engine takes no key of any length.
    if (table.length > limits.tableNameUnitsMax) return undefined;
    return this.#records.get(encodeTableKey(account, table), options);
  }

  /** Throws TableNotFound. */
  idOf(address: TableAddress, options?: ReadOptions): number {
    const record = this.find(address, options);
    if (record === undefined) throw new ServiceError('TableNotFound');
    return record.id;
  }

  create(account: string, name: string): boolean {
    if (this.find({ account, table: name }) !== undefined) return false;
    const id = ((this.#meta.get('lastTableId') as number | undefined) ?? 0) + 1;
    this.#meta.putSync('lastTableId', id);
    this.#records.putSync(encodeTableKey(account, name), { id, name });
    return true;
  }

  /** Retires the table's id: its rows are out of reach at once, and reclaimed later. */
  remove(account: string, name: string): boolean {
    const record = this.find({ account, table: name });
    if (record === undefined) return false;
    this.#retired.putSync(record.id, true);
    this.#records.removeSync(encodeTableKey(account, name));
    return true;
  }

  list(account: string, from: string, limit: number): string[] {
    const start = encodeTableKey(account, from.slice(0, limits.tableNameUnitsMax + 1));
    const end = encodeTableKey(`${account}\u0001`, '');
    return [...this.#records.getRange({ start, end, limit })].map(({ value }) => value.name);
  }

  firstRetired(): number | undefined {
    for (const id of this.#retired.getKeys({ limit: 1 })) return id;
    return undefined;
  }

  forgetRetired(id: number): void {
    this.#retired.removeSync(id);
  }
}
