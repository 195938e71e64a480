import assert from 'node:assert/strict';
import type { RawResponse } from './raw-client.ts';
import { entityPath, type Wire } from './wire.ts';

/** Bodies of entity group transactions, written as a client would, and answers made comparable. */
export interface BatchOperation {
  readonly method: string;
  /** As it is to stand in the request line. */
  readonly target: string;
  /** HTTP headers of the operation, each `Name: value`. */
  readonly headers?: readonly string[];
  /** MIME headers beside the two that every part has. */
  readonly mimeHeaders?: readonly string[];
  readonly body?: string;
}

const partHeaders = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary'];
/** The boundary of batchBody's outer level, for the Content-Type of the request. */
export const batchType = { 'Content-Type': 'multipart/mixed; boundary=batch_1' };

export const minimal = 'Accept: application/json;odata=minimalmetadata';
export const jsonType = 'Content-Type: application/json';
export const preferNoContent = 'Prefer: return-no-content';

/** An insertion into the partition `p`; `members` is JSON that begins with a comma. */
export function insert(
  table: string,
  rowKey: string,
  members = '',
  headers: readonly string[] = [preferNoContent],
): BatchOperation {
  return {
    method: 'POST',
    target: `/${table}`,
    headers: [jsonType, minimal, ...headers],
    body: `{"PartitionKey":"p","RowKey":"${rowKey}"${members}}`,
  };
}

/** An update or upsert, by its verb, of an entity of the partition `p`. */
export function change(
  method: string,
  table: string,
  rowKey: string,
  body: string,
  ifMatch?: string,
): BatchOperation {
  return {
    method,
    target: entityPath(table, 'p', rowKey),
    headers: [jsonType, minimal, ...(ifMatch === undefined ? [] : [`If-Match: ${ifMatch}`])],
    body,
  };
}

/** A deletion of an entity of the partition `p`. */
export function remove(table: string, rowKey: string, ifMatch = '*'): BatchOperation {
  return {
    method: 'DELETE',
    target: entityPath(table, 'p', rowKey),
    headers: [minimal, `If-Match: ${ifMatch}`],
  };
}

function formatOperation({
  method,
  target,
  headers = [],
  mimeHeaders = [],
  body = '',
}: BatchOperation): string {
  return [...partHeaders, ...mimeHeaders, '', `${method} ${target} HTTP/1.1`, ...headers, '', body].join(
    '\r\n',
  );
}

/** One change set of these operations. */
export function changesetBody(operations: readonly BatchOperation[]): string {
  const parts = operations.map(operation => `--changeset_1\r\n${formatOperation(operation)}\r\n`);
  return `--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n${parts.join('')}--changeset_1--\r\n\r\n--batch_1--\r\n`;
}

/** One operation right in the batch: a query. */
export function queryBody(operation: BatchOperation): string {
  return `--batch_1\r\n${formatOperation(operation)}\r\n--batch_1--\r\n`;
}

/** Lines as the wire has them. */
export function crlf(lines: readonly string[]): string {
  return lines.map(line => `${line}\r\n`).join('');
}

export interface BatchPart {
  readonly status: number;
  readonly reason: string;
  /** In their order, as written. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** The operations' answers, read as strictly as the strictest client does. */
export function readBatch(text: string): BatchPart[] {
  const inner = /^--\S+\r\nContent-Type: multipart\/mixed; boundary=(\S+)\r\n/.exec(text);
  const [, boundary] = inner ?? /^--(\S+)/.exec(text) ?? [];
  const delimiter = `--${boundary}`;
  return text
    .split(delimiter)
    .slice(1, -1)
    .map(part => {
      const [, , mime, head = '', ...rest] = /^(\r\n)(.*?)\r\n\r\n(.*?)\r\n\r\n(.*)$/s.exec(part) ?? [];
      const [statusLine = '', ...headers] = head.split('\r\n');
      const match = /^HTTP\/1\.1 (\d{3}) (\S.*)$/.exec(statusLine);
      if (match === null) throw new Error(`no status line in ${mime}${part}`);
      return {
        status: Number(match[1]),
        reason: match[2] as string,
        headers,
        body: rest.join('').trimEnd(),
      };
    });
}

/** Of the parts of an answer of 202. */
export function statusesOf(response: RawResponse): number[] {
  assert.equal(response.status, 202, response.body);
  return readBatch(response.body).map(({ status }) => status);
}

/** That the only part of the answer is this error, whose message begins with the operation's index. */
export function assertFails(
  parts: readonly BatchPart[],
  status: number,
  code: string,
  message: string,
): void {
  assert.equal(parts.length, 1);
  const [part] = parts as [BatchPart];
  const error = JSON.parse(part.body)['odata.error'];
  assert.deepEqual(
    { status: part.status, code: error.code, message: error.message.value.split('\n')[0] },
    { status, code, message },
  );
}

/** What the tests of transactions need of a server. */
export interface Batches {
  /** Posts the body of a batch, good or bad. */
  post(body: string | Buffer, headers?: Record<string, string>): Promise<RawResponse>;
  /** Sends one change set of these operations and answers its parts. */
  run(operations: readonly BatchOperation[], headers?: Record<string, string>): Promise<BatchPart[]>;
  /** Sends a query alone in its batch. */
  query(target: string, headers?: readonly string[]): Promise<RawResponse>;
  rowKeysIn(table: string): Promise<string[]>;
}

export function useBatches(wire: Wire): Batches {
  const post: Batches['post'] = (body, headers = {}) =>
    wire.send({ method: 'POST', path: '/$batch', headers: { ...batchType, ...headers }, body });
  return {
    post,
    async run(operations, headers) {
      const response = await post(changesetBody(operations), headers);
      assert.equal(response.status, 202, response.body);
      return readBatch(response.body);
    },
    query: (target, headers = [minimal]) => post(queryBody({ method: 'GET', target, headers })),
    async rowKeysIn(table) {
      return (await wire.query(table)).map(({ RowKey }) => RowKey as string);
    },
  };
}
