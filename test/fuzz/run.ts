/**
 * Fuzzes the real server: `npm run test:fuzz -- --minutes 10`. README.md beside this file says how, and what
 * must hold. Ends with 0 if all of it held.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Findings } from './findings.ts';
import { Fuzzer } from './fuzzer.ts';
import { Keepsake } from './keepsake.ts';
import { formatMebibytes, MemoryWatch } from './memory.ts';
import { ServerProcess } from './server-process.ts';
import { Tally } from './tally.ts';
import { accounts, Learned, type World } from './world.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '0' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    /** Only this case of the seed, or `first-last`. */
    case: { type: 'string' },
  },
});
const { seed } = options;
const durationMs = 60_000 * Number(options.minutes) + 1000 * Number(options.seconds) || 60_000;
const reportEveryMs = 10_000;

const findings = new Findings();
const tally = new Tally();
const server = await ServerProcess.start(accounts, line =>
  findings.addGeneral(`an error in the server's log: ${line}`),
);
const world: World = { port: server.port, accounts, now: Date.now, learned: new Learned() };
const keepsake = new Keepsake(world);
const fuzzer = new Fuzzer(server, world, findings, tally);
print(`seed ${seed}, ${options.case === undefined ? `${durationMs / 1000} s` : `case ${options.case}`}`);

await keepsake.write();
if (options.case === undefined) {
  await fuzzer.runKept();
  await fuzz();
} else {
  const [first = 0, last = first] = options.case.split('-').map(Number);
  await replay(seed, first, last);
}
if (!server.isAlive) findings.addGeneral(`the server died: ${server.ending}`, fuzzer.underWay, server.log);
else {
  const loss = await keepsake.check();
  if (loss !== undefined) findings.addGeneral(loss);
}
fuzzer.close();
const exitCode = await server.stop();
if (exitCode !== 0)
  findings.addGeneral(`the server did not stop well when it was told to: exit code ${exitCode}`);
print(
  `${findings.count === 0 ? 'clean' : `${findings.count} findings`}: seed ${seed}, ${tally.cases} cases, ${tally.summary()}`,
);
process.exitCode = findings.count === 0 ? 0 : 1;

async function replay(ofSeed: string, first: number, last: number): Promise<void> {
  for (let caseNumber = first; caseNumber <= last && !fuzzer.isOver; caseNumber++) {
    await fuzzer.runCase(ofSeed, caseNumber);
  }
}

/** In rounds: between two of them nothing is under way, and memory is measured. */
async function fuzz(): Promise<void> {
  const memory = new MemoryWatch();
  const began = performance.now();
  const end = began + durationMs;
  for (let nextCase = 1; performance.now() < end && !fuzzer.isOver; ) {
    nextCase = await fuzzer.runUntil(Math.min(end, performance.now() + reportEveryMs), seed, nextCase);
    if (!server.isAlive) return;
    const elapsed = (performance.now() - began) / 1000;
    const measured = await server.measure();
    memory.add(measured);
    const perSecond = Math.round(nextCase / elapsed);
    print(
      `${elapsed.toFixed(0)} s: ${nextCase - 1} cases (${perSecond}/s), ${tally.summary()}, RssAnon ${formatMebibytes(measured.rssAnonBytes)} MiB, held ${formatMebibytes(measured.heldBytes)} MiB`,
    );
  }
  const growth = memory.judge();
  if (growth !== undefined) findings.addGeneral(growth);
  print(`reached: ${tally.details()}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
