import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from '../observe/log.ts';
import { converseWithChild, type SupervisorQuestion } from './control.ts';
import type { Conversation } from './conversation.ts';

/** A child that ends sooner than this after its beginning makes the next one wait, the longer the more often. */
const stableMs = 5_000;
const pauseMsMin = 100;
const pauseMsMax = 5_000;

export interface Kept<Question> {
  /** For the log. */
  readonly name: string;
  launch(): ChildProcess;
  /** What a new child is asked first; asked again for each. */
  begin(): Question;
  /** A child has begun in place of one that ended. */
  onReplaced?(): void;
  onEnded?(): void;
}

/** Keeps one child process running: when it ends unasked, another begins. */
export class Keeper<Question> {
  readonly #kept: Kept<Question>;
  readonly #answer: (question: SupervisorQuestion) => Promise<unknown>;
  readonly #log: Logger;
  #child: ChildProcess | undefined;
  #conversation: Conversation<SupervisorQuestion> | undefined;
  #isStopping = false;
  #shortLives = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(kept: Kept<Question>, answer: (question: SupervisorQuestion) => Promise<unknown>, log: Logger) {
    this.#kept = kept;
    this.#answer = answer;
    this.#log = log;
  }

  /** Begins the first child. Rejects with what kept it from beginning, and then there is none. */
  async start(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Rejects where there is no child, or where it ends before it answers. */
  ask<Value>(question: Question): Promise<Value> {
    if (this.#conversation === undefined) return Promise.reject(new Error(`${this.#kept.name} is not there`));
    return this.#conversation.ask<Value>(question);
  }

  /** Resolves once the child has ended, which it does when it is done. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#pause);
    const child = this.#child;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    // It does not answer, it ends; unless it cannot, as it never really began.
    this.ask({ ask: 'close' } as Question).catch(() => child.kill('SIGKILL'));
    await ended;
  }

  async #begin(): Promise<void> {
    const beganMs = performance.now();
    const child = this.#kept.launch();
    const conversation = converseWithChild(child, this.#kept.name, this.#answer);
    this.#child = child;
    this.#conversation = conversation;
    // A process that could not even be made has ended, too.
    child.on('error', () => {
      if (child.pid === undefined) child.emit('exit', null, null);
    });
    child.once('exit', (code, signal) => {
      this.#child = undefined;
      this.#conversation = undefined;
      if (this.#isStopping) return;
      this.#shortLives = performance.now() - beganMs < stableMs ? this.#shortLives + 1 : 0;
      this.#log.error({ process: this.#kept.name, pid: child.pid, code, signal }, 'a process ended unasked');
      this.#kept.onEnded?.();
      this.#beginAnother();
    });
    await conversation.ask(this.#kept.begin());
    this.#log.info({ process: this.#kept.name, pid: child.pid }, 'a process has begun');
  }

  #beginAnother(): void {
    const pauseMs = this.#shortLives < 2 ? 0 : Math.min(pauseMsMin * 2 ** this.#shortLives, pauseMsMax);
    this.#pause = setTimeout(() => {
      this.#begin().then(
        () => this.#kept.onReplaced?.(),
        error => {
          this.#log.error({ process: this.#kept.name, err: error }, 'a process could not begin');
          this.#child?.kill('SIGKILL');
        },
      );
    }, pauseMs);
  }
}
