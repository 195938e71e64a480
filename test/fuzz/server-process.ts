import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { FuzzAccount } from './world.ts';

export interface Memory {
  /** Anonymous memory that is resident, after collections: what the process itself has, files apart. */
  readonly rssAnonBytes: number;
  /** What the engine's heap holds and what it knows of outside. */
  readonly heldBytes: number;
}

/** The real server, in a process of its own, as `tabularium start --memory` runs it. */
export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  /** The last lines of its log. */
  readonly log: string[];

  private constructor(child: ChildProcess, port: number, log: string[]) {
    this.#child = child;
    this.port = port;
    this.log = log;
  }

  /** `onError` is told of each line of its log at the level `error`: what the server itself takes for a bug. */
  static start(accounts: readonly FuzzAccount[], onError: (line: string) => void): Promise<ServerProcess> {
    const root = new URL('../../', import.meta.url).pathname;
    const child = spawn(
      process.execPath,
      [
        ...['--expose-gc', '--import', 'tsx', '--import', `${root}test/fuzz/collect-on-demand.ts`],
        ...[`${root}src/cli.ts`, 'start', '--memory', '--table-port', '0', '--log-level', 'warn'],
        ...accounts.flatMap(({ name, keys }) => ['--account', [name, ...keys].join(':')]),
      ],
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    );
    const log: string[] = [];
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', line => {
      log.push(line);
      if (log.length > 100) log.shift();
      if (!/^\{"level":[0-4]\d,/.test(line)) onError(line);
    });
    return new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error(`the server did not start: ${log.join('\n')}`)));
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', line => {
        const port = /Table service +http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
        if (port !== undefined) resolve(new ServerProcess(child, Number(port), log));
      });
    });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** How it ended, if it did. */
  get ending(): string {
    return `exit code ${this.#child.exitCode}, signal ${this.#child.signalCode}`;
  }

  /** Forces collections and measures what is left. */
  async measure(): Promise<Memory> {
    const heldBytes = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the server did not collect within 30 s')), 30_000);
      this.#child.once('message', message => {
        clearTimeout(timer);
        resolve(Number(message));
      });
      this.#child.send('collect');
    });
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
    return { rssAnonBytes: Number(kibibytes) * 1024, heldBytes };
  }

  /** Asks it to stop and answers its exit code; undefined where it had to be killed. */
  stop(): Promise<number | undefined> {
    return new Promise(resolve => {
      if (!this.isAlive) return resolve(this.#child.exitCode ?? undefined);
      const timer = setTimeout(() => {
        this.#child.kill('SIGKILL');
        resolve(undefined);
      }, 10_000);
      this.#child.once('exit', code => {
        clearTimeout(timer);
        resolve(code ?? undefined);
      });
      this.#child.kill('SIGTERM');
    });
  }
}
