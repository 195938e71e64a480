import type { AddressInfo } from 'node:net';
import { type Account, developmentAccount } from './auth/accounts.ts';
import type { BearerVerifier } from './auth/bearer.ts';
import { implementedServices, type TabulariumOptions } from './config.ts';
import {
  type CredentialFiles,
  isLoopback,
  makeBearerVerifier,
  parseAccounts,
  readCredentialFiles,
  type TlsFiles,
} from './credentials.ts';
import type { Logger } from './observe/log.ts';
import { type ServerContext, TableServer } from './server.ts';

/** Why a server could not start, in one line for its operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** What a server lets clients in with. */
export interface Credentials {
  readonly accounts: readonly Account[];
  readonly tls: TlsFiles | undefined;
  readonly verifyBearer: BearerVerifier | undefined;
}

/** Reads all files of credentials that the settings name. Rejects with a StartError. */
export async function readFiles(options: TabulariumOptions, dataFolder: string): Promise<CredentialFiles> {
  return readCredentialFiles(options, dataFolder, Date.now()).catch(asStartError);
}

/** Rejects with a StartError. */
export async function parseCredentials(
  options: TabulariumOptions,
  { accounts, tls, bearerKeys }: CredentialFiles,
): Promise<Credentials> {
  try {
    return {
      accounts: parseAccounts(options, accounts),
      tls,
      verifyBearer: await makeBearerVerifier(options, bearerKeys, tls !== undefined),
    };
  } catch (error) {
    return asStartError(error);
  }
}

function asStartError(error: unknown): never {
  throw new StartError((error as Error).message);
}

/** What a server of the settings needs beside them. */
export type Parts = Pick<ServerContext, 'store' | 'metrics' | 'log' | 'patience' | 'isReady'>;

/** A server that listens. */
export interface Serving {
  readonly port: number;
  /** What comes from now on is let in with these. */
  renew(credentials: Credentials): void;
  /** Finishes the requests in flight. */
  close(): Promise<void>;
}

/** Serves a store on a port; 0 picks a free one. Rejects with a StartError. */
export async function serve(
  options: TabulariumOptions,
  given: Credentials,
  port: number,
  parts: Parts,
): Promise<Serving> {
  let credentials = given;
  const accounts = new Map<string, Account>();
  replaceAccounts(accounts, credentials.accounts);
  const server = new TableServer({
    ...parts,
    accounts,
    isStrictVersion: options.strictApiVersion ?? false,
    isQueryCostShown: options.queryCost ?? false,
    tls: credentials.tls,
    verifyBearer:
      credentials.verifyBearer && ((...token) => (credentials.verifyBearer as BearerVerifier)(...token)),
    authorizationUri: authorizationUri(options.bearerIssuer),
    now: Date.now,
  });
  const actualPort = await new Promise<number>((resolve, reject) => {
    const host = hostOf(options);
    server.http.once('error', error => reject(listenError(error, host, port)));
    server.http.listen(port, host, () => resolve((server.http.address() as AddressInfo).port));
  });
  return {
    port: actualPort,
    renew(fresh) {
      credentials = fresh;
      if (credentials.tls !== undefined) server.renewTls(credentials.tls);
      replaceAccounts(accounts, credentials.accounts);
    },
    close: () => server.close(),
  };
}

/** In place: the server looks accounts up in the one map. */
function replaceAccounts(accounts: Map<string, Account>, fresh: readonly Account[]): void {
  accounts.clear();
  for (const account of fresh) accounts.set(account.name, account);
}

/** Where the issuer's tenants sign in: told to clients that come without credentials. */
function authorizationUri(issuer: string | undefined): string {
  const tenant = /^https:\/\/(?:sts\.windows\.net|login\.microsoftonline\.com)\/([^/]+)/.exec(
    issuer ?? '',
  )?.[1];
  if (issuer !== undefined && tenant === undefined) return issuer;
  return `https://login.microsoftonline.com/${tenant ?? 'common'}/oauth2/authorize`;
}

export function listenError(error: NodeJS.ErrnoException, host: string, port: number): StartError {
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `port ${port} on ${host} is taken; choose another with --table-port, or 0 for a free one`,
    );
  }
  if (error.code === 'EACCES') {
    return new StartError(`port ${port} on ${host} needs privileges that this process lacks`);
  }
  return new StartError(`cannot listen on ${host}:${port}: ${error.message}`);
}

export function hostOf({ host = '127.0.0.1' }: TabulariumOptions): string {
  return host;
}

export function tablePortOf({ tablePort = 10002 }: TabulariumOptions): number {
  return tablePort;
}

/** Undefined for a temporary one. */
export function dataFolderOf({ memory = false, data = './data' }: TabulariumOptions): string | undefined {
  return memory ? undefined : data;
}

/** Throws a StartError. */
export function checkServices(services: readonly string[] | undefined): void {
  const unknown = services?.find(name => !(implementedServices as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new StartError(
      `there is no service '${unknown}' here; this version has: ${implementedServices.join(', ')}`,
    );
  }
}

/** How clients reach a server. */
export interface Reached {
  /** Of the first account; lists the running services only. */
  readonly connectionString: string;
  /** Base addresses of the first account, by service. */
  readonly endpoints: { readonly table: string };
  /** The certificate to trust with `tls: 'auto'`: a file in PEM. */
  readonly authorityFile: string | undefined;
}

/** Says in the log that the server listens, and what its operator should know of that; gives how it is reached. */
export function announce(
  log: Logger,
  options: TabulariumOptions,
  { accounts, tls }: Credentials,
  port: number,
  dataFolder: string,
): Reached {
  const host = hostOf(options);
  warnOfPublicKey(log, host, accounts);
  if (options.bearerInsecureClaimsOnly === true) {
    log.warn('WARNING: bearer tokens are believed without a look at their signatures');
  }
  const [account] = accounts;
  const scheme = tls === undefined ? 'http' : 'https';
  const endpoint = `${scheme}://${reachable(host)}:${port}/${account?.name}`;
  log.info({ endpoint, data: dataFolder }, 'the Table service listens');
  return {
    connectionString: connectionString(account as Account, scheme, endpoint),
    endpoints: { table: endpoint },
    authorityFile: tls?.authorityFile,
  };
}

function warnOfPublicKey(log: Logger, host: string, accounts: readonly Account[]): void {
  const keys = accounts.find(({ name }) => name === developmentAccount.name)?.keys ?? [];
  const isPublic = keys.some(key => key.export().toString('base64') === developmentAccount.key);
  if (!isPublic || isLoopback(host)) return;
  log.warn(
    { host },
    `WARNING: the account ${developmentAccount.name} with its publicly known key listens on ${host}: everyone who reaches this address can read and change all data. Give accounts of your own with --account or --accounts-file.`,
  );
}

/** An address that a client on this machine can use. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function connectionString({ name, keys }: Account, scheme: string, tableEndpoint: string): string {
  const key = keys[0]?.export().toString('base64');
  return `DefaultEndpointsProtocol=${scheme};AccountName=${name};AccountKey=${key};TableEndpoint=${tableEndpoint};`;
}
