import { once } from 'node:events';
import type { Server } from 'node:net';
import { createLogger } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { type LmdbStore, openLmdbStore } from '../store/lmdb/lmdb-store.ts';
import { simulateTableDeleting } from '../store/simulate-table-deleting.ts';
import { decideIntents, type Intent } from '../table/transition.ts';
import { converseWithSupervisor, type WriterQuestion } from './control.ts';
import { serveWrites } from './writes.ts';

/** The process that writes, of which there is one: the script that the supervisor runs it with. */
const metrics = new Metrics();
let store: LmdbStore<Intent> | undefined;
let server: Server | undefined;

const supervisor = converseWithSupervisor<WriterQuestion>(async question => {
  switch (question.ask) {
    case 'start':
      return start(question);
    case 'check readers':
      return store?.checkReaders();
    case 'collect metrics':
      return metrics.collect();
    case 'close':
      server?.close();
      await store?.close();
      process.exit(0);
  }
});

async function start({
  options,
  folder,
  isTemporary,
  socketPath,
}: WriterQuestion & { ask: 'start' }): Promise<void> {
  const log = createLogger(options.logLevel ?? 'warn').child({ process: 'writer' });
  store = openLmdbStore<Intent>({
    // The supervisor has taken the folder, for both.
    folder: { path: folder, isTemporary, release() {} },
    decide: decideIntents,
    now: Date.now,
    observer: metrics.commitObserver,
    onBackgroundError: error => log.error({ err: error }, 'reclaiming the space of dropped tables failed'),
  });
  const { simulateTableDeleting: deletingMs = 0 } = options;
  if (deletingMs > 0) simulateTableDeleting(store, deletingMs, Date.now);
  server = serveWrites(store, () => supervisor.ask({ ask: 'announce service properties' }));
  server.listen(socketPath);
  await once(server, 'listening');
}
