/** What one turn of the event loop takes: in bytes of bodies, of which a request counts as a few thousand at least. */
const turnBytesMax = 32 * 1024;
const requestBytesMin = 4 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly resolve: () => void;
}

/**
 * Takes writes a few for each turn of the event loop, in the order they came. Writes that are answered together come
 * back together: were all of them read in one turn they would go into one commit, and there would be nothing to do
 * while that is flushed. Taken a few at a time, the first are flushed while the others are read; and of large ones
 * that wait, there is the body and not yet all that is made of it.
 */
export class WriteTurns {
  #bytes = 0;
  #isScheduled = false;
  #waiting: Waiting[] = [];

  /** Undefined where there is no need to wait. */
  take(bodyBytes: number): Promise<void> | undefined {
    const bytes = Math.max(bodyBytes, requestBytesMin);
    if (this.#waiting.length === 0 && this.#isFree()) {
      this.#count(bytes);
      return undefined;
    }
    return new Promise(resolve => {
      this.#waiting.push({ bytes, resolve });
    });
  }

  #isFree(): boolean {
    return this.#bytes < turnBytesMax;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isScheduled = false;
    this.#bytes = 0;
    let taken = 0;
    while (taken < this.#waiting.length && this.#isFree()) {
      const { bytes, resolve } = this.#waiting[taken++] as Waiting;
      this.#count(bytes);
      resolve();
    }
    this.#waiting = this.#waiting.slice(taken);
  }
}
