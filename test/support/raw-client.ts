import { createHmac } from 'node:crypto';
import { type Agent, type IncomingHttpHeaders, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { developmentAccount } from '../../src/auth/accounts.ts';

export interface RawRequest {
  readonly method?: string;
  /** Behind the account, percent-encoded as it is to be sent: `/Tables`, `/t(PartitionKey='a',RowKey='b')`. */
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** How to sign: `false` leaves Authorization away. */
  readonly sign?: 'SharedKey' | 'SharedKeyLite' | false;
  /** Base64. */
  readonly key?: string;
  /** Value of x-ms-date; an empty text leaves it away. */
  readonly date?: string;
  /** The encoded path to sign, the account of path style included, where it is not the one that is sent. */
  readonly signedPath?: string;
}

export interface RawResponse {
  readonly status: number;
  readonly statusMessage: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values as on the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly bytes: Buffer;
  /** The body as JSON. */
  json<T = Record<string, unknown>>(): T;
  /** The code of an error, from JSON or XML; undefined where the body is none. */
  readonly errorCode: string | undefined;
  /** The first line of an error's message. */
  readonly errorMessage: string | undefined;
}

/**
 * Sends what no official client would: every byte of the request is the caller's. Defaults: GET, signed with
 * the development account's key (Shared Key Lite), `Accept: application/json;odata=minimalmetadata`, and
 * `x-ms-version: 2019-02-02`; a header given as an empty text is left away. Over TLS it trusts the authority
 * whose certificate in PEM is given. Each request has a connection of its own, unless an agent is given.
 */
export function rawClient(
  endpoint: string,
  authority?: string,
  agent: Agent | false = false,
): (options: RawRequest) => Promise<RawResponse> {
  const base = new URL(endpoint);
  return options => {
    const method = options.method ?? 'GET';
    const path = `${base.pathname.replace(/\/$/, '')}${options.path}`;
    const date = options.date ?? new Date().toUTCString();
    const headers: Record<string, string> = {
      Accept: 'application/json;odata=minimalmetadata',
      'x-ms-version': '2019-02-02',
      'x-ms-date': date,
      ...(options.body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(options.body)) }),
      ...options.headers,
    };
    for (const name in headers) if (headers[name] === '') delete headers[name];
    if (options.sign !== false) {
      const target = options.signedPath ?? path;
      headers.Authorization ??= signRequest(
        options.sign ?? 'SharedKeyLite',
        method,
        target,
        headers,
        options.key,
      );
    }
    return send(base, authority, agent, method, path, headers, options.body);
  };
}

/** The Authorization header of a request to the path, the account of path style included. */
export function signRequest(
  scheme: 'SharedKey' | 'SharedKeyLite',
  method: string,
  target: string,
  headers: Record<string, string>,
  key: string = developmentAccount.key,
): string {
  const value = (name: string): string =>
    Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1] ?? '';
  const [path, query] = target.split('?', 2) as [string, string | undefined];
  const comp = new URLSearchParams(query).get('comp');
  const resource = `/${developmentAccount.name}${path}${comp === null ? '' : `?comp=${comp}`}`;
  const date = value('x-ms-date') || value('date');
  const head = scheme === 'SharedKey' ? `${method}\n${value('content-md5')}\n${value('content-type')}\n` : '';
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(`${head}${date}\n${resource}`);
  return `${scheme} ${developmentAccount.name}:${signature.digest('base64')}`;
}

function send(
  base: URL,
  authority: string | undefined,
  agent: Agent | false,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer | undefined,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const isSecure = base.protocol === 'https:';
    const trust = isSecure && authority !== undefined ? { ca: authority } : {};
    const outgoing = (isSecure ? requestSecurely : requestPlainly)(
      { host: base.hostname, port: base.port, method, path, headers, agent, ...trust },
      incoming => {
        const chunks: Buffer[] = [];
        incoming.on('data', chunk => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          const error = readError(text);
          resolve({
            status: incoming.statusCode ?? 0,
            statusMessage: incoming.statusMessage ?? '',
            headers: incoming.headers,
            rawHeaders: incoming.rawHeaders,
            body: text,
            bytes,
            json: <T>() => JSON.parse(text) as T,
            errorCode: error?.code,
            errorMessage: error?.message.split('\n', 1)[0],
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function readError(body: string): { code: string; message: string } | undefined {
  if (body.startsWith('{"odata.error"')) {
    const { code, message } = (
      JSON.parse(body) as { 'odata.error': { code: string; message: { value: string } } }
    )['odata.error'];
    return { code, message: message.value };
  }
  const code = /<(?:m:)?code>(.*?)<\//.exec(body)?.[1];
  const message = /<(?:m:)?message[^>]*>(.*?)<\//s.exec(body)?.[1];
  return code === undefined || message === undefined ? undefined : { code, message };
}
