/**
 * Drives the server with the official clients: `npm run test:clients`, or `npm run test:clients -- go java` for
 * some of them. Each suite gets a server of its own. README.md here says what a suite owes.
 */
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { developmentAccount } from '../src/auth/accounts.ts';
import { startTabularium } from '../src/index.ts';
import { judge } from './judge.ts';
import { type Command, type Suite, suites } from './suites.ts';

const limitMs = 10 * 60_000;

/** What is wrong with a suite, or with its run; `output` is what the suite said about it. */
class SuiteFailure extends Error {
  readonly output: string;

  constructor(reason: string, output: string) {
    super(reason);
    this.output = output;
  }
}

interface Ending {
  /** Null after a signal. */
  readonly status: number | null;
  readonly isLate: boolean;
  /** Of both streams, as it came. */
  readonly output: string;
  readonly standardOutput: string;
}

/** Ends what runs now, with all that it started; undefined while nothing runs. */
let endRunning: (() => void) | undefined;
let isInterrupted = false;

function folderOf(suite: Suite): string {
  return join(import.meta.dirname, suite.folder);
}

/** Runs to the end or to the limit, in a group of its own: a language's launcher does not end with its program. */
function run([program, ...parameters]: Command, options: SpawnOptions): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    let standardOutput = '';
    let isLate = false;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      standardOutput += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    endRunning = () => process.kill(-(child.pid as number), 'SIGKILL');
    const limit = setTimeout(() => {
      isLate = true;
      endRunning?.();
    }, limitMs);
    child.on('error', error => {
      clearTimeout(limit);
      endRunning = undefined;
      reject(new SuiteFailure(`${program} cannot run: ${error.message}`, ''));
    });
    child.on('close', status => {
      clearTimeout(limit);
      endRunning = undefined;
      resolve({ status, isLate, output, standardOutput });
    });
  });
}

function explain(command: Command, { status, isLate }: Ending): string {
  const outcome = isLate
    ? `did not end within ${limitMs / 60_000} minutes`
    : `ended with ${status ?? 'a signal'}`;
  return `\`${command.join(' ')}\` ${outcome}`;
}

/** The first thing that the machine lacks. */
function missingFor(suite: Suite): string | undefined {
  const isThere = ([program, ...parameters]: Command): boolean =>
    spawnSync(program, parameters, { stdio: 'ignore' }).status === 0;
  return suite.needs.find(({ proof }) => !isThere(proof))?.what;
}

/** Installs what the suite needs, unless what is there was made from the same files by the same commands. */
async function prepare(suite: Suite): Promise<void> {
  if (suite.installation === undefined) return;
  const { into, madeFrom, commands } = suite.installation;
  const folder = folderOf(suite);
  const hash = createHash('sha256').update(JSON.stringify(commands));
  for (const file of madeFrom) hash.update(readFileSync(join(folder, file)));
  const state = hash.digest('hex');
  const stateFile = join(folder, into, '.made-from');
  if (existsSync(stateFile) && readFileSync(stateFile, 'utf8') === state) return;
  process.stderr.write(`${suite.name}: installing (once)\n`);
  for (const command of commands) {
    const ending = await run(command, { cwd: folder });
    if (ending.status !== 0) throw new SuiteFailure(explain(command, ending), ending.output);
  }
  writeFileSync(stateFile, state);
}

async function runOnServer(suite: Suite): Promise<Ending> {
  const tabularium = await startTabularium({ tablePort: 0, memory: true, logLevel: 'silent' });
  const endpoint = tabularium.endpoints.table;
  // Whatever stands between this machine and the internet must not stand between client and server.
  const direct = [process.env.NO_PROXY ?? process.env.no_proxy, '127.0.0.1'].filter(Boolean).join(',');
  const env = {
    ...process.env,
    NO_PROXY: direct,
    no_proxy: direct,
    TABULARIUM_CONNECTION_STRING: tabularium.connectionString,
    TABULARIUM_TABLE_ENDPOINT: endpoint,
    TABULARIUM_TABLE_SECONDARY_ENDPOINT: `${endpoint}-secondary`,
    TABULARIUM_ACCOUNT_NAME: developmentAccount.name,
    TABULARIUM_ACCOUNT_KEY: developmentAccount.key,
  };
  try {
    return await run(suite.command, { cwd: folderOf(suite), env });
  } finally {
    await tabularium.close();
  }
}

function chosenSuites(names: readonly string[]): readonly Suite[] {
  const unknown = names.find(name => !suites.some(suite => suite.name === name));
  if (unknown !== undefined) {
    process.stderr.write(`no suite is called ${unknown}: ${suites.map(({ name }) => name).join(', ')}\n`);
    process.exit(1);
  }
  return names.length === 0 ? suites : suites.filter(({ name }) => names.includes(name));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    endRunning?.();
  });
}

const counts = { passed: 0, failed: 0, skipped: 0 };
for (const suite of chosenSuites(process.argv.slice(2))) {
  const missing = missingFor(suite);
  if (missing !== undefined) {
    counts.skipped += 1;
    process.stdout.write(`SKIPPED ${suite.name}: this machine does not have ${missing}\n`);
    continue;
  }
  const beganMs = performance.now();
  try {
    await prepare(suite);
    const ending = await runOnServer(suite);
    const { passed, fault } = judge(ending.standardOutput, suite.casesMin);
    const reason = fault ?? (ending.status === 0 ? undefined : explain(suite.command, ending));
    if (reason !== undefined) throw new SuiteFailure(reason, ending.output);
    counts.passed += 1;
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
    process.stdout.write(`passed ${suite.name}: ${passed} cases in ${seconds} s\n`);
  } catch (error) {
    if (!(error instanceof SuiteFailure)) throw error;
    counts.failed += 1;
    process.stdout.write(`${error.output.trimEnd()}\nFAILED ${suite.name}: ${error.message}\n`);
  }
  if (isInterrupted) break;
}
process.stdout.write(
  `clients: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
);
if (counts.failed > 0) process.exitCode = 1;
