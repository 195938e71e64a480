import { DurationSeries, histogramOf, type PlainHistogram } from './duration-series.ts';

const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests by service, operation and status, with their durations. */
export class RequestHistogram {
  readonly #series = new Map<string, DurationSeries>();
  readonly metric: PlainHistogram = histogramOf(
    'tabularium_request_duration_seconds',
    'Requests by operation and HTTP status, and their time from the head to the end of the answer.',
    () => this.#series.values(),
  );

  count(service: string, operation: string, status: number, durationMs: number): void {
    const key = `${service} ${operation} ${status}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = new DurationSeries({ service, operation, status: String(status) }, bucketsSeconds);
      this.#series.set(key, series);
    }
    series.count(durationMs);
  }
}
