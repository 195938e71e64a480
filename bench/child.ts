/** Processes of our own that answer jobs: the load, the bare server, raw LMDB. */

import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** Neither an answer nor progress for so long: something hangs, and it should be known what. */
const silenceDurationMsMax = 600_000;

interface Reply {
  id: number;
  answer?: unknown;
  error?: string;
  progress?: number;
}

interface Pending {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
  onProgress: ((done: number) => void) | undefined;
  silence: NodeJS.Timeout;
}

export class Child {
  readonly pid: number;
  readonly #script: string;
  readonly #process: ChildProcess;
  readonly #pending: Map<number, Pending> = new Map();
  #lastId = 0;

  constructor(script: string) {
    this.#script = script;
    this.#process = fork(join(import.meta.dirname, script), { execArgv: ['--import', 'tsx'] });
    this.pid = this.#process.pid!;
    this.#process.on('message', message => this.#onReply(message as Reply));
    this.#process.on('exit', code => {
      for (const { reject, silence } of this.#pending.values()) {
        clearTimeout(silence);
        reject(new Error(`${script} ended with ${code}`));
      }
    });
  }

  ask<Answer>(job: object, onProgress?: (done: number) => void): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<Answer>((resolve, reject) => {
      const silence = setTimeout(
        () => reject(new Error(`${this.#script} is silent: ${JSON.stringify(job).slice(0, 200)}`)),
        silenceDurationMsMax,
      );
      this.#pending.set(id, {
        resolve: answer => resolve(answer as Answer),
        reject,
        onProgress,
        silence,
      });
      this.#process.send({ id, job });
    });
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }

  #onReply(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    if (reply.progress !== undefined) {
      pending.silence.refresh();
      pending.onProgress?.(reply.progress);
      return;
    }
    this.#pending.delete(reply.id);
    clearTimeout(pending.silence);
    if (reply.error !== undefined) pending.reject(new Error(reply.error));
    else pending.resolve(reply.answer);
  }
}

/** The other end, in the child. It ends with its parent: the channel between them closes. */
export function answerJobs<Job>(
  answer: (job: Job, onProgress: (done: number) => void) => Promise<unknown>,
): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', async message => {
    const { id, job } = message as { id: number; job: Job };
    try {
      const value = await answer(job, progress => process.send!({ id, progress }));
      process.send!({ id, answer: value });
    } catch (error) {
      process.send!({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
}
