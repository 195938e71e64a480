import type { AddressInfo } from 'node:net';
import { type Account, developmentAccount } from './auth/accounts.ts';
import type { BearerVerifier } from './auth/bearer.ts';
import { implementedServices, type TabulariumOptions } from './config.ts';
import { isLoopback, readAccounts, readBearer, readTls, type TlsFiles } from './credentials.ts';
import { createLogger, type Logger } from './observe/log.ts';
import { Metrics } from './observe/metrics.ts';
import { type ServerContext, TableServer } from './server.ts';
import { type LmdbStoreOptions, openLmdbStore } from './store/lmdb/lmdb-store.ts';
import { simulateTableDeleting } from './store/simulate-table-deleting.ts';

export type { TabulariumOptions } from './config.ts';
export { DataFolderError } from './store/lmdb/folder.ts';

/** A running server. */
export interface Tabularium {
  /** Of the first account; lists the running services only. */
  readonly connectionString: string;
  /** Base addresses of the first account, by service. */
  readonly endpoints: { readonly table: string };
  /** Where the data is; a temporary folder with `memory`. */
  readonly dataFolder: string;
  /** The certificate to trust with `tls: 'auto'`: a file in PEM. */
  readonly authorityFile: string | undefined;
  /**
   * Reads accounts, certificate and keys of the bearer tokens' issuer again: they rotate without a restart.
   * Rejects with a StartError and changes nothing.
   */
  reload(): Promise<void>;
  /** Finishes the requests in flight and closes the store. */
  close(): Promise<void>;
}

/** Why a server could not start, in one line for its operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Where the logs go, who is told of commits, how long clients are waited for: for the command line and for tests. */
export interface Surroundings {
  readonly log?: Logger;
  readonly store?: Pick<LmdbStoreOptions, 'observer' | 'now'>;
  readonly patience?: ServerContext['patience'];
}

/**
 * Starts a server in this process: what `tabularium start` does. Rejects with StartError or DataFolderError.
 *
 *     const tabularium = await startTabularium({ tablePort: 0, memory: true });
 *     const client = TableClient.fromConnectionString(tabularium.connectionString, 'people');
 */
export async function startTabularium(
  options: TabulariumOptions = {},
  surroundings: Surroundings = {},
): Promise<Tabularium> {
  const host = options.host ?? '127.0.0.1';
  checkServices(options.services);
  const accounts = new Map<string, Account>();
  const log = surroundings.log ?? createLogger(options.logLevel ?? 'warn');
  const metrics = new Metrics();
  const store = openLmdbStore({
    folder: options.memory === true ? undefined : (options.data ?? './data'),
    now: surroundings.store?.now ?? Date.now,
    observer: { ...metrics.commitObserver, ...metrics.scanObserver, ...surroundings.store?.observer },
    onBackgroundError: error => log.error({ err: error }, 'reclaiming the space of dropped tables failed'),
  });
  metrics.watchScans(() => store.runningScans);
  const { simulateTableDeleting: deletingMs = 0 } = options;
  if (deletingMs > 0) simulateTableDeleting(store, deletingMs, Date.now);
  try {
    let credentials = await readCredentials(options, store.dataFolder);
    replaceAccounts(accounts, credentials.accounts);
    const server = new TableServer({
      store,
      accounts,
      metrics,
      log,
      isStrictVersion: options.strictApiVersion ?? false,
      isQueryCostShown: options.queryCost ?? false,
      tls: credentials.tls,
      verifyBearer:
        credentials.verifyBearer && ((...token) => (credentials.verifyBearer as BearerVerifier)(...token)),
      authorizationUri: authorizationUri(options.bearerIssuer),
      now: Date.now,
      patience: surroundings.patience,
    });
    const port = await listen(server, host, options.tablePort ?? 10002);
    warnOfPublicKey(log, host, accounts);
    if (options.bearerInsecureClaimsOnly === true) {
      log.warn('WARNING: bearer tokens are believed without a look at their signatures');
    }
    const [account] = accounts.values();
    const scheme = credentials.tls === undefined ? 'http' : 'https';
    const endpoint = `${scheme}://${reachable(host)}:${port}/${account?.name}`;
    log.info({ endpoint, data: store.dataFolder }, 'the Table service listens');
    return {
      connectionString: connectionString(account as Account, scheme, endpoint),
      endpoints: { table: endpoint },
      dataFolder: store.dataFolder,
      authorityFile: credentials.tls?.authorityFile,
      async reload() {
        credentials = await readCredentials(options, store.dataFolder);
        if (credentials.tls !== undefined) server.renewTls(credentials.tls);
        replaceAccounts(accounts, credentials.accounts);
      },
      async close() {
        await server.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Credentials {
  readonly accounts: readonly Account[];
  readonly tls: TlsFiles | undefined;
  readonly verifyBearer: BearerVerifier | undefined;
}

/** All that the settings name in files. Rejects with a StartError. */
async function readCredentials(options: TabulariumOptions, dataFolder: string): Promise<Credentials> {
  try {
    const accounts = readAccounts(options);
    const tls = await readTls(options, dataFolder, Date.now());
    return { accounts, tls, verifyBearer: await readBearer(options, tls !== undefined) };
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}

/** Where the issuer's tenants sign in: told to clients that come without credentials. */
function authorizationUri(issuer: string | undefined): string {
  const tenant = /^https:\/\/(?:sts\.windows\.net|login\.microsoftonline\.com)\/([^/]+)/.exec(
    issuer ?? '',
  )?.[1];
  if (issuer !== undefined && tenant === undefined) return issuer;
  return `https://login.microsoftonline.com/${tenant ?? 'common'}/oauth2/authorize`;
}

function checkServices(services: readonly string[] | undefined): void {
  const unknown = services?.find(name => !(implementedServices as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new StartError(
      `there is no service '${unknown}' here; this version has: ${implementedServices.join(', ')}`,
    );
  }
}

/** In place: the server looks accounts up in the one map. */
function replaceAccounts(accounts: Map<string, Account>, fresh: readonly Account[]): void {
  accounts.clear();
  for (const account of fresh) accounts.set(account.name, account);
}

function warnOfPublicKey(log: Logger, host: string, accounts: ReadonlyMap<string, Account>): void {
  const keys = accounts.get(developmentAccount.name)?.keys ?? [];
  const isPublic = keys.some(key => key.export().toString('base64') === developmentAccount.key);
  if (!isPublic || isLoopback(host)) return;
  log.warn(
    { host },
    `WARNING: the account ${developmentAccount.name} with its publicly known key listens on ${host}: everyone who reaches this address can read and change all data. Give accounts of your own with --account or --accounts-file.`,
  );
}

function listen(server: TableServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.http.once('error', (error: NodeJS.ErrnoException) => {
      reject(new StartError(explainListenError(error, host, port)));
    });
    server.http.listen(port, host, () => resolve((server.http.address() as AddressInfo).port));
  });
}

function explainListenError(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken; choose another with --table-port, or 0 for a free one`;
  }
  if (error.code === 'EACCES') return `port ${port} on ${host} needs privileges that this process lacks`;
  return `cannot listen on ${host}:${port}: ${error.message}`;
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
