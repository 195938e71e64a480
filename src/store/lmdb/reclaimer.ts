import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from 'lmdb';
import type { CommitQueue } from './commit-queue.ts';
import { encodeTableStart } from './keys.ts';
import type { Tables } from './tables.ts';

/** One transaction's share when nobody waits, and when somebody does; either ends at the bytes, too. */
const idleRowsMax = 500;
const busyRowsMax = 100;
const sliceBytesMax = 2 * 1024 * 1024;
/** Between slices others come first: an uninterrupted run would take every second group commit. */
const pauseMs = 2;
const retryMs = 5_000;

/** Gives back the space of dropped tables in the background, in transactions small enough not to be felt. */
export class Reclaimer {
  readonly #queue: CommitQueue;
  readonly #tables: Tables;
  readonly #entities: Database<Buffer, Buffer>;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #isWakened = false;
  readonly #closing = new AbortController();

  constructor(
    queue: CommitQueue,
    tables: Tables,
    entities: Database<Buffer, Buffer>,
    onError: (error: unknown) => void,
  ) {
    this.#queue = queue;
    this.#tables = tables;
    this.#entities = entities;
    this.#onError = onError;
  }

  /** Starts the work, unless it is under way. */
  wake(): void {
    this.#isWakened = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWakened && !this.#closing.signal.aborted) {
      try {
        const rowsMax = this.#queue.isIdle ? idleRowsMax : busyRowsMax;
        this.#isWakened = await this.#queue.submit(sliceBytesMax, () => this.#reclaimSlice(rowsMax));
        await this.#pause(pauseMs);
      } catch (error) {
        this.#onError(error);
        await this.#pause(retryMs);
      }
    }
  }

  async #pause(durationMs: number): Promise<void> {
    await sleep(durationMs, undefined, { signal: this.#closing.signal }).catch(() => {});
  }

  /** Inside a write transaction. False when nothing is left to reclaim. */
  #reclaimSlice(rowsMax: number): boolean {
    const id = this.#tables.firstRetired();
    if (id === undefined) return false;
    const keys: Buffer[] = [];
    let bytes = 0;
    const range = { start: encodeTableStart(id), end: encodeTableStart(id + 1), limit: rowsMax };
    for (const { key, value } of this.#entities.getRange(range)) {
      keys.push(key);
      bytes += value.length;
      if (bytes >= sliceBytesMax) break;
    }
    for (const key of keys) this.#entities.removeSync(key);
    if (keys.length === 0) this.#tables.forgetRetired(id);
    return true;
  }
}
