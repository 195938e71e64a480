import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { AccessPolicy } from './account/access-policy.ts';
import { answerPreflight } from './account/cors.ts';
import type { CorsRule } from './account/service-properties.ts';
import type { Account } from './auth/accounts.ts';
import { type AuthenticationContext, authenticate } from './auth/authenticate.ts';
import type { BearerVerifier } from './auth/bearer.ts';
import { authorize, type Grant } from './auth/grant.ts';
import { ServiceError } from './errors.ts';
import { type Exchange, formatHeaders, formatRefusal, isClientRequestId } from './exchange.ts';
import { type Address, parseAddress } from './http/address.ts';
import type { Answer } from './http/answer.ts';
import { announcedBytes, ClientGone, discardBody, readBody } from './http/body.ts';
import {
  closeConnections,
  connectionOptions,
  limitAnswer,
  limitConnections,
  type Patience,
  refuseConnection,
  UnsentAnswers,
  usualPatience,
} from './http/connections.ts';
import { negotiateFormat } from './http/media-type.ts';
import { readMethod } from './http/method.ts';
import { WriteTurns } from './http/turns.ts';
import { parseVersion } from './http/version.ts';
import type { Logger } from './observe/log.ts';
import type { Metrics } from './observe/metrics.ts';
import { RequestRecord, withoutSecret } from './observe/request-record.ts';
import { answerOperator } from './operator.ts';
import type { Store } from './store/store.ts';
import { serviceName, type TableRequest } from './table/request.ts';
import { parseResource, tableNamed } from './table/resource.ts';
import { routeOperation } from './table/routes.ts';
import { signedRange } from './table/signed-range.ts';
import type { Intent } from './table/transition.ts';

export interface ServerContext {
  readonly store: Store<Intent>;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Refuse versions that are not on the list, as the service does. */
  readonly isStrictVersion: boolean;
  /** Tell every caller what a query cost, not only those who ask. */
  readonly isQueryCostShown?: boolean;
  /** Certificate and key in PEM; without them the server speaks plain HTTP. */
  readonly tls: TlsCredentials | undefined;
  /** Without it bearer tokens are refused. */
  readonly verifyBearer: BearerVerifier | undefined;
  /** Where clients get bearer tokens. */
  readonly authorizationUri: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What is not the usual one: tests have less. */
  readonly patience?: Partial<Patience> | undefined;
  /** Whether it is told to be; a server alone is ready once it listens. */
  readonly isReady?: (() => boolean) | undefined;
}

export interface TlsCredentials {
  readonly cert: string;
  readonly key: string;
}

/** Of this service in an account SAS. */
const serviceLetter = 't';
const noBody = Buffer.alloc(0);
const noRules: readonly CorsRule[] = [];

/** The Table service over HTTP. The way of a request is `climb`, from top to bottom. */
export class TableServer {
  readonly http: Server;
  readonly #context: ServerContext;
  readonly #patience: Patience;
  readonly #recorded: RequestRecord;
  #bodyBytesInFlight = 0;
  readonly #unsent = new UnsentAnswers();
  readonly #turns = new WriteTurns();
  #isClosing = false;
  #turn: Promise<void> | undefined;

