import { ServiceError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import type { ScanObserver } from '../store.ts';

/** A scan that can be worked on bit by bit. */
export interface SlicedScan {
  isAbandoned(): boolean;
  /** Works until done or until about `untilMs` of performance.now(); true when done. */
  step(untilMs: number): boolean;
  /** Releases what the scan holds; called exactly once. */
  close(): void;
}

interface Running {
  readonly scan: SlicedScan;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** What all scans together may take of one turn of the event loop. */
const turnBudgetMs = 1;

/**
 * Shares the process's one thread among scans and everything else: all scans together get a millisecond of
 * each turn of the event loop, in turn. A scan that fits in what is left of the turn never waits.
 */
export class ScanScheduler {
  readonly #runningMax: number;
  readonly #queue: Running[] = [];
  #spentMs = 0;
  #isTurnScheduled = false;

  readonly #observer: ScanObserver;
  #turnBeganMs = 0;

  constructor(observer: ScanObserver = {}, runningMax: number = limits.concurrentScansMax) {
    this.#observer = observer;
    this.#runningMax = runningMax;
  }

  get running(): number {
    return this.#queue.length;
  }

  /** Resolves when the scan is done and closed. Rejects with ServerBusy where as many run as may. */
  run(scan: SlicedScan): Promise<void> {
    if (this.#queue.length >= this.#runningMax) return Promise.reject(new ServiceError('ServerBusy'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ scan, resolve, reject });
      if (this.#queue.length === 1 && this.#spentMs < turnBudgetMs) this.#runTurn();
      else this.#scheduleTurn();
    });
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    setImmediate(() => {
      this.#isTurnScheduled = false;
      this.#spentMs = 0;
      // Scans that wait have every turn of the event loop: from one to the next is how long it takes.
      if (this.#queue.length > 0) this.#observer.onTurn?.(performance.now() - this.#turnBeganMs);
      this.#runTurn();
    });
  }

  #runTurn(): void {
    const beganMs = performance.now();
    this.#turnBeganMs = beganMs;
    const untilMs = beganMs + turnBudgetMs - this.#spentMs;
    let nowMs = beganMs;
    while (nowMs < untilMs && this.#queue.length > 0) {
      const running = this.#queue.shift() as Running;
      if (!this.#step(running, untilMs)) this.#queue.push(running);
      const sliceEndMs = performance.now();
      this.#observer.onSlice?.(sliceEndMs - nowMs);
      nowMs = sliceEndMs;
    }
    this.#spentMs += nowMs - beganMs;
    // Also with an empty queue, once: the next turn begins with an unspent budget.
    if (this.#queue.length > 0 || this.#spentMs > 0) this.#scheduleTurn();
  }

  /** True when the scan has ended, well or not. */
  #step({ scan, resolve, reject }: Running, untilMs: number): boolean {
    try {
      if (scan.isAbandoned()) throw new Error('the scan was abandoned');
      if (!scan.step(untilMs)) return false;
      scan.close();
      resolve();
    } catch (error) {
      scan.close();
      reject(error);
    }
    return true;
  }
}
