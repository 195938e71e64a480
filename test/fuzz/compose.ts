import { createHmac } from 'node:crypto';
import { METHODS } from 'node:http';
import type { Draft, Header } from './draft.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** A case as it goes over the wire. */
export interface Case {
  /** Each piece is a write of its own. */
  readonly pieces: readonly Buffer[];
  /**
   * `asked`: the bytes are one whole request by the rules of HTTP, so that an answer must come. `thrown`:
   * they may be anything, on a connection of their own, which must end soon after the client hangs up.
   */
  readonly manner: 'asked' | 'thrown';
  /** Whether the answer has no body whatever its headers say. */
  readonly isHead: boolean;
}

/** Signs a draft and makes it bytes. */
export function compose(random: Random, world: World, draft: Draft): Case {
  const { target, encodedPath, host } = addressOf(draft, world);
  const headers: Header[] = draft.headers.some(([name]) => name.toLowerCase() === 'host')
    ? [...draft.headers]
    : [['Host', host], ...draft.headers];
  const body = addFraming(random, draft, headers);
  const authorization = authorizationOf(draft, encodedPath);
  if (authorization !== undefined) headers.push(['Authorization', authorization]);
  const isOrderly = isWholeRequest(draft, target, headers);
  const head = `${draft.method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return {
    pieces: [Buffer.concat([Buffer.from(head, isOrderly ? 'utf8' : random.pick(['utf8', 'latin1'])), body])],
    manner: isOrderly ? 'asked' : 'thrown',
    isHead: draft.method === 'HEAD',
  };
}

function addressOf(draft: Draft, { port }: World): { target: string; encodedPath: string; host: string } {
  const account = draft.isSecondary ? `${draft.account.name}-secondary` : draft.account.name;
  const query = draft.query.map(([name, value]) => `${name}=${value}`).join('&');
  const suffix = query === '' ? '' : `?${query}`;
  if (draft.style === 'host') {
    return {
      target: draft.path + suffix,
      encodedPath: pathOnly(draft.path),
      host: `${account}.table.localhost:${port}`,
    };
  }
  const path = `/${account}${draft.path}`;
  const host = `127.0.0.1:${port}`;
  const origin = draft.style === 'absolute' ? `http://${host}` : '';
  return { target: origin + path + suffix, encodedPath: pathOnly(path), host };
}

/** A path that was mutated may have a question mark of its own. */
function pathOnly(path: string): string {
  return path.split('?', 1)[0] as string;
}

/** Adds what tells where the body ends, and answers the body as it is to be sent. */
function addFraming(random: Random, { framing, body }: Draft, headers: Header[]): Buffer {
  if (framing === 'length') headers.push(['Content-Length', String(body.length)]);
  if (framing !== 'chunked') return framing === 'length' ? body : Buffer.alloc(0);
  headers.push(['Transfer-Encoding', 'chunked']);
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const chunk = body.subarray(at, at + random.size(100_000));
    const extension = body.length < 10_000 && random.onceIn(10) ? ';a=b' : '';
    chunks.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n'));
    at += chunk.length;
  }
  const trailer = random.onceIn(10) ? 'x-trailer: y\r\n' : '';
  return Buffer.concat([...chunks, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

/** REST: Authorize with Shared Key, Table service. */
function authorizationOf(draft: Draft, encodedPath: string): string | undefined {
  const { credentials, account } = draft;
  if (credentials.kind === 'none') return undefined;
  if (credentials.kind === 'forged') return credentials.authorization;
  const value = (wanted: string): string =>
    draft.headers.find(([name]) => name.toLowerCase() === wanted)?.[1].trim() ?? '';
  const comp = draft.query.find(([name]) => name.toLowerCase() === 'comp')?.[1];
  const resource = `/${account.name}${encodedPath}${comp === undefined ? '' : `?comp=${comp}`}`;
  const date = value('x-ms-date') || value('date');
  const head =
    credentials.kind === 'SharedKey'
      ? `${draft.method}\n${value('content-md5')}\n${value('content-type')}\n`
      : '';
  const hmac = createHmac('sha256', Buffer.from(credentials.key, 'base64')).update(
    `${head}${date}\n${resource}`,
  );
  return `${credentials.kind} ${account.name}:${hmac.digest('base64')}`;
}

/** Whether HTTP sees one request in it, whose end is where we think it is, so that it must be answered. */
function isWholeRequest(
  { method, headers: own }: Draft,
  target: string,
  headers: readonly Header[],
): boolean {
  const isKnownMethod = METHODS.includes(method) && method !== 'CONNECT';
  return (
    isKnownMethod &&
    /^(?:\/|http:)/.test(target) &&
    !/[\r\n\0]/.test(target) &&
    !own.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name)) &&
    headers.every(([name, value]) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !/[\r\n\0]/.test(value))
  );
}
