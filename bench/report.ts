/** The results of a run as text: a table for each workload and concurrency, then the bars. */

import { bars } from './bars.ts';
import type { Measurement } from './http-load.ts';
import { type Band, bandOf, median } from './statistics.ts';
import { type WorkloadName, workloadNamed } from './workloads.ts';

/** The second measurement of our server in a round, which shows what the machine's noise alone does. */
export const againLabel = 'tabularium again';
const ours = 'tabularium';

export interface Result {
  round: number;
  workload: WorkloadName;
  concurrency: number;
  /** The name of a contestant, or the label of our second measurement. */
  label: string;
  measurement: Measurement;
  /** What part of the machine's processors was used by processes that are not of this run. */
  othersShare: number;
}

/** Above this, others at work change the ratios: a server that needs two cores may have had one. */
const othersShareMax = 0.05;

export function operationsPerSecond(measurement: Measurement): number {
  return (measurement.operations / measurement.durationMs) * 1000;
}

export class Report {
  readonly #results: readonly Result[];

  constructor(results: readonly Result[]) {
    this.#results = results;
  }

  /** Our rate over that of another one, round by round. */
  ratio(workload: WorkloadName, concurrency: number, over: string, under: string): Band | undefined {
    const ratios: number[] = [];
    const cell = this.#cell(workload, concurrency);
    for (const { round, measurement } of cell.filter(({ label }) => label === over)) {
      const other = cell.find(result => result.label === under && result.round === round);
      if (other === undefined) continue;
      ratios.push(operationsPerSecond(measurement) / operationsPerSecond(other.measurement));
    }
    return ratios.length > 0 ? bandOf(ratios) : undefined;
  }

  tables(): string {
    const seen = new Map<string, Result>();
    for (const result of this.#results) seen.set(`${result.workload} ${result.concurrency}`, result);
    return [...seen.values()].map(result => this.#table(result.workload, result.concurrency)).join('\n');
  }

  bars(): string {
    const lines = bars.map(({ workload, concurrency, versus, ratioMin }) => {
      const band = this.ratio(workload, concurrency, ours, versus);
      const verdict = band === undefined ? 'not measured' : band.median >= ratioMin ? 'pass' : 'MISS';
      const claim = `${workloadNamed(workload).title} at ${concurrency}: at least ${ratioMin} × ${versus}`;
      return `  ${verdict.padEnd(13)} ${claim.padEnd(56)} ${band === undefined ? '' : bandText(band)}`.trimEnd();
    });
    const disturbed = this.#results.filter(({ othersShare }) => othersShare > othersShareMax).length;
    if (disturbed > 0) {
      lines.push(
        '',
        `UNCERTAIN: in ${disturbed} of ${this.#results.length} measurements others were at work`,
      );
    }
    return ['bars', ...lines, ''].join('\n');
  }

  #cell(workload: WorkloadName, concurrency: number): Result[] {
    return this.#results.filter(result => result.workload === workload && result.concurrency === concurrency);
  }

  #table(workload: WorkloadName, concurrency: number): string {
    const cell = this.#cell(workload, concurrency);
    const labels = [...new Set(cell.map(({ label }) => label))].toSorted();
    const rows = labels.map(label => {
      const measurements = cell.filter(result => result.label === label).map(result => result.measurement);
      return rowOf(label, measurements);
    });
    const columns = ['ops/s', 'p50 ms', 'p99 ms', 'CPU µs/op', 'load µs/op', 'bytes'];
    const header = ['', ...columns];
    const lines = [`${workloadNamed(workload).title}, ${concurrency} at once`, ...aligned([header, ...rows])];
    const ratios = ['bare', 'azurite', 'raw'].flatMap(other => {
      const band = this.ratio(workload, concurrency, ours, other);
      return band === undefined ? [] : [`ours/${other} ${bandText(band)}`];
    });
    if (ratios.length > 0) lines.push(`  ${ratios.join('   ')}`);
    const noise = this.ratio(workload, concurrency, againLabel, ours);
    if (noise !== undefined) lines.push(`  ours against itself ${spanText(noise)}`);
    if (cell.some(({ measurement }) => measurement.capped)) {
      lines.push('  * in some round time was up before there were as many operations as connections');
    }
    const othersShare = Math.max(...cell.map(result => result.othersShare));
    if (othersShare > othersShareMax) {
      lines.push(
        `  UNCERTAIN: others used up to ${Math.round(othersShare * 100)} % of the machine meanwhile`,
      );
    }
    return `${lines.join('\n')}\n`;
  }
}

function rowOf(label: string, measurements: Measurement[]): string[] {
  const capped = measurements.some(measurement => measurement.capped);
  const middle = (value: (measurement: Measurement) => number) => median(measurements.map(value));
  const perOperation = (cpuSeconds: number, { operations }: Measurement) =>
    (cpuSeconds * 1_000_000) / operations;
  return [
    `${label}${capped ? ' *' : ''}`,
    number(middle(operationsPerSecond)),
    number(middle(({ p50Ms }) => p50Ms)),
    number(middle(({ p99Ms }) => p99Ms)),
    number(middle(measurement => perOperation(measurement.serverCpuSeconds, measurement))),
    label === 'raw'
      ? '-'
      : number(middle(measurement => perOperation(measurement.loadCpuSeconds, measurement))),
    label === 'raw' ? '-' : number(middle(({ answerBytes }) => answerBytes)),
  ];
}

/** Three digits that count, thousands apart. */
function number(value: number): string {
  if (value >= 100 || value === 0) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

function bandText(band: Band): string {
  return `${number(band.median)} (${spanText(band)})`;
}

function spanText(band: Band): string {
  return `${number(band.min)}–${number(band.max)}`;
}

/** The first column to the left, numbers to the right. */
export function aligned(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)));
  return rows.map(row => {
    const cells = row.map((text, column) =>
      column === 0 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!),
    );
    return `  ${cells.join('   ')}`.trimEnd();
  });
}
