import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import type { AccessPolicy } from '../../account/access-policy.ts';
import type { ServiceProperties } from '../../account/service-properties.ts';
import type { Key, KeyRange } from '../key.ts';
import type { Page, ScanObserver, ScanOptions, TableAddress } from '../store.ts';
import { EntityScan, type ScanSource } from './entity-scan.ts';
import { encodeBound } from './keys.ts';
import { rowEncoding } from './row-encoding.ts';
import { RowReader } from './row-reader.ts';
import { ScanScheduler } from './scan-scheduler.ts';
import { ServiceSettings } from './service-settings.ts';
import { Snapshot } from './snapshot.ts';
import { Tables } from './tables.ts';

const storeFile = 'store.mdb';
/** Allows keys of 4,026 bytes; pages of 4 KiB only 1,978. */
export const pageBytes = 8192;
/** Transactions that read, of all processes: those of scans, and two or three of each process. */
const readersMax = 512;

/** Opens the files of the store, which must be there to be only read. */
export function openRoot(folder: string, access: 'reads' | 'writes' | 'writes without flush'): RootDatabase {
  return open({
    path: join(folder, storeFile),
    pageSize: pageBytes,
    readOnly: access === 'reads',
    // Promises resolve after the flush. The default shows commits before they are on disk.
    overlappingSync: false,
    noSync: access === 'writes without flush',
    // CommitQueue batches; lmdb's own batching leaves a promise that nobody holds when a commit fails.
    eventTurnBatching: false,
    maxDbs: 32,
    maxReaders: readersMax,
  });
}

/** The reading half of the embedded store, as src/store/store.ts describes it. */
export class LmdbReader {
  protected readonly root: RootDatabase;
  protected readonly entities: Database<Buffer, Buffer>;
  protected readonly tables: Tables;
  protected readonly settings: ServiceSettings;
  protected readonly snapshot: Snapshot;
  readonly #reader: RowReader;
  readonly #scans: ScanScheduler;

  constructor(
    root: RootDatabase,
    options: {
      readonly isWrittenElsewhere: boolean;
      readonly concurrentScansMax?: number;
      readonly observer?: ScanObserver | undefined;
    },
  ) {
    this.root = root;
    this.entities = root.openDB({ name: 'entities', keyEncoding: 'binary', ...rowEncoding });
    this.#reader = new RowReader(root, 'entities');
    this.tables = new Tables(root);
    this.snapshot = new Snapshot(root, this.tables, options.isWrittenElsewhere);
    this.settings = new ServiceSettings(root, this.snapshot);
    // Whoever opens one more database of the store ends the transactions that read.
    this.snapshot.release();
    this.#scans = new ScanScheduler(options.observer, options.concurrentScansMax);
  }

  /** Scans that have begun and not ended. */
  get runningScans(): number {
    return this.#scans.running;
  }

  async readTable(account: string, name: string): Promise<string | undefined> {
    return this.tables.find(account, name, this.snapshot.options);
  }

  async listTables(account: string, from: string, limit: number): Promise<string[]> {
    return this.tables.list(account, from, limit, this.snapshot.options);
  }

  async read<Seen>(table: TableAddress, key: Key, look: (row: Buffer) => Seen): Promise<Seen | undefined> {
    const boundKey = encodeBound(this.snapshot.tableId(table), key);
    const row = this.#reader.viewOne(boundKey, this.snapshot.options);
    return row && look(row);
  }

  async scan(table: TableAddress, ranges: readonly KeyRange[], options: ScanOptions): Promise<Page> {
    const begin = (): ScanSource => {
      const tableId = this.snapshot.tableId(table);
      return { tableId, transaction: ranges.length > 1 ? this.root.useReadTransaction() : undefined };
    };
    const scan = new EntityScan(this.#reader, begin, ranges, options);
    await this.#scans.run(scan);
    return scan.page;
  }

  async readAccessPolicies(table: TableAddress): Promise<readonly AccessPolicy[]> {
    return this.tables.policies(this.snapshot.tableId(table), this.snapshot.options);
  }

  readServiceProperties(account: string, service: string): ServiceProperties | undefined {
    return this.settings.read(account, service);
  }

  async close(): Promise<void> {
    this.snapshot.release();
    await this.root.close();
  }
}
