/** What we hold ourselves to, and whether a run holds it. */

import type { ContestantName } from './contestants.ts';
import {
  busiestWorkerShare,
  type Cell,
  cpuMsPerOperation,
  entitiesPerCpuSecond,
  type Results,
  rate,
} from './results.ts';
import type { Band } from './statistics.ts';
import { type WorkloadName, workloadNamed } from './workloads.ts';

type Demand =
  | { kind: 'rate'; versus: ContestantName; ratioMin: number }
  | { kind: 'cpu ratio'; versus: ContestantName; ratioMax: number }
  | { kind: 'cpu'; msMax: number }
  | { kind: 'entities'; perCpuSecondMin: number }
  | { kind: 'busiest worker'; shareMax: number };

export type Bar = Demand & { workload: WorkloadName; concurrency: number; contestant: ContestantName };

function ours(workload: WorkloadName, demand: Demand): Bar {
  return { workload, concurrency: 32, contestant: 'tabularium', ...demand };
}

function oursOver(versus: ContestantName, workload: WorkloadName, ratioMin: number): Bar {
  return ours(workload, { kind: 'rate', versus, ratioMin });
}

/** Two workers against one. */
const twoWorkers: Bar[] = [
  ...(['point-read', 'page', 'range', 'filtered-scan'] as const).map(workload =>
    ours(workload, { kind: 'cpu ratio', versus: 'tabularium', ratioMax: 1.15 }),
  ),
  ...(['insert', 'upsert', 'merge', 'delete', 'transaction'] as const).map(workload =>
    oursOver('tabularium', workload, 1),
  ),
  ours('point-read', { kind: 'busiest worker', shareMax: 0.6 }),
].map(bar => ({ ...bar, contestant: 'workers-2' }));

export const bars: readonly Bar[] = [
  oursOver('bare', 'point-read', 0.65),
  oursOver('bare', 'insert', 0.5),
  oursOver('bare', 'upsert', 0.5),
  oursOver('bare', 'merge', 0.5),
  oursOver('raw', 'transaction', 0.35),
  oursOver('bare', 'page', 0.6),
  ours('page', { kind: 'cpu', msMax: 3 }),
  ours('filtered-scan', { kind: 'entities', perCpuSecondMin: 300_000 }),
  oursOver('azurite', 'point-read', 8),
  oursOver('azurite', 'insert', 5),
  oursOver('azurite', 'delete', 5),
  oursOver('azurite', 'transaction', 2.5),
  oursOver('azurite', 'page', 12),
  oursOver('azurite', 'range', 30),
  ...twoWorkers,
];

export interface Judgement {
  verdict: 'pass' | 'MISS' | 'not measured';
  claim: string;
  band: Band | undefined;
}

/** By the median of the rounds. Workers are held to nothing where they take no part. */
export function judge(results: Results): Judgement[] {
  return bars
    .filter(({ contestant }) => contestant === 'tabularium' || results.takesPart(contestant))
    .map(bar => {
      const { band, isMet, wanted } = measured(bar, results);
      const verdict = band === undefined ? 'not measured' : isMet(band.median) ? 'pass' : 'MISS';
      const who = bar.contestant === 'tabularium' ? '' : `${bar.contestant}, `;
      const claim = `${who}${workloadNamed(bar.workload).title} at ${bar.concurrency}: ${wanted}`;
      return { verdict, claim, band };
    });
}

interface Measured {
  band: Band | undefined;
  isMet: (value: number) => boolean;
  wanted: string;
}

function measured(bar: Bar, results: Results): Measured {
  const cell: Cell = bar;
  const { contestant } = bar;
  switch (bar.kind) {
    case 'rate':
      return {
        band: results.ratio(cell, contestant, bar.versus, rate),
        isMet: ratio => ratio >= bar.ratioMin,
        wanted: `at least ${bar.ratioMin} × ${bar.versus}`,
      };
    case 'cpu ratio':
      return {
        band: results.ratio(cell, contestant, bar.versus, cpuMsPerOperation),
        isMet: ratio => ratio <= bar.ratioMax,
        wanted: `at most ${bar.ratioMax} × the CPU of ${bar.versus}`,
      };
    case 'cpu':
      return {
        band: results.band(cell, contestant, cpuMsPerOperation),
        isMet: ms => ms <= bar.msMax,
        wanted: `at most ${bar.msMax} ms of CPU`,
      };
    case 'entities':
      return {
        band: results.band(cell, contestant, entitiesPerCpuSecond),
        isMet: count => count >= bar.perCpuSecondMin,
        wanted: `at least ${bar.perCpuSecondMin.toLocaleString('en-US')} entities a CPU second`,
      };
    case 'busiest worker':
      return {
        band: results.band(cell, contestant, busiestWorkerShare),
        isMet: share => share <= bar.shareMax,
        wanted: `the busiest worker has at most ${bar.shareMax} of the work`,
      };
  }
}
