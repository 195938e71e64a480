/** What we hold ourselves to: ratios of our operations a second to those of another contestant. */

import type { ContestantName } from './contestants.ts';
import type { WorkloadName } from './workloads.ts';

export interface Bar {
  workload: WorkloadName;
  concurrency: number;
  versus: ContestantName;
  ratioMin: number;
}

export const bars: readonly Bar[] = [
  { workload: 'point-read', concurrency: 32, versus: 'bare', ratioMin: 0.5 },
  { workload: 'point-read', concurrency: 32, versus: 'azurite', ratioMin: 5 },
  { workload: 'insert', concurrency: 32, versus: 'bare', ratioMin: 0.4 },
  { workload: 'insert', concurrency: 32, versus: 'azurite', ratioMin: 3 },
  { workload: 'page', concurrency: 32, versus: 'azurite', ratioMin: 8 },
  { workload: 'page', concurrency: 1, versus: 'azurite', ratioMin: 8 },
  { workload: 'range', concurrency: 32, versus: 'azurite', ratioMin: 20 },
  { workload: 'range', concurrency: 1, versus: 'azurite', ratioMin: 20 },
  { workload: 'transaction', concurrency: 32, versus: 'azurite', ratioMin: 1.5 },
  { workload: 'transaction', concurrency: 1, versus: 'azurite', ratioMin: 1.5 },
];
