import type { Database } from 'lmdb';
import { compareKeys, type Key, type KeyRange, successor } from '../key.ts';
import type { Page, ScanOptions } from '../store.ts';
import { decodeKey, encodeBound, encodeRange } from './keys.ts';
import type { SlicedScan } from './scan-scheduler.ts';

type ReadTransaction = ReturnType<Database['useReadTransaction']>;
type Entry = { readonly key: Buffer; readonly value: Buffer };

/** Rows between two looks at the clock. */
const rowsPerCheck = 8;

/** One page: reads its ranges in order from one snapshot, which it holds until closed. */
export class EntityScan implements SlicedScan {
  readonly signal: AbortSignal | undefined;
  readonly #entities: Database<Buffer, Buffer>;
  readonly #transaction: ReadTransaction;
  readonly #tableId: number;
  readonly #ranges: readonly KeyRange[];
  readonly #options: ScanOptions;
  readonly #deadlineMs: number;
  readonly #rows: Buffer[] = [];
  #bytes = 0;
  #examined = 0;
  #rangeIndex = 0;
  #entries: Iterator<Entry> | undefined;
  #next: Key | undefined;

  constructor(
    entities: Database<Buffer, Buffer>,
    transaction: ReadTransaction,
    tableId: number,
    ranges: readonly KeyRange[],
    options: ScanOptions,
  ) {
    this.signal = options.signal;
    this.#entities = entities;
    this.#transaction = transaction;
    this.#tableId = tableId;
    this.#ranges = ranges;
    this.#options = options;
    this.#deadlineMs = performance.now() + options.durationMsMax;
  }

  get page(): Page {
    const page = { rows: this.#rows, examined: this.#examined };
    return this.#next === undefined ? page : { ...page, next: this.#next };
  }

  step(untilMs: number): boolean {
    for (let looked = 1; this.#rangeIndex < this.#ranges.length; looked++) {
      const entry = this.#nextEntry();
      if (entry === undefined) {
        this.#rangeIndex++;
      } else if (this.#isFull()) {
        this.#next = decodeKey(entry.key);
        return true;
      } else {
        this.#examine(entry.value);
      }
      if (looked % rowsPerCheck === 0 && performance.now() >= untilMs) {
        return this.#rangeIndex === this.#ranges.length;
      }
    }
    return true;
  }

  close(): void {
    this.#entries?.return?.();
    this.#transaction.done();
  }

  /** The next entry of the current range, or undefined at its end. */
  #nextEntry(): Entry | undefined {
    if (this.#entries === undefined) {
      const range = this.#ranges[this.#rangeIndex] as KeyRange;
      if (isSingleKey(range)) {
        this.#entries = [].values();
        return this.#readEntry(range.from);
      }
      const { start, end } = encodeRange(this.#tableId, range);
      const entries = this.#entities.getRange({ start, end, transaction: this.#transaction });
      this.#entries = entries[Symbol.iterator]() as Iterator<Entry>;
    }
    const { done, value } = this.#entries.next();
    if (done !== true) return value;
    this.#entries = undefined;
    return undefined;
  }

  #readEntry(at: Key): Entry | undefined {
    const key = encodeBound(this.#tableId, at);
    const value = this.#entities.get(key, { transaction: this.#transaction });
    if (value !== undefined) return { key, value };
    this.#entries = undefined;
    return undefined;
  }

  #isFull(): boolean {
    return (
      this.#rows.length >= this.#options.limit ||
      this.#bytes >= this.#options.bytesMax ||
      (this.#examined % rowsPerCheck === 0 && this.#examined > 0 && performance.now() >= this.#deadlineMs)
    );
  }

  #examine(row: Buffer): void {
    this.#examined++;
    const { matches } = this.#options;
    if (matches !== undefined && !matches(row)) return;
    this.#rows.push(row);
    this.#bytes += row.length;
  }
}

function isSingleKey({ from, to }: KeyRange): boolean {
  return to !== undefined && compareKeys(to, { ...from, rowKey: successor(from.rowKey) }) === 0;
}
