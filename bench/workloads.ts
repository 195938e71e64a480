/** The eight questions that are put to every contestant, and what a right answer to each looks like. */

import {
  bucketOf,
  entityText,
  keyOf,
  type Layout,
  mergeText,
  newPartitionKey,
  pagePartitionKey,
  partitionRows,
  propertyNames,
  rowKeyOf,
  rowKeyUnits,
  scanPartitionKey,
  tableName,
} from './entities.ts';
import { RequestMaker } from './requests.ts';
import type { Answer } from './response-parser.ts';

export type WorkloadName =
  | 'point-read'
  | 'insert'
  | 'upsert'
  | 'merge'
  | 'transaction'
  | 'page'
  | 'range'
  | 'filtered-scan';

export interface Workload {
  name: WorkloadName;
  title: string;
  writes: boolean;
  status: number;
  /** What is wrong with an answer that was read in full, or nothing. */
  faultIn(answer: Answer): string | undefined;
}

export const transactionRows = 100;
export const rangeRows = 10;
export const matchingRows = 100;

function noFault(): undefined {
  return undefined;
}

function faultInEntity(answer: Answer): string | undefined {
  const entity = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  const missing = propertyNames.filter(name => entity[name] === undefined);
  return missing.length > 0 ? `properties are missing: ${missing.join(', ')}` : undefined;
}

function faultInRows(rowCount: number): (answer: Answer) => string | undefined {
  return answer => {
    const { value } = JSON.parse(answer.body.toString()) as { value: unknown[] };
    return value.length === rowCount ? undefined : `${value.length} entities instead of ${rowCount}`;
  };
}

function faultInTransaction(answer: Answer): string | undefined {
  const body = answer.body.toString();
  const succeeded = body.split('HTTP/1.1 204').length - 1;
  return succeeded === transactionRows ? undefined : `${succeeded} inserts succeeded: ${body.slice(0, 600)}`;
}

/** Reads come first: in every round they find the table as it was loaded, not what the inserts added. */
export const workloads: readonly Workload[] = [
  { name: 'point-read', title: 'point read', writes: false, status: 200, faultIn: faultInEntity },
  { name: 'page', title: 'page of 1,000', writes: false, status: 200, faultIn: faultInRows(partitionRows) },
  { name: 'range', title: 'range of 10', writes: false, status: 200, faultIn: faultInRows(rangeRows) },
  {
    name: 'filtered-scan',
    title: 'scan of 10,000 for 100',
    writes: false,
    status: 200,
    faultIn: faultInRows(matchingRows),
  },
  { name: 'insert', title: 'insert', writes: true, status: 204, faultIn: noFault },
  { name: 'upsert', title: 'upsert (replace)', writes: true, status: 204, faultIn: noFault },
  { name: 'merge', title: 'merge', writes: true, status: 204, faultIn: noFault },
  {
    name: 'transaction',
    title: 'transaction of 100 inserts',
    writes: true,
    status: 202,
    faultIn: faultInTransaction,
  },
];

export function workloadNamed(name: string): Workload {
  const found = workloads.find(workload => workload.name === name);
  if (found === undefined) {
    throw new Error(
      `no workload is called ${name}; there are ${workloads.map(({ name }) => name).join(', ')}`,
    );
  }
  return found;
}

