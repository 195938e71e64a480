import type { Memory } from './server-process.ts';

const mebibyte = 2 ** 20;
/** README.md says under "Memory" why these. */
const rssAnonGrowthMax = 32 * mebibyte;
const heldGrowthMax = 8 * mebibyte;

/** What the server has after forced collections, from one round to the next. */
export class MemoryWatch {
  readonly #measured: Memory[] = [];

  add(memory: Memory): void {
    this.#measured.push(memory);
  }

  /** Undefined where the last third of the run needs no more than the second; the first is for warming up. */
  judge(): string | undefined {
    const third = Math.floor(this.#measured.length / 3);
    if (third === 0) return undefined;
    const [warm, last] = [this.#floor(third, 2 * third), this.#floor(-third)];
    const rssGrowth = last.rssAnonBytes - warm.rssAnonBytes;
    if (rssGrowth > rssAnonGrowthMax) return `RssAnon grew by ${formatMebibytes(rssGrowth)} MiB`;
    const heldGrowth = last.heldBytes - warm.heldBytes;
    if (heldGrowth > heldGrowthMax) return `what is held grew by ${formatMebibytes(heldGrowth)} MiB`;
    return undefined;
  }

  /** The least of each in some rounds: what allocators keep for later is above it, what is lost is in it. */
  #floor(start: number, end?: number): Memory {
    const rounds = this.#measured.slice(start, end);
    return {
      rssAnonBytes: Math.min(...rounds.map(({ rssAnonBytes }) => rssAnonBytes)),
      heldBytes: Math.min(...rounds.map(({ heldBytes }) => heldBytes)),
    };
  }
}

export function formatMebibytes(bytes: number): string {
  return (bytes / mebibyte).toFixed(1);
}
