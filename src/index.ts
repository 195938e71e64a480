import type { TabulariumOptions } from './config.ts';
import { createLogger, type Logger } from './observe/log.ts';
import { Metrics } from './observe/metrics.ts';
import type { ServerContext } from './server.ts';
import {
  announce,
  checkServices,
  dataFolderOf,
  parseCredentials,
  type Reached,
  readFiles,
  serve,
  tablePortOf,
} from './serving.ts';
import { type LmdbStoreOptions, openLmdbStore } from './store/lmdb/lmdb-store.ts';
import { simulateTableDeleting } from './store/simulate-table-deleting.ts';
import { decideIntents, type Intent } from './table/transition.ts';

export type { TabulariumOptions } from './config.ts';
export { StartError } from './serving.ts';
export { DataFolderError } from './store/lmdb/folder.ts';

/** A running server. */
export interface Tabularium extends Reached {
  /** Where the data is; a temporary folder with `memory`. */
  readonly dataFolder: string;
  /**
   * Reads accounts, certificate and keys of the bearer tokens' issuer again: they rotate without a restart.
   * Rejects with a StartError and changes nothing.
   */
  reload(): Promise<void>;
  /** Finishes the requests in flight and closes the store. */
  close(): Promise<void>;
}

/** Where the logs go, who is told of commits, how long clients are waited for: for the command line and for tests. */
export interface Surroundings {
  readonly log?: Logger;
  readonly store?: Pick<LmdbStoreOptions<Intent>, 'observer' | 'now'>;
  readonly patience?: ServerContext['patience'];
}

/**
 * Starts a server in this process, and in no other: what `tabularium start` does with one worker. Rejects with
 * StartError or DataFolderError.
 *
 *     const tabularium = await startTabularium({ tablePort: 0, memory: true });
 *     const client = TableClient.fromConnectionString(tabularium.connectionString, 'people');
 */
export async function startTabularium(
  options: TabulariumOptions = {},
  surroundings: Surroundings = {},
): Promise<Tabularium> {
  checkServices(options.services);
  const log = surroundings.log ?? createLogger(options.logLevel ?? 'warn');
  const metrics = new Metrics();
  const store = openLmdbStore({
    folder: dataFolderOf(options),
    decide: decideIntents,
    now: surroundings.store?.now ?? Date.now,
    observer: { ...metrics.commitObserver, ...metrics.scanObserver, ...surroundings.store?.observer },
    onBackgroundError: error => log.error({ err: error }, 'reclaiming the space of dropped tables failed'),
  });
  metrics.watchScans(() => store.runningScans);
  const { simulateTableDeleting: deletingMs = 0 } = options;
  if (deletingMs > 0) simulateTableDeleting(store, deletingMs, Date.now);
  const readCredentials = async () => parseCredentials(options, await readFiles(options, store.dataFolder));
  try {
    const credentials = await readCredentials();
    const { patience } = surroundings;
    const serving = await serve(options, credentials, tablePortOf(options), {
      store,
      metrics,
      log,
      patience,
    });
    return {
      ...announce(log, options, credentials, serving.port, store.dataFolder),
      dataFolder: store.dataFolder,
      async reload() {
        serving.renew(await readCredentials());
      },
      async close() {
        await serving.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
