import type { Database, RootDatabase } from 'lmdb';
import type { AccessPolicy } from '../../account/access-policy.ts';
import { ServiceError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import type { TableAddress } from '../store.ts';
import { encodeTableKey } from './keys.ts';
import { rowEncoding } from './row-encoding.ts';

/** A record is the table's id, which names its rows, and its name as it was created. */
const idBytes = 6;

type ReadOptions = Parameters<Database['get']>[1];

/** The tables of all accounts. Methods that write must run inside a write transaction. */
export class Tables {
  readonly #records: Database<Buffer, Buffer>;
  readonly #meta: Database<unknown, string>;
  /** Ids of dropped tables whose rows are still there. */
  readonly #retired: Database<true, number>;
  /** By the table's id; none for a table without policies. */
  readonly #policies: Database<readonly AccessPolicy[], number>;

  constructor(root: RootDatabase) {
    this.#records = root.openDB({ name: 'tables', keyEncoding: 'binary', ...rowEncoding });
    this.#retired = root.openDB({ name: 'retired', encoding: 'json', keyEncoding: 'ordered-binary' });
    this.#policies = root.openDB({ name: 'policies', encoding: 'json', keyEncoding: 'ordered-binary' });
    this.#meta = openMeta(root);
  }

  /** The name as it was created. */
  find(account: string, name: string, options?: ReadOptions): string | undefined {
    return this.#read({ account, table: name }, options)?.toString('utf8', idBytes);
  }

  /** What names the rows of a table; never given to another one. Throws TableNotFound. */
  idOf(address: TableAddress, options?: ReadOptions): number {
    const record = this.#read(address, options);
    if (record === undefined) throw new ServiceError('TableNotFound');
    return record.readUIntBE(0, idBytes);
  }

  #read({ account, table }: TableAddress, options?: ReadOptions): Buffer | undefined {
    // Longer texts reach us in addresses; the engine takes no key of any length.
    if (table.length > limits.tableNameUnitsMax) return undefined;
    return this.#records.get(encodeTableKey(account, table), options);
  }

  create(account: string, name: string): boolean {
    if (this.find(account, name) !== undefined) return false;
    const id = ((this.#meta.get('lastTableId') as number | undefined) ?? 0) + 1;
    this.#meta.putSync('lastTableId', id);
    const record = Buffer.alloc(idBytes + Buffer.byteLength(name));
    record.writeUIntBE(id, 0, idBytes);
    record.write(name, idBytes);
    this.#records.putSync(encodeTableKey(account, name), record);
    return true;
  }

  /** Retires the table's id: its rows are out of reach at once, and reclaimed later. */
  remove(account: string, name: string): boolean {
    if (this.find(account, name) === undefined) return false;
    const id = this.idOf({ account, table: name });
    this.#retired.putSync(id, true);
    this.#policies.removeSync(id);
    this.#records.removeSync(encodeTableKey(account, name));
    return true;
  }

  policies(id: number, options: ReadOptions): readonly AccessPolicy[] {
    return (this.#policies.get(id, options) as readonly AccessPolicy[] | undefined) ?? [];
  }

  setPolicies(address: TableAddress, policies: readonly AccessPolicy[]): void {
    this.#policies.putSync(this.idOf(address), policies);
  }

  list(account: string, from: string, limit: number, options: ReadOptions): string[] {
    const start = encodeTableKey(account, from.slice(0, limits.tableNameUnitsMax + 1));
    const end = encodeTableKey(`${account}\u0001`, '');
    return [...this.#records.getRange({ ...options, start, end, limit })].map(({ value }) =>
      value.toString('utf8', idBytes),
    );
  }

  firstRetired(): number | undefined {
    for (const id of this.#retired.getKeys({ limit: 1 })) return id;
    return undefined;
  }

  forgetRetired(id: number): void {
    this.#retired.removeSync(id);
  }
}

/** What the store keeps of itself: its format, and the last tick and table id that it gave. */
export function openMeta(root: RootDatabase): Database<unknown, string> {
  return root.openDB({ name: 'meta', encoding: 'json', keyEncoding: 'ordered-binary' });
}
