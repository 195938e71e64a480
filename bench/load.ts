/** The process that makes the load on the servers. It is alone in that, so that no server shares its loop. */

import { answerJobs } from './child.ts';
import { entityText, keyOf, layOut, tableName } from './entities.ts';
import { exchange, measureLoad, sendAll } from './http-load.ts';
import { RequestMaker } from './requests.ts';
import { prepareRequests, transactionRows, type WorkloadName, workloadNamed } from './workloads.ts';

export type LoadJob =
  | { kind: 'preload'; port: number; entityCount: number }
  | { kind: 'capture'; port: number; entityCount: number; workload: WorkloadName }
  | MeasureJob;

export interface MeasureJob {
  kind: 'measure';
  port: number;
  serverPid: number;
  entityCount: number;
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

const preloadConcurrency = 2;

/** Makes the table anew with all its entities. */
async function preload(
  port: number,
  entityCount: number,
  onProgress: (done: number) => void,
): Promise<{ durationMs: number }> {
  const layout = layOut(entityCount);
  const beganAtMs = performance.now();
  const dropped = await exchange(port, new RequestMaker(port).make('DELETE', `/Tables('${tableName}')`));
  if (dropped.status !== 204 && dropped.status !== 404) throw new Error(`not dropped: ${dropped.head}`);
  const body = JSON.stringify({ TableName: tableName });
  const created = await exchange(
    port,
    new RequestMaker(port).make('POST', '/Tables', { headers: ['Prefer: return-no-content'], body }),
  );
  if (created.status !== 204) throw new Error(`the table was not made: ${created.head} ${created.body}`);
  const transaction = workloadNamed('transaction');
  await sendAll(
    port,
    entityCount / transactionRows,
    preloadConcurrency,
    position => {
      const texts = Array.from({ length: transactionRows }, (_, row) => {
        const index = position * transactionRows + row;
        return entityText(keyOf(layout, index), index);
      });
      // Signed each time: loading a slow server may take longer than a signature is good for.
      return new RequestMaker(port).makeTransaction(tableName, texts);
    },
    answer => {
      const fault = answer.status === transaction.status ? transaction.faultIn(answer) : answer.head;
      if (fault !== undefined)
        throw new Error(`a transaction of the preload failed: ${fault} ${answer.body}`);
    },
    done => onProgress(done * transactionRows),
  );
  return { durationMs: performance.now() - beganAtMs };
}

async function capture(port: number, entityCount: number, name: WorkloadName): Promise<CapturedAnswer> {
  const request = prepareRequests(name, layOut(entityCount), port, 0, 1)(0);
  const answer = await exchange(port, request);
  const workload = workloadNamed(name);
  const fault =
    answer.status === workload.status ? workload.faultIn(answer) : `${answer.head} ${answer.body}`;
  if (fault !== undefined) throw new Error(`${workload.title}: ${fault}`);
  return { status: answer.status, head: answer.head, bodyBase64: answer.body.toString('base64') };
}

answerJobs<LoadJob>(async (job, onProgress) => {
  switch (job.kind) {
    case 'preload':
      return await preload(job.port, job.entityCount, onProgress);
    case 'capture':
      return await capture(job.port, job.entityCount, job.workload);
    case 'measure':
      return await measureLoad({
        ...job,
        workload: workloadNamed(job.workload),
        next: prepareRequests(job.workload, layOut(job.entityCount), job.port, job.round, job.concurrency),
      });
  }
});
