import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { AnswerReader, BadAnswer, type WireAnswer } from './answer-reader.ts';
import type { Case } from './compose.ts';

/** No answer may take longer, and no connection may stay open longer once its client has hung up. */
export const patienceMs = 5000;
/** How long a client that threw something waits for an answer before it hangs up. */
const quietMs = 100;

/** What came of a case. */
export interface Outcome {
  readonly answers: readonly WireAnswer[];
  /** What is wrong with how the server behaved, whatever it said. */
  readonly problem?: string;
  readonly durationMs: number;
}

/** One client that asks and waits for the answer, again and again, on a connection that is kept. */
export class AskingClient {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  ask({ pieces, isHead }: Case): Promise<Outcome> {
    const began = performance.now();
    const socket = this.#connected();
    const reader = new AnswerReader();
    return new Promise(resolve => {
      const finish = (answers: readonly WireAnswer[], problem?: string): void => {
        clearTimeout(timer);
        socket.removeAllListeners('data').removeAllListeners('close');
        if (problem !== undefined || answers[0]?.headers.get('connection') === 'close') this.close();
        const durationMs = performance.now() - began;
        resolve(problem === undefined ? { answers, durationMs } : { answers, problem, durationMs });
      };
      const timer = setTimeout(
        () => finish([], `no answer within ${patienceMs / 1000} s: ${describe(socket)}`),
        patienceMs,
      );
      socket.on('data', chunk => {
        reader.push(chunk);
        readAnswer(
          reader,
          isHead,
          answer => {
            finish([answer], reader.isAmidAnswer ? 'more came than the answer' : undefined);
          },
          problem => finish([], problem),
        );
      });
      socket.on('close', () =>
        finish([], reader.isAmidAnswer ? 'an answer that was cut off' : 'hung up on without an answer'),
      );
      for (const piece of pieces) socket.write(piece);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connected(): Socket {
    if (this.#socket === undefined || this.#socket.destroyed) {
      this.#socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
      // What there is to say of an error, 'close' says.
      this.#socket.on('error', () => {});
    }
    return this.#socket;
  }
}

/** Whose fault a silence may be: bytes that never left, or that the other side has and does not answer. */
function describe({ connecting, bytesWritten, writableLength, bytesRead, localPort = 0 }: Socket): string {
  const port = `:${localPort.toString(16).toUpperCase().padStart(4, '0')} `;
  const table = existsSync('/proc/net/tcp') ? readFileSync('/proc/net/tcp', 'utf8').split('\n') : [];
  // Of each end: addresses, state, bytes waiting to be sent and to be read.
  const ends = table
    .filter(line => line.includes(port))
    .map(line => line.trim().split(/\s+/).slice(1, 5).join(' '));
  const own = connecting
    ? 'still connecting'
    : `${bytesWritten} bytes sent, ${writableLength} waiting, ${bytesRead} read`;
  return `${own}; ${ends.join('; ') || 'the system does not know the connection'}`;
}

function readAnswer(
  reader: AnswerReader,
  isHead: boolean,
  onAnswer: (answer: WireAnswer) => void,
  onProblem: (problem: string) => void,
): void {
  try {
    const answer = reader.take(isHead);
    if (answer !== undefined) onAnswer(answer);
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error;
    onProblem(error.message);
  }
}

/**
 * Writes whatever it is to a connection of its own, waits for answers as long as some come, and hangs up:
 * within our patience the server must do so, too.
 */
export function throwAt(port: number, { pieces }: Case): Promise<Outcome> {
  const began = performance.now();
  const mayAskHead = pieces.some(piece => piece.includes('HEAD'));
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const reader = new AnswerReader();
    const answers: WireAnswer[] = [];
    let problem: string | undefined;
    const finish = (): void => {
      clearTimeout(patience);
      clearTimeout(quiet);
      if (reader.isAmidAnswer && !mayAskHead) problem ??= 'an answer that was cut off';
      if (socket.destroyed) socket.destroy();
      else socket.resetAndDestroy();
      const durationMs = performance.now() - began;
      resolve(problem === undefined ? { answers, durationMs } : { answers, problem, durationMs });
    };
    let quiet = setTimeout(() => socket.end(), quietMs);
    const patience = setTimeout(() => {
      problem ??= `a connection that is open ${patienceMs / 1000} s after its client hung up`;
      finish();
    }, patienceMs + quietMs);
    socket.on('data', chunk => {
      reader.push(chunk);
      for (let before = -1; before !== answers.length && problem === undefined; ) {
        before = answers.length;
        readAnswer(
          reader,
          false,
          answer => answers.push(answer),
          reason => (problem = mayAskHead ? undefined : reason),
        );
      }
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.end(), quietMs / 5);
    });
    socket.on('error', () => {});
    socket.on('end', finish);
    socket.on('close', finish);
    writeInTurns(socket, pieces);
  });
}

/** Each piece in a turn of its own of the event loop, so that the server sees them one by one. */
function writeInTurns(socket: Socket, [first, ...rest]: readonly Buffer[]): void {
  if (first === undefined || socket.destroyed || socket.writableEnded) return;
  socket.write(first, () => setImmediate(() => writeInTurns(socket, rest)));
}
