/** The few numbers that a comparison needs: medians, bands, and percentiles of many durations. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export interface Band {
  median: number;
  min: number;
  max: number;
}

export function bandOf(values: readonly number[]): Band {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

const bucketGrowth = Math.log(1.01);
const bucketCountMax = 2_200;

/** Durations in buckets that are 1 % wide each: any number of samples, without keeping them. */
export class DurationHistogram {
  readonly #counts: Uint32Array = new Uint32Array(bucketCountMax);
  #count = 0;

  record(durationMs: number): void {
    const durationUs = Math.max(durationMs * 1000, 0.1);
    const bucket = Math.floor(Math.log(durationUs * 10) / bucketGrowth);
    const index = Math.min(bucket, bucketCountMax - 1);
    this.#counts[index] = this.#counts[index]! + 1;
    this.#count += 1;
  }

  percentileMs(percentile: number): number {
    let remaining = Math.max(1, Math.ceil((this.#count * percentile) / 100));
    for (let bucket = 0; bucket < bucketCountMax; bucket += 1) {
      remaining -= this.#counts[bucket]!;
      if (remaining <= 0) return Math.exp((bucket + 0.5) * bucketGrowth) / 10 / 1000;
    }
    return Number.NaN;
  }
}
