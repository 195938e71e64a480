import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Account } from './auth/accounts.ts';
import { verifySharedKey } from './auth/shared-key.ts';
import { ServiceError } from './errors.ts';
import { type Address, parseAddress } from './http/address.ts';
import type { Answer } from './http/answer.ts';
import { announcedBytes, readBody } from './http/body.ts';
import { type ErrorShape, renderError } from './http/error-body.ts';
import { negotiateFormat } from './http/media-type.ts';
import { readMethod } from './http/method.ts';
import { echoedVersion, parseVersion } from './http/version.ts';
import * as limits from './limits.ts';
import type { Logger } from './observe/log.ts';
import type { Metrics } from './observe/metrics.ts';
import { answerOperator } from './operator.ts';
import { productVersion } from './product.ts';
import type { Store } from './store/store.ts';
import { entityGroupTransaction } from './table/entity-group-transaction.ts';
import { type Operation, preferenceHeaders, preferenceOf, type TableRequest } from './table/request.ts';
import { parseResource } from './table/resource.ts';
import { routeOperation } from './table/routes.ts';
import { ticksFromMs } from './ticks.ts';

export interface ServerContext {
  readonly store: Store;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Refuse versions that are not on the list, as the service does. */
  readonly isStrictVersion: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What is known of a request while it climbs the ladder; the error path sees how far it came. */
interface Exchange {
  readonly id: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  operation: Operation | undefined;
  errorShape: ErrorShape;
}

const serverHeader = `Windows-Azure-Table/1.0 Tabularium/${productVersion}`;
/** Longer than clients keep idle connections: of the two, the server must not be the one that hangs up. */
const keepAliveTimeoutMs = 120_000;
const headersTimeoutMs = 60_000;
const requestTimeoutMs = 120_000;
const noBody = Buffer.alloc(0);

/** The Table service over HTTP. The way of a request is `climb`, from top to bottom. */
export class TableServer {
  readonly http: Server;
  readonly #context: ServerContext;
  #bodyBytesInFlight = 0;
  #isClosing = false;
  #turn: Promise<void> | undefined;

