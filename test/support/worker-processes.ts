import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type { TestContext } from 'node:test';
import type { Run } from './program.ts';
import { type RawRequest, type RawResponse, rawClient } from './raw-client.ts';

export type Send = (request: RawRequest) => Promise<RawResponse>;

/** What the log of a server tells, line by line. */
export function logLines(server: Run): Record<string, unknown>[] {
  return server.errors
    .split('\n')
    .filter(line => line.startsWith('{') && line.endsWith('}'))
    .map(line => JSON.parse(line));
}

/** The ids of a server's processes of a name, in the order in which they began. */
export function pidsOf(server: Run, name: string): number[] {
  return logLines(server)
    .filter(({ msg, process }) => msg === 'a process has begun' && process === name)
    .map(({ pid }) => pid as number);
}

/** One that has ended may stay a while in the list of processes, until whoever adopted it looks. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isDefunct(pid);
}

/** Where the system does not tell, it is not. */
function isDefunct(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** A client with one connection that it keeps; the test's end closes it. */
export function connectionTo(t: TestContext, endpoint: string): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  return rawClient(endpoint, undefined, agent);
}
