import { ServiceError } from '../errors.ts';
import type { CorsRule } from './service-properties.ts';

/** What a browser asks before it sends a request of a page of another origin. */
export interface Preflight {
  readonly origin: string | undefined;
  readonly method: string | undefined;
  /** Names, separated by commas. */
  readonly headers: string | undefined;
}

type Headers = Readonly<Record<string, string>>;

/**
 * The headers that allow a request (REST: Preflight Table Request). Throws InvalidHeaderValue where one of the
 * two headers that make a preflight is missing, CorsPreflightFailure where no rule matches.
 */
export function answerPreflight(rules: readonly CorsRule[], { origin, method, headers }: Preflight): Headers {
  if (!origin || !method) {
    throw new ServiceError('InvalidHeaderValue', 'A required CORS header is not present.');
  }
  const requested = (headers ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '');
  const rule = rules.find(
    candidate =>
      matches(candidate, origin, method) && requested.every(name => isListed(candidate.allowedHeaders, name)),
  );
  if (rule === undefined) throw new ServiceError('CorsPreflightFailure');
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': method,
    ...(headers === undefined ? {} : { 'Access-Control-Allow-Headers': headers }),
    'Access-Control-Max-Age': String(rule.maxAgeSeconds),
    'Access-Control-Allow-Credentials': 'true',
  };
}

const noHeaders: Headers = {};
const varying: Headers = { Vary: 'Origin' };

/**
 * What an answer says to the browser that asked (REST: CORS support). `names` are the headers of the answer.
 * An origin that no rule allows does not make a request fail: the browser keeps the answer from the page.
 */
export function corsHeaders(
  rules: readonly CorsRule[],
  origin: string | undefined,
  method: string,
  names: readonly string[],
): Headers {
  if (rules.length === 0) return noHeaders;
  const isRead = method === 'GET' || method === 'HEAD';
  const rule = rules.find(candidate => matches(candidate, origin, method));
  const allowsAll = rule?.allowedOrigins.includes('*') ?? false;
  // An answer that is the same for all origins may be kept for all of them.
  const vary =
    isRead && rules.some(({ allowedOrigins }) => !allowedOrigins.includes('*')) ? varying : noHeaders;
  if (rule === undefined || origin === undefined) return vary;
  const exposed = exposedHeaders(rule, names);
  const expose = exposed === '' ? {} : { 'Access-Control-Expose-Headers': exposed };
  if (allowsAll && isRead) return { 'Access-Control-Allow-Origin': '*', ...expose, ...vary };
  return {
    'Access-Control-Allow-Origin': origin,
    ...expose,
    ...(allowsAll ? {} : { 'Access-Control-Allow-Credentials': 'true' }),
    ...varying,
  };
}

/** A request without an origin matches what allows all of them. */
function matches(rule: CorsRule, origin: string | undefined, method: string): boolean {
  return rule.allowedMethods.includes(method) && rule.allowedOrigins.some(allowed => isSame(allowed, origin));
}

/** `https://*.contoso.com` stands for all the hosts below the domain. */
function isSame(allowed: string, origin: string | undefined): boolean {
  if (allowed === '*' || allowed === origin) return true;
  const [scheme, domain] = allowed.split('://*.', 2);
  if (origin === undefined || domain === undefined) return false;
  return origin.startsWith(`${scheme}://`) && origin.endsWith(`.${domain}`);
}

function isListed(list: readonly string[], name: string): boolean {
  return list.some(entry => {
    const listed = entry.toLowerCase();
    return listed.endsWith('*') ? name.startsWith(listed.slice(0, -1)) : name === listed;
  });
}

/** Literal names as they are listed; a prefix stands for those of the answer's headers that begin with it. */
function exposedHeaders({ exposedHeaders }: CorsRule, names: readonly string[]): string {
  const exposed = exposedHeaders.flatMap(entry =>
    entry.endsWith('*') ? names.filter(name => isListed([entry], name.toLowerCase())) : [entry],
  );
  return [...new Set(exposed)].join(',');
}
