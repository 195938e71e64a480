/** LMDB without a server around it: the same operations in loops, as many at once as there were connections. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { answerJobs } from './child.ts';
import {
  keyOf,
  type Layout,
  layOut,
  newPartitionKey,
  pagePartitionKey,
  partitionRows,
  rowKeyOf,
  scanPartitionKey,
} from './entities.ts';
import type { Measurement } from './http-load.ts';
import type { MeasureJob } from './load.ts';
import { cpuSecondsOf } from './process-usage.ts';
import { Rows } from './rows.ts';
import { DurationHistogram } from './statistics.ts';
import { rangeRows, scattered, transactionRows, type WorkloadName } from './workloads.ts';

export type RawJob =
  | { kind: 'load'; path: string; entityCount: number }
  | Omit<MeasureJob, 'port' | 'serverPid' | 'entityCount'>;

/** Loops of synchronous reads give way after this long: LMDB renews its snapshot between turns. */
const turnDurationMs = 2;

let newRows = 0;

type Operation = (worker: number) => Promise<unknown> | undefined;

function operationOf(name: WorkloadName, rows: Rows, layout: Layout, round: number): Operation {
  let position = 0;
  const nextKey = () => {
    position += 1;
    return keyOf(layout, scattered(position, layout.entityCount, round));
  };
  /** To have come by is all: what copying costs is the bare server's part. */
  const visit = () => undefined;
  switch (name) {
    case 'point-read':
      return () => {
        const key = nextKey();
        if (rows.get(key.partitionKey, key.rowKey) === undefined) throw new Error('a row is not there');
        return undefined;
      };
    case 'insert':
      return worker => {
        newRows += 1;
        return rows.put(newPartitionKey('rows', worker), rowKeyOf(newRows));
      };
    // For LMDB a replace and a merge are the same: one put of a row that is there.
    case 'upsert':
    case 'merge':
      return () => {
        const key = nextKey();
        return rows.put(key.partitionKey, key.rowKey);
      };
    case 'transaction':
      return worker => {
        const rowKeys = Array.from({ length: transactionRows }, (_, row) => rowKeyOf(newRows + row));
        newRows += transactionRows;
        return rows.putAll(newPartitionKey('sets', worker), rowKeys);
      };
    case 'page':
      return () => {
        position += 1;
        const partitionKey = pagePartitionKey(scattered(position, layout.pagePartitions, round));
        expect(rows.iterate({ partitionKey }, visit), partitionRows);
        return undefined;
      };
    case 'range':
      return () => {
        position += 1;
        const partitionKey = pagePartitionKey(scattered(position, layout.pagePartitions, round));
        const first = scattered(position, partitionRows - rangeRows, round);
        const range = { partitionKey, fromRowKey: rowKeyOf(first), toRowKey: rowKeyOf(first + rangeRows) };
        expect(rows.iterate(range, visit), rangeRows);
        return undefined;
      };
    case 'filtered-scan':
      return () => {
        expect(rows.iterate({ partitionKey: scanPartitionKey }, visit), layout.scanRows);
        return undefined;
      };
  }
}

function expect(rowCount: number, expected: number): void {
  if (rowCount !== expected) throw new Error(`${rowCount} rows instead of ${expected}`);
}

async function measure(
  job: Extract<RawJob, { kind: 'measure' }>,
  rows: Rows,
  layout: Layout,
): Promise<Measurement> {
  const operate = operationOf(job.workload, rows, layout, job.round);
  const histogram = new DurationHistogram();
  const beginAtMs = performance.now() + job.warmupMs;
  let beganAtMs: number | undefined;
  let endedAtMs = 0;
  let operations = 0;
  let cpuSeconds = 0;
  let running = true;
  const complete = (sentAtMs: number, nowMs: number) => {
    if (!running || nowMs < beginAtMs) return;
    if (beganAtMs === undefined) {
      cpuSeconds = -cpuSecondsOf(process.pid);
      beganAtMs = performance.now();
      return;
    }
    histogram.record(nowMs - sentAtMs);
    operations += 1;
    if (nowMs - beganAtMs < job.durationMs) return;
    running = false;
    endedAtMs = nowMs;
    cpuSeconds += cpuSecondsOf(process.pid);
  };
  let turnAtMs = performance.now();
  const work = async (worker: number) => {
    while (running) {
      const sentAtMs = performance.now();
      const pending = operate(worker);
      if (pending !== undefined) await pending;
      const nowMs = performance.now();
      complete(sentAtMs, nowMs);
      if (pending === undefined && nowMs - turnAtMs > turnDurationMs) {
        await nextTurn();
        turnAtMs = performance.now();
      }
    }
  };
  await Promise.all(Array.from({ length: job.concurrency }, (_, worker) => work(worker)));
  return {
    operations,
    durationMs: endedAtMs - beganAtMs!,
    p50Ms: histogram.percentileMs(50),
    p99Ms: histogram.percentileMs(99),
    answerBytes: 0,
    errors: 0,
    serverCpuSeconds: cpuSeconds,
    loadCpuSeconds: 0,
    capped: false,
  };
}

let rows: Rows | undefined;
let layout: Layout | undefined;

answerJobs<RawJob>(async job => {
  if (job.kind === 'measure') return await measure(job, rows!, layout!);
  rows ??= new Rows(job.path);
  layout = layOut(job.entityCount);
  await rows.load(layout);
  return {};
});
