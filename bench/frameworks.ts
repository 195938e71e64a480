/**
 * Should the server stand on node:http or on fastify? The same answer to the same requests from both, in
 * turns: what a framework's routing and reply cost here is what all requests would pay.
 */

import { parseArgs } from 'node:util';
import { Child } from './child.ts';
import { layOut } from './entities.ts';
import type { Framework } from './framework-server.ts';
import { exchange, type Measurement, operationsPerSecond } from './http-load.ts';
import { endWithHelp, positive } from './options.ts';
import { Progress } from './progress.ts';
import { aligned } from './report.ts';
import { RequestMaker } from './requests.ts';
import { bandOf, median } from './statistics.ts';
import { entityResource } from './workloads.ts';

const concurrency = 32;
/** Any: the servers answer the same whatever the key. */
const layout = layOut(50_000);

const help = `npm run bench:frameworks -- [options]
  --rounds N            interleaved rounds (7)
  --seconds S           of each measurement (2)
`;

interface Contestant {
  framework: Framework;
  port: number;
  child: Child;
  measurements: Measurement[];
}

async function start(framework: Framework): Promise<Contestant> {
  const child = new Child('framework-server.ts');
  const { port } = await child.ask<{ port: number }>({ framework });
  return { framework, port, child, measurements: [] };
}

/** The names of the headers of an answer, so that both are held to the same. */
async function headerNames(port: number): Promise<string> {
  const { head } = await exchange(
    port,
    new RequestMaker(port).make('GET', entityResource('t', { partitionKey: 'p', rowKey: 'r' })),
  );
  const names = head.split('\r\n').slice(1);
  return names
    .map(line => line.slice(0, line.indexOf(':')).toLowerCase())
    .toSorted()
    .join(', ');
}

function row({ framework, measurements }: Contestant): string[] {
  return [
    framework,
    median(measurements.map(operationsPerSecond)).toFixed(0),
    median(measurements.map(({ p50Ms }) => p50Ms)).toFixed(3),
    median(measurements.map(({ p99Ms }) => p99Ms)).toFixed(3),
    median(
      measurements.map(({ serverCpuSeconds, operations }) => (serverCpuSeconds / operations) * 1e6),
    ).toFixed(1),
  ];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '2' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) endWithHelp(help);
  const rounds = positive('rounds', values.rounds);
  const durationMs = positive('seconds', values.seconds) * 1000;
  const progress = new Progress();
  const load = new Child('load.ts');
  const plain = await start('node:http');
  const fastify = await start('fastify');
  const names = await headerNames(plain.port);
  if (names !== (await headerNames(fastify.port))) throw new Error('the two answer different headers');
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of round % 2 === 0 ? [plain, fastify] : [fastify, plain]) {
      const measurement = await load.ask<Measurement>({
        kind: 'measure',
        port: contestant.port,
        serverPid: contestant.child.pid,
        layout,
        workload: 'point-read',
        concurrency,
        warmupMs: 500,
        durationMs,
        round,
      });
      if (measurement.errors > 0) throw new Error(`${contestant.framework}: ${measurement.errorSample}`);
      contestant.measurements.push(measurement);
      const rate = Math.round(operationsPerSecond(measurement));
      progress.step(`round ${round + 1}, ${contestant.framework}: ${rate} ops/s`);
    }
  }
  progress.clear();
  const ratio = bandOf(
    fastify.measurements.map(
      (measurement, round) =>
        operationsPerSecond(measurement) / operationsPerSecond(plain.measurements[round]!),
    ),
  );
  const header = ['', 'ops/s', 'p50 ms', 'p99 ms', 'CPU µs/op'];
  process.stdout.write(`${aligned([header, row(plain), row(fastify)]).join('\n')}\n`);
  const span = `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`;
  process.stdout.write(`  fastify/node:http ${ratio.median.toFixed(2)} (${span})\n`);
  for (const child of [load, plain.child, fastify.child]) child.stop();
}

await main();
