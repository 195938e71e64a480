import type { RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import * as limits from '../limits.ts';

/** How long the server waits for its clients, in milliseconds, and how much of theirs it has meanwhile. */
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
  /** Bytes of answers that clients have not taken, all together; past it, requests are refused. */
  readonly unsentBytesMax: number;
  /** Bytes of the bodies of requests in flight; past it, requests are refused. */
  readonly bodyBytesMax: number;
  readonly connectionsMax: number;
}

export const usualPatience: Patience = {
  headMs: limits.headTimeoutMs,
  requestMs: limits.requestTimeoutMs,
  idleMs: limits.idleTimeoutMs,
  answerMs: limits.answerTimeoutMs,
  lingerMs: limits.lingerTimeoutMs,
  closeMs: limits.closeTimeoutMs,
  checkEveryMs: limits.timeoutCheckMs,
  unsentBytesMax: limits.unsentBytesMax,
  bodyBytesMax: limits.bodyBytesInFlightMax,
  connectionsMax: limits.connectionsMax,
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
export function limitConnections(server: Server, handle: RequestListener, connectionsMax: number): void {
  server.maxConnections = connectionsMax;
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

/** What clients have been answered and have not taken, beyond what the system has for them. */
export class UnsentAnswers {
  #bytes = 0;
  readonly #bytesOf = new Map<Socket, number>();

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts until the answer is gone, or its connection: of pipelined answers the later ones never learn of that. */
  add(socket: Socket, outgoing: ServerResponse): void {
    const bytes = outgoing.writableLength;
    if (!this.#bytesOf.has(socket)) {
      socket.once('close', () => {
        this.#count(socket, -(this.#bytesOf.get(socket) ?? 0));
        this.#bytesOf.delete(socket);
      });
    }
    this.#count(socket, bytes);
    outgoing.once('close', () => {
      if (this.#bytesOf.has(socket)) this.#count(socket, -bytes);
    });
  }

  #count(socket: Socket, bytes: number): void {
    this.#bytes += bytes;
    this.#bytesOf.set(socket, (this.#bytesOf.get(socket) ?? 0) + bytes);
  }
}

/** Hangs up on a client that does not take its answer. */
export function limitAnswer(outgoing: ServerResponse, answerMs: number): void {
  // Of pipelined requests the next answer gets the connection when the one before it is gone.
  if (outgoing.socket === null) outgoing.once('socket', () => destroyAfter(answerMs, outgoing));
  else destroyAfter(answerMs, outgoing);
}

function destroyAfter(milliseconds: number, stream: Duplex | ServerResponse): void {
  const timer = setTimeout(() => stream.destroy(), milliseconds);
  stream.once('close', () => clearTimeout(timer));
}
