import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import type { AccessPolicy } from '../../account/access-policy.ts';
import type { ServiceProperties } from '../../account/service-properties.ts';
import { ServiceError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import { type Ticks, ticksFromMs } from '../../ticks.ts';
import type { CommitObserver, Decide, ScanObserver, Store, TableAddress } from '../store.ts';
import { CommitQueue } from './commit-queue.ts';
import {
  claimFolder,
  claimTemporaryFolder,
  type DataFolder,
  DataFolderError,
  flushFolder,
} from './folder.ts';
import { encodeKey } from './keys.ts';
import { LmdbReader, openRoot, pageBytes } from './lmdb-reader.ts';
import { Reclaimer } from './reclaimer.ts';
import { openMeta } from './tables.ts';

/** Of the files. A newer one is refused; docs/architecture.md tells what each holds. */
const formatVersion = 1;
const readerCheckIntervalMs = 60_000;
/** No read transaction lives much longer than the longest page. */
const snapshotLifetimeMs = 5_000;

export interface LmdbStoreOptions<Intent> {
  /**
   * The data folder, by its path or taken already; without one the store is in memory's stead: in a temporary
   * folder, never flushed.
   */
  readonly folder: string | DataFolder | undefined;
  /** The rule of what `mutate` writes. */
  readonly decide: Decide<Intent>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly observer?: CommitObserver & ScanObserver;
  /** Told of failures that no caller waits for. */
  readonly onBackgroundError?: (error: unknown) => void;
}

/** Opens or makes the embedded store. Throws DataFolderError where the folder cannot be used, and releases it. */
export function openLmdbStore<Intent>(options: LmdbStoreOptions<Intent>): LmdbStore<Intent> {
  const folder = takeFolder(options.folder);
  try {
    return new LmdbStore(folder, options);
  } catch (error) {
    folder.release();
    if (error instanceof DataFolderError) throw error;
    throw new DataFolderError(`cannot open the store in ${folder.path}: ${(error as Error).message}`);
  }
}

function takeFolder(folder: string | DataFolder | undefined): DataFolder {
  if (folder === undefined) return claimTemporaryFolder();
  return typeof folder === 'string' ? claimFolder(folder) : folder;
}

/** The embedded store, whole: of all processes that have its files open, only one has this. */
export class LmdbStore<Intent> extends LmdbReader implements Store<Intent> {
  readonly #folder: DataFolder;
  readonly #meta: Database<unknown, string>;
  readonly #queue: CommitQueue;
  readonly #reclaimer: Reclaimer;
  readonly #readerCheck: NodeJS.Timeout;
  readonly #snapshotEnd: NodeJS.Timeout;
  readonly #decide: Decide<Intent>;
  readonly #now: () => number;
  /** The highest tick given out, and whether rows of this transaction carry it. */
  #tick: Ticks;
  #isTickUnsaved = false;
  #areSettingsStale = false;

  constructor(folder: DataFolder, options: LmdbStoreOptions<Intent>) {
    super(openForWriting(folder), { isWrittenElsewhere: false, observer: options.observer });
    this.#folder = folder;
    this.#decide = options.decide;
    this.#now = options.now ?? Date.now;
    this.#meta = openMeta(this.root);
    this.#tick = BigInt((this.#meta.get('tick') as string | undefined) ?? 0);
    flushFolder(folder.path);
    flushFolder(dirname(folder.path));
    this.#queue = new CommitQueue(this.root, {
      onVisible: () => {
        this.snapshot.release();
        if (this.#areSettingsStale) this.settings.refresh();
        this.#areSettingsStale = false;
      },
      beforeFlush: () => this.#saveTick(),
      explainFailure: error => this.#explainFailure(error),
      observer: options.observer ?? {},
    });
    this.#reclaimer = new Reclaimer(
      this.#queue,
      this.tables,
      this.entities,
      options.onBackgroundError ?? (() => {}),
    );
    this.#reclaimer.wake();
    this.#readerCheck = setInterval(() => this.checkReaders(), readerCheckIntervalMs).unref();
    this.#snapshotEnd = setInterval(() => this.snapshot.release(), snapshotLifetimeMs).unref();
  }

  get dataFolder(): string {
    return this.#folder.path;
  }

  /** Rows on disk, those of dropped tables that are not reclaimed yet included. */
  get entityCount(): number {
    return (this.entities.getStats() as { entryCount: number }).entryCount;
  }

  createTable(account: string, name: string): Promise<boolean> {
    return this.#queue.submit(name.length, () => this.tables.create(account, name));
  }

  async deleteTable(account: string, name: string): Promise<boolean> {
    const wasThere = await this.#queue.submit(name.length, () => this.tables.remove(account, name));
    if (wasThere) this.#reclaimer.wake();
    return wasThere;
  }

  mutate(
    table: TableAddress,
    partitionKey: string,
    rowKeys: readonly string[],
    intents: readonly Intent[],
    bytes: number,
  ): Promise<Ticks> {
    if (rowKeys.length > limits.transactionOperationsMax || new Set(rowKeys).size !== rowKeys.length) {
      throw new RangeError('row keys must be distinct and no more than a transaction holds');
    }
    return this.#queue.submit(bytes, () => {
      // The id is resolved where the write is: a table dropped meanwhile is not written to.
      const tableId = this.tables.idOf(table);
      const keys = rowKeys.map(rowKey => encodeKey(tableId, { partitionKey, rowKey }));
      const tick = this.#nextTick();
      const current = keys.map(key => this.entities.get(key));
      const decision = this.#decide(intents, current, tick);
      if (decision instanceof ServiceError) throw decision;
      this.#writeRows(keys, decision);
      this.#tick = tick;
      this.#isTickUnsaved = true;
      return tick;
    });
  }

  writeAccessPolicies(table: TableAddress, policies: readonly AccessPolicy[]): Promise<void> {
    return this.#queue.submit(0, () => this.tables.setPolicies(table, policies));
  }

  updateServiceProperties(
    account: string,
    service: string,
    changes: Partial<ServiceProperties>,
  ): Promise<void> {
    return this.#queue.submit(0, () => {
      this.#areSettingsStale = true;
      this.settings.update(account, service, changes);
    });
  }

  /** A killed process leaves its read transactions behind, which pin old pages. */
  checkReaders(): void {
    this.root.readerCheck();
  }

  override async close(): Promise<void> {
    clearInterval(this.#readerCheck);
    clearInterval(this.#snapshotEnd);
    await this.#reclaimer.close();
    await super.close();
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
      if (row === null) this.entities.removeSync(key);
      else this.entities.putSync(key, row);
    };
    if (keys.length === 1) keys.forEach(write);
    else this.entities.childTransaction(() => keys.forEach(write));
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

  /** Why a group commit failed: lmdb says "Input/output error" of a full disk as of a broken one. */
  async #explainFailure(error: unknown): Promise<unknown> {
    const { bavail, bsize } = await statfs(this.#folder.path);
    return bavail * bsize < pageBytes * limits.transactionOperationsMax
      ? new ServiceError('InsufficientStorage')
      : error;
  }
}

function openForWriting(folder: DataFolder): RootDatabase {
  const root = openRoot(folder.path, folder.isTemporary ? 'writes without flush' : 'writes');
  const meta = openMeta(root);
  const format = meta.get('format') as number | undefined;
  if (format === undefined) {
    meta.putSync('format', formatVersion);
  } else if (format > formatVersion) {
    void root.close();
    throw new DataFolderError(
      `the store in ${folder.path} has format ${format}, made by a newer tabularium; this one reads up to format ${formatVersion}`,
    );
  }
  return root;
}
