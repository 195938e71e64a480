/** Who is compared, and how each is made ready and asked. */

import { setTimeout as wait } from 'node:timers/promises';
import { Child } from './child.ts';
import { type Layout, rowText, scanPartitionKey } from './entities.ts';
import { type Measurement, operationsPerSecond } from './http-load.ts';
import type { CapturedAnswer, MeasureJob } from './load.ts';
import { untilQuiet } from './process-usage.ts';
import type { Progress } from './progress.ts';
import { type RunningServer, startAzurite, startTabularium } from './servers.ts';
import { transactionRows, type WorkloadName, workloads } from './workloads.ts';

/** Who takes part unless others are asked for. */
export const usualContestants = ['tabularium', 'azurite', 'bare', 'raw'] as const;

/** Our server with more than one process, and how many of them answer clients. */
export const workerCounts = { 'workers-2': 2, 'workers-4': 4 } as const;

export const contestantNames = [...usualContestants, 'workers-2', 'workers-4'] as const;
export type ContestantName = (typeof contestantNames)[number];

function start(name: Exclude<ContestantName, 'bare' | 'raw'>, folder: string): Promise<RunningServer> {
  if (name === 'azurite') return startAzurite(folder);
  return startTabularium(folder, name === 'tabularium' ? [] : ['--workers', `${workerCounts[name]}`]);
}

/** What is asked of every contestant alike. */
export type Question = Omit<MeasureJob, 'kind' | 'port' | 'serverPid' | 'layout'>;

export interface Contestant {
  name: ContestantName;
  /** Puts the table back to what it holds at the start of a round. */
  reload(): Promise<void>;
  /** Makes what the question uses up, before its time begins. */
  prepare(question: Question): Promise<void>;
  measure(question: Question): Promise<Measurement>;
  /** Waits for work that goes on after the answers, which would fall into the turn of the next one. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * How many rows are made for a measurement of deletes: half as many again as the contestant deletes in the time,
 * by what it did before. Where they end early, the measurement ends with them.
 */
class RowSupply {
  readonly #rates = new Map<number, number>();

  rowCount({ concurrency, warmupMs, durationMs }: Question): number {
    const rate = this.#rates.get(concurrency) ?? firstDeletesPerSecond;
    return Math.ceil((rate * 1.5 * (warmupMs + durationMs)) / 1000 / transactionRows) * transactionRows;
  }

