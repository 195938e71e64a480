import { compareKeys, type Key, type KeyRange, successor } from '../key.ts';
import type { Page, ScanOptions } from '../store.ts';
import { decodeKey, encodeBound, encodeRange } from './keys.ts';
import type { Entry, ReadTransaction, RowReader } from './row-reader.ts';
import type { SlicedScan } from './scan-scheduler.ts';

/** What a scan resolves when it first gets its turn, all in one snapshot. */
export interface ScanSource {
  readonly tableId: number;
  /** None for a scan of one range: its cursor holds the snapshot. */
  readonly transaction: ReadTransaction | undefined;
}

/** Rows between two looks at the clock. */
const rowsPerCheck = 8;

/** One page: reads its ranges in order from one snapshot, which it holds until closed. */
export class EntityScan implements SlicedScan {
  readonly #reader: RowReader;
  readonly #begin: () => ScanSource;
  #source: ScanSource | undefined;
  readonly #ranges: readonly KeyRange[];
  readonly #options: ScanOptions;
  readonly #deadlineMs: number;
  readonly #rows: Buffer[] = [];
  #bytes = 0;
  #examined = 0;
  #rangeIndex = 0;
  #entries: Iterator<Entry> | undefined;
  #next: Key | undefined;

  constructor(reader: RowReader, begin: () => ScanSource, ranges: readonly KeyRange[], options: ScanOptions) {
    this.#reader = reader;
    this.#begin = begin;
    this.#ranges = ranges;
    this.#options = options;
    this.#deadlineMs = performance.now() + options.durationMsMax;
  }

  get page(): Page {
    const page = { rows: this.#rows, examined: this.#examined };
    return this.#next === undefined ? page : { ...page, next: this.#next };
  }

  isAbandoned(): boolean {
    return this.#options.isAbandoned?.() === true;
  }

  step(untilMs: number): boolean {
    this.#source ??= this.#begin();
    for (let looked = 1; this.#rangeIndex < this.#ranges.length; looked++) {
      const isFull = this.#isFull();
      // A full page still looks whether, and where, there is more.
      this.#reader.wantsKey = isFull;
      this.#reader.matches = isFull ? undefined : this.#options.matches;
      const entry = this.#nextEntry();
      if (entry === undefined) {
        this.#rangeIndex++;
      } else if (isFull) {
        this.#next = decodeKey(entry.key as Buffer);
        return true;
      } else {
        this.#examined++;
        if (entry.value !== undefined) this.#add(entry.value);
      }
      if (looked % rowsPerCheck === 0 && performance.now() >= untilMs) {
        return this.#rangeIndex === this.#ranges.length;
      }
    }
    return true;
  }

  close(): void {
    this.#entries?.return?.();
    this.#source?.transaction?.done();
  }

  /** The next entry of the current range, or undefined at its end. */
  #nextEntry(): Entry | undefined {
    if (this.#entries === undefined) {
      const { tableId, transaction } = this.#source as ScanSource;
      const range = this.#ranges[this.#rangeIndex] as KeyRange;
      if (isSingleKey(range)) {
        const entry = this.#reader.readOne(encodeBound(tableId, range.from), transaction);
        if (entry !== undefined) this.#entries = [].values();
        return entry;
      }
      this.#entries = this.#reader.readRange(encodeRange(tableId, range), transaction);
    }
    const { done, value } = this.#entries.next();
    if (done !== true) return value;
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

  #add(row: Buffer): void {
    this.#rows.push(row);
    this.#bytes += row.length;
  }
}

function isSingleKey({ from, to }: KeyRange): boolean {
  return to !== undefined && compareKeys(to, { ...from, rowKey: successor(from.rowKey) }) === 0;
}
