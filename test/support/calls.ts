import { batchType, changesetBody, insert, queryBody } from './batch.ts';
import type { RawRequest } from './raw-client.ts';
import { entityPath, json, noContent } from './wire.ts';

/** One request of an operation, and how it is answered where all is well. */
export interface Call {
  /** The operation, as the REST documentation names it, and what is special. */
  readonly name: string;
  readonly status: number;
  /** What its answers are written in. */
  readonly surface: 'odata' | 'xml';
  readonly request: RawRequest;
}

const xml = { Accept: 'application/xml', 'Content-Type': 'application/xml' };
const policies =
  '<SignedIdentifiers><SignedIdentifier><Id>called</Id></SignedIdentifier></SignedIdentifiers>';
const properties = '<StorageServiceProperties><Cors /></StorageServiceProperties>';
const serviceProperties = '/?restype=service&comp=properties';
/** On the secondary only. */
export const getServiceStats: RawRequest = { path: '/?restype=service&comp=stats', headers: xml };
/** Anyone may send it; without a rule it is refused. */
export const preflight: RawRequest = {
  method: 'OPTIONS',
  path: '/Tables',
  sign: false,
  headers: { Origin: 'http://example.com', 'Access-Control-Request-Method': 'GET' },
};

/**
 * A call of each operation but stats, which the secondary alone has, and preflight, in an order in which all succeed one after the other: the first makes the table,
 * the last deletes it. `address` is the table's name as addresses write it, where that is another.
 */
export function everyCall(table: string, address: string = table): Call[] {
  const create = JSON.stringify({ TableName: table });
  const entity = (rowKey: string): string => JSON.stringify({ PartitionKey: 'p', RowKey: rowKey, n: 1 });
  const path = entityPath(address, 'p', 'r');
  const ifMatch = { ...json, 'If-Match': '*' };
  const write = (method: string, headers: Record<string, string>): RawRequest => ({
    method,
    path,
    headers,
    body: '{"n":2}',
  });
  const batch = (body: string): RawRequest => ({
    method: 'POST',
    path: '/$batch',
    headers: batchType,
    body,
  });
  const query = { method: 'GET', target: path, headers: ['Accept: application/json;odata=minimalmetadata'] };
  const calls: readonly [name: string, status: number, request: RawRequest][] = [
    ['Create Table', 201, { method: 'POST', path: '/Tables', headers: json, body: create }],
    ['Delete Table, made anew', 204, { method: 'DELETE', path: `/Tables('${address}')` }],
    ['Create Table, no content', 204, { method: 'POST', path: '/Tables', headers: noContent, body: create }],
    ['Query Tables', 200, { path: '/Tables' }],
    ['Get Table', 200, { path: `/Tables('${address}')` }],
    ['Insert Entity', 201, { method: 'POST', path: `/${address}`, headers: json, body: entity('r') }],
    [
      'Insert Entity, no content',
      204,
      { method: 'POST', path: `/${address}`, headers: noContent, body: entity('s') },
    ],
    ['Set Table ACL', 204, { method: 'PUT', path: `/${address}?comp=acl`, headers: xml, body: policies }],
    ['Get Table ACL', 200, { path: `/${address}?comp=acl`, headers: xml }],
    [
      'Set Service Properties',
      202,
      { method: 'PUT', path: serviceProperties, headers: xml, body: properties },
    ],
    ['Get Service Properties', 200, { path: serviceProperties, headers: xml }],
    ['Query Entities', 200, { path: `/${address}()` }],
    ['Get Entity', 200, { path }],
    ['Update Entity', 204, write('PUT', ifMatch)],
    ['Merge Entity', 204, write('MERGE', ifMatch)],
    ['Merge Entity, by PATCH', 204, write('PATCH', ifMatch)],
    ['Merge Entity, tunnelled', 204, write('POST', { ...ifMatch, 'X-HTTP-Method': 'MERGE' })],
    ['Insert Or Replace Entity', 204, write('PUT', json)],
    ['Insert Or Merge Entity', 204, write('MERGE', json)],
    ['Insert Or Merge Entity, by PATCH', 204, write('PATCH', json)],
    ['Entity Group Transaction', 202, batch(changesetBody([insert(address, 'batched')]))],
    ['Entity Group Transaction, a query', 202, batch(queryBody(query))],
    ['Delete Entity', 204, { method: 'DELETE', path, headers: { 'If-Match': '*' } }],
    ['Delete Table', 204, { method: 'DELETE', path: `/Tables('${address}')` }],
  ];
  return calls.map(toCall);
}

/** A call of each kind that is refused with OData, whatever tables there are beside `table`. */
export function everyRefusal(table: string): Call[] {
  const path = entityPath(table, 'p', 'missing');
  const stale = { ...json, 'If-Match': 'abc' };
  const calls: readonly [name: string, status: number, request: RawRequest][] = [
    ['no such table', 404, { path: '/missing()' }],
    ['no such entity', 404, { path }],
    ['a filter that cannot be read', 400, { path: `/${table}?$filter=aaa%20bbb%20ccc` }],
    ['a body that cannot be read', 400, { method: 'POST', path: `/${table}`, headers: json, body: '{' }],
    ['a condition that cannot be read', 400, { method: 'PUT', path, headers: stale, body: '{}' }],
    ['a table that is there', 409, createAgain(table)],
    ['a verb that the resource lacks', 405, { method: 'DELETE', path: '/Tables' }],
    ['an option that the service lacks', 501, { path: `/${table}?$orderby=RowKey` }],
    ['a batch that cannot be read', 400, { method: 'POST', path: '/$batch', headers: batchType, body: 'x' }],
  ];
  return calls.map(toCall);
}

function toCall([name, status, request]: readonly [string, number, RawRequest]): Call {
  return { name, status, surface: request.path.includes('comp=') ? 'xml' : 'odata', request };
}

function createAgain(table: string): RawRequest {
  return { method: 'POST', path: '/Tables', headers: json, body: JSON.stringify({ TableName: table }) };
}

/** The request with one more option in its query. */
export function withOption(request: RawRequest, option: string): RawRequest {
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${option}` };
}

/** The request with more headers. */
export function withHeaders(request: RawRequest, headers: Record<string, string>): RawRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}