  learn({ workload, concurrency }: Question, measurement: Measurement): void {
    if (workload === 'delete') this.#rates.set(concurrency, operationsPerSecond(measurement));
  }
}

const firstDeletesPerSecond = 4_000;

/** Azurite writes its whole table to disk some seconds after each change. */
const azuriteSaveDelayMs = 5_500;

export interface Setting {
  folder: string;
  layout: Layout;
  load: Child;
  progress: Progress;
}

export async function prepareContestants(
  names: readonly ContestantName[],
  setting: Setting,
): Promise<Contestant[]> {
  const contestants: Contestant[] = [];
  // Bare comes after the servers whose answers it repeats.
  const isServer = (name: ContestantName) => name !== 'bare' && name !== 'raw';
  for (const name of [...names.filter(isServer), ...names.filter(name => !isServer(name))]) {
    if (name === 'raw') contestants.push(await prepareRaw(setting));
    else if (name === 'bare') contestants.push(await prepareBare(setting));
    else contestants.push(await prepareServer(name, setting));
  }
  return contestants;
}

/** The first server that was loaded: its answers are those that the bare server repeats. */
let reference: RunningServer | undefined;

type Asking = Pick<Contestant, 'prepare' | 'measure'>;

function asking(
  makeRows: (rowCount: number, concurrency: number) => Promise<unknown>,
  measure: (question: Question) => Promise<Measurement>,
): Asking {
  const supply = new RowSupply();
  return {
    prepare: async question => {
      if (question.workload === 'delete') await makeRows(supply.rowCount(question), question.concurrency);
    },
    measure: async question => {
      const measurement = await measure(question);
      supply.learn(question, measurement);
      return measurement;
    },
  };
}

function askingOverHttp(
  port: number,
  serverPid: number,
  settle: () => Promise<void>,
  setting: Setting,
): Asking {
  const { layout, load } = setting;
  return asking(
    async (rowCount, concurrency) => {
      await load.ask({ kind: 'make-rows', port, layout, rowCount, concurrency });
      await settle();
    },
    question => load.ask<Measurement>({ kind: 'measure', port, serverPid, layout, ...question }),
  );
}

async function prepareServer(
  name: Exclude<ContestantName, 'bare' | 'raw'>,
  setting: Setting,
): Promise<Contestant> {
  const { layout, load, progress } = setting;
  const { entityCount } = layout;
  const folder = `${setting.folder}/${name}`;
  const server = await start(name, folder);
  const saveDelayMs = name === 'azurite' ? azuriteSaveDelayMs : 0;
  const settle = async () => {
    await wait(saveDelayMs);
    await untilQuiet(name, server.pid, progress);
  };
  const contestant: Contestant = {
    name,
    reload: async () => {
      const { durationMs } = await load.ask<{ durationMs: number }>(
        { kind: 'preload', port: server.port, layout },
        done => progress.show(`loading ${name}: ${done} of ${entityCount} entities`),
      );
      progress.step(`${name} took ${entityCount} entities in ${(durationMs / 1000).toFixed(1)} s`);
      await settle();
    },
    ...askingOverHttp(server.port, server.pid, settle, setting),
    settle,
    stop: () => server.stop(),
  };
  await contestant.reload();
  reference ??= server;
  return contestant;
}

async function prepareBare(setting: Setting): Promise<Contestant> {
  const child = new Child('bare-server.ts');
  const reload = () => reloadChild('bare', child, setting);
  await reload();
  const { port } = await child.ask<{ port: number }>({ kind: 'listen', answers: await answersOf(setting) });
  const settle = () => untilQuiet('bare', child.pid, setting.progress);
  return {
    name: 'bare',
    reload,
    ...askingOverHttp(port, child.pid, settle, setting),
    settle,
    stop: async () => child.stop(),
  };
}

async function prepareRaw(setting: Setting): Promise<Contestant> {
  const child = new Child('raw-lmdb.ts');
  const reload = () => reloadChild('raw', child, setting);
  const settle = () => untilQuiet('raw', child.pid, setting.progress);
  await reload();
  return {
    name: 'raw',
    reload,
    ...asking(
      (rowCount, concurrency) => child.ask({ kind: 'make-rows', rowCount, concurrency }),
      question => child.ask<Measurement>({ kind: 'measure', ...question }),
    ),
    settle,
    stop: async () => child.stop(),
  };
}

async function reloadChild(name: ContestantName, child: Child, setting: Setting): Promise<void> {
  setting.progress.show(`loading ${name}`);
  await child.ask({ kind: 'load', path: `${setting.folder}/${name}`, layout: setting.layout });
  await untilQuiet(name, child.pid, setting.progress);
}

async function answersOf({ load, layout }: Setting): Promise<Record<WorkloadName, CapturedAnswer>> {
  const answers: Partial<Record<WorkloadName, CapturedAnswer>> = {};
  for (const { name, status } of workloads) {
    answers[name] =
      reference === undefined
        ? imagined(name, status)
        : await load.ask<CapturedAnswer>({
            kind: 'capture',
            port: reference.port,
            layout,
            workload: name,
          });
  }
  return answers as Record<WorkloadName, CapturedAnswer>;
}

/** Answers to repeat where no server takes part that could give them. */
function imagined(name: WorkloadName, status: number): CapturedAnswer {
  const row = rowText({ partitionKey: scanPartitionKey, rowKey: '000000000000' }, 0);
  const transaction = 'HTTP/1.1 204 No Content\r\n'.repeat(100);
  const body =
    status === 204 ? '' : name === 'point-read' ? row : status === 202 ? transaction : '{"value":[]}';
  const head = `HTTP/1.1 ${status} -\r\nContent-Type: application/json`;
  return { status, head, bodyBase64: Buffer.from(body).toString('base64') };
}
