import type { PageEnd } from '../../query-cost.ts';
import { compareKeys, type Key, type KeyRange, successor } from '../key.ts';
import type { Page, ScanOptions } from '../store.ts';
import { decodeKey, encodeBound, encodeRange } from './keys.ts';
import type { Entry, ReadTransaction, RowReader } from './row-reader.ts';
import type { SlicedScan } from './scan-scheduler.ts';

/** What a scan resolves when it first gets its turn. */
export interface ScanSource {
  readonly tableId: number;
  /** None for a scan of one range: its cursor holds the snapshot. */
  readonly transaction: ReadTransaction | undefined;
}

/** A look at the clock comes after so many rows, or after so many bytes of them. */
const rowsPerLook = 8;
const bytesPerLook = 32 * 1024;

const noRow = (): boolean => false;

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
  /** Why the page is full, once it is. */
  #end: PageEnd | undefined;
  #next: Key | undefined;

  constructor(reader: RowReader, begin: () => ScanSource, ranges: readonly KeyRange[], options: ScanOptions) {
    this.#reader = reader;
    this.#begin = begin;
    this.#ranges = ranges;
    this.#options = options;
    this.#deadlineMs = performance.now() + options.durationMsMax;
    if (options.limit === 0) this.#end = 'entities';
  }

  get page(): Page {
    const next = this.#next;
    if (next === undefined) return { rows: this.#rows, examined: this.#examined, end: 'range end' };
    return { rows: this.#rows, examined: this.#examined, end: this.#end as PageEnd, next };
  }

  isAbandoned(): boolean {
    return this.#options.isAbandoned?.() === true;
  }

  step(untilMs: number): boolean {
    this.#source ??= this.#begin();
    this.#setReader();
    this.#reader.bytesRead = 0;
    let looked = 0;
    while (this.#rangeIndex < this.#ranges.length) {
      const entry = this.#nextEntry();
      if (entry === undefined) {
        this.#rangeIndex++;
      } else if (this.#end !== undefined) {
        this.#next = decodeKey(entry.key as Buffer);
        return true;
      } else {
        this.#examined++;
        if (entry.value !== undefined) this.#add(entry.value);
      }
      looked++;
      if (looked < rowsPerLook && this.#reader.bytesRead < bytesPerLook) continue;
      looked = 0;
      this.#reader.bytesRead = 0;
      const nowMs = performance.now();
      // A page makes progress, however long it had to wait for its turns.
      if (nowMs >= this.#deadlineMs && this.#examined > 0) this.#endBy('time');
      if (nowMs >= untilMs) return this.#rangeIndex === this.#ranges.length;
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

  #add(row: Buffer): void {
    this.#rows.push(row);
    this.#bytes += row.length;
    if (this.#rows.length >= this.#options.limit) this.#endBy('entities');
    else if (this.#bytes >= this.#options.bytesMax) this.#endBy('bytes');
  }

  #endBy(end: PageEnd): void {
    this.#end ??= end;
    this.#setReader();
  }

  /** A full page still looks whether, and where, there is more. */
  #setReader(): void {
    const isFull = this.#end !== undefined;
    this.#reader.wantsKey = isFull;
    this.#reader.matches = isFull ? noRow : this.#options.matches;
    this.#reader.project = this.#options.project;
  }
}

function isSingleKey({ from, to }: KeyRange): boolean {
  return to !== undefined && compareKeys(to, { ...from, rowKey: successor(from.rowKey) }) === 0;
}
