/**
 * How fast is the server? Rates mean little on a machine that nobody else has, so the answer is in ratios to
 * others on the same machine in the same minute: to what people use instead (azurite), to the least that an
 * HTTP server could do (bare), and to the store alone (raw). Our server also runs against itself, which is
 * how wide the noise is: a difference within that band is none.
 */

import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Child } from './child.ts';
import {
  type Contestant,
  type ContestantName,
  contestantNames,
  prepareContestants,
  usualContestants,
} from './contestants.ts';
import { type Layout, layOut } from './entities.ts';
import { operationsPerSecond } from './http-load.ts';
import { endWithHelp, positive } from './options.ts';
import { watchOthers } from './process-usage.ts';
import { Progress } from './progress.ts';
import { againLabel, barsText, tablesText } from './report.ts';
import { type Result, Results } from './results.ts';
import { buildTabularium } from './servers.ts';
import { type Workload, workloadNamed, workloads } from './workloads.ts';

interface Options {
  rounds: number;
  durationMs: number;
  warmupMs: number;
  workloads: Workload[];
  contestants: ContestantName[];
  concurrencies: number[];
  layout: Layout;
  jsonFile: string | undefined;
  build: boolean;
}

const help = `npm run bench -- [options]
  --rounds N            interleaved rounds (5)
  --seconds S           of each measurement (2)
  --warmup S            before each measurement (0.3)
  --only a,b            workloads: ${workloads.map(({ name }) => name).join(', ')}
  --contestants a,b     of ${contestantNames.join(', ')}
                        (${usualContestants.join(',')})
  --concurrency a,b     connections (1,32)
  --entities N          in the table before the start (50000)
  --json FILE           where the results go (bench/results/<time>.json)
  --no-build            measure dist/ as it is

The data goes to the temporary folder (TMPDIR), some gigabytes of it; it should be on a disk.
`;

/** The type that a file system in memory has, on which nothing is durable and every sync is free. */
const tmpfsType = 0x01021994;
function parseOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      warmup: { type: 'string', default: '0.3' },
      only: { type: 'string' },
      contestants: { type: 'string', default: usualContestants.join(',') },
      concurrency: { type: 'string', default: '1,32' },
      entities: { type: 'string', default: '50000' },
      json: { type: 'string' },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) endWithHelp(help);
  return {
    rounds: positive('rounds', values.rounds),
    durationMs: positive('seconds', values.seconds) * 1000,
    warmupMs: positive('warmup', values.warmup) * 1000,
    workloads: values.only === undefined ? [...workloads] : values.only.split(',').map(workloadNamed),
    contestants: values.contestants.split(',').map(contestantNamed),
    concurrencies: values.concurrency.split(',').map(text => positive('concurrency', text)),
    layout: layOut(positive('entities', values.entities)),
    jsonFile: values.json,
    build: !values['no-build'],
  };
}

function contestantNamed(name: string): ContestantName {
  const found = contestantNames.find(candidate => candidate === name);
  if (found === undefined) throw new Error(`no contestant is called ${name}: ${contestantNames.join(', ')}`);
  return found;
}

interface Turn {
  label: string;
  contestant: Contestant;
}

/** The order of a round: every round another one begins, and our second turn is far from the first. */
function turnsOf(contestants: Contestant[], round: number): Turn[] {
  const turns = contestants.map(contestant => ({ label: contestant.name as string, contestant }));
  const ours = contestants.find(({ name }) => name === 'tabularium');
  if (ours !== undefined) turns.push({ label: againLabel, contestant: ours });
  const first = round % turns.length;
  return [...turns.slice(first), ...turns.slice(0, first)];
}

async function runRounds(options: Options, contestants: Contestant[], progress: Progress): Promise<Result[]> {
  const results: Result[] = [];
  const turnCount = turnsOf(contestants, 0).length;
  const total = options.rounds * options.workloads.length * options.concurrencies.length * turnCount;
  for (let round = 0; round < options.rounds; round += 1) {
    // What a fast contestant inserted in a round must not make its next round slower, nor a slow one's faster.
    if (round > 0) for (const contestant of contestants) await contestant.reload();
    for (const workload of options.workloads) {
      for (const concurrency of options.concurrencies) {
        for (const { label, contestant } of turnsOf(contestants, round)) {
          const at = `[${results.length + 1}/${total}] round ${round + 1}, ${workload.title} at ${concurrency}, ${label}`;
          progress.show(at);
          const { durationMs, warmupMs } = options;
          const question = { workload: workload.name, concurrency, durationMs, warmupMs, round };
          await contestant.prepare(question);
          const othersShare = watchOthers();
          const measurement = await contestant.measure(question);
          results.push({
            round,
            workload: workload.name,
            concurrency,
            label,
            measurement,
            othersShare: othersShare(),
          });
          progress.step(`${at}: ${Math.round(operationsPerSecond(measurement))} ops/s`);
          if (measurement.errors > 0) progress.note(`FAILED ${at}: ${faultText(measurement)}`);
          if (workload.writes) await contestant.settle();
        }
      }
    }
  }
  progress.clear();
  return results;
}

function faultText({ errors, errorSample }: { errors: number; errorSample?: string }): string {
  return `${errors} wrong answers, such as: ${errorSample}`;
}

function writeResults(options: Options, results: readonly Result[], date: Date): string {
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const file = options.jsonFile ?? join(folder, `${date.toISOString().replaceAll(':', '-')}.json`);
  const machine = {
    cores: availableParallelism(),
    processor: cpus()[0]?.model,
    memoryMiB: Math.round(totalmem() / 1024 / 1024),
    node: process.version,
    date: date.toISOString(),
  };
  const { rounds, durationMs, warmupMs, layout } = options;
  const setting = { rounds, durationMs, warmupMs, entityCount: layout.entityCount };
  writeFileSync(file, `${JSON.stringify({ machine, setting, results }, null, 2)}\n`);
  return relative(process.cwd(), file);
}

async function main(): Promise<void> {
  const options = parseOptions();
  const date = new Date();
  const progress = new Progress();
  if (options.build) buildTabularium();
  const folder = mkdtempSync(join(tmpdir(), 'tabularium-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  if (statfsSync(folder).type === tmpfsType) {
    progress.note('the temporary folder is in memory: writes cost less here than on a disk (set TMPDIR)');
  }
  const load = new Child('load.ts');
  const setting = { folder, layout: options.layout, load, progress };
  const contestants = await prepareContestants(options.contestants, setting);
  const results = new Results(await runRounds(options, contestants, progress));
  for (const contestant of contestants) await contestant.stop();
  load.stop();

  process.stdout.write(`${tablesText(results)}\n${barsText(results)}\n`);
  process.stdout.write(`all rounds are in ${writeResults(options, results.all, date)}\n`);
  const failed = results.all.filter(({ measurement }) => measurement.errors > 0);
  for (const { label, workload, concurrency, measurement } of failed) {
    process.stdout.write(`FAILED ${label}, ${workload} at ${concurrency}: ${faultText(measurement)}\n`);
  }
  if (failed.length > 0) process.exitCode = 1;
}

await main();
