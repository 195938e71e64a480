import { readFileSync } from 'node:fs';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  Registry,
} from 'prom-client';
import type { QueryCost } from '../query-cost.ts';
import type { CommitObserver, ScanObserver } from '../store/store.ts';
import { QueryMetrics } from './query-metrics.ts';
import { RequestHistogram } from './request-histogram.ts';
import { ScanMetrics } from './scan-metrics.ts';

/** Of group commits. */
const durationBucketsSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** What `/-/metrics` shows: a registry of its own, as several servers may run in one process. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestHistogram();
  readonly #commits: Counter;
  readonly #commitWrites: Counter;
  readonly #commitDurations: Histogram;
  readonly #queries = new QueryMetrics(this.#registry);
  readonly #scans = new ScanMetrics(this.#registry);
  readonly #renderAll: (() => Promise<string>) | undefined;

  /** `renderAll` renders the metrics of this process and others, where there are others. */
  constructor(renderAll?: () => Promise<string>) {
    this.#renderAll = renderAll;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#registry.registerMetric(this.#requests.metric as unknown as Metric);
    this.#commits = new Counter({
      name: 'tabularium_store_commits_total',
      help: 'Group commits that reached the disk.',
      registers,
    });
    this.#commitWrites = new Counter({
      name: 'tabularium_store_commit_writes_total',
      help: 'Writes in those commits: the mean size of a group is their ratio.',
      registers,
    });
    this.#commitDurations = new Histogram({
      name: 'tabularium_store_commit_duration_seconds',
      help: 'Time from the first write of a group commit to the end of its flush.',
      buckets: durationBucketsSeconds,
      registers,
    });
    new Gauge({
      name: 'tabularium_rss_anon_bytes',
      help: 'Private memory of the process; the memory map of the store is not in it.',
      registers,
      collect() {
        this.set(readRssAnonBytes());
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Told of each commit of the store. */
  get commitObserver(): CommitObserver {
    return {
      onCommitted: (writes, durationMs) => {
        this.#commits.inc();
        this.#commitWrites.inc(writes);
        this.#commitDurations.observe(durationMs / 1000);
      },
    };
  }

  /** Told of the work on scans of the store. */
  get scanObserver(): ScanObserver {
    const scans = this.#scans;
    return {
      onSlice: durationMs => scans.onSlice(durationMs),
      onTurn: durationMs => scans.onTurn(durationMs),
    };
  }

  watchScans(running: () => number): void {
    this.#scans.running = running;
  }

  countRequest(service: string, operation: string, status: number, durationMs: number): void {
    this.#requests.count(service, operation, status, durationMs);
  }

  countQuery(cost: QueryCost, durationMs: number): void {
    this.#queries.count(cost, durationMs);
  }

  /** In the text format of Prometheus. */
  render(): Promise<string> {
    return this.#renderAll === undefined ? this.#registry.metrics() : this.#renderAll();
  }

  /** Those of this process as plain data, for `renderMetrics`. */
  collect(): Promise<object[]> {
    return this.#registry.getMetricsAsJSON();
  }
}

/** Metrics of several processes, added up, in the text format of Prometheus. */
export function renderMetrics(ofProcesses: object[][]): Promise<string> {
  return AggregatorRegistry.aggregate(ofProcesses).metrics();
}

/** RssAnon of this process; zero where the system does not tell. */
function readRssAnonBytes(): number {
  try {
    const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
