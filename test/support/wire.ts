import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { TabulariumOptions } from '../../src/config.ts';
import type { Surroundings, Tabularium } from '../../src/index.ts';
import { type RawRequest, type RawResponse, rawClient, signRequest } from './raw-client.ts';
import { freshTableName, useServer } from './server.ts';

/** A server of a describe's own, and what tests of its wire need again and again. */
export interface Wire {
  readonly server: () => Promise<Tabularium>;
  readonly send: (request: RawRequest) => Promise<RawResponse>;
  /** Base address of the account, as answers name it. */
  base(): Promise<string>;
  /** Makes a table that no other test uses. */
  createTable(): Promise<string>;
  /** Inserts an entity, given as JSON or as an object, and answers its ETag. */
  insert(table: string, entity: string | object): Promise<string>;
  /** The entities of a query: all, or those of a `$filter`. */
  query(table: string, filter?: string): Promise<Record<string, unknown>[]>;
  /** Sends bytes of a connection's own and answers all that comes back until the server hangs up. */
  sendBytes(bytes: string | Buffer | readonly (string | Buffer)[]): Promise<string>;
  /** A signed request as bytes, whose head ends with the given lines and `Connection: close`. */
  signedBytes(method: string, path: string, lines?: readonly string[], body?: string): Promise<string>;
  /** That a good request is answered well, after whatever came before. */
  assertServes(): Promise<void>;
}

export const json = { 'Content-Type': 'application/json' };
export const noContent = { ...json, Prefer: 'return-no-content' };
export const unreadable = 'An error occurred while processing this request.';
export const querySyntax = 'Bad Request - Error in query syntax.';
export const invalid = 'One of the request inputs is not valid.';

/** Call it inside a `describe`. */
export function useWire(options: TabulariumOptions = {}, surroundings?: Surroundings): Wire {
  const server = useServer(options, surroundings);
  const base = async (): Promise<string> => (await server()).endpoints.table;
  const send = async (request: RawRequest): Promise<RawResponse> => {
    const { endpoints, authorityFile } = await server();
    const authority = authorityFile === undefined ? undefined : readFileSync(authorityFile, 'utf8');
    return rawClient(endpoints.table, authority)(request);
  };
  return {
    server,
    send,
    base,
    async createTable() {
      const name = freshTableName();
      const body = JSON.stringify({ TableName: name });
      const response = await send({ method: 'POST', path: '/Tables', headers: noContent, body });
      assert.equal(response.status, 204, response.body);
      return name;
    },
    async insert(table, entity) {
      const body = typeof entity === 'string' ? entity : JSON.stringify(entity);
      const response = await send({ method: 'POST', path: `/${table}`, headers: noContent, body });
      assert.equal(response.status, 204, response.body);
      return response.headers.etag as string;
    },
    async query(table, filter) {
      const suffix = filter === undefined ? '' : `?$filter=${encodeURIComponent(filter)}`;
      const response = await send({ path: `/${table}()${suffix}` });
      assert.equal(response.status, 200, response.body);
      return response.json<{ value: Record<string, unknown>[] }>().value;
    },
    async sendBytes(bytes) {
      return exchangeBytes(await base(), bytes);
    },
    async signedBytes(method, path, lines = [], body = '') {
      const { host, pathname } = new URL(await base());
      const date = new Date().toUTCString();
      const authorization = signRequest('SharedKeyLite', method, `${pathname}${path}`, { 'x-ms-date': date });
      const head = [
        `${method} ${pathname}${path} HTTP/1.1`,
        `Host: ${host}`,
        `x-ms-date: ${date}`,
        `Authorization: ${authorization}`,
        ...lines,
        'Connection: close',
      ];
      return `${head.join('\r\n')}\r\n\r\n${body}`;
    },
    async assertServes() {
      const response = await send({ path: '/Tables?$top=1' });
      assert.equal(response.status, 200, response.body);
    },
  };
}

/** Status, code and first line of an error, and that the message ends with its two further lines. */
export function assertRefused(response: RawResponse, status: number, code: string, message?: string): void {
  assert.deepEqual(
    { status: response.status, code: response.errorCode, message: response.errorMessage },
    { status, code, message: message ?? response.errorMessage },
    response.body,
  );
  assert.equal(response.headers['x-ms-error-code'], code);
  assert.match(
    response.body,
    /(?:\\n|\n)RequestId:[0-9a-f-]{36}(?:\\n|\n)Time:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z["<]/,
  );
}

/** The path of an entity, percent-encoded as the official clients do. */
export function entityPath(table: string, partitionKey: string, rowKey: string): string {
  const encode = (key: string): string => encodeURIComponent(key.replaceAll("'", "''"));
  return `/${table}(PartitionKey='${encode(partitionKey)}',RowKey='${encode(rowKey)}')`;
}

/** Each piece is a write of its own. */
function exchangeBytes(
  endpoint: string,
  bytes: string | Buffer | readonly (string | Buffer)[],
): Promise<string> {
  const { hostname, port } = new URL(endpoint);
  const pieces = typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on('data', chunk => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
    for (const piece of pieces) socket.write(piece);
  });
}

/** One table for all the tests of a describe, made on first use, and how to insert into it whatever is sent. */
export function useTable(wire: Wire): {
  table(): Promise<string>;
  post(body: string | Buffer | object, headers?: Record<string, string>): Promise<RawResponse>;
} {
  let shared: Promise<string> | undefined;
  const table = (): Promise<string> => {
    shared ??= wire.createTable();
    return shared;
  };
  const post = async (
    body: string | Buffer | object,
    headers: Record<string, string> = {},
  ): Promise<RawResponse> =>
    wire.send({
      method: 'POST',
      path: `/${await table()}`,
      headers: { ...json, ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
  return { table, post };
}
