import type { AccessPolicy } from '../account/access-policy.ts';
import { defaultServiceProperties, type ServiceProperties } from '../account/service-properties.ts';
import { ServiceError } from '../errors.ts';
import type { Ticks } from '../ticks.ts';
import { compareKeys, type Key, type KeyRange } from './key.ts';
import type { Decide, Page, ScanOptions, Store, TableAddress } from './store.ts';

interface Row {
  readonly key: Key;
  readonly bytes: Buffer;
}

interface Table {
  readonly name: string;
  rows: Row[];
  policies: readonly AccessPolicy[];
}

/**
 * The naive store: maps and sorting, obviously right, and as forgetful as memory. Tests measure the others
 * against it.
 */
export class ModelStore<Intent> implements Store<Intent> {
  readonly #decide: Decide<Intent>;
  readonly #tables = new Map<string, Table>();
  readonly #properties = new Map<string, ServiceProperties>();
  #tick: Ticks = 0n;

  constructor(decide: Decide<Intent>) {
    this.#decide = decide;
  }

  async createTable(account: string, name: string): Promise<boolean> {
    const id = tableId({ account, table: name });
    if (this.#tables.has(id)) return false;
    this.#tables.set(id, { name, rows: [], policies: [] });
    return true;
  }

  async readTable(account: string, name: string): Promise<string | undefined> {
    return this.#tables.get(tableId({ account, table: name }))?.name;
  }

  async deleteTable(account: string, name: string): Promise<boolean> {
    return this.#tables.delete(tableId({ account, table: name }));
  }

  async listTables(account: string, from: string, limit: number): Promise<string[]> {
    return [...this.#tables.keys()]
      .filter(id => id.startsWith(`${account}/`) && id >= `${account}/${from}`)
      .sort()
      .slice(0, limit)
      .map(id => (this.#tables.get(id) as { name: string }).name);
  }

  async read<Seen>(table: TableAddress, key: Key, look: (row: Buffer) => Seen): Promise<Seen | undefined> {
    const row = this.#table(table).rows.find(row => compareKeys(row.key, key) === 0);
    return row && look(row.bytes);
  }

  async mutate(
    address: TableAddress,
    partitionKey: string,
    rowKeys: readonly string[],
    intents: readonly Intent[],
  ): Promise<Ticks> {
    const table = this.#table(address);
    const keys = rowKeys.map(rowKey => ({ partitionKey, rowKey }));
    const current = keys.map(key => table.rows.find(row => compareKeys(row.key, key) === 0)?.bytes);
    this.#tick++;
    const decision = this.#decide(intents, current, this.#tick);
    if (decision instanceof ServiceError) throw decision;
    const untouched = table.rows.filter(row => !keys.some(key => compareKeys(row.key, key) === 0));
    const written = keys.flatMap((key, index) => {
      const bytes = decision[index];
      return bytes == null ? [] : [{ key, bytes: Buffer.from(bytes) }];
    });
    table.rows = [...untouched, ...written].sort((a, b) => compareKeys(a.key, b.key));
    return this.#tick;
  }

  async scan(table: TableAddress, ranges: readonly KeyRange[], options: ScanOptions): Promise<Page> {
    if (options.isAbandoned?.() === true) throw new Error('the scan was abandoned');
    const rows: Buffer[] = [];
    let bytes = 0;
    let examined = 0;
    for (const row of this.#table(table).rows.filter(({ key }) =>
      ranges.some(range => contains(range, key)),
    )) {
      if (rows.length >= options.limit) return { rows, examined, end: 'entities', next: row.key };
      if (bytes >= options.bytesMax) return { rows, examined, end: 'bytes', next: row.key };
      examined++;
      if (options.matches?.(row.bytes) === false) continue;
      const shown = Buffer.from(options.project?.(row.bytes) ?? row.bytes);
      rows.push(shown);
      bytes += shown.length;
    }
    return { rows, examined, end: 'range end' };
  }

  async readAccessPolicies(table: TableAddress): Promise<readonly AccessPolicy[]> {
    return this.#table(table).policies;
  }

  async writeAccessPolicies(table: TableAddress, policies: readonly AccessPolicy[]): Promise<void> {
    this.#table(table).policies = policies;
  }

  async readServiceProperties(account: string, service: string): Promise<ServiceProperties | undefined> {
    return this.#properties.get(`${account}/${service}`);
  }

  async updateServiceProperties(
    account: string,
    service: string,
    changes: Partial<ServiceProperties>,
  ): Promise<void> {
    const name = `${account}/${service}`;
    const current = this.#properties.get(name) ?? defaultServiceProperties;
    this.#properties.set(name, { ...current, ...changes });
  }

  async close(): Promise<void> {}

  #table(address: TableAddress): Table {
    const table = this.#tables.get(tableId(address));
    if (table === undefined) throw new ServiceError('TableNotFound');
    return table;
  }
}

function tableId({ account, table }: TableAddress): string {
  return `${account}/${table.toLowerCase()}`;
}

function contains({ from, to }: KeyRange, key: Key): boolean {
  return compareKeys(from, key) <= 0 && (to === undefined || compareKeys(key, to) < 0);
}
