import { authenticationFailed, ServiceError } from '../errors.ts';
import type { Address } from '../http/address.ts';
import * as limits from '../limits.ts';
import type { Account } from './accounts.ts';
import type { Grant } from './grant.ts';
import { isSigned, sign, signOnce } from './signature.ts';

export interface SignedRequest {
  /** As on the wire. */
  readonly method: string;
  readonly address: Address;
  header(name: string): string | undefined;
}

/**
 * Verifies Shared Key or Shared Key Lite (REST: Authorize with Shared Key, Table service). Throws
 * AuthenticationFailed, or InvalidAuthenticationInfo where the scheme is another.
 */
export function verifySharedKey(request: SignedRequest, account: Account, nowMs: number): Grant {
  const { scheme, name, signature } = parseAuthorization(request.header('authorization') ?? '');
  const date = request.header('x-ms-date') || request.header('date') || '';
  if (name !== account.name) {
    throw authenticationFailed(`Authorization names the account '${name}', the address '${account.name}'`);
  }
  if (!isCurrent(date, nowMs)) {
    throw authenticationFailed(`the date '${date}' is not within 15 minutes of this server's clock`);
  }
  const head = scheme === 'sharedkey' ? signedHead(request) : '';
  const textFor = (path: string): string => `${head}${date}\n${canonicalizedResource(request.address, path)}`;
  const { encodedPath } = request.address;
  // An entity is seldom asked for twice in a second; a table takes all its inserts and queries.
  const signText = isEntity(encodedPath) ? sign : signOnce;
  const isSignedFor = (path: string): boolean => isSigned(account.keys, signature, textFor(path), signText);
  if (isSignedFor(encodedPath) || otherSignedPaths(encodedPath).some(isSignedFor)) return accountKey;
  throw authenticationFailed(
    `the signature is not one of a key of the account over ${JSON.stringify(textFor(encodedPath))}`,
  );
}

function isEntity(path: string): boolean {
  return path.endsWith("')") || path.endsWith('%27)');
}

const accountKey: Grant = { by: 'account key' };

/** `SharedKeyLite account:signature` */
function parseAuthorization(header: string): { scheme: string; name: string; signature: string } {
  const space = header.indexOf(' ');
  const colon = header.indexOf(':', space);
  const scheme = header.slice(0, Math.max(space, 0)).toLowerCase();
  const isKnown = scheme === 'sharedkeylite' || scheme === 'sharedkey';
  if (!isKnown && !/^sharedkey/i.test(header)) {
    throw new ServiceError('InvalidAuthenticationInfo');
  }
  if (!isKnown || colon < 0) throw authenticationFailed('Authorization is not `scheme account:signature`');
  return { scheme, name: header.slice(space + 1, colon), signature: header.slice(colon + 1) };
}

/** Shared Key signs these before the date; Lite does not. */
function signedHead({ method, header }: SignedRequest): string {
  return `${method}\n${header('content-md5') ?? ''}\n${header('content-type') ?? ''}\n`;
}

/** Only `comp` of the query is signed. The path has the account in path style, so there it stands twice. */
function canonicalizedResource({ account, query }: Address, path: string): string {
  const comp = query.get('comp');
  return `/${account}${path}${comp === undefined ? '' : `?comp=${comp}`}`;
}

/**
 * The path as an HTTP stack may have written it anew after the client signed it; and for a secondary address
 * in path style, without its suffix, as one client family signs it.
 */
function otherSignedPaths(path: string): string[] {
  const rewritten = rewritePath(path);
  const primary = path.replace(/^(\/[a-z0-9]+)-secondary(?=\/|$)/, '$1');
  return [
    ...(rewritten === undefined ? [] : [rewritten, rewritten.replaceAll("'", '%27')]),
    ...(primary === path ? [] : [primary]),
  ];
}

function rewritePath(path: string): string | undefined {
  try {
    return path
      .split('/')
      .map(segment =>
        encodeURIComponent(decodeURIComponent(segment)).replace(/%(?:28|29|2C|3D)/gi, decodeURIComponent),
      )
      .join('/');
  } catch {
    return undefined;
  }
}

let lastDate = '';
let lastDateMs = Number.NaN;

/** Requests of one second carry one date: its reading is kept. */
function isCurrent(date: string, nowMs: number): boolean {
  if (date !== lastDate) {
    lastDate = date;
    lastDateMs = Date.parse(date);
  }
  return Math.abs(lastDateMs - nowMs) <= limits.clockSkewMsMax;
}
