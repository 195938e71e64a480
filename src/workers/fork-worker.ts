import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';

/**
 * Begins a worker, which gets its share of the connections.
 *
 * node:cluster forgets the connection that is on its way to a worker when the worker ends: nobody would ever answer
 * its client, or hang up. There is one at a time, which is closed here; to close one again that has arrived does
 * nothing.
 */
export function forkWorker(): ChildProcess {
  const worker = cluster.fork();
  // That a worker cannot be reached is told by its end.
  worker.on('error', () => {});
  const child = worker.process;
  const send = child.send.bind(child) as (...parameters: unknown[]) => boolean;
  let connection: { close(): void } | undefined;
  child.send = (message: unknown, handle?: unknown, ...others: unknown[]): boolean => {
    if (typeof handle === 'object' && handle !== null) connection = handle as { close(): void };
    return send(message, handle, ...others);
  };
  child.once('exit', () => connection?.close());
  return child;
}
