import type { AccessPolicy } from '../account/access-policy.ts';
import type { ServiceProperties } from '../account/service-properties.ts';
import type { ServiceError } from '../errors.ts';
import type { PageEnd } from '../query-cost.ts';
import type { Ticks } from '../ticks.ts';
import type { Key, KeyRange } from './key.ts';

/**
 * The store contract. A store keeps and orders; the rules (conditions, limits, etags) are decided above it, by
 * the `Decide` that it is opened with. What is to be written comes as plain data, since the process that writes
 * may be another one. What every store promises, and test/store/contract.ts holds it to:
 *
 * - **Durable acknowledgement.** When a promise of `createTable`, `deleteTable` or `mutate` resolves, what it
 *   did survives `kill -9` and power loss. When one rejects with `OperationTimedOut`, or with anything but a
 *   ServiceError, the outcome is unknown.
 * - **The partition is the unit of atomicity and order.** Calls of `mutate` on one partition are
 *   linearizable; either all writes of a call are there, or none.
 * - **Reads see what was acknowledged** before they began, on whichever connection.
 * - **A page is one snapshot**, at least of each partition in it.
 * - **A dropped table is gone at once**, at any size, with its access policies, and its name is free; a table
 *   made again under the name is empty. Space is reclaimed in the background, after a restart too.
 *
 * Methods that name a table reject with the ServiceError `TableNotFound` where there is none.
 */
export interface Store<Intent> {
  /** False where a table of that name, in any case, exists. */
  createTable(account: string, name: string): Promise<boolean>;
  /** The name as it was created, or undefined. */
  readTable(account: string, name: string): Promise<string | undefined>;
  /** False where there was none. */
  deleteTable(account: string, name: string): Promise<boolean>;
  /** Names as created, ascending by their lower-case form, from `from` (lower case, inclusive) on. */
  listTables(account: string, from: string, limit: number): Promise<string[]>;

  /** What `look` makes of an entity's row, which it sees during the call only; undefined where there is none. */
  read<Seen>(table: TableAddress, key: Key, look: (row: Buffer) => Seen): Promise<Seen | undefined>;

  /**
   * Reads the named rows of one partition and writes what is decided of the intents, atomically. `rowKeys` are
   * distinct and at most limits.transactionOperationsMax. Resolves with the time of the write. Rejects with the
   * ServiceError that was decided, and with `ServerBusy` when too much is queued.
   */
  mutate(
    table: TableAddress,
    partitionKey: string,
    rowKeys: readonly string[],
    intents: readonly Intent[],
    /** About how many bytes it will write: bounds what may be queued. */
    bytes: number,
  ): Promise<Ticks>;

  /** The rows of ascending, disjoint ranges, in order. Rejects with `ServerBusy` when too many run. */
  scan(table: TableAddress, ranges: readonly KeyRange[], options: ScanOptions): Promise<Page>;

  /** The table's stored access policies, in the order they were written. */
  readAccessPolicies(table: TableAddress): Promise<readonly AccessPolicy[]>;
  /** In place of those that were there. */
  writeAccessPolicies(table: TableAddress, policies: readonly AccessPolicy[]): Promise<void>;

  /** Undefined where the owner has set nothing. Asked with each request: no promise where the answer is at hand. */
  readServiceProperties(
    account: string,
    service: string,
  ): ServiceProperties | undefined | Promise<ServiceProperties | undefined>;
  /** Sets those that are given, atomically; the others stay, or become the default where nothing was set. */
  updateServiceProperties(
    account: string,
    service: string,
    changes: Partial<ServiceProperties>,
  ): Promise<void>;

  /** Resolves once everything acknowledged is down and nothing holds the files any more. */
  close(): Promise<void>;
}

export interface TableAddress {
  readonly account: string;
  /** In any case: table names are compared ignoring it. */
  readonly table: string;
}

/**
 * The rule of what is written: for each row its new state, null for none; or a refusal, and then nothing is
 * written. Pure and synchronous, and may run more than once. `current` holds the rows as they are, in the order
 * of the row keys, undefined where there is none; they are valid during the call only. `tick` is the time of
 * this write, greater than that of every earlier write of the store.
 */
export type Decide<Intent> = (
  intents: readonly Intent[],
  current: readonly (Buffer | undefined)[],
  tick: Ticks,
) => readonly (Buffer | null)[] | ServiceError;

export interface ScanOptions {
  /** Rows in the page at most. */
  readonly limit: number;
  /** The page ends when its rows, as they are returned, have this many bytes. */
  readonly bytesMax: number;
  /** How long the page may take. */
  readonly durationMsMax: number;
  /** Which rows to return: all, where it is absent. Sees each row's buffer during the call only. */
  readonly matches?: ((row: Buffer) => boolean) | undefined;
  /**
   * What is returned of a row: all of it, where this is absent. Sees the row's buffer during the call only; its
   * answer is valid until the next call.
   */
  readonly project?: ((row: Buffer) => Buffer) | undefined;
  /** Asked now and then; once true, the scan stops and rejects: nobody waits for it. */
  readonly isAbandoned?: () => boolean;
}

export interface Page {
  readonly rows: readonly Buffer[];
  /** Rows looked at, returned or not. */
  readonly examined: number;
  /** What ended it. */
  readonly end: PageEnd;
  /** The first key not looked at, where the page ended before its ranges did. */
  readonly next?: Key;
}

/** Told of each group commit: for metrics, and for tests that kill the process around the flush. */
export interface CommitObserver {
  /** All writes of the group are made; the flush has not begun. */
  onFlushing?(writes: number): void;
  /** The group is on disk; nobody has been told yet. */
  onCommitted?(writes: number, durationMs: number): void;
}

/** Told of the work on scans, which shares the event loop with everything else: for metrics. */
export interface ScanObserver {
  /** A scan was worked on, without a break. */
  onSlice?(durationMs: number): void;
  /** A whole turn of the event loop, while scans were running. */
  onTurn?(durationMs: number): void;
}
