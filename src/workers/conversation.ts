import { type ErrorCode, type Particulars, ServiceError } from '../errors.ts';

/** What goes between two processes: plain data, as node:v8 and the channels of child processes carry it. */
export type Message =
  | readonly [kind: 'ask', id: number, question: unknown]
  | readonly [kind: 'answer', id: number, value: unknown]
  | readonly [kind: 'fail', id: number, failure: Failure];

/** An error in transit. Of a ServiceError what its answer needs, of another its words. */
type Failure =
  | { readonly code: ErrorCode; readonly message: string; readonly particulars: Particulars }
  | { readonly name: string; readonly message: string };

interface Open {
  readonly resolve: (value: never) => void;
  readonly reject: (reason: Error) => void;
}

/** An error that another process had, and that is none of the service's. */
export class RemoteError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** Questions and answers between two processes, in both directions; whoever makes it brings and takes the messages. */
export class Conversation<Question> {
  readonly #post: (message: Message, bytes: number) => void;
  readonly #answer: (question: Question) => Promise<unknown>;
  readonly #open = new Map<number, Open>();
  #lastId = 0;

  /** `answer` gives what the other side's questions are answered with. */
  constructor(
    post: (message: Message, bytes: number) => void,
    answer: (question: Question) => Promise<unknown>,
  ) {
    this.#post = post;
    this.#answer = answer;
  }

  /** Rejects with what the other side threw, or with what the conversation ended for. `bytes` is about its size. */
  ask<Value>(question: unknown, bytes = 0): Promise<Value> {
    const id = ++this.#lastId;
    return new Promise<Value>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#post(['ask', id, question], bytes);
    });
  }

  receive([kind, id, content]: Message): void {
    if (kind === 'ask') {
      this.#answer(content as Question).then(
        value => this.#post(['answer', id, value], 0),
        error => this.#post(['fail', id, failureOf(error as Error)], 0),
      );
      return;
    }
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (kind === 'answer') open?.resolve(content as never);
    else open?.reject(errorOf(content));
  }

  /** Nothing comes any more: what was asked is not answered. */
  end(reason: () => Error): void {
    for (const { reject } of this.#open.values()) reject(reason());
    this.#open.clear();
  }
}

function failureOf(error: Error): Failure {
  const { name, message } = error;
  if (error instanceof ServiceError) return { code: error.code, message, particulars: error.particulars };
  return { name, message };
}

function errorOf(failure: Failure): Error {
  if ('code' in failure) return new ServiceError(failure.code, failure.message, failure.particulars);
  return new RemoteError(failure.name, failure.message);
}