  constructor(context: ServerContext) {
    this.#context = context;
    this.#patience = { ...usualPatience, ...context.patience };
    this.#recorded = new RequestRecord(context.metrics, context.log);
    const options = connectionOptions(this.#patience);
    const listener: RequestListener = (incoming, outgoing) => {
      this.#handle(incoming, outgoing).catch(error => {
        context.log.error({ err: error }, 'an answer could not be sent');
        outgoing.destroy();
      });
    };
    this.http =
      context.tls === undefined ? createServer(options) : createSecureServer({ ...options, ...context.tls });
    limitConnections(this.http, listener, this.#patience.connectionsMax);
    this.http.on('clientError', (error, socket) => {
      refuseConnection(error, socket, this.#patience.lingerMs);
    });
  }

  /** New connections get the new certificate. */
  renewTls(tls: TlsCredentials): void {
    if (this.http instanceof SecureServer) this.http.setSecureContext(tls);
  }

  /** Stops listening and resolves once the requests in flight are answered, or their clients too slow. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await closeConnections(this.http, this.#patience.closeMs);
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.url?.startsWith('/-/')) {
      const isReady = !this.#isClosing && this.#context.isReady?.() !== false;
      await answerOperator(incoming.url, outgoing, this.#context.metrics, isReady);
      return;
    }
    const exchange: Exchange = {
      id: randomUUID(),
      nowMs: this.#context.now(),
      beganMs: performance.now(),
      incoming,
      outgoing,
      address: undefined,
      version: undefined,
      operationName: 'Unknown',
      errorShape: 'xml service',
      isQueryCostShown: false,
    };
    let answer: Answer;
    try {
      answer = await this.#climb(exchange);
    } catch (error) {
      // So does a scan that nobody waits for any more.
      const isNobodyThere = outgoing.destroyed && !(error instanceof ServiceError);
      if (error instanceof ClientGone || isNobodyThere) return;
      answer = this.#answerError(exchange, error);
    }
    const asked = this.#readCorsRules(exchange);
    const rules = asked instanceof Promise ? await asked : asked;
    if (!incoming.complete) await discardBody(incoming);
    await this.#endOfTurn();
    this.#send(exchange, answer, rules);
    this.#record(exchange, answer);
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

  /** Receive, identify, authenticate, parse, authorize, run; each rung throws the ServiceError that it answers with. */
  async #climb(exchange: Exchange): Promise<Answer> {
    const { incoming } = exchange;
    const { headers } = incoming;
    const header = (name: string): string | undefined => headers[name] as string | undefined;
    const bytes = announcedBytes(incoming);
    const isFull =
      this.#bodyBytesInFlight + bytes > this.#patience.bodyBytesMax ||
      this.#unsent.bytes > this.#patience.unsentBytesMax;
    if (isFull) throw new ServiceError('ServerBusy');
    this.#bodyBytesInFlight += bytes;
    try {
      const address = this.#identify(exchange);
      if (incoming.method === 'OPTIONS') return await this.#answerPreflight(exchange, header);
      const asked = this.#authenticate(exchange, address, header);
      const grant = asked instanceof Promise ? await asked : asked;
      const asksForCost =
        this.#context.isQueryCostShown === true || header('x-tabularium-query-cost') === 'true';
      // What a query cost would tell of keys that the grant does not reach.
      exchange.isQueryCostShown = asksForCost && signedRange(grant) === undefined;

      const { query } = address;
      const format = negotiateFormat(query.get('$format'), header('accept'));
      // Whatever has a component speaks XML alone.
      exchange.errorShape = query.get('comp') === undefined ? format : 'xml service';
      const version = parseVersion(
        query.get('api-version') ?? header('x-ms-version') ?? query.get('sv'),
        this.#context.isStrictVersion,
      );
      exchange.version = version;
      const clientRequestId = header('x-ms-client-request-id');
      if (clientRequestId !== undefined && !isClientRequestId(clientRequestId)) {
        throw new ServiceError('InvalidHeaderValue');
      }
      const method = readMethod(incoming.method ?? '', header('x-http-method'));
      const resource = parseResource(address.path, query);
      if (address.isSecondary && method !== 'GET' && method !== 'HEAD') {
        throw new ServiceError('WriteOperationNotSupportedOnSecondary');
      }
      const operation = routeOperation(method, resource, header('if-match') !== undefined);
      exchange.operationName = operation.name;
      authorize(grant, operation.needs, tableNamed(resource));

      const request: TableRequest = {
        id: exchange.id,
        nowMs: exchange.nowMs,
        grant,
        method,
        account: address.account,
        isSecondary: address.isSecondary,
        base: address.base,
        accountSegment: address.accountSegment,
        resource,
        query,
        format,
        version,
        body: bytes === 0 ? noBody : await readBody(incoming),
        isAbandoned: () => exchange.outgoing.destroyed,
        header,
      };
      if (method !== 'GET') await this.#turns.take(request.body.length);
      return await operation.run(request, this.#context.store);
    } finally {
      this.#bodyBytesInFlight -= bytes;
    }
  }

  #identify(exchange: Exchange): Address {
    const { accounts, tls } = this.#context;
    const { url, headers } = exchange.incoming;
    const scheme = tls === undefined ? 'http' : 'https';
    const address = parseAddress(url ?? '/', headers.host ?? '', scheme, serviceName, name =>
      accounts.has(name),
    );
    exchange.address = address;
    return address;
  }

