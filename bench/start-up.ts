/** What a start of the server takes: time until it is ready, and memory. */

import { setTimeout as wait } from 'node:timers/promises';
import { keyOf, type Layout } from './entities.ts';
import { exchange } from './http-load.ts';
import { privateMemoryMiBOf } from './process-usage.ts';
import { RequestMaker } from './requests.ts';
import { freePort, launchTabularium, runningServer } from './servers.ts';
import { median } from './statistics.ts';
import { entityResource, scattered } from './workloads.ts';

const pollDurationMs = 2;
const readyDurationMsMax = 60_000;

/** One start of the server. */
export interface Start {
  /** From the moment that the process is made to the first 200 of /-/ready. */
  readyMs: number;
  /** Private memory: when ready, and after the reads. */
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

/** Starts a server, reads a few entities, which an empty one answers 404, and stops it. */
export async function measureStart(
  dataFolder: string,
  layout: Layout,
  isFull: boolean,
  readCount: number,
): Promise<Start> {
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
    const key = keyOf(layout, scattered(position, layout.entityCount, 0));
    const answer = await exchange(port, maker.make('GET', entityResource(layout.table, key)));
    if (answer.status !== (isFull ? 200 : 404)) throw new Error(`${answer.head} ${answer.body}`);
  }
  const readMiB = privateMemoryMiBOf(server.pid);
  await server.stop();
  return { readyMs, readyMiB, readMiB };
}

export function medians(starts: Start[]): Start {
  return {
    readyMs: median(starts.map(({ readyMs }) => readyMs)),
    readyMiB: median(starts.map(({ readyMiB }) => readyMiB)),
    readMiB: median(starts.map(({ readMiB }) => readMiB)),
  };
}
