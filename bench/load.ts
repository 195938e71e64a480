/** The process that makes the load on the servers. It is alone in that, so that no server shares its loop. */

import { answerJobs } from './child.ts';
import type { EntityKey, Layout } from './entities.ts';
import { dropTable, fill, insertKeys, preload, remakeTable } from './filling.ts';
import { exchange, measureLoad } from './http-load.ts';
import {
  deleteRequests,
  newKeys,
  prepareRequests,
  type RequestSource,
  transactionRows,
  type WorkloadName,
  workloadNamed,
} from './workloads.ts';

export type LoadJob =
  | { kind: 'preload' | 'fill'; port: number; layout: Layout }
  | { kind: 'remake-table' | 'drop-table'; port: number; table: string }
  | { kind: 'capture'; port: number; layout: Layout; workload: WorkloadName }
  | MakeRowsJob
  | MeasureJob;

/** Makes what the next measurement of deletes deletes. */
export interface MakeRowsJob {
  kind: 'make-rows';
  port: number;
  layout: Layout;
  rowCount: number;
  concurrency: number;
}

export interface MeasureJob {
  kind: 'measure';
  port: number;
  serverPid: number;
  layout: Layout;
  workload: WorkloadName;
  concurrency: number;
  warmupMs: number;
  durationMs: number;
  round: number;
}

/** An answer in a form that fits through the channel between processes. */
export interface CapturedAnswer {
  status: number;
  head: string;
  bodyBase64: string;
}

let doomed: EntityKey[] = [];

async function makeRows({ port, layout, rowCount, concurrency }: Omit<MakeRowsJob, 'kind'>): Promise<void> {
  doomed = newKeys(rowCount, concurrency);
  await insertKeys(port, layout, doomed);
}

async function capture(port: number, layout: Layout, name: WorkloadName): Promise<CapturedAnswer> {
  if (name === 'delete') await makeRows({ port, layout, rowCount: transactionRows, concurrency: 1 });
  const answer = await exchange(port, requestsOf(name, layout, port, 0, 1)(0)!);
  const workload = workloadNamed(name);
  const fault =
    answer.status === workload.status ? workload.faultIn(answer, layout) : `${answer.head} ${answer.body}`;
  if (fault !== undefined) throw new Error(`${workload.title}: ${fault}`);
  return { status: answer.status, head: answer.head, bodyBase64: answer.body.toString('base64') };
}

function requestsOf(
  name: WorkloadName,
  layout: Layout,
  port: number,
  round: number,
  concurrency: number,
): RequestSource {
  if (name === 'delete') return deleteRequests(port, layout, doomed);
  return prepareRequests(name, layout, port, round, concurrency);
}

answerJobs<LoadJob>(async (job, onProgress) => {
  switch (job.kind) {
    case 'preload':
      return await preload(job.port, job.layout, onProgress);
    case 'fill':
      return await fill(job.port, job.layout, onProgress);
    case 'remake-table':
      return await remakeTable(job.port, job.table);
    case 'drop-table':
      return await dropTable(job.port, job.table);
    case 'capture':
      return await capture(job.port, job.layout, job.workload);
    case 'make-rows':
      return await makeRows(job);
    case 'measure':
      return await measureLoad({
        ...job,
        workload: workloadNamed(job.workload),
        next: requestsOf(job.workload, job.layout, job.port, job.round, job.concurrency),
        requestCount: job.workload === 'delete' ? doomed.length : undefined,
      });
  }
});
