import { ServiceError } from '../errors.ts';
import { decodePercent, parseQuery, type Query } from './query.ts';

/** Where a request went (REST: Addressing Table Service Resources; the emulator's path style beside it). */
export interface Address {
  /** Without `-secondary`. */
  readonly account: string;
  readonly isSecondary: boolean;
  /** The path as on the wire, percent-encoded, the account of path style included: what is signed. */
  readonly encodedPath: string;
  /** The path behind the account, decoded once. */
  readonly path: string;
  readonly query: Query;
  /** `http://host:port/account`, or `http://account.table.host:port`, as the client wrote it. */
  readonly base: string;
  /** First segment to strip from the addresses inside a batch: the account, in path style. */
  readonly accountSegment: string | undefined;
}

const secondarySuffix = '-secondary';

/**
 * Splits the target of a request. Host style is `account.table.…`, with a known account; anything else is
 * path style. Throws HostInformationNotPresent without a host, ResourceNotFound for an unknown account.
 */
export function parseAddress(
  target: string,
  host: string,
  scheme: 'http' | 'https',
  service: string,
  isAccount: (name: string) => boolean,
): Address {
  const { path: encodedPath, query } = splitTarget(target);
  const authority = host || (/^[a-z]+:\/\/([^/?]+)/i.exec(target)?.[1] ?? '');
  if (authority === '') throw new ServiceError('HostInformationNotPresent');
  const origin = `${scheme}://${authority}`;
  const fromHost = readHostStyle(authority, service, isAccount);
  if (fromHost !== undefined) {
    return {
      account: fromHost.account,
      isSecondary: fromHost.isSecondary,
      encodedPath,
      path: decodePercent(encodedPath),
      query: parseQuery(query),
      base: origin,
      accountSegment: undefined,
    };
  }
  const end = encodedPath.indexOf('/', 1);
  const segment = decodePercent(encodedPath.slice(1, end < 0 ? undefined : end));
  const fromPath = readAccount(segment, isAccount);
  if (fromPath === undefined) throw new ServiceError('ResourceNotFound');
  return {
    account: fromPath.account,
    isSecondary: fromPath.isSecondary,
    encodedPath,
    path: end < 0 ? '/' : decodePercent(encodedPath.slice(end)),
    query: parseQuery(query),
    base: `${origin}/${segment}`,
    accountSegment: segment,
  };
}

/** The path and query of a target, which may be absolute, as batches and proxies write it. */
export function splitTarget(target: string): { path: string; query: string } {
  const withoutOrigin = target.startsWith('/') ? target : target.replace(/^[a-z]+:\/\/[^/?]*/i, '');
  const question = withoutOrigin.indexOf('?');
  const path = question < 0 ? withoutOrigin : withoutOrigin.slice(0, question);
  return {
    path: path.startsWith('/') ? path : `/${path}`,
    query: question < 0 ? '' : withoutOrigin.slice(question + 1),
  };
}

interface NamedAccount {
  readonly account: string;
  readonly isSecondary: boolean;
}

function readHostStyle(
  host: string,
  service: string,
  isAccount: (name: string) => boolean,
): NamedAccount | undefined {
  const dot = host.indexOf('.');
  const isService = host.toLowerCase().startsWith(`${service}.`, dot + 1);
  return dot > 0 && isService ? readAccount(host.slice(0, dot).toLowerCase(), isAccount) : undefined;
}

function readAccount(name: string, isAccount: (name: string) => boolean): NamedAccount | undefined {
  if (isAccount(name)) return { account: name, isSecondary: false };
  if (!name.endsWith(secondarySuffix)) return undefined;
  const account = name.slice(0, -secondarySuffix.length);
  return isAccount(account) ? { account, isSecondary: true } : undefined;
}
