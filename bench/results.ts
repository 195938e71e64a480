/** What was measured, and what can be read out of it: always round by round, since the machine changes in between. */

import { type ContestantName, workerCounts } from './contestants.ts';
import { type Measurement, operationsPerSecond } from './http-load.ts';
import { type Band, bandOf, median } from './statistics.ts';
import { type WorkloadName, workloadNamed } from './workloads.ts';

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

/** One workload with so many connections, by all contestants in all rounds. */
export type Cell = Pick<Result, 'workload' | 'concurrency'>;

/** A number of one measurement, by which contestants are compared. */
export type Value = (result: Result) => number;

export const rate: Value = ({ measurement }) => operationsPerSecond(measurement);

export const cpuMsPerOperation: Value = ({ measurement }) =>
  (measurement.serverCpuSeconds * 1000) / measurement.operations;

export const loadCpuMsPerOperation: Value = ({ measurement }) =>
  (measurement.loadCpuSeconds * 1000) / measurement.operations;

/** The part of one processor that the load took: near 1, the rate is the load's and not the server's. */
export const loadShare: Value = ({ measurement }) =>
  (measurement.loadCpuSeconds * 1000) / measurement.durationMs;

export const entitiesPerSecond: Value = result => rate(result) * workloadNamed(result.workload).entities;

export const entitiesPerCpuSecond: Value = ({ workload, measurement }) =>
  (measurement.operations * workloadNamed(workload).entities) / measurement.serverCpuSeconds;

/**
 * What part of the processor time of all workers the busiest one had. The process that writes has next to none
 * while others read; so this can be told of reads only.
 */
export const busiestWorkerShare: Value = ({ label, measurement }) => {
  const workers = measurement.childCpuSeconds.slice(0, workerCounts[label as keyof typeof workerCounts]);
  return workers[0]! / workers.reduce((total, seconds) => total + seconds, 0);
};

export class Results {
  readonly all: readonly Result[];

  constructor(all: readonly Result[]) {
    this.all = all;
  }

  cells(): Cell[] {
    const cells = new Map(
      this.all.map(({ workload, concurrency }) => [`${workload} ${concurrency}`, { workload, concurrency }]),
    );
    return [...cells.values()];
  }

  in(cell: Cell): Result[] {
    return this.all.filter(
      ({ workload, concurrency }) => workload === cell.workload && concurrency === cell.concurrency,
    );
  }

  of(cell: Cell, label: string): Result[] {
    return this.in(cell).filter(result => result.label === label);
  }

  takesPart(contestant: ContestantName): boolean {
    return this.all.some(({ label }) => label === contestant);
  }

  middle(cell: Cell, label: string, value: Value): number {
    return median(this.of(cell, label).map(value));
  }

  band(cell: Cell, label: string, value: Value): Band | undefined {
    return bandOrNone(this.of(cell, label).map(value));
  }

  /** One contestant's value over another's in the same round. */
  ratio(cell: Cell, over: string, under: string, value: Value): Band | undefined {
    const others = this.of(cell, under);
    return bandOrNone(
      this.of(cell, over).flatMap(result => {
        const other = others.find(({ round }) => round === result.round);
        return other === undefined ? [] : [value(result) / value(other)];
      }),
    );
  }
}

function bandOrNone(values: number[]): Band | undefined {
  return values.length === 0 ? undefined : bandOf(values);
}
