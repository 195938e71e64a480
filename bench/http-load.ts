/**
 * Load from raw sockets: connections that are kept open, one request in flight on each, no HTTP client in
 * between. One process drives a server that answers tens of thousands of requests a second and has time left.
 */

import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Layout } from './entities.ts';
import { cpuSecondsByProcess } from './process-usage.ts';
import { type Answer, ResponseParser } from './response-parser.ts';
import { DurationHistogram } from './statistics.ts';
import type { RequestSource, Workload } from './workloads.ts';

const readBufferBytes = 256 * 1024;
/** How long a measurement waits for as many operations as there are connections, and for any at all. */
const completionsDurationMs = 30_000;
const lastAnswerDurationMs = 180_000;
/** The part of requests that have an end which the warm-up may use. */
export const warmupShareMax = 0.1;
/** How far the length of an answer may be from that of the first, which was looked at in full. */
const lengthTolerance = 0.1;

export interface Measurement {
  operations: number;
  durationMs: number;
  p50Ms: number;
  p99Ms: number;
  answerBytes: number;
  errors: number;
  errorSample?: string;
  serverCpuSeconds: number;
  /** Of it what each process beside the first one used, the busiest first. */
  childCpuSeconds: number[];
  loadCpuSeconds: number;
  /** True when time was up before there were as many operations as connections. */
  capped: boolean;
}

export function operationsPerSecond({ operations, durationMs }: Measurement): number {
  return (operations / durationMs) * 1000;
}

/** One connection: send a request, and be called back with its answer. */
class Connection {
  readonly parser: ResponseParser;
  readonly #socket: Socket;

  private constructor(socket: Socket, parser: ResponseParser) {
    this.#socket = socket;
    this.parser = parser;
  }

  static open(
    port: number,
    onAnswer: (answer: Answer) => void,
    onFailure: (error: Error) => void,
  ): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const parser = new ResponseParser(onAnswer);
      const buffer = Buffer.allocUnsafe(readBufferBytes);
      const read = (count: number): boolean => {
        try {
          parser.read(buffer.subarray(0, count));
        } catch (error) {
          socket.destroy(error as Error);
        }
        return true;
      };
      const socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: { buffer, callback: read },
      });
      let failure = new Error('the server closed the connection');
      socket.once('connect', () => resolve(new Connection(socket, parser)));
      socket.once('error', error => {
        failure = error;
      });
      socket.once('close', () => {
        reject(failure);
        onFailure(failure);
      });
    });
  }

  send(request: Buffer): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }
}

/** One request on a connection of its own, and its answer with the body. */
export function exchange(port: number, request: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const opened = Connection.open(
      port,
      answer => {
        resolve(answer);
        void opened.then(connection => connection.close());
      },
      reject,
    );
    opened.then(connection => {
      connection.parser.keepBodies = true;
      connection.send(request);
    }, reject);
  });
}

