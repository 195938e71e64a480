const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** For each bucket the requests that fell into it and into no smaller one; the last has no upper bound. */
  readonly counts: number[];
  sumSeconds: number;
}

/**
 * Requests by service, operation and status, with their durations: a metric that the registry renders as any
 * other, but counted in plain numbers, since finding a series by its labels cost more than a look-up in the
 * store.
 */
export class RequestHistogram {
  readonly name = 'tabularium_request_duration_seconds';
  readonly #series = new Map<string, Series>();

  count(service: string, operation: string, status: number, durationMs: number): void {
    const key = `${service} ${operation} ${status}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const counts = new Array<number>(bucketsSeconds.length + 1).fill(0);
      series = { labels: { service, operation, status: String(status) }, counts, sumSeconds: 0 };
      this.#series.set(key, series);
    }
    const seconds = durationMs / 1000;
    let bucket = 0;
    while (bucket < bucketsSeconds.length && seconds > (bucketsSeconds[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sumSeconds += seconds;
  }

  /** What the registry asks of a metric. */
  async get(): Promise<object> {
    return {
      name: this.name,
      type: 'histogram',
      help: 'Requests by operation and HTTP status, and their time from the head to the end of the answer.',
      aggregator: 'sum',
      values: [...this.#series.values()].flatMap(series => this.#valuesOf(series)),
    };
  }

  #valuesOf({ labels, counts, sumSeconds }: Series): object[] {
    let total = 0;
    const buckets = counts.map((count, index) => {
      total += count;
      const le = bucketsSeconds[index] ?? '+Inf';
      return { labels: { le, ...labels }, value: total, metricName: `${this.name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sumSeconds, metricName: `${this.name}_sum` },
      { labels, value: total, metricName: `${this.name}_count` },
    ];
  }
}
