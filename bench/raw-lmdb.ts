/** LMDB without a server around it: the same operations in loops, as many at once as there were connections. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { answerJobs } from './child.ts';
import {
  type EntityKey,
  keyOf,
  type Layout,
  newPartitionKey,
  pagePartitionKey,
  partitionRows,
  rowKeyOf,
  scanPartitionKey,
} from './entities.ts';
import { type Measurement, warmupShareMax } from './http-load.ts';
import type { MakeRowsJob, MeasureJob } from './load.ts';
import { cpuSecondsOf } from './process-usage.ts';
import { Rows } from './rows.ts';
import { DurationHistogram } from './statistics.ts';
import { newKeys, rangeRows, scattered, transactionRows, type WorkloadName } from './workloads.ts';

export type RawJob =
  | { kind: 'load'; path: string; layout: Layout }
  | Omit<MakeRowsJob, 'port' | 'layout'>
  | Omit<MeasureJob, 'port' | 'serverPid' | 'layout'>;

/** Loops of synchronous reads give way after this long: LMDB renews its snapshot between turns. */
const turnDurationMs = 2;

let newRows = 0;

/** What the next measurement of deletes is to delete. */
let doomed: EntityKey[] = [];

async function makeRows(rows: Rows, rowCount: number, concurrency: number): Promise<void> {
  doomed = newKeys(rowCount, concurrency);
  for (let first = 0; first < rowCount; first += transactionRows) {
    const keys = doomed.slice(first, first + transactionRows);
    await rows.putAll(
      keys[0]!.partitionKey,
      keys.map(({ rowKey }) => rowKey),
    );
  }
}

/** None where there is nothing left to do. */
type Operation = (worker: number) => Promise<unknown> | 'done' | undefined;

async function remove(rows: Rows, { partitionKey, rowKey }: EntityKey): Promise<void> {
  if (!(await rows.remove(partitionKey, rowKey))) throw new Error('a row to delete is not there');
}

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
    case 'delete':
      return () => {
        position += 1;
        if (position > doomed.length) return 'done';
        return remove(rows, doomed[scattered(position, doomed.length, 0)]!);
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
  let warmups = 0;
  const warmupsMax = job.workload === 'delete' ? doomed.length * warmupShareMax : Number.POSITIVE_INFINITY;
  let operations = 0;
  let cpuSeconds = 0;
  let running = true;
  const end = () => {
    if (!running) return;
    running = false;
    endedAtMs = performance.now();
    cpuSeconds += cpuSecondsOf(process.pid);
  };
  const complete = (sentAtMs: number, nowMs: number) => {
    if (!running) return;
    if (beganAtMs === undefined) {
      warmups += 1;
      if (nowMs < beginAtMs && warmups < warmupsMax) return;
      cpuSeconds = -cpuSecondsOf(process.pid);
      beganAtMs = performance.now();
      return;
    }
    histogram.record(nowMs - sentAtMs);
    operations += 1;
    if (nowMs - beganAtMs >= job.durationMs) end();
  };
  let turnAtMs = performance.now();
  const work = async (worker: number) => {
    while (running) {
      const sentAtMs = performance.now();
      const pending = operate(worker);
      if (pending === 'done') return end();
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
    childCpuSeconds: [],
    loadCpuSeconds: 0,
    capped: false,
  };
}

let rows: Rows | undefined;
let layout: Layout | undefined;

answerJobs<RawJob>(async job => {
  switch (job.kind) {
    case 'load':
      rows ??= new Rows(job.path);
      layout = job.layout;
      return await rows.load(layout);
    case 'make-rows':
      return await makeRows(rows!, job.rowCount, job.concurrency);
    case 'measure':
      return await measure(job, rows!, layout!);
  }
});
