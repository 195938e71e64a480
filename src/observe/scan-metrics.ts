import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import type { ScanObserver } from '../store/store.ts';
import { DurationSeries, histogramOf } from './duration-series.ts';

/** Scans are worked on for a millisecond at a time; twice that kept everything else waiting. */
const longSliceMs = 2;
const turnBucketsSeconds = [0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01, 0.025, 0.1, 1];

/** What scans do to the event loop, which they share with everything else. */
export class ScanMetrics implements ScanObserver {
  #slices = 0;
  #longSlices = 0;
  #longestSliceMs = 0;
  /**
   * The delay of the event loop where it matters most, at no cost. A timer that looks every millisecond, as Node's
   * own monitor does at that resolution, takes 2 % of a processor while there is nothing to do.
   */
  readonly #turns = new DurationSeries({}, turnBucketsSeconds);
  running: () => number = () => 0;

  constructor(registry: Registry) {
    const registers = [registry];
    const metrics = this;
    new Gauge({
      name: 'tabularium_scans_running',
      help: 'Queries that have begun and not ended.',
      registers,
      collect() {
        this.set(metrics.running());
      },
    });
    new Counter({
      name: 'tabularium_scan_slices_total',
      help: 'Times that a query was worked on, without a break.',
      registers,
      collect() {
        this.reset();
        this.inc(metrics.#slices);
      },
    });
    new Counter({
      name: 'tabularium_scan_long_slices_total',
      help: 'Those that took longer than 2 milliseconds.',
      registers,
      collect() {
        this.reset();
        this.inc(metrics.#longSlices);
      },
    });
    new Gauge({
      name: 'tabularium_scan_longest_slice_seconds',
      help: 'The longest of them since the server started.',
      registers,
      collect() {
        this.set(metrics.#longestSliceMs / 1000);
      },
    });
    const turns = histogramOf(
      'tabularium_scan_turn_duration_seconds',
      'Turns of the event loop while queries were running: how long anything else had to wait.',
      () => [this.#turns],
    );
    registry.registerMetric(turns as unknown as Metric);
  }

  onSlice(durationMs: number): void {
    this.#slices++;
    if (durationMs > longSliceMs) this.#longSlices++;
    if (durationMs > this.#longestSliceMs) this.#longestSliceMs = durationMs;
  }

  onTurn(durationMs: number): void {
    this.#turns.count(durationMs);
  }
}
