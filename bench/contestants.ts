/** Who is compared, and how each is made ready and asked. */

import { setTimeout as wait } from 'node:timers/promises';
import { Child } from './child.ts';
import { rowText, scanPartitionKey } from './entities.ts';
import type { Measurement } from './http-load.ts';
import type { CapturedAnswer, MeasureJob } from './load.ts';
import { cpuSecondsOf } from './process-usage.ts';
import type { Progress } from './progress.ts';
import { type RunningServer, startAzurite, startTabularium } from './servers.ts';
import { type WorkloadName, workloads } from './workloads.ts';

export const contestantNames = ['tabularium', 'azurite', 'bare', 'raw'] as const;
export type ContestantName = (typeof contestantNames)[number];

/** What is asked of every contestant alike. */
export type Question = Omit<MeasureJob, 'kind' | 'port' | 'serverPid' | 'entityCount'>;

export interface Contestant {
  name: ContestantName;
  /** Puts the table back to what it holds at the start of a round. */
  reload(): Promise<void>;
  measure(question: Question): Promise<Measurement>;
  /** Waits for work that goes on after the answers, which would fall into the turn of the next one. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** Azurite writes its whole table to disk some seconds after each change. */
const azuriteSaveDelayMs = 5_500;
const quietDurationMs = 250;
const quietCpuSecondsMax = 0.03;
const settleDurationMsMax = 60_000;

async function untilQuiet(name: string, pid: number, progress: Progress): Promise<void> {
  const deadlineMs = performance.now() + settleDurationMsMax;
  while (performance.now() < deadlineMs) {
    const before = cpuSecondsOf(pid);
    await wait(quietDurationMs);
    if (cpuSecondsOf(pid) - before <= quietCpuSecondsMax) return;
  }
  progress.note(`${name} was still at work ${settleDurationMsMax / 1000} s after its turn`);
}

export interface Setting {
  folder: string;
  entityCount: number;
  load: Child;
  progress: Progress;
}

export async function prepareContestants(
  names: readonly ContestantName[],
  setting: Setting,
): Promise<Contestant[]> {
  const contestants: Contestant[] = [];
  // Bare comes after the servers whose answers it repeats.
  for (const name of contestantNames.filter(candidate => names.includes(candidate))) {
    if (name === 'raw') contestants.push(await prepareRaw(setting));
    else if (name === 'bare') contestants.push(await prepareBare(setting));
    else contestants.push(await prepareServer(name, setting));
  }
  return contestants;
}

/** The first server that was loaded: its answers are those that the bare server repeats. */
let reference: RunningServer | undefined;

async function prepareServer(name: 'tabularium' | 'azurite', setting: Setting): Promise<Contestant> {
  const { entityCount, load, progress } = setting;
  const folder = `${setting.folder}/${name}`;
  const server = await (name === 'tabularium' ? startTabularium(folder) : startAzurite(folder));
  const saveDelayMs = name === 'azurite' ? azuriteSaveDelayMs : 0;
  const contestant: Contestant = {
    name,
    reload: async () => {
      const { durationMs } = await load.ask<{ durationMs: number }>(
        { kind: 'preload', port: server.port, entityCount },
        done => progress.show(`loading ${name}: ${done} of ${entityCount} entities`),
      );
      progress.step(`${name} took ${entityCount} entities in ${(durationMs / 1000).toFixed(1)} s`);
      await contestant.settle();
    },
    measure: question => measureServer(server.port, server.pid, question, setting),
    settle: async () => {
      await wait(saveDelayMs);
      await untilQuiet(name, server.pid, progress);
    },
    stop: () => server.stop(),
  };
  await contestant.reload();
  reference ??= server;
  return contestant;
}

function measureServer(
  port: number,
  serverPid: number,
  question: Question,
  { entityCount, load }: Setting,
): Promise<Measurement> {
  return load.ask<Measurement>({ kind: 'measure', port, serverPid, entityCount, ...question });
}

async function prepareBare(setting: Setting): Promise<Contestant> {
  const child = new Child('bare-server.ts');
  const reload = () => reloadChild('bare', child, setting);
  await reload();
  const { port } = await child.ask<{ port: number }>({ kind: 'listen', answers: await answersOf(setting) });
  return {
    name: 'bare',
    reload,
    measure: question => measureServer(port, child.pid, question, setting),
    settle: () => untilQuiet('bare', child.pid, setting.progress),
    stop: async () => child.stop(),
  };
}

async function prepareRaw(setting: Setting): Promise<Contestant> {
  const child = new Child('raw-lmdb.ts');
  const reload = () => reloadChild('raw', child, setting);
  await reload();
  return {
    name: 'raw',
    reload,
    measure: question => child.ask<Measurement>({ kind: 'measure', ...question }),
    settle: () => untilQuiet('raw', child.pid, setting.progress),
    stop: async () => child.stop(),
  };
}

async function reloadChild(name: ContestantName, child: Child, setting: Setting): Promise<void> {
  setting.progress.show(`loading ${name}`);
  await child.ask({ kind: 'load', path: `${setting.folder}/${name}`, entityCount: setting.entityCount });
  await untilQuiet(name, child.pid, setting.progress);
}

async function answersOf({ load, entityCount }: Setting): Promise<Record<WorkloadName, CapturedAnswer>> {
  const answers: Partial<Record<WorkloadName, CapturedAnswer>> = {};
  for (const { name, status } of workloads) {
    answers[name] =
      reference === undefined
        ? imagined(name, status)
        : await load.ask<CapturedAnswer>({
            kind: 'capture',
            port: reference.port,
            entityCount,
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
