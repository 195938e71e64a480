import type { IncomingMessage, ServerResponse } from 'node:http';
import { corsHeaders } from './account/cors.ts';
import type { CorsRule } from './account/service-properties.ts';
import type { ServiceError } from './errors.ts';
import type { Address } from './http/address.ts';
import { type Answer, bodyBytes } from './http/answer.ts';
import { type ErrorShape, renderError } from './http/error-body.ts';
import { echoedVersion } from './http/version.ts';
import * as limits from './limits.ts';
import { costHeaders } from './observe/query-cost-headers.ts';
import { productVersion } from './product.ts';
import { preferenceHeaders, preferenceOf } from './table/request.ts';
import { ticksFromMs } from './ticks.ts';

/** What is known of a request while it climbs the ladder; the error path sees how far it came. */
export interface Exchange {
  readonly id: string;
  readonly nowMs: number;
  /** Of performance.now(). */
  readonly beganMs: number;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  address: Address | undefined;
  version: string | undefined;
  operationName: string;
  errorShape: ErrorShape;
  isQueryCostShown: boolean;
}

const serverHeader = `Windows-Azure-Table/1.0 Tabularium/${productVersion}`;

/** The headers of an answer, names and values in turn: those that all have, its own, and what CORS adds. */
export function formatHeaders(exchange: Exchange, answer: Answer, rules: readonly CorsRule[]): string[] {
  const { id, incoming, errorShape } = exchange;
  const { body } = answer;
  const headers = ['Server', serverHeader, 'x-ms-request-id', id];
  const clientRequestId = incoming.headers['x-ms-client-request-id'];
  if (typeof clientRequestId === 'string' && isClientRequestId(clientRequestId)) {
    headers.push('x-ms-client-request-id', clientRequestId);
  }
  const version = exchange.version ?? echoedVersion(incoming.headers['x-ms-version'] as string | undefined);
  headers.push('x-ms-version', version);
  if (errorShape !== 'xml service') {
    headers.push('Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff');
  }
  for (const name in answer.headers) headers.push(name, answer.headers[name] as string);
  if (answer.cost !== undefined && exchange.isQueryCostShown) {
    headers.push(...costHeaders(answer.cost, performance.now() - exchange.beganMs));
  }
  headers.push('Content-Length', String(bodyBytes(body)));
  if (rules.length > 0 && incoming.method !== 'OPTIONS') {
    const names = ['Date', ...headers.filter((_, index) => index % 2 === 0)];
    const cors = corsHeaders(rules, incoming.headers.origin, incoming.method ?? '', names);
    for (const name in cors) headers.push(name, cors[name] as string);
  }
  return headers;
}

/** How a refusal is told: in the format that was asked for, as far as the request had been understood. */
export function formatRefusal(exchange: Exchange, refusal: ServiceError): Answer {
  const answer = renderError(refusal, exchange.errorShape, exchange.id, ticksFromMs(exchange.nowMs));
  const preference = preferenceOf(exchange.incoming.headers.prefer as string | undefined);
  const retryAfter = answer.status === 503 ? { 'Retry-After': String(limits.retryAfterSeconds) } : {};
  const { headers } = refusal.particulars;
  return {
    ...answer,
    headers: { ...answer.headers, ...headers, ...preferenceHeaders(preference), ...retryAfter },
  };
}

/** Visible characters, and not many (REST: Common REST API Headers). */
export function isClientRequestId(id: string): boolean {
  return id.length <= limits.clientRequestIdUnitsMax && /^[ -~]*$/.test(id);
}
