/** The nine questions that are put to every contestant, and what a right answer to each looks like. */

import {
  bucketOf,
  type EntityKey,
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
  scanRowsMax,
} from './entities.ts';
import { RequestMaker } from './requests.ts';
import type { Answer } from './response-parser.ts';

export type WorkloadName =
  | 'point-read'
  | 'insert'
  | 'upsert'
  | 'merge'
  | 'delete'
  | 'transaction'
  | 'page'
  | 'range'
  | 'filtered-scan';

export interface Workload {
  name: WorkloadName;
  title: string;
  writes: boolean;
  status: number;
  /** How many an operation writes, answers, or looks at to find the answer. */
  entities: number;
  /** What is wrong with an answer that was read in full, or nothing. */
  faultIn(answer: Answer, layout: Layout): string | undefined;
}

export const transactionRows = 100;
export const rangeRows = 10;
export const matchingRows = 100;

function noFault(): undefined {
  return undefined;
}

function faultInEntity(answer: Answer, layout: Layout): string | undefined {
  const entity = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  const missing = propertyNames[layout.entity].filter(name => entity[name] === undefined);
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

const read = { writes: false, status: 200 };
const write = { writes: true, status: 204, entities: 1, faultIn: noFault };

/** Reads come first: in every round they find the table as it was loaded, not what the inserts added. */
export const workloads: readonly Workload[] = [
  { ...read, name: 'point-read', title: 'point read', entities: 1, faultIn: faultInEntity },
  {
    ...read,
    name: 'page',
    title: 'page of 1,000',
    entities: partitionRows,
    faultIn: faultInRows(partitionRows),
  },
  { ...read, name: 'range', title: 'range of 10', entities: rangeRows, faultIn: faultInRows(rangeRows) },
  {
    ...read,
    name: 'filtered-scan',
    title: 'scan of 10,000 for 100',
    entities: scanRowsMax,
    faultIn: faultInRows(matchingRows),
  },
  { ...write, name: 'insert', title: 'insert' },
  { ...write, name: 'upsert', title: 'upsert (replace)' },
  { ...write, name: 'merge', title: 'merge' },
  { ...write, name: 'delete', title: 'delete' },
  {
    name: 'transaction',
    title: 'transaction of 100 inserts',
    writes: true,
    status: 202,
    entities: transactionRows,
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
export function entityResource(table: string, { partitionKey, rowKey }: EntityKey): string {
  return `/${table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
}

function filterQuery(filter: string): string {
  return `$filter=${filter.replaceAll(' ', '%20')}`;
}

/** A walk over all indexes in scattered order (the step is a prime), another one in every round. */
export function scattered(position: number, count: number, round: number): number {
  return (position * 7_919 + round * 104_729) % count;
}

/** Rows that were made so far beside those that were loaded: their keys are never used twice in a run. */
let newRows = 0;

/** Answers the bytes of the next request of a connection, which it may write but not keep; none at the end. */
export type RequestSource = (connection: number) => Buffer | undefined;

const prepared = 8_192;

/** Keys of rows that are to be made, in a partition for each connection, a transaction after the other. */
export function newKeys(count: number, connections: number): EntityKey[] {
  const first = newRows;
  newRows += count;
  return Array.from({ length: count }, (_, position) => ({
    partitionKey: newPartitionKey('gone', Math.floor(position / transactionRows) % connections),
    rowKey: rowKeyOf(first + position),
  }));
}

/** Each row once, all over their partitions. Each request is signed, since the signature covers the keys. */
export function deleteRequests(port: number, { table }: Layout, keys: readonly EntityKey[]): RequestSource {
  const maker = new RequestMaker(port);
  const requests = keys.map((_, position) => {
    const key = keys[scattered(position, keys.length, 0)]!;
    return maker.make('DELETE', entityResource(table, key), { headers: ['If-Match: *'] });
  });
  let position = 0;
  return () => {
    position += 1;
    return requests[position - 1];
  };
}

/** Signs the requests of one measurement, so that none of that is done while it runs. */
export function prepareRequests(
  name: Exclude<WorkloadName, 'delete'>,
  layout: Layout,
  port: number,
  round: number,
  concurrency: number,
): RequestSource {
  const maker = new RequestMaker(port);
  const { table, entity } = layout;
  switch (name) {
    case 'point-read':
      return cycle(prepared, position => {
        const key = keyOf(layout, scattered(position, layout.entityCount, round));
        return maker.make('GET', entityResource(table, key));
      });
    case 'upsert':
      return cycle(prepared, position => {
        const index = scattered(position, layout.entityCount, round);
        const key = keyOf(layout, index);
        return maker.make('PUT', entityResource(table, key), { body: entityText(key, index, entity) });
      });
    case 'merge':
      return cycle(prepared, position => {
        const index = scattered(position, layout.entityCount, round);
        const key = keyOf(layout, index);
        return maker.make('PATCH', entityResource(table, key), {
          headers: ['If-Match: *'],
          body: mergeText(key, index + round),
        });
      });
    case 'insert':
      return newRowRequests(concurrency, 1, (connection, [rowKey]) => {
        const key = { partitionKey: newPartitionKey('rows', connection), rowKey: rowKey! };
        const body = entityText(key, connection, entity);
        return maker.make('POST', `/${table}`, { headers: ['Prefer: return-no-content'], body });
      });
    case 'transaction':
      return newRowRequests(concurrency, transactionRows, (connection, keys) => {
        const partitionKey = newPartitionKey('sets', connection);
        const texts = keys.map((rowKey, index) => entityText({ partitionKey, rowKey }, index, entity));
        return maker.makeTransaction(table, texts);
      });
    case 'page':
      return cycle(layout.pagePartitions, position => {
        const partition = scattered(position, layout.pagePartitions, round);
        const query = filterQuery(`PartitionKey eq '${pagePartitionKey(partition)}'`);
        return maker.make('GET', `/${table}()`, { query });
      });
    case 'range':
      return cycle(prepared, position => {
        const partition = scattered(position, layout.pagePartitions, round);
        const first = scattered(position, partitionRows - rangeRows, round);
        const query = filterQuery(
          `PartitionKey eq '${pagePartitionKey(partition)}'` +
            ` and RowKey ge '${rowKeyOf(first)}' and RowKey lt '${rowKeyOf(first + rangeRows)}'`,
        );
        return maker.make('GET', `/${table}()`, { query });
      });
    case 'filtered-scan':
      return cycle(matchingRows, position => {
        const bucket = bucketOf(scattered(position, matchingRows, round));
        const query = filterQuery(`PartitionKey eq '${scanPartitionKey}' and Bucket eq ${bucket}`);
        return maker.make('GET', `/${table}()`, { query });
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
