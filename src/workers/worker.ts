import type { TabulariumOptions } from '../config.ts';
import { createLogger } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { parseCredentials, type Serving, serve } from '../serving.ts';
import type { Intent } from '../table/transition.ts';
import { converseWithSupervisor, type WorkerQuestion } from './control.ts';
import { shareOf } from './share.ts';
import { WorkerStore } from './worker-store.ts';
import { WriterLink } from './writer-link.ts';

/** A process that speaks HTTP, one of several: the script that the supervisor runs them with. */
interface Running {
  readonly options: TabulariumOptions;
  readonly store: WorkerStore<Intent>;
  readonly serving: Serving;
}

const metrics = new Metrics(() => supervisor.ask({ ask: 'render metrics' }));
const writer = new WriterLink<Intent>();
let running: Promise<Running> | undefined;
let isReady = false;

const supervisor = converseWithSupervisor<WorkerQuestion>(async question => {
  if (question.ask === 'start') {
    running = start(question);
    await running;
    return undefined;
  }
  if (question.ask === 'meet writer') return writer.connect(question.socketPath);
  if (question.ask === 'collect metrics') return metrics.collect();
  if (question.ask === 'be ready') {
    isReady = true;
    return undefined;
  }
  const { options, store, serving } = await (running as Promise<Running>);
  switch (question.ask) {
    case 'refresh service properties':
      return store.refreshServiceProperties();
    case 'renew credentials':
      return serving.renew(await parseCredentials(options, question.files));
    case 'close':
      await serving.close();
      await store.close();
      process.exit(0);
  }
});

async function start(question: WorkerQuestion & { ask: 'start' }): Promise<Running> {
  const { options, number, workers, folder, port } = question;
  const log = createLogger(options.logLevel ?? 'warn').child({ process: `worker ${number}` });
  const { concurrentScansMax, patience } = shareOf(workers);
  await writer.connect(question.socketPath);
  const store = new WorkerStore(folder, writer, {
    concurrentScansMax,
    observer: metrics.scanObserver,
  });
  metrics.watchScans(() => store.runningScans);
  const credentials = await parseCredentials(options, question.files);
  const parts = { store, metrics, log, patience, isReady: () => isReady };
  return { options, store, serving: await serve(options, credentials, port, parts) };
}
