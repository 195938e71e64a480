import { connect, type Socket } from 'node:net';
import { ServiceError } from '../errors.ts';
import * as limits from '../limits.ts';
import { converse } from './channel.ts';
import type { Conversation } from './conversation.ts';
import type { Write } from './writes.ts';

interface Waiting<Intent> {
  readonly write: Write<Intent>;
  readonly bytes: number;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A worker's way to the process that writes. Where that ends, what it was asked has an unknown outcome, and is not
 * asked again; what comes then waits a while for the next writer.
 */
export class WriterLink<Intent> {
  readonly #waitMs: number;
  #socket: Socket | undefined;
  #conversation: Conversation<never> | undefined;
  readonly #waiting = new Set<Waiting<Intent>>();
  #waitingBytes = 0;

  constructor(waitMs: number = limits.writerWaitMs) {
    this.#waitMs = waitMs;
  }

  /** Resolves once it is connected; rejects where nobody listens there. */
  connect(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      const conversation = converse<never>(socket, () => Promise.reject(new Error('nobody is asked here')));
      socket.once('connect', () => {
        this.#socket = socket;
        this.#conversation = conversation;
        this.#askWhatWaits();
        resolve();
      });
      socket.on('error', reject);
      socket.once('close', () => {
        if (this.#conversation === conversation) this.#conversation = undefined;
        conversation.end(
          () => new ServiceError('OperationTimedOut', undefined, { detail: 'the process that writes ended' }),
        );
      });
    });
  }

  /**
   * Rejects with OperationTimedOut where the outcome is unknown, with ServerBusy where no writer came in time or
   * too much waits for one.
   */
  ask<Value>(write: Write<Intent>, bytes: number): Promise<Value> {
    if (this.#conversation !== undefined) return this.#conversation.ask(write, bytes);
    const isFull =
      this.#waiting.size >= limits.queuedWritesMax || this.#waitingBytes + bytes > limits.queuedWriteBytesMax;
    if (isFull) return Promise.reject(new ServiceError('ServerBusy'));
    return new Promise<Value>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        this.#waitingBytes -= bytes;
        reject(new ServiceError('ServerBusy'));
      }, this.#waitMs);
      const waiting: Waiting<Intent> = { write, bytes, resolve, reject, timer };
      this.#waiting.add(waiting);
      this.#waitingBytes += bytes;
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #askWhatWaits(): void {
    for (const { write, bytes, resolve, reject, timer } of this.#waiting) {
      clearTimeout(timer);
      this.ask<never>(write, bytes).then(resolve, reject);
    }
    this.#waiting.clear();
    this.#waitingBytes = 0;
  }
}
