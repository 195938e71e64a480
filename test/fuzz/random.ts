import { type Cipher, createCipheriv, createHash } from 'node:crypto';

const zeros = Buffer.alloc(1024);

/**
 * The choices of one case: a stream of random bytes that a seed and a number name, so that any case can be
 * made again without those before it. The stream is a cipher's, keyed by a hash of the two.
 */
export class Random {
  readonly #cipher: Cipher;
  #bytes = Buffer.alloc(0);
  #at = 0;

  constructor(seed: string, caseNumber: number) {
    const digest = createHash('sha256').update(`${seed}/${caseNumber}`).digest();
    this.#cipher = createCipheriv('aes-128-ctr', digest.subarray(0, 16), digest.subarray(16));
  }

  #word(): number {
    if (this.#at === this.#bytes.length) {
      this.#bytes = this.#cipher.update(zeros);
      this.#at = 0;
    }
    const word = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return word;
  }

  /** A whole number from 0 up to but not including `limit`. */
  below(limit: number): number {
    return Math.floor((this.#word() / 2 ** 32) * limit);
  }

  /** Both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** In a careful case nothing is odd: the request is one that the server should grant. */
  isCareful = false;

  /** True once in so many times: for what a client that knows its way does not do. */
  oddOnceIn(times: number): boolean {
    return !this.isCareful && this.onceIn(times);
  }

  /** True once in so many times. */
  onceIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** A usual one; an odd one once in so many times, where anything may be odd. */
  pickUsually<Item>(times: number, usual: readonly Item[], odd: readonly Item[]): Item {
    return this.pick(this.oddOnceIn(times) ? odd : usual);
  }

  /** The outcome of one of these, each as likely as its weight says. */
  choose<Item>(ways: readonly Weighted<Item>[]): Item {
    let rest = this.below(ways.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, way] of ways) {
      rest -= weight;
      if (rest < 0) return way(this);
    }
    throw new Error('no way has a weight');
  }

  /** Small numbers mostly, now and then large ones. */
  size(limit: number): number {
    const exponent = (this.#word() / 2 ** 32) ** 3;
    return Math.floor(limit ** exponent);
  }

  repeat<Item>(count: number, make: (random: Random) => Item): Item[] {
    return Array.from({ length: count }, () => make(this));
  }

  bytes(count: number): Buffer {
    return this.#cipher.update(Buffer.alloc(count));
  }
}

export type Weighted<Item> = readonly [weight: number, way: (random: Random) => Item];
