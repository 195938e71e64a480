/** The results of a run as text: a table for each workload and concurrency, then the bars. */

import { type Judgement, judge } from './bars.ts';
import { contestantNames, workerCounts } from './contestants.ts';
import {
  busiestWorkerShare,
  type Cell,
  cpuMsPerOperation,
  entitiesPerCpuSecond,
  entitiesPerSecond,
  loadCpuMsPerOperation,
  loadShare,
  type Results,
  rate,
} from './results.ts';
import type { Band } from './statistics.ts';
import { workloadNamed } from './workloads.ts';

/** The second measurement of our server in a round, which shows what the machine's noise alone does. */
export const againLabel = 'tabularium again';
const ours = 'tabularium';

/** Above this, others at work change the ratios: a server that needs two cores may have had one. */
const othersShareMax = 0.05;
/** Above this, the load may be what was measured. */
const loadShareMax = 0.85;

export function tablesText(results: Results): string {
  return results
    .cells()
    .map(cell => tableText(results, cell))
    .join('\n');
}

export function barsText(results: Results): string {
  const lines = judge(results).map(({ verdict, claim, band }) => verdictLine(verdict, claim, band));
  return ['bars', ...lines, ...disturbanceText(results), ''].join('\n');
}

export function verdictLine(verdict: Judgement['verdict'], claim: string, band: Band | undefined): string {
  const measured = band === undefined ? '' : bandText(band);
  return `  ${verdict.padEnd(13)} ${claim.padEnd(72)} ${measured}`.trimEnd();
}

/** What makes all of a run's numbers doubtful. */
export function disturbanceText({ all }: Results): string[] {
  const disturbed = all.filter(({ othersShare }) => othersShare > othersShareMax).length;
  if (disturbed === 0) return [];
  return ['', `UNCERTAIN: in ${disturbed} of ${all.length} measurements others were at work`];
}

function tableText(results: Results, cell: Cell): string {
  const labels = [...new Set(results.in(cell).map(({ label }) => label))].toSorted();
  const manyEntities = workloadNamed(cell.workload).entities > 1;
  const header = ['', 'ops/s', ...(manyEntities ? ['entities/s', 'entities/CPU s'] : [])];
  header.push('p50 ms', 'p99 ms', 'CPU µs/op', 'load µs/op', 'load busy', 'bytes');
  const rows = labels.map(label => rowOf(results, cell, label, manyEntities));
  return [
    `${workloadNamed(cell.workload).title}, ${cell.concurrency} at once`,
    ...aligned([header, ...rows]),
    ...comparisons(results, cell),
    ...doubts(results, cell),
    '',
  ].join('\n');
}

function rowOf(results: Results, cell: Cell, label: string, manyEntities: boolean): string[] {
  const middle = (value: Parameters<Results['middle']>[2]) => results.middle(cell, label, value);
  const capped = results.of(cell, label).some(({ measurement }) => measurement.capped);
  const entities = manyEntities ? [middle(entitiesPerSecond), middle(entitiesPerCpuSecond)] : [];
  const numbers = [
    middle(rate),
    ...entities,
    middle(({ measurement }) => measurement.p50Ms),
    middle(({ measurement }) => measurement.p99Ms),
    middle(cpuMsPerOperation) * 1000,
  ];
  const load = [
    numberText(middle(loadCpuMsPerOperation) * 1000),
    middle(loadShare).toFixed(2),
    numberText(middle(({ measurement }) => measurement.answerBytes)),
  ];
  const loadText = label === 'raw' ? load.map(() => '-') : load;
  return [`${label}${capped ? ' *' : ''}`, ...numbers.map(numberText), ...loadText];
}

/** How near we are to what the machine can do, how far from the emulator, and what more processes change. */
function comparisons(results: Results, cell: Cell): string[] {
  const over = (over: string, under: string, value = rate) => results.ratio(cell, over, under, value);
  const shares = contestantNames.flatMap(name => {
    const band = name in workerCounts || name === ours ? undefined : over(ours, name);
    if (band === undefined) return [];
    const words = name === 'azurite' ? 'times azurite' : `share of ${name}`;
    const cpu = [ours, name].map(label => numberText(results.middle(cell, label, cpuMsPerOperation) * 1000));
    return [`  ${words.padEnd(15)} ${bandText(band).padEnd(22)} CPU µs/op ${cpu[0]} against ${cpu[1]}`];
  });
  const workers = Object.keys(workerCounts).flatMap(name => {
    const rates = over(name, ours);
    const cpu = over(name, ours, cpuMsPerOperation);
    if (rates === undefined || cpu === undefined) return [];
    const split = results.band(cell, name, busiestWorkerShare)!;
    const busiest = workloadNamed(cell.workload).writes ? '' : `   busiest worker ${bandText(split)}`;
    return [`  ${name} over one   rate ${bandText(rates)}   CPU ${bandText(cpu)}${busiest}`];
  });
  const noise = over(againLabel, ours);
  return [...shares, ...workers, ...(noise ? [`  ours against itself ${spanText(noise)}`] : [])];
}

function doubts(results: Results, cell: Cell): string[] {
  const all = results.in(cell);
  const lines: string[] = [];
  if (all.some(({ measurement }) => measurement.capped)) {
    lines.push('  * in some round time was up before there were as many operations as connections');
  }
  const loadMax = Math.max(...all.map(loadShare));
  if (loadMax > loadShareMax) {
    lines.push(`  UNCERTAIN: the load was busy up to ${percent(loadMax)} of the time: it may be the limit`);
  }
  const othersMax = Math.max(...all.map(({ othersShare }) => othersShare));
  if (othersMax > othersShareMax) {
    lines.push(`  UNCERTAIN: others used up to ${percent(othersMax)} of the machine meanwhile`);
  }
  return lines;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Three digits that count, thousands apart. */
export function numberText(value: number): string {
  if (value >= 100 || value === 0) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

export function bandText(band: Band): string {
  return `${numberText(band.median)} (${spanText(band)})`;
}

function spanText(band: Band): string {
  return `${numberText(band.min)}–${numberText(band.max)}`;
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
