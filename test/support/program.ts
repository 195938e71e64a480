import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

/** The command line, as its users run it: a process of its own. */
const program = new URL('../../src/cli.ts', import.meta.url).pathname;

export interface Run {
  readonly process: ChildProcess;
  output: string;
  errors: string;
  readonly exited: Promise<number | null>;
}

/** Runs the program until it ends; the test's end kills it. */
export function run(t: TestContext, args: readonly string[], environment: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    env: { ...process.env, ...environment },
  });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const result: Run = { process: child, output: '', errors: '', exited };
  child.stdout.on('data', chunk => (result.output += chunk));
  child.stderr.on('data', chunk => (result.errors += chunk));
  return result;
}

/** Waits for output, while the program goes on. */
export async function until(run: Run, holds: () => boolean): Promise<void> {
  while (!holds()) {
    assert.equal(run.process.exitCode, null, `it ended: ${run.errors}`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}

/** Starts a server, waits until it is ready, and gives its endpoint. */
export async function start(
  t: TestContext,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Run & { endpoint: string }> {
  const server = run(t, ['start', '--table-port', '0', ...args], environment);
  await until(server, () => server.output.includes('Stop with'));
  return Object.assign(server, { endpoint: /Table service\s+(\S+)/.exec(server.output)?.[1] as string });
}
