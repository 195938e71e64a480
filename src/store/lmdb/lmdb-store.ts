import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import type { AccessPolicy } from '../../account/access-policy.ts';
import type { ServiceProperties } from '../../account/service-properties.ts';
import { ServiceError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import { type Ticks, ticksFromMs } from '../../ticks.ts';
import type { Key, KeyRange } from '../key.ts';
import type {
  CommitObserver,
  Decide,
  Outcome,
  Page,
  ScanObserver,
  ScanOptions,
  Store,
  TableAddress,
} from '../store.ts';
import { CommitQueue } from './commit-queue.ts';
import { EntityScan, type ScanSource } from './entity-scan.ts';
import {
  claimFolder,
  claimTemporaryFolder,
  type DataFolder,
  DataFolderError,
  flushFolder,
} from './folder.ts';
import { encodeBound, encodeKey } from './keys.ts';
import { Reclaimer } from './reclaimer.ts';
import { rowEncoding } from './row-encoding.ts';
import { RowReader } from './row-reader.ts';
import { ScanScheduler } from './scan-scheduler.ts';
import { ServiceSettings } from './service-settings.ts';
import { Snapshot } from './snapshot.ts';
import { Tables } from './tables.ts';

/** Of the files. A newer one is refused; docs/architecture.md tells what each holds. */
const formatVersion = 1;
const storeFile = 'store.mdb';
/** Allows keys of 4,026 bytes; pages of 4 KiB only 1,978. */
const pageBytes = 8192;
const readerCheckIntervalMs = 60_000;
/** No read transaction lives much longer than the longest page. */
const snapshotLifetimeMs = 5_000;

export interface LmdbStoreOptions {
  /** The data folder; without one the store is in memory's stead: a temporary folder, never flushed. */
  readonly folder: string | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly observer?: CommitObserver & ScanObserver;
  /** Told of failures that no caller waits for. */
  readonly onBackgroundError?: (error: unknown) => void;
}

/** Opens or makes the embedded store. Throws DataFolderError where the folder cannot be used. */
export function openLmdbStore(options: LmdbStoreOptions): LmdbStore {
  const folder = options.folder === undefined ? claimTemporaryFolder() : claimFolder(options.folder);
  try {
    return new LmdbStore(folder, options);
  } catch (error) {
    folder.release();
    if (error instanceof DataFolderError) throw error;
    throw new DataFolderError(`cannot open the store in ${folder.path}: ${(error as Error).message}`);
  }
}

export class LmdbStore implements Store {
  readonly #folder: DataFolder;
  readonly #root: RootDatabase;
  readonly #meta: Database<unknown, string>;
  readonly #entities: Database<Buffer, Buffer>;
  readonly #reader: RowReader;
  readonly #tables: Tables;
  readonly #settings: ServiceSettings;
  readonly #snapshot: Snapshot;
  readonly #queue: CommitQueue;
  readonly #scans: ScanScheduler;
  readonly #reclaimer: Reclaimer;
  readonly #readerCheck: NodeJS.Timeout;
  readonly #snapshotEnd: NodeJS.Timeout;
  readonly #now: () => number;
  /** The highest tick given out, and whether rows of this transaction carry it. */
  #tick: Ticks;
  #isTickUnsaved = false;

  constructor(folder: DataFolder, options: LmdbStoreOptions) {
    this.#folder = folder;
    this.#now = options.now ?? Date.now;
    this.#scans = new ScanScheduler(options.observer);
    this.#root = open({
      path: join(folder.path, storeFile),
      pageSize: pageBytes,
      // Promises resolve after the flush. The default shows commits before they are on disk.
      overlappingSync: false,
      noSync: options.folder === undefined,
      // CommitQueue batches; lmdb's own batching leaves a promise that nobody holds when a commit fails.
      eventTurnBatching: false,
      maxDbs: 32,
    });
    this.#meta = this.#root.openDB({ name: 'meta', encoding: 'json', keyEncoding: 'ordered-binary' });
    this.#checkFormat();
    this.#entities = this.#root.openDB({ name: 'entities', keyEncoding: 'binary', ...rowEncoding });
    this.#reader = new RowReader(this.#root, 'entities');
    this.#tables = new Tables(this.#root, this.#meta);
    this.#settings = new ServiceSettings(this.#root);
    this.#tick = BigInt((this.#meta.get('tick') as string | undefined) ?? 0);
    flushFolder(folder.path);
    flushFolder(dirname(folder.path));
    this.#snapshot = new Snapshot(this.#root, this.#tables);
    this.#queue = new CommitQueue(this.#root, {
      onVisible: () => {
        this.#snapshot.release();
        this.#settings.refresh();
      },
      beforeFlush: () => this.#saveTick(),
      explainFailure: error => this.#explainFailure(error),
      observer: options.observer ?? {},
    });
    this.#reclaimer = new Reclaimer(
      this.#queue,
      this.#tables,
      this.#entities,
      options.onBackgroundError ?? (() => {}),
    );
    this.#reclaimer.wake();
    // A killed process leaves its read transactions behind, which pin old pages.
    this.#readerCheck = setInterval(() => this.#root.readerCheck(), readerCheckIntervalMs).unref();
    this.#snapshotEnd = setInterval(() => this.#snapshot.release(), snapshotLifetimeMs).unref();
  }

  get dataFolder(): string {
    return this.#folder.path;
  }

  /** Scans that have begun and not ended. */
  get runningScans(): number {
    return this.#scans.running;
  }

  /** Rows on disk, those of dropped tables that are not reclaimed yet included. */
  get entityCount(): number {
    return (this.#entities.getStats() as { entryCount: number }).entryCount;
  }

  createTable(account: string, name: string): Promise<boolean> {
    return this.#queue.submit(name.length, () => this.#tables.create(account, name));
  }

  async readTable(account: string, name: string): Promise<string | undefined> {
    return this.#tables.find(account, name);
  }

  async deleteTable(account: string, name: string): Promise<boolean> {
    const wasThere = await this.#queue.submit(name.length, () => this.#tables.remove(account, name));
    if (wasThere) this.#reclaimer.wake();
    return wasThere;
  }

  async listTables(account: string, from: string, limit: number): Promise<string[]> {
    return this.#tables.list(account, from, limit);
  }

  async read(table: TableAddress, key: Key): Promise<Buffer | undefined> {
    const boundKey = encodeBound(this.#snapshot.tableId(table), key);
    return this.#entities.get(boundKey, this.#snapshot.options);
  }

  mutate<Refusal>(
    table: TableAddress,
    partitionKey: string,
    rowKeys: readonly string[],
    decide: Decide<Refusal>,
    bytes: number,
  ): Promise<Outcome<Refusal>> {
    if (rowKeys.length > limits.transactionOperationsMax || new Set(rowKeys).size !== rowKeys.length) {
      throw new RangeError('row keys must be distinct and no more than a transaction holds');
    }
    return this.#queue.submit(bytes, () => {
      // The id is resolved where the write is: a table dropped meanwhile is not written to.
      const tableId = this.#tables.idOf(table);
      const keys = rowKeys.map(rowKey => encodeKey(tableId, { partitionKey, rowKey }));
      const tick = this.#nextTick();
      const decision = decide(
        keys.map(key => this.#entities.get(key)),
        tick,
      );
      if ('refusal' in decision) return decision;
      this.#writeRows(keys, decision.rows);
      this.#tick = tick;
      this.#isTickUnsaved = true;
      return { tick };
    });
  }

  async scan(table: TableAddress, ranges: readonly KeyRange[], options: ScanOptions): Promise<Page> {
    const begin = (): ScanSource => {
      const tableId = this.#tables.idOf(table);
      return { tableId, transaction: ranges.length > 1 ? this.#root.useReadTransaction() : undefined };
    };
    const scan = new EntityScan(this.#reader, begin, ranges, options);
    await this.#scans.run(scan);
    return scan.page;
  }

  async readAccessPolicies(table: TableAddress): Promise<readonly AccessPolicy[]> {
    return this.#tables.policies(this.#snapshot.tableId(table), this.#snapshot.options);
  }

  writeAccessPolicies(table: TableAddress, policies: readonly AccessPolicy[]): Promise<void> {
    return this.#queue.submit(0, () => this.#tables.setPolicies(table, policies));
  }

  readServiceProperties(account: string, service: string): ServiceProperties | undefined {
    return this.#settings.read(account, service);
  }

  updateServiceProperties(
    account: string,
    service: string,
    change: (current: ServiceProperties | undefined) => ServiceProperties,
  ): Promise<void> {
    return this.#queue.submit(0, () => this.#settings.update(account, service, change));
  }

  async close(): Promise<void> {
    clearInterval(this.#readerCheck);
    clearInterval(this.#snapshotEnd);
    await this.#reclaimer.close();
    this.#snapshot.release();
    await this.#root.close();
    this.#folder.release();
  }

  /**
   * A put that fails inside a transaction leaves the puts before it standing, and they commit. So rows are
   * checked first, and several of them are put in a child transaction, which goes down whole.
   */
  #writeRows(keys: readonly Buffer[], rows: readonly (Buffer | null)[]): void {
    if (rows.length !== keys.length) throw new RangeError('a decision has a row for each key');
    const write = (key: Buffer, index: number): void => {
      const row = rows[index] as Buffer | null;
      if (row === null) this.#entities.removeSync(key);
      else this.#entities.putSync(key, row);
    };
    if (keys.length === 1) keys.forEach(write);
    else this.#entities.childTransaction(() => keys.forEach(write));
  }

  /** Never repeats or goes back: not after deletes, restarts, or steps of the clock. */
  #nextTick(): Ticks {
    const now = ticksFromMs(this.#now());
    return now > this.#tick ? now : this.#tick + 1n;
  }

  #saveTick(): void {
    if (!this.#isTickUnsaved) return;
    this.#meta.putSync('tick', String(this.#tick));
    this.#isTickUnsaved = false;
  }

  #checkFormat(): void {
    const format = this.#meta.get('format') as number | undefined;
    if (format === undefined) {
      this.#meta.putSync('format', formatVersion);
    } else if (format > formatVersion) {
      void this.#root.close();
      throw new DataFolderError(
        `the store in ${this.#folder.path} has format ${format}, made by a newer tabularium; this one reads up to format ${formatVersion}`,
      );
    }
  }

  /** Why a group commit failed: lmdb says "Input/output error" of a full disk as of a broken one. */
  async #explainFailure(error: unknown): Promise<unknown> {
    const { bavail, bsize } = await statfs(this.#folder.path);
    return bavail * bsize < pageBytes * limits.transactionOperationsMax
      ? new ServiceError('InsufficientStorage')
      : error;
  }
}