  /** REST: Preflight Table Request. Anyone may ask, of whatever resource. */
  async #answerPreflight(exchange: Exchange, header: (name: string) => string | undefined): Promise<Answer> {
    exchange.operationName = 'PreflightTableRequest';
    const headers = answerPreflight(await this.#readCorsRules(exchange), {
      origin: header('origin'),
      method: header('access-control-request-method'),
      headers: header('access-control-request-headers'),
    });
    return { status: 200, headers };
  }

  #authenticate(
    { incoming, nowMs }: Exchange,
    address: Address,
    header: (name: string) => string | undefined,
  ): Grant | Promise<Grant> {
    const { accounts, tls, verifyBearer, authorizationUri } = this.#context;
    const context: AuthenticationContext = {
      account: accounts.get(address.account) as Account,
      serviceLetter,
      nowMs,
      isSecure: tls !== undefined,
      clientAddress: incoming.socket.remoteAddress,
      readAccessPolicy: (table, id) => this.#readAccessPolicy(address.account, table, id),
      verifyBearer,
      authorizationUri,
    };
    return authenticate({ method: incoming.method ?? '', address, header }, context);
  }

  async #readAccessPolicy(account: string, table: string, id: string): Promise<AccessPolicy | undefined> {
    try {
      const policies = await this.#context.store.readAccessPolicies({ account, table });
      return policies.find(policy => policy.id === id);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'TableNotFound') return undefined;
      throw error;
    }
  }

  /** None where the store cannot tell: then the answer says so itself. */
  #readCorsRules({ address }: Exchange): readonly CorsRule[] | Promise<readonly CorsRule[]> {
    if (address === undefined) return noRules;
    const properties = this.#context.store.readServiceProperties(address.account, serviceName);
    if (!(properties instanceof Promise)) return properties?.cors ?? noRules;
    return properties.then(
      read => read?.cors ?? noRules,
      () => noRules,
    );
  }

  #answerError(exchange: Exchange, error: unknown): Answer {
    const { log } = this.#context;
    const isRefusal = error instanceof ServiceError;
    if (!isRefusal && !exchange.outgoing.destroyed) {
      log.error({ requestId: exchange.id, err: error }, 'internal error');
    }
    const refusal = isRefusal ? error : new ServiceError('InternalError');
    const { detail } = refusal.particulars;
    if (detail !== undefined) {
      const { method, url } = exchange.incoming;
      log.info({ requestId: exchange.id, method, url: withoutSecret(url) }, `refused: ${detail}`);
    }
    return formatRefusal(exchange, refusal);
  }

  #send(exchange: Exchange, answer: Answer, rules: readonly CorsRule[]): void {
    const { incoming, outgoing } = exchange;
    if (outgoing.destroyed) return;
    const { status, reason, body } = answer;
    const headers = formatHeaders(exchange, answer, rules);
    if (!incoming.complete || this.#isClosing) headers.push('Connection', 'close');
    if (reason === undefined) outgoing.writeHead(status, headers);
    else outgoing.writeHead(status, reason, headers);
    if (typeof body === 'object' && !('byteLength' in body)) {
      for (const piece of body) outgoing.write(piece);
      outgoing.end();
    } else {
      outgoing.end(body);
    }
    // What the system has taken over at once costs us nothing any more.
    if (outgoing.writableLength === 0) return;
    limitAnswer(outgoing, this.#patience.answerMs);
    this.#unsent.add(incoming.socket, outgoing);
  }

  #record({ id, incoming, operationName, address, beganMs }: Exchange, { status, cost }: Answer): void {
    this.#recorded.add({
      id,
      service: serviceName,
      operation: operationName,
      account: address?.account,
      method: incoming.method,
      url: incoming.url,
      status,
      cost,
      beganMs,
      durationMs: performance.now() - beganMs,
    });
  }
}