  constructor(context: ServerContext) {
    this.#context = context;
    this.http = createServer(
      {
        maxHeaderSize: limits.requestHeaderBytesMax,
        keepAliveTimeout: keepAliveTimeoutMs,
        headersTimeout: headersTimeoutMs,
        requestTimeout: requestTimeoutMs,
        noDelay: true,
      },
      (incoming, outgoing) => {
        this.#handle(incoming, outgoing).catch(error => {
          context.log.error({ err: error }, 'an answer could not be sent');
          outgoing.destroy();
        });
      },
    );
    this.http.maxConnections = limits.connectionsMax;
    this.http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy();
      const status =
        error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
      socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    });
  }

  /** Stops listening and resolves once the requests in flight are answered. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await new Promise<void>(resolve => {
      this.http.close(() => resolve());
      this.http.closeIdleConnections();
    });
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.url?.startsWith('/-/')) {
      await answerOperator(incoming.url, outgoing, this.#context.metrics, !this.#isClosing);
      return;
    }
    const beganMs = performance.now();
    const exchange: Exchange = {
      id: randomUUID(),
      incoming,
      outgoing,
      operation: undefined,
      errorShape: 'xml service',
    };
    let answer: Answer;
    try {
      answer = await this.#climb(exchange);
    } catch (error) {
      answer = this.#answerError(exchange, error);
    }
    await this.#endOfTurn();
    this.#send(exchange, answer);
    this.#record(exchange, answer, performance.now() - beganMs);
  }

  /**
   * Answers wait for the end of the turn of the event loop that made them, and go out together. An answer that
   * wakes its reader costs as much as the request itself; of answers sent in a row only the first one does.
   */
  #endOfTurn(): Promise<void> {
    this.#turn ??= new Promise(resolve => {
      setImmediate(() => {
        this.#turn = undefined;
        resolve();
      });
    });
    return this.#turn;
  }

  /** Receive, identify, authenticate, parse, run; each rung throws the ServiceError that it answers with. */
  async #climb(exchange: Exchange): Promise<Answer> {
    const { incoming } = exchange;
    const { headers } = incoming;
    const header = (name: string): string | undefined => headers[name] as string | undefined;
    const bytes = announcedBytes(incoming);
    if (this.#bodyBytesInFlight + bytes > limits.bodyBytesInFlightMax) throw new ServiceError('ServerBusy');
    this.#bodyBytesInFlight += bytes;
    try {
      const address = this.#identify(incoming);
      this.#authenticate(incoming, address, header);

      const format = negotiateFormat(address.query.get('$format'), header('accept'));
      exchange.errorShape = format;
      const version = parseVersion(header('x-ms-version'), this.#context.isStrictVersion);
      const clientRequestId = header('x-ms-client-request-id');
      if (clientRequestId !== undefined && !isClientRequestId(clientRequestId)) {
        throw new ServiceError('InvalidHeaderValue');
      }
      const method = readMethod(incoming.method ?? '', header('x-http-method'));
      const resource = parseResource(address.path);
      exchange.operation = this.#route(exchange, address, method, resource, header('if-match') !== undefined);

      const request: TableRequest = {
        method,
        account: address.account,
        base: address.base,
        accountSegment: address.accountSegment,
        resource,
        query: address.query,
        format,
        version,
        body: bytes === 0 ? noBody : await readBody(incoming),
        isAbandoned: () => exchange.outgoing.destroyed,
        header,
      };
      return await exchange.operation.run(request, this.#context.store);
    } finally {
      this.#bodyBytesInFlight -= bytes;
    }
  }

  #identify(incoming: IncomingMessage): Address {
    const { accounts } = this.#context;
    return parseAddress(incoming.url ?? '/', incoming.headers.host ?? '', 'http', 'table', name =>
      accounts.has(name),
    );
  }

  #authenticate(
    incoming: IncomingMessage,
    address: Address,
    header: (name: string) => string | undefined,
  ): void {
    const account = this.#context.accounts.get(address.account) as Account;
    verifySharedKey({ method: incoming.method ?? '', address, header }, account, this.#context.now());
  }

  #route(
    exchange: Exchange,
    address: Address,
    method: string,
    resource: TableRequest['resource'],
    isConditional: boolean,
  ): Operation {
    if (address.isSecondary && method !== 'GET') {
      throw new ServiceError('WriteOperationNotSupportedOnSecondary');
    }
    if (address.query.get('comp') !== undefined) throw new ServiceError('NotImplemented');
    if (resource.kind === 'batch') {
      if (method !== 'POST') throw new ServiceError('MethodNotAllowed');
      return entityGroupTransaction(exchange.id, this.#context.now());
    }
    return routeOperation(method, resource, isConditional);
  }

  #answerError(exchange: Exchange, error: unknown): Answer {
    const { log, now } = this.#context;
    let refusal = error;
    if (!(refusal instanceof ServiceError)) {
      if (!exchange.outgoing.destroyed) log.error({ requestId: exchange.id, err: error }, 'internal error');
      refusal = new ServiceError('InternalError');
    }
    const answer = renderError(refusal as ServiceError, exchange.errorShape, exchange.id, ticksFromMs(now()));
    const preference = preferenceOf(exchange.incoming.headers.prefer as string | undefined);
    const retryAfter = answer.status === 503 ? { 'Retry-After': String(limits.retryAfterSeconds) } : {};
    return { ...answer, headers: { ...answer.headers, ...preferenceHeaders(preference), ...retryAfter } };
  }

  #send({ id, incoming, outgoing, errorShape }: Exchange, answer: Answer): void {
    if (outgoing.destroyed) return;
    const { status, body } = answer;
    const headers = ['Server', serverHeader, 'x-ms-request-id', id];
    const clientRequestId = incoming.headers['x-ms-client-request-id'];
    if (typeof clientRequestId === 'string' && isClientRequestId(clientRequestId)) {
      headers.push('x-ms-client-request-id', clientRequestId);
    }
    headers.push('x-ms-version', echoedVersion(incoming.headers['x-ms-version'] as string | undefined));
    if (errorShape !== 'xml service') {
      headers.push('Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff');
    }
    for (const name in answer.headers) headers.push(name, answer.headers[name] as string);
    headers.push('Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body)));
    // A body that was not read to its end would be taken for the next request.
    if (this.#isClosing || !incoming.complete) headers.push('Connection', 'close');
    outgoing.writeHead(status, headers);
    outgoing.end(body);
    if (!incoming.complete) incoming.resume();
  }

  #record({ id, incoming, operation }: Exchange, { status }: Answer, durationMs: number): void {
    const name = operation?.name ?? 'Unknown';
    this.#context.metrics.countRequest('table', name, status, durationMs);
    const { log } = this.#context;
    if (log.isLevelEnabled('debug')) {
      const { method, url } = incoming;
      log.debug({ requestId: id, operation: name, method, url, status, durationMs }, 'request');
    }
  }
}

/** Visible characters, and not many (REST: Common REST API Headers). */
function isClientRequestId(id: string): boolean {
  return id.length <= limits.clientRequestIdUnitsMax && /^[ -~]*$/.test(id);
}
