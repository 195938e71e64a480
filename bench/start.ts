/**
 * Does a start take longer, and does the server hold more memory, when there is much on disk? It should not:
 * the data is mapped, and nothing of it is read before it is asked for. Full and empty starts take turns.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Child } from './child.ts';
import { keyOf, layOut, tableName } from './entities.ts';
import { exchange } from './http-load.ts';
import { privateMemoryMiBOf } from './process-usage.ts';
import { Progress } from './progress.ts';
import { aligned } from './report.ts';
import { RequestMaker } from './requests.ts';
import { buildTabularium, freePort, launchTabularium, runningServer, startTabularium } from './servers.ts';
import { median } from './statistics.ts';
import { entityResource, scattered } from './workloads.ts';

const startDifferenceMsMax = 300;
const memoryDifferenceMiBMax = 30;
const readCount = 20;
const pollDurationMs = 2;
const readyDurationMsMax = 60_000;

interface Start {
  readyMs: number;
  readyMiB: number;
  readMiB: number;
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await exchange(
      port,
      Buffer.from(`GET /-/ready HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
    );
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** One start, from the moment the process is made; then a few point reads, which an empty server answers 404. */
async function measureStart(dataFolder: string, entityCount: number, isFull: boolean): Promise<Start> {
  const port = await freePort();
  const beganAtMs = performance.now();
  const child = launchTabularium(dataFolder, port);
  child.stdout!.resume();
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (performance.now() - beganAtMs > readyDurationMsMax) throw new Error('the server does not get ready');
    await wait(pollDurationMs);
  }
  const readyMs = performance.now() - beganAtMs;
  const server = runningServer(child, port);
  const readyMiB = privateMemoryMiBOf(server.pid);
  const maker = new RequestMaker(port);
  for (let position = 0; position < readCount; position += 1) {
    const key = keyOf(layOut(entityCount), scattered(position, entityCount, 0));
    const answer = await exchange(port, maker.make('GET', entityResource(key.partitionKey, key.rowKey)));
    if (answer.status !== (isFull ? 200 : 404)) throw new Error(`${answer.head} ${answer.body}`);
  }
  const readMiB = privateMemoryMiBOf(server.pid);
  await server.stop();
  return { readyMs, readyMiB, readMiB };
}

async function fill(dataFolder: string, entityCount: number, progress: Progress): Promise<void> {
  const load = new Child('load.ts');
  const server = await startTabularium(dataFolder);
  await load.ask({ kind: 'preload', port: server.port, entityCount }, done =>
    progress.show(`loading ${done} of ${entityCount} entities into ${tableName}`),
  );
  await server.stop();
  load.stop();
}

function medians(starts: Start[]): Start {
  return {
    readyMs: median(starts.map(({ readyMs }) => readyMs)),
    readyMiB: median(starts.map(({ readyMiB }) => readyMiB)),
    readMiB: median(starts.map(({ readMiB }) => readMiB)),
  };
}

function rowOf(label: string, start: Start): string[] {
  return [label, start.readyMs.toFixed(0), start.readyMiB.toFixed(1), start.readMiB.toFixed(1)];
}

function verdict(title: string, difference: number, differenceMax: number, unit: string): string {
  const word = difference <= differenceMax ? 'pass' : 'MISS';
  return `  ${word}   ${title}: full less empty is ${difference.toFixed(1)} ${unit}, at most ${differenceMax}`;
}

function report(entityCount: number, empty: Start, full: Start): string {
  const rows = [
    ['', 'ready ms', 'MiB when ready', `MiB after ${readCount} reads`],
    rowOf('empty', empty),
    rowOf(`${entityCount} entities`, full),
  ];
  return [
    ...aligned(rows),
    '',
    verdict('start', full.readyMs - empty.readyMs, startDifferenceMsMax, 'ms'),
    verdict('memory when ready', full.readyMiB - empty.readyMiB, memoryDifferenceMiBMax, 'MiB'),
    verdict('memory after reads', full.readMiB - empty.readMiB, memoryDifferenceMiBMax, 'MiB'),
    '',
  ].join('\n');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '7' },
      entities: { type: 'string', default: '200000' },
      'no-build': { type: 'boolean', default: false },
    },
  });
  const entityCount = Number(values.entities);
  layOut(entityCount);
  const progress = new Progress();
  if (!values['no-build']) buildTabularium();
  const folder = mkdtempSync(join(tmpdir(), 'tabularium-start-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  await fill(join(folder, 'full'), entityCount, progress);
  const starts: { empty: Start[]; full: Start[] } = { empty: [], full: [] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const kinds = round % 2 === 0 ? (['empty', 'full'] as const) : (['full', 'empty'] as const);
    for (const kind of kinds) {
      const dataFolder = join(folder, kind === 'full' ? 'full' : `empty-${round}`);
      const start = await measureStart(dataFolder, entityCount, kind === 'full');
      starts[kind].push(start);
      progress.step(`round ${round + 1}, ${kind}: ${rowOf('', start).slice(1).join(' / ')}`);
    }
  }
  progress.clear();
  process.stdout.write(report(entityCount, medians(starts.empty), medians(starts.full)));
}

await main();