/** Sends a known number of requests and waits for all answers: the way in for preloaded entities. */
export async function sendAll(
  port: number,
  count: number,
  concurrency: number,
  make: (position: number) => Buffer,
  check: (answer: Answer) => void,
  onProgress: (done: number) => void,
): Promise<void> {
  let sent = 0;
  let done = 0;
  const one = async (): Promise<void> => {
    while (sent < count) {
      const request = make(sent);
      sent += 1;
      check(await exchange(port, request));
      done += 1;
      onProgress(done);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
}

export interface LoadOptions {
  port: number;
  serverPid: number;
  workload: Workload;
  layout: Layout;
  next: RequestSource;
  /** How many requests there are, where they have an end, which then ends the measurement. */
  requestCount?: number | undefined;
  concurrency: number;
  warmupMs: number;
  durationMs: number;
}

type Phase = 'warmup' | 'measured' | 'last answers';

/** Keeps one request in flight on each connection, and counts what completes after the warm-up. */
export async function measureLoad(options: LoadOptions): Promise<Measurement> {
  const load = new Load(options);
  return await load.run();
}

class Load {
  readonly #options: LoadOptions;
  readonly #histogram = new DurationHistogram();
  readonly #connections: Connection[] = [];
  readonly #sentAtMs: number[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #finished: Promise<void>;
  #finish: () => void = () => undefined;
  #phase: Phase = 'warmup';
  #sent = 0;
  #inFlight = 0;
  #operations = 0;
  #answerBytes: number | undefined;
  #errors = 0;
  #errorSample: string | undefined;
  #durationIsOver = false;
  #capped = false;
  #beganAtMs = 0;
  #endedAtMs = 0;
  #cpuBefore: Map<number, number> = new Map();
  #cpuAfter: Map<number, number> = new Map();
  #loadCpuSeconds = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#finished = new Promise(resolve => {
      this.#finish = resolve;
    });
  }

  async run(): Promise<Measurement> {
    const { concurrency, port, warmupMs } = this.#options;
    for (let index = 0; index < concurrency; index += 1) {
      const connection = await Connection.open(
        port,
        answer => this.#onAnswer(index, answer),
        error => this.#onFailure(error),
      );
      this.#connections.push(connection);
    }
    this.#connections[0]!.parser.keepBodies = true;
    for (let index = 0; index < concurrency; index += 1) {
      this.#inFlight += 1;
      this.#send(index);
    }
    this.#after(warmupMs, () => this.#begin());
    this.#after(lastAnswerDurationMs, () => this.#giveUp());
    await this.#finished;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const connection of this.#connections) connection.close();
    if (this.#operations === 0) throw new Error(this.#errorSample ?? 'not one operation completed');
    return {
      operations: this.#operations,
      durationMs: this.#endedAtMs - this.#beganAtMs,
      p50Ms: this.#histogram.percentileMs(50),
      p99Ms: this.#histogram.percentileMs(99),
      answerBytes: this.#answerBytes ?? 0,
      errors: this.#errors,
      ...(this.#errorSample === undefined ? {} : { errorSample: this.#errorSample }),
      ...this.#serverCpu(),
      loadCpuSeconds: this.#loadCpuSeconds,
      capped: this.#capped,
    };
  }

  #send(index: number): void {
    const { next, requestCount } = this.#options;
    const request = next(index);
    if (request === undefined) {
      // With fewer requests in flight than there are connections, the rate would be another one.
      if (this.#phase === 'measured') this.#end();
      this.#retire();
      return;
    }
    this.#sentAtMs[index] = performance.now();
    this.#connections[index]!.send(request);
    this.#sent += 1;
    if (requestCount !== undefined && this.#sent >= requestCount * warmupShareMax) this.#begin();
  }

  #begin(): void {
    if (this.#phase !== 'warmup') return;
    this.#phase = 'measured';
    this.#cpuBefore = cpuSecondsByProcess(this.#options.serverPid);
    this.#loadCpuSeconds = -processorSeconds();
    this.#beganAtMs = performance.now();
    this.#after(this.#options.durationMs, () => {
      this.#durationIsOver = true;
      this.#endIfEnough();
    });
    this.#after(completionsDurationMs, () => {
      if (this.#phase !== 'measured') return;
      this.#capped = true;
      if (this.#operations > 0) this.#end();
    });
  }

  #after(durationMs: number, act: () => void): void {
    this.#timers.push(setTimeout(act, durationMs));
  }

  #endIfEnough(): void {
    if (this.#phase !== 'measured' || !this.#durationIsOver) return;
    if (this.#operations >= this.#options.concurrency || this.#capped) this.#end();
  }

  #end(): void {
    this.#endedAtMs = performance.now();
    this.#loadCpuSeconds += processorSeconds();
    this.#cpuAfter = cpuSecondsByProcess(this.#options.serverPid);
    this.#phase = 'last answers';
    if (this.#inFlight === 0) this.#finish();
  }

  #serverCpu(): Pick<Measurement, 'serverCpuSeconds' | 'childCpuSeconds'> {
    const { serverPid } = this.#options;
    const childCpuSeconds: number[] = [];
    let serverCpuSeconds = 0;
    for (const [pid, seconds] of this.#cpuAfter) {
      const used = seconds - (this.#cpuBefore.get(pid) ?? 0);
      serverCpuSeconds += used;
      if (pid !== serverPid) childCpuSeconds.push(used);
    }
    return { serverCpuSeconds, childCpuSeconds: childCpuSeconds.toSorted((one, other) => other - one) };
  }

  #onAnswer(index: number, answer: Answer): void {
    this.#check(index, answer);
    if (this.#phase === 'measured') {
      this.#histogram.record(performance.now() - this.#sentAtMs[index]!);
      this.#operations += 1;
      if (this.#durationIsOver) this.#endIfEnough();
    }
    if (this.#phase !== 'last answers') this.#send(index);
    else this.#retire();
  }

  #retire(): void {
    this.#inFlight -= 1;
    if (this.#inFlight > 0) return;
    if (this.#phase === 'measured') this.#end();
    else this.#finish();
  }

  /** The first answer of the first connection is read in full; the others are held to status and length. */
  #check(index: number, answer: Answer): void {
    const { workload, layout } = this.#options;
    const { parser } = this.#connections[index]!;
    let fault: string | undefined;
    if (answer.status !== workload.status) {
      fault = `${answer.head.split('\r\n')[0]} ${answer.body.toString().slice(0, 600)}`;
    } else if (parser.keepBodies) {
      parser.keepBodies = false;
      fault = workload.faultIn(answer, layout);
    }
    this.#answerBytes ??= answer.bodyBytes;
    const difference = Math.abs(answer.bodyBytes - this.#answerBytes);
    if (difference > lengthTolerance * this.#answerBytes) {
      fault ??= `an answer of ${answer.bodyBytes} bytes where another had ${this.#answerBytes}`;
    }
    if (fault !== undefined) this.#fail(fault);
  }

  #fail(fault: string): void {
    this.#errors += 1;
    this.#errorSample ??= fault;
  }

  /** A connection that broke takes no further part; with the last one the measurement ends. */
  #onFailure(error: Error): void {
    this.#fail(error.message);
    this.#retire();
  }

  #giveUp(): void {
    this.#fail(`no end after ${lastAnswerDurationMs / 1000} s, ${this.#operations} operations`);
    if (this.#phase === 'measured') this.#end();
    this.#finish();
  }
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}
