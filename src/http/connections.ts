import type { RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import * as limits from '../limits.ts';

/** How long the server waits for its clients, in milliseconds. */
export interface Patience {
  /** For the head of a request: since its first byte, or since the connection began. */
  readonly headMs: number;
  /** For a request with its body. */
  readonly requestMs: number;
  /** For the next request. */
  readonly idleMs: number;
  /** For the client to take its answer. */
  readonly answerMs: number;
  /** For a client whose request HTTP refused to hang up; until then what it still sends is thrown away. */
  readonly lingerMs: number;
  /** For requests in flight to be answered, when the server stops. */
  readonly closeMs: number;
  /** How often heads and requests are looked at: so much later they may be refused. */
  readonly checkEveryMs: number;
}

export const usualPatience: Patience = {
  headMs: limits.headTimeoutMs,
  requestMs: limits.requestTimeoutMs,
  idleMs: limits.idleTimeoutMs,
  answerMs: limits.answerTimeoutMs,
  lingerMs: limits.lingerTimeoutMs,
  closeMs: limits.closeTimeoutMs,
  checkEveryMs: limits.timeoutCheckMs,
};

/** What node:http and node:https have to know of the limits of connections. */
export function connectionOptions(patience: Patience): ServerOptions & { handshakeTimeout: number } {
  return {
    maxHeaderSize: limits.requestHeaderBytesMax,
    headersTimeout: patience.headMs,
    handshakeTimeout: patience.headMs,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: patience.idleMs,
    connectionsCheckingInterval: patience.checkEveryMs,
    noDelay: true,
    requireHostHeader: false, // the service has an error of its own for it
  };
}

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const refused = new WeakSet<Duplex>();

/**
 * Answers what HTTP refuses before it is a request, and hangs up: at once in our direction; in the other a little
 * later, since a client that still sends would not see the answer.
 */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex, lingerMs: number): void {
  if (refused.has(socket)) return;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  refused.add(socket);
  const status = refusals[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  destroyAfter(lingerMs, socket);
}

/**
 * Sets the limits that are no options. Of a head with too many headers node:http would drop the last ones, which
 * may change what is asked: such requests are refused.
 */
export function limitConnections(server: Server, handle: RequestListener): void {
  server.maxConnections = limits.connectionsMax;
  server.maxHeadersCount = limits.requestHeadersMax + 1;
  const listener: RequestListener = (incoming, outgoing) => {
    if (incoming.rawHeaders.length <= 2 * limits.requestHeadersMax) return handle(incoming, outgoing);
    outgoing.writeHead(431, { 'Content-Length': 0, Connection: 'close' }).end();
  };
  server.on('request', listener);
  // What a client expects and we do not know is none of our business (RFC 9110).
  server.on('checkExpectation', listener);
}

/** Takes no new connection, and resolves once the last is closed: that of a client that is too slow, by us. */
export async function closeConnections(server: Server, closeMs: number): Promise<void> {
  // Once it closes, node:http looks at no limits of time any more.
  const timer = setTimeout(() => server.closeAllConnections(), closeMs);
  await new Promise<void>(resolve => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}

/** Hangs up on a client that does not take its answer. */
export function limitAnswer(outgoing: ServerResponse, answerMs: number): void {
  // What the system has taken over at once costs us nothing any more.
  if (outgoing.writableLength === 0) return;
  // Of pipelined requests the next answer gets the connection when the one before it is gone.
  if (outgoing.socket === null) outgoing.once('socket', () => destroyAfter(answerMs, outgoing));
  else destroyAfter(answerMs, outgoing);
}

function destroyAfter(milliseconds: number, stream: Duplex | ServerResponse): void {
  const timer = setTimeout(() => stream.destroy(), milliseconds);
  stream.once('close', () => clearTimeout(timer));
}
