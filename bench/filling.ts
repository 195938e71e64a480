/** How tables of a server get their entities: over HTTP, in transactions of a hundred. */

import { type EntityKey, entityText, keyOf, type Layout } from './entities.ts';
import { exchange, sendAll } from './http-load.ts';
import { RequestMaker } from './requests.ts';
import type { Answer } from './response-parser.ts';
import { entityResource, transactionRows, workloadNamed } from './workloads.ts';

type OnProgress = (done: number) => void;

/** Few, since the emulator gets slower with more. */
const preloadConcurrency = 2;
/** As many as one flush serves well. */
const fillConcurrency = 8;

/** Throws unless the answer has one of these. */
async function ask(port: number, request: Buffer, ...statuses: number[]): Promise<Answer> {
  const answer = await exchange(port, request);
  if (!statuses.includes(answer.status)) throw new Error(`${answer.head} ${answer.body}`);
  return answer;
}

/** Makes a table, also where there is one of that name already. */
async function makeTable(port: number, table: string): Promise<void> {
  const headers = ['Prefer: return-no-content'];
  const body = JSON.stringify({ TableName: table });
  await ask(port, new RequestMaker(port).make('POST', '/Tables', { headers, body }), 204, 409);
}

export async function dropTable(port: number, table: string): Promise<void> {
  await ask(port, new RequestMaker(port).make('DELETE', `/Tables('${table}')`), 204, 404);
}

export async function remakeTable(port: number, table: string): Promise<void> {
  await dropTable(port, table);
  await makeTable(port, table);
}

/** Makes the table anew with all its entities. */
export async function preload(
  port: number,
  layout: Layout,
  onProgress: OnProgress,
): Promise<{ durationMs: number }> {
  const beganAtMs = performance.now();
  await remakeTable(port, layout.table);
  const positions = range(0, layout.entityCount / transactionRows);
  await insert(port, layout, positions, preloadConcurrency, index => keyOf(layout, index), onProgress);
  return { durationMs: performance.now() - beganAtMs };
}

/**
 * Adds the entities that are not there yet, which is how a load that was interrupted goes on. Transactions are
 * whole or absent, and are sent in order, so that only the last few before the end may be missing.
 */
export async function fill(port: number, layout: Layout, onProgress: OnProgress): Promise<void> {
  await makeTable(port, layout.table);
  const count = layout.entityCount / transactionRows;
  const end = await searchEnd(count, position => isThere(port, layout, position));
  const positions: number[] = [];
  for (const position of range(Math.max(0, end - fillConcurrency), Math.min(count, end + fillConcurrency))) {
    if (!(await isThere(port, layout, position))) positions.push(position);
  }
  for (let position = end + fillConcurrency; position < count; position += 1) positions.push(position);
  const before = layout.entityCount - positions.length * transactionRows;
  onProgress(before);
  await insert(
    port,
    layout,
    positions,
    fillConcurrency,
    index => keyOf(layout, index),
    done => onProgress(before + done),
  );
}

/** Where what is there ends, give or take what was in flight at once when it was written. */
export async function searchEnd(
  count: number,
  isThereAt: (position: number) => Promise<boolean>,
): Promise<number> {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isThereAt(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function isThere(port: number, layout: Layout, position: number): Promise<boolean> {
  const resource = entityResource(layout.table, keyOf(layout, position * transactionRows));
  return (await ask(port, new RequestMaker(port).make('GET', resource), 200, 404)).status === 200;
}

/** Inserts the keys, of which each hundred must be of one partition. */
export async function insertKeys(port: number, layout: Layout, keys: readonly EntityKey[]): Promise<void> {
  const positions = range(0, keys.length / transactionRows);
  const ignore = () => undefined;
  await insert(port, layout, positions, preloadConcurrency, index => keys[index]!, ignore);
}

async function insert(
  port: number,
  layout: Layout,
  positions: readonly number[],
  concurrency: number,
  keyAt: (index: number) => EntityKey,
  onProgress: OnProgress,
): Promise<void> {
  const transaction = workloadNamed('transaction');
  await sendAll(
    port,
    positions.length,
    concurrency,
    number => {
      const first = positions[number]! * transactionRows;
      const texts = range(first, first + transactionRows).map(index =>
        entityText(keyAt(index), index, layout.entity),
      );
      // Signed each time: loading a slow server may take longer than a signature is good for.
      return new RequestMaker(port).makeTransaction(layout.table, texts);
    },
    answer => {
      const fault = answer.status === transaction.status ? transaction.faultIn(answer, layout) : answer.head;
      if (fault !== undefined) throw new Error(`a transaction of inserts failed: ${fault} ${answer.body}`);
    },
    done => onProgress(done * transactionRows),
  );
}

function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, position) => first + position);
}
