/**
 * Durations of one kind in the buckets of a histogram: counted in plain numbers, since finding a series by its
 * labels in the library of metrics cost more than a look-up in the store.
 */
export class DurationSeries {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #bucketsSeconds: readonly number[];
  /** For each bucket the durations that fell into it and into no smaller one; the last has no upper bound. */
  readonly #counts: number[];
  #sumSeconds = 0;

  constructor(labels: Readonly<Record<string, string>>, bucketsSeconds: readonly number[]) {
    this.#labels = labels;
    this.#bucketsSeconds = bucketsSeconds;
    this.#counts = new Array<number>(bucketsSeconds.length + 1).fill(0);
  }

  count(durationMs: number): void {
    const buckets = this.#bucketsSeconds;
    const seconds = durationMs / 1000;
    let bucket = 0;
    while (bucket < buckets.length && seconds > (buckets[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sumSeconds += seconds;
  }

  /** The lines of the histogram of that name. */
  values(name: string): object[] {
    const labels = this.#labels;
    let total = 0;
    const buckets = this.#counts.map((count, index) => {
      total += count;
      const le = this.#bucketsSeconds[index] ?? '+Inf';
      return { labels: { le, ...labels }, value: total, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: this.#sumSeconds, metricName: `${name}_sum` },
      { labels, value: total, metricName: `${name}_count` },
    ];
  }
}

/** What a registry asks of a metric. */
export interface PlainHistogram {
  readonly name: string;
  get(): Promise<object>;
}

export function histogramOf(
  name: string,
  help: string,
  readSeries: () => Iterable<DurationSeries>,
): PlainHistogram {
  return {
    name,
    async get() {
      const values = [...readSeries()].flatMap(series => series.values(name));
      return { name, type: 'histogram', help, aggregator: 'sum', values };
    },
  };
}
