/** What a process has used, from /proc: Linux only, as the numbers it is compared with. */

import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Progress } from './progress.ts';

/** The kernel counts processor time for user space in hundredths of a second, whatever its own clock. */
const ticksPerSecond = 100;
const quietDurationMs = 250;
const quietCpuSecondsMax = 0.03;
const settleDurationMsMax = 60_000;

interface ProcessStat {
  parentPid: number;
  ticks: number;
}

function statOf(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name of the program stands in parentheses and may hold blanks; the fields are counted after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks, childUserTicks, childSystemTicks] = fields.slice(11, 15).map(Number);
  return {
    parentPid: Number(fields[1]),
    ticks: userTicks! + systemTicks! + childUserTicks! + childSystemTicks!,
  };
}

/**
 * Processor time of a process and of each of its descendants, all their threads and those of their children that
 * have ended included.
 */
export function cpuSecondsByProcess(pid: number): Map<number, number> {
  const stats = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(Number(name));
    if (stat !== undefined) stats.set(Number(name), stat);
  }
  if (!stats.has(pid)) throw new Error(`process ${pid} is gone`);
  const seconds = new Map<number, number>();
  for (const [candidate, stat] of stats) {
    if (descendsFrom(stats, candidate, pid)) seconds.set(candidate, stat.ticks / ticksPerSecond);
  }
  return seconds;
}

/** Processor time of a process and all its descendants. */
export function cpuSecondsOf(pid: number): number {
  return sum(cpuSecondsByProcess(pid).values());
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Waits until a process and its descendants have next to nothing to do any more, for a minute at the most. */
export async function untilQuiet(name: string, pid: number, progress: Progress): Promise<void> {
  const deadlineMs = performance.now() + settleDurationMsMax;
  while (performance.now() < deadlineMs) {
    const before = cpuSecondsOf(pid);
    await wait(quietDurationMs);
    if (cpuSecondsOf(pid) - before <= quietCpuSecondsMax) return;
  }
  progress.note(`${name} was still at work ${settleDurationMsMax / 1000} s after its turn`);
}

function descendsFrom(stats: Map<number, ProcessStat>, candidate: number, ancestor: number): boolean {
  let pid: number | undefined = candidate;
  while (pid !== undefined && pid !== ancestor) pid = stats.get(pid)?.parentPid;
  return pid === ancestor;
}

/** Processor time that all processes of the machine have used; interrupts, which belong to none, are left out. */
function machineCpuSeconds(): number {
  const [user, nice, system] = readFileSync('/proc/stat', 'latin1').split('\n')[0]!.split(/ +/).slice(1, 4);
  return (Number(user) + Number(nice) + Number(system)) / ticksPerSecond;
}

/** Tells what part of the machine's processors others than this process and its descendants use meanwhile. */
export function watchOthers(): () => number {
  const others = () => machineCpuSeconds() - cpuSecondsOf(process.pid);
  const beganAtMs = performance.now();
  const before = others();
  return () => {
    const availableSeconds = ((performance.now() - beganAtMs) / 1000) * availableParallelism();
    return Math.max(0, (others() - before) / availableSeconds);
  };
}

/** Private memory of one process: what mapped files hold in the page cache is not counted. */
export function privateMemoryMiBOf(pid: number): number {
  const line = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  if (line === null) throw new Error('/proc does not tell RssAnon: Linux is required');
  return Number(line[1]) / 1024;
}
