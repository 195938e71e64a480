import type { RootDatabase } from 'lmdb';
import { ServiceError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import type { CommitObserver } from '../store.ts';

interface Write {
  readonly work: () => unknown;
  readonly settle: (outcome: WriteOutcome) => void;
  outcome: WriteOutcome;
}

type WriteOutcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Group commit: whatever is submitted while a transaction is being flushed goes into the next one, and each
 * promise resolves once its group is on disk. A write that throws rejects alone; the others of its group
 * stand, so a write must be one put, or a child transaction.
 */
export class CommitQueue {
  readonly #database: RootDatabase;
  readonly #beforeFlush: () => void;
  readonly #onVisible: () => void;
  readonly #explainFailure: (error: unknown) => Promise<unknown>;
  readonly #observer: CommitObserver;
  #waiting: Write[] = [];
  #isScheduled = false;
  #pendingWrites = 0;
  #pendingBytes = 0;

  /**
   * `beforeFlush` runs as the last step inside each group's transaction, `onVisible` once it is committed, or
   * may be, and before anyone is told.
   */
  constructor(
    database: RootDatabase,
    options: {
      beforeFlush: () => void;
      onVisible: () => void;
      explainFailure: (error: unknown) => Promise<unknown>;
      observer: CommitObserver;
    },
  ) {
    this.#database = database;
    this.#beforeFlush = options.beforeFlush;
    this.#onVisible = options.onVisible;
    this.#explainFailure = options.explainFailure;
    this.#observer = options.observer;
  }

  get isIdle(): boolean {
    return this.#pendingWrites === 0;
  }

  /** Runs `work` inside a write transaction. Rejects with ServerBusy past limits.queuedWritesMax. */
  submit<T>(bytes: number, work: () => T): Promise<T> {
    const isFull =
      this.#pendingWrites >= limits.queuedWritesMax ||
      this.#pendingBytes + bytes > limits.queuedWriteBytesMax;
    if (isFull && !this.isIdle) return Promise.reject(new ServiceError('ServerBusy'));
    this.#pendingWrites++;
    this.#pendingBytes += bytes;
    return new Promise<T>((resolve, reject) => {
      const settle = (outcome: WriteOutcome): void => {
        this.#pendingWrites--;
        this.#pendingBytes -= bytes;
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.value as T);
      };
      this.#waiting.push({ work, settle, outcome: { value: undefined } });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void this.#commitGroup();
  }

  async #commitGroup(): Promise<void> {
    let group: Write[] = [];
    let beganMs = 0;
    try {
      await this.#database.transaction(() => {
        beganMs = performance.now();
        group = this.#takeWaiting();
        for (const write of group) write.outcome = attempt(write.work);
        this.#beforeFlush();
        this.#observer.onFlushing?.(group.length);
      });
      this.#observer.onCommitted?.(group.length, performance.now() - beganMs);
    } catch (error) {
      if (beganMs === 0) group = this.#takeWaiting();
      // lmdb tells the cause through a promise of its own, which must not go unhandled.
      const cause = await Promise.resolve((error as { commitError?: unknown }).commitError).catch(e => e);
      const explained = await this.#explainFailure(cause ?? error);
      for (const write of group) write.outcome = { error: explained };
    }
    this.#onVisible();
    for (const write of group) write.settle(write.outcome);
  }

  /** From here on, what is submitted goes into the next group. */
  #takeWaiting(): Write[] {
    const group = this.#waiting;
    this.#waiting = [];
    this.#isScheduled = false;
    return group;
  }
}

function attempt(work: () => unknown): WriteOutcome {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
