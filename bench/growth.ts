/**
 * Does the server get slower, or larger, as its data grows? Stores of several sizes, all served at once by a
 * server each, and asked in turns. They stay in their folder: to load the largest takes minutes.
 */

import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Child } from './child.ts';
import { growthLayout, type Layout } from './entities.ts';
import { type Measurement, operationsPerSecond } from './http-load.ts';
import { endWithHelp, positive } from './options.ts';
import { privateMemoryMiBOf, untilQuiet, watchOthers } from './process-usage.ts';
import { Meter, Progress } from './progress.ts';
import { aligned, bandText, disturbanceText, numberText, verdictLine } from './report.ts';
import { cpuMsPerOperation, type Result, Results, rate } from './results.ts';
import { buildTabularium, type RunningServer, startTabularium } from './servers.ts';
import { measureStart, medians, type Start } from './start-up.ts';
import { bandOf } from './statistics.ts';
import { type WorkloadName, workloadNamed } from './workloads.ts';

const concurrency = 32;
const readCount = 1_000;
/** The inserts come last, as they are taken away again while others could be at work. */
const workloadNames = ['point-read', 'page', 'insert'] as const satisfies readonly WorkloadName[];

const rateRatioMin = 0.85;
const startDifferenceMsMax = 200;
const memoryDifferenceMiBMax = 50;

const help = `npm run bench:growth -- [options]
  --sizes 10k,1m        entities of 200 bytes, up to 10m (10k,100k,1m,10m)
  --folder PATH         where the stores are made, and found again (tabularium-growth in TMPDIR)
  --rounds N            interleaved rounds (5)
  --seconds S           of each measurement (2)
  --no-build            measure dist/ as it is

Ten million take some minutes to load and some gigabytes of disk. A load that was interrupted goes on where it
stopped; a size that is there is used again.
`;

interface Options {
  folder: string;
  sizes: Size[];
  rounds: number;
  durationMs: number;
  build: boolean;
}

interface Size {
  label: string;
  layout: Layout;
}

interface Subject extends Size {
  dataFolder: string;
  /** When it was loaded: what is inserted in measurements, and taken away again, leaves room behind. */
  diskBytes: number;
  starts: Start[];
}

function parseOptions(): Options {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '10k,100k,1m,10m' },
      folder: { type: 'string', default: join(tmpdir(), 'tabularium-growth') },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) endWithHelp(help);
  return {
    folder: values.folder,
    sizes: values.sizes
      .split(',')
      .map(sizeOf)
      .toSorted((one, other) => one.layout.entityCount - other.layout.entityCount),
    rounds: positive('rounds', values.rounds),
    durationMs: positive('seconds', values.seconds) * 1000,
    build: !values['no-build'],
  };
}

function sizeOf(label: string): Size {
  const [, digits, unit] = /^(\d+)([km])$/.exec(label) ?? [];
  return { label, layout: growthLayout(Number(digits) * (unit === 'm' ? 1_000_000 : 1_000)) };
}

/** The store of a size, loaded now or before; a file beside its folder tells that it is whole. */
async function prepare(size: Size, folder: string, load: Child, progress: Progress): Promise<Subject> {
  const dataFolder = join(folder, size.label);
  const note = `${dataFolder}.json`;
  const diskBytes = diskBytesIn(note) ?? (await fill(size, dataFolder, load, progress));
  writeFileSync(note, `${JSON.stringify({ diskBytes })}\n`);
  for (const file of readdirSync(dataFolder)) readThrough(join(dataFolder, file));
  return { ...size, dataFolder, diskBytes, starts: [] };
}

function diskBytesIn(note: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(note, 'utf8')) as { diskBytes: number }).diskBytes;
  } catch {
    return undefined;
  }
}

async function fill(
  { label, layout }: Size,
  dataFolder: string,
  load: Child,
  progress: Progress,
): Promise<number> {
  const server = await startTabularium(dataFolder);
  const meter = new Meter(progress, `loading ${label}`, layout.entityCount);
  await load.ask({ kind: 'fill', port: server.port, layout }, done => meter.show(done));
  await server.stop();
  const files = readdirSync(dataFolder).map(name => statSync(join(dataFolder, name)));
  return files.reduce((bytes, { blocks }) => bytes + blocks * 512, 0);
}

/** Brings into the page cache what fits: the first measurement should not be one of the disk. */
function readThrough(file: string): void {
  const buffer = Buffer.allocUnsafe(8 * 1024 * 1024);
  const descriptor = openSync(file, 'r');
  while (readSync(descriptor, buffer) > 0);
  closeSync(descriptor);
}

function inTurn<T>(items: readonly T[], round: number): T[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

async function measureStarts(
  subjects: readonly Subject[],
  rounds: number,
  progress: Progress,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const { label, dataFolder, layout, starts } of inTurn(subjects, round)) {
      const start = await measureStart(dataFolder, layout, true, readCount);
      starts.push(start);
      progress.step(`round ${round + 1}, start of ${label}: ${start.readyMs.toFixed(0)} ms`);
    }
  }
}

interface Served {
  results: Results;
  /** Private memory of each server after all its rounds. */
  memoryMiB: number[];
}