/** The address of an entity, which is also what the bare server finds the key of a row in. */
export function entityResource(partitionKey: string, rowKey: string): string {
  return `/${tableName}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
}

function filterQuery(filter: string): string {
  return `$filter=${filter.replaceAll(' ', '%20')}`;
}

/** A walk over all indexes in scattered order (the step is a prime), another one in every round. */
export function scattered(position: number, count: number, round: number): number {
  return (position * 7_919 + round * 104_729) % count;
}

/** Rows that the insert and transaction workloads made so far: their keys are never used twice in a run. */
let newRows = 0;

/** Answers the bytes of the next request of a connection, which it may write but not keep. */
export type RequestSource = (connection: number) => Buffer;

const prepared = 8_192;

/** Signs the requests of one measurement, so that none of that is done while it runs. */
export function prepareRequests(
  name: WorkloadName,
  layout: Layout,
  port: number,
  round: number,
  concurrency: number,
): RequestSource {
  const maker = new RequestMaker(port);
  switch (name) {
    case 'point-read':
      return cycle(prepared, position => {
        const key = keyOf(layout, scattered(position, layout.entityCount, round));
        return maker.make('GET', entityResource(key.partitionKey, key.rowKey));
      });
    case 'upsert':
      return cycle(prepared, position => {
        const index = scattered(position, layout.entityCount, round);
        const key = keyOf(layout, index);
        return maker.make('PUT', entityResource(key.partitionKey, key.rowKey), {
          body: entityText(key, index),
        });
      });
    case 'merge':
      return cycle(prepared, position => {
        const index = scattered(position, layout.entityCount, round);
        const key = keyOf(layout, index);
        return maker.make('PATCH', entityResource(key.partitionKey, key.rowKey), {
          headers: ['If-Match: *'],
          body: mergeText(key, index + round),
        });
      });
    case 'insert':
      return newRowRequests(concurrency, 1, (connection, [key]) => {
        const body = entityText(
          { partitionKey: newPartitionKey('rows', connection), rowKey: key! },
          connection,
        );
        return maker.make('POST', `/${tableName}`, { headers: ['Prefer: return-no-content'], body });
      });
    case 'transaction':
      return newRowRequests(concurrency, transactionRows, (connection, keys) => {
        const partitionKey = newPartitionKey('sets', connection);
        return maker.makeTransaction(
          tableName,
          keys.map((rowKey, index) => entityText({ partitionKey, rowKey }, index)),
        );
      });
    case 'page':
      return cycle(layout.pagePartitions, position => {
        const partition = scattered(position, layout.pagePartitions, round);
        const query = filterQuery(`PartitionKey eq '${pagePartitionKey(partition)}'`);
        return maker.make('GET', `/${tableName}()`, { query });
      });
    case 'range':
      return cycle(prepared, position => {
        const partition = scattered(position, layout.pagePartitions, round);
        const first = scattered(position, partitionRows - rangeRows, round);
        const query = filterQuery(
          `PartitionKey eq '${pagePartitionKey(partition)}'` +
            ` and RowKey ge '${rowKeyOf(first)}' and RowKey lt '${rowKeyOf(first + rangeRows)}'`,
        );
        return maker.make('GET', `/${tableName}()`, { query });
      });
    case 'filtered-scan':
      return cycle(matchingRows, position => {
        const bucket = bucketOf(scattered(position, matchingRows, round));
        const query = filterQuery(`PartitionKey eq '${scanPartitionKey}' and Bucket eq ${bucket}`);
        return maker.make('GET', `/${tableName}()`, { query });
      });
  }
}

function cycle(count: number, make: (position: number) => Buffer): RequestSource {
  const requests = Array.from({ length: count }, (_, position) => make(position));
  let position = 0;
  return () => {
    const request = requests[position]!;
    position = position + 1 === count ? 0 : position + 1;
    return request;
  };
}

/**
 * Each connection has one request of its own, in which the row keys are overwritten before it is sent again:
 * the signature covers neither body nor row keys, and a new buffer a request would cost more than to send it.
 */
function newRowRequests(
  concurrency: number,
  rowCount: number,
  make: (connection: number, rowKeys: string[]) => Buffer,
): RequestSource {
  const marks = Array.from(
    { length: rowCount },
    (_, row) => `#${row.toString().padStart(rowKeyUnits - 1, '0')}`,
  );
  const templates = Array.from({ length: concurrency }, (_, connection) => {
    const bytes = make(connection, marks);
    return { bytes, offsets: marks.map(mark => bytes.indexOf(mark)) };
  });
  return connection => {
    const { bytes, offsets } = templates[connection]!;
    for (const offset of offsets) {
      bytes.write(rowKeyOf(newRows), offset, rowKeyUnits, 'latin1');
      newRows += 1;
    }
    return bytes;
  };
}
