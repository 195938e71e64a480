import type { ChildProcess } from 'node:child_process';
import type { TabulariumOptions } from '../config.ts';
import type { CredentialFiles } from '../credentials.ts';
import { Conversation, type Message } from './conversation.ts';

/** What the supervisor asks of the writer. */
export type WriterQuestion =
  | {
      readonly ask: 'start';
      readonly options: TabulariumOptions;
      readonly folder: string;
      readonly isTemporary: boolean;
      /** Where workers are to meet the writer. */
      readonly socketPath: string;
    }
  /** A worker has ended. */
  | { readonly ask: 'check readers' }
  | CommonQuestion;

/** What the supervisor asks of a worker. */
export type WorkerQuestion =
  | {
      readonly ask: 'start';
      readonly options: TabulariumOptions;
      /** Among the workers, from 1 on. */
      readonly number: number;
      readonly workers: number;
      readonly folder: string;
      readonly socketPath: string;
      readonly files: CredentialFiles;
      readonly port: number;
    }
  /** All workers listen. */
  | { readonly ask: 'be ready' }
  /** There is a new writer. */
  | { readonly ask: 'meet writer'; readonly socketPath: string }
  | { readonly ask: 'renew credentials'; readonly files: CredentialFiles }
  | { readonly ask: 'refresh service properties' }
  | CommonQuestion;

type CommonQuestion =
  /** Answered with what Metrics.collect gives. */
  | { readonly ask: 'collect metrics' }
  /** Finishes what is in flight and ends the process. */
  | { readonly ask: 'close' };

/** What the supervisor is asked. */
export type SupervisorQuestion =
  /** By the writer: answered once all workers know of it. */
  | { readonly ask: 'announce service properties' }
  /** By a worker: answered with the metrics of all processes. */
  | { readonly ask: 'render metrics' };

/** The first word of a child: node:cluster drops what it is sent before it listens. */
const listening = 'listening';

/** A child was asked something and ended before it answered. */
export class ChildEnded extends Error {
  override readonly name = 'ChildEnded';

  constructor(child: string) {
    super(`the process '${child}' ended`);
  }
}

/** The conversation of the supervisor with a child; it ends with the child. */
export function converseWithChild(
  child: ChildProcess,
  name: string,
  answer: (question: SupervisorQuestion) => Promise<unknown>,
): Conversation<SupervisorQuestion> {
  let early: Message[] | undefined = [];
  const post = (message: Message): void => {
    // What cannot be sent is not answered, and the end of the child tells that.
    if (early === undefined) child.send(message as never, () => {});
    else early.push(message);
  };
  const conversation = new Conversation<SupervisorQuestion>(post, answer);
  child.on('message', message => {
    if ((message as unknown) !== listening) return conversation.receive(message as unknown as Message);
    const messages = early ?? [];
    early = undefined;
    messages.forEach(post);
  });
  child.once('exit', () => conversation.end(() => new ChildEnded(name)));
  return conversation;
}

/**
 * The conversation of a child with the supervisor. The process lives no longer than the supervisor: its successor
 * must not find it at work. Signals that reach all processes of a terminal are the supervisor's business.
 */
export function converseWithSupervisor<Question>(
  answer: (question: Question) => Promise<unknown>,
): Conversation<Question> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const conversation = new Conversation<Question>(message => {
    process.send?.(message as never, undefined, undefined, () => {});
  }, answer);
  process.on('message', message => conversation.receive(message as Message));
  process.send?.(listening);
  return conversation;
}
