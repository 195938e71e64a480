import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TabulariumOptions } from '../config.ts';
import type { CredentialFiles } from '../credentials.ts';
import { DataFolderError, StartError, type Tabularium } from '../index.ts';
import type { Logger } from '../observe/log.ts';
import { Metrics, renderMetrics } from '../observe/metrics.ts';
import {
  announce,
  checkServices,
  dataFolderOf,
  hostOf,
  listenError,
  parseCredentials,
  readFiles,
  tablePortOf,
} from '../serving.ts';
import { type ClaimedFolder, claimFolder, claimTemporaryFolder } from '../store/lmdb/folder.ts';
import { ChildEnded, type SupervisorQuestion, type WorkerQuestion, type WriterQuestion } from './control.ts';
import { RemoteError } from './conversation.ts';
import { forkWorker } from './fork-worker.ts';
import { Keeper } from './keeper.ts';

/** A process that does not tell its metrics for so long is left out. */
const metricsWaitMs = 2_000;

/**
 * Starts a server of several processes: this one, which supervises the others; one that writes; and workers, which
 * speak HTTP and read. Rejects with StartError or DataFolderError.
 */
export async function startWorkers(
  workers: number,
  options: TabulariumOptions,
  log: Logger,
): Promise<Tabularium> {
  checkServices(options.services);
  const path = dataFolderOf(options);
  const folder = path === undefined ? claimTemporaryFolder() : claimFolder(path);
  const supervisor = new Supervisor(workers, options, folder, log);
  try {
    return await supervisor.start();
  } catch (error) {
    await supervisor.close();
    throw asOurs(error);
  }
}

class Supervisor {
  readonly #workerCount: number;
  readonly #options: TabulariumOptions;
  readonly #folder: ClaimedFolder;
  /** Where workers and writer meet: nobody else may open it, and it is swept where a killed server leaves it. */
  readonly #meeting = claimTemporaryFolder();
  readonly #log: Logger;
  readonly #metrics = new Metrics();
  readonly #writer: Keeper<WriterQuestion>;
  readonly #workers: Keeper<WorkerQuestion>[];
  /** Each writer has a socket of its own. */
  #writers = 0;
  #files: CredentialFiles | undefined;
  #port = 0;

  constructor(workers: number, options: TabulariumOptions, folder: ClaimedFolder, log: Logger) {
    this.#workerCount = workers;
    this.#options = options;
    this.#folder = folder;
    this.#log = log;
    const answer = (question: SupervisorQuestion): Promise<unknown> => this.#answer(question);
    this.#writer = new Keeper(
      {
        name: 'writer',
        launch: () => this.#launchWriter(),
        begin: () => this.#beginWriter(),
        onReplaced: () => this.#introduceWriter(),
      },
      answer,
      log,
    );
    this.#workers = Array.from({ length: workers }, (_, index) => {
      const number = index + 1;
      const kept = {
        name: `worker ${number}`,
        launch: forkWorker,
        begin: () => this.#beginWorker(number),
        onReplaced: () => void this.#tellWorkers({ ask: 'be ready' }),
        onEnded: () => void this.#writer.ask({ ask: 'check readers' }).catch(() => {}),
      };
      return new Keeper<WorkerQuestion>(kept, answer, log);
    });
  }

  async start(): Promise<Tabularium> {
    this.#files = await readFiles(this.#options, this.#folder.path);
    const credentials = await parseCredentials(this.#options, this.#files);
    this.#port = await choosePort(hostOf(this.#options), tablePortOf(this.#options));
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      exec: scriptOf('worker'),
      args: [],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await this.#writer.start();
    await Promise.all(this.#workers.map(worker => worker.start()));
    await this.#tellWorkers({ ask: 'be ready' });
    return {
      ...announce(this.#log, this.#options, credentials, this.#port, this.#folder.path),
      dataFolder: this.#folder.path,
      reload: () => this.#reload(),
      close: () => this.close(),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(worker => worker.stop()));
    await this.#writer.stop();
    this.#meeting.release();
    this.#folder.release();
  }

  /** What is wrong is found here, before any worker hears of it. */
  async #reload(): Promise<void> {
    const files = await readFiles(this.#options, this.#folder.path);
    await parseCredentials(this.#options, files);
    this.#files = files;
    await this.#tellWorkers({ ask: 'renew credentials', files });
  }

  /** The child holds the folder's lock, too: while it lives, nobody else writes there. */
  #launchWriter() {
    return fork(scriptOf('writer'), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', this.#folder.lockDescriptor],
    });
  }

  #beginWriter(): WriterQuestion {
    this.#writers++;
    const { path, isTemporary } = this.#folder;
    return {
      ask: 'start',
      options: this.#options,
      folder: path,
      isTemporary,
      socketPath: this.#socketPath,
    };
  }

  #beginWorker(number: number): WorkerQuestion {
    return {
      ask: 'start',
      options: this.#options,
      number,
      workers: this.#workerCount,
      folder: this.#folder.path,
      socketPath: this.#socketPath,
      files: this.#files as CredentialFiles,
      port: this.#port,
    };
  }

  get #socketPath(): string {
    return join(this.#meeting.path, `writer-${this.#writers}`);
  }

  /** The last writer may have ended between an update of service properties and its announcement. */
  #introduceWriter(): void {
    void this.#tellWorkers({ ask: 'refresh service properties' });
    void this.#tellWorkers({ ask: 'meet writer', socketPath: this.#socketPath });
  }

  /** Resolves once each worker has answered or ended. */
  async #tellWorkers(question: WorkerQuestion): Promise<void> {
    await Promise.allSettled(this.#workers.map(worker => worker.ask(question)));
  }

  #answer(question: SupervisorQuestion): Promise<unknown> {
    return question.ask === 'render metrics'
      ? this.#renderMetrics()
      : this.#tellWorkers({ ask: 'refresh service properties' });
  }

  async #renderMetrics(): Promise<string> {
    const asked = [
      this.#writer.ask<object[]>({ ask: 'collect metrics' }),
      ...this.#workers.map(worker => worker.ask<object[]>({ ask: 'collect metrics' })),
    ];
    const answers = await Promise.all(asked.map(answer => orNothing(answer, metricsWaitMs)));
    return renderMetrics([await this.#metrics.collect(), ...answers]);
  }
}

/** The script of a child process, beside this one: in TypeScript as in JavaScript. */
function scriptOf(name: string): string {
  return fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
}

/**
 * The port that all workers will listen on, chosen here: otherwise a free one would be another one when the last
 * worker has ended. Rejects with a StartError.
 */
async function choosePort(host: string, port: number): Promise<number> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, host, port);
  }
  const chosen = (server.address() as AddressInfo).port;
  server.close();
  await once(server, 'close');
  return chosen;
}

async function orNothing(answer: Promise<object[]>, waitMs: number): Promise<object[]> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<object[]>(resolve => {
    timer = setTimeout(resolve, waitMs, []);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** What a child could not start for, as this process would have said it. */
function asOurs(error: unknown): unknown {
  if (error instanceof ChildEnded) return new StartError(`${error.message} while it started`);
  if (!(error instanceof RemoteError)) return error;
  if (error.name === 'DataFolderError') return new DataFolderError(error.message);
  return error.name === 'StartError' ? new StartError(error.message) : error;
}
