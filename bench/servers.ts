/** Starts the servers that are compared, each with an empty folder of its own, and stops them. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { installedCommand } from './install.ts';

const startDurationMs = 60_000;
const stopDurationMs = 10_000;
const projectFolder: string = join(import.meta.dirname, '..');

export interface RunningServer {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** Whatever this run started must not outlive it, however the run ends. */
const started: Set<ChildProcess> = new Set();
process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    process.stderr.write(`\nstopped by ${signal}\n`);
    process.exit(1);
  });
}

export function buildTabularium(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: projectFolder, stdio: ['ignore', 2, 2] });
}

/** Starts the built server on a port of its choice, and waits until it says which. */
export async function startTabularium(dataFolder: string, options: string[] = []): Promise<RunningServer> {
  const child = launchTabularium(dataFolder, 0, options);
  const [, port] = await output(child, /TableEndpoint=http:\/\/127\.0\.0\.1:(\d+)\//);
  return runningServer(child, Number(port));
}

export function launchTabularium(dataFolder: string, port: number, options: string[] = []): ChildProcess {
  const cli = join(projectFolder, 'dist', 'cli.js');
  return launch([cli, 'start', '--table-port', `${port}`, '--data', dataFolder, ...options]);
}

/** Azurite as people run it: on disk, with its own defaults. It cannot choose a port and tell it. */
export async function startAzurite(dataFolder: string): Promise<RunningServer> {
  const script = installedCommand('azurite', 'azurite-table');
  const port = await freePort();
  mkdirSync(dataFolder, { recursive: true });
  const options = ['--silent', '--disableTelemetry', '--skipApiVersionCheck'];
  const child = launch([script, ...options, '--location', dataFolder, '--tablePort', `${port}`]);
  await output(child, /successfully started/);
  return runningServer(child, port);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** A Node process without the options that this one runs with. */
function launch(scriptAndOptions: string[]): ChildProcess {
  // That a server started and stopped is no news here; what it warns of is.
  const env = { ...process.env, TABULARIUM_LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, scriptAndOptions, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

/** Waits for a line on standard output; the rest of it is read and dropped, so that no pipe fills up. */
function output(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`the server did not start: ${text}`)), startDurationMs);
    child.once('exit', code => reject(new Error(`the server ended with ${code}: ${text}`)));
    child.stdout!.on('data', chunk => {
      if (text.length < 65_536) text += chunk;
      const match = pattern.exec(text);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    });
  });
}

export function runningServer(child: ChildProcess, port: number): RunningServer {
  return { port, pid: child.pid!, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopDurationMs);
  await ended;
  clearTimeout(timer);
}