async function measureServers(
  subjects: readonly Subject[],
  { rounds, durationMs }: Options,
  load: Child,
  progress: Progress,
): Promise<Served> {
  const servers = new Map<Subject, RunningServer>();
  for (const subject of subjects) servers.set(subject, await startTabularium(subject.dataFolder));
  const results: Result[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const workload of workloadNames) {
      for (const subject of inTurn(subjects, round)) {
        const { label } = subject;
        const othersShare = watchOthers();
        const ask = { workload, round, concurrency, durationMs, warmupMs: 300 };
        const measurement = await measure(subject, servers.get(subject)!, ask, load, progress);
        const result = { round, workload, concurrency, label, measurement, othersShare: othersShare() };
        results.push(result);
        const perSecond = Math.round(operationsPerSecond(measurement));
        progress.step(`round ${round + 1}, ${workloadNamed(workload).title}, ${label}: ${perSecond} ops/s`);
      }
    }
  }
  const memoryMiB = [...servers.values()].map(({ pid }) => privateMemoryMiBOf(pid));
  for (const server of servers.values()) await server.stop();
  return { results: new Results(results), memoryMiB };
}

/** Inserts go into a second table of the same store, which is the same tree, and is dropped again. */
async function measure(
  { label, layout }: Subject,
  { port, pid }: RunningServer,
  ask: { workload: WorkloadName; round: number; concurrency: number; durationMs: number; warmupMs: number },
  load: Child,
  progress: Progress,
): Promise<Measurement> {
  const job = { kind: 'measure', port, serverPid: pid, layout, ...ask };
  const isInsert = ask.workload === 'insert';
  if (isInsert) {
    job.layout = { ...layout, table: 'inserts' };
    await load.ask({ kind: 'remake-table', port, table: job.layout.table });
  }
  const measurement = await load.ask<Measurement>(job);
  if (isInsert) {
    await load.ask({ kind: 'drop-table', port, table: job.layout.table });
    await untilQuiet(label, pid, progress);
  }
  if (measurement.errors > 0) throw new Error(`${label}: wrong answers, such as ${measurement.errorSample}`);
  return measurement;
}

function ratesText(results: Results, subjects: readonly Subject[]): string[] {
  const smallest = subjects[0]!.label;
  return results
    .cells()
    .flatMap(cell => [
      `${workloadNamed(cell.workload).title}, ${cell.concurrency} at once`,
      ...aligned([
        ['', 'ops/s', 'CPU µs/op', `of ${smallest}`],
        ...subjects.map(({ label }) => [
          label,
          numberText(results.middle(cell, label, rate)),
          numberText(results.middle(cell, label, cpuMsPerOperation) * 1000),
          bandText(results.ratio(cell, label, smallest, rate)!),
        ]),
      ]),
      '',
    ]);
}

function sizesText(subjects: readonly Subject[], memoryMiB: readonly number[]): string[] {
  return aligned([
    [
      '',
      'ready ms',
      'MiB when ready',
      `MiB after ${readCount} reads`,
      'MiB after all rounds',
      'disk bytes an entity',
    ],
    ...subjects.map(({ label, layout, diskBytes, starts }, number) => {
      const { readyMs, readyMiB, readMiB } = medians(starts);
      const memory = [readyMiB, readMiB, memoryMiB[number]!].map(mebibytes => mebibytes.toFixed(1));
      return [label, readyMs.toFixed(0), ...memory, numberText(diskBytes / layout.entityCount)];
    }),
  ]);
}

/** The largest against the smallest. */
function barsText(results: Results, subjects: readonly Subject[]): string[] {
  const smallest = subjects[0]!;
  const largest = subjects.at(-1)!;
  const rates = (['point-read', 'page'] as const).map(workload => {
    const band = results.ratio({ workload, concurrency }, largest.label, smallest.label, rate)!;
    const claim = `${workloadNamed(workload).title}: at least ${rateRatioMin} × its rate`;
    return verdictLine(band.median >= rateRatioMin ? 'pass' : 'MISS', claim, band);
  });
  const difference = (title: string, value: (start: Start) => number, max: number, unit: string) => {
    // Starts were interleaved, so those of one round belong together.
    const band = bandOf(largest.starts.map((start, round) => value(start) - value(smallest.starts[round]!)));
    return verdictLine(band.median <= max ? 'pass' : 'MISS', `${title}: at most ${max} ${unit} more`, band);
  };
  return [
    `bars, ${largest.label} against ${smallest.label}`,
    ...rates,
    difference('start', ({ readyMs }) => readyMs, startDifferenceMsMax, 'ms'),
    difference('memory when ready', ({ readyMiB }) => readyMiB, memoryDifferenceMiBMax, 'MiB'),
    difference('memory after reads', ({ readMiB }) => readMiB, memoryDifferenceMiBMax, 'MiB'),
    ...disturbanceText(results),
  ];
}

async function main(): Promise<void> {
  const options = parseOptions();
  const progress = new Progress();
  if (options.build) buildTabularium();
  mkdirSync(options.folder, { recursive: true });
  const load = new Child('load.ts');
  const subjects: Subject[] = [];
  for (const size of options.sizes) subjects.push(await prepare(size, options.folder, load, progress));
  await measureStarts(subjects, options.rounds, progress);
  const { results, memoryMiB } = await measureServers(subjects, options, load, progress);
  load.stop();
  progress.clear();
  const lines = [
    ...ratesText(results, subjects),
    ...sizesText(subjects, memoryMiB),
    '',
    ...barsText(results, subjects),
    '',
    `the stores stay in ${options.folder}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

await main();
