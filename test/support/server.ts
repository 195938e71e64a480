import { after } from 'node:test';
import type { TabulariumOptions } from '../../src/config.ts';
import { type Surroundings, startTabularium, type Tabularium } from '../../src/index.ts';
import { createLogger } from '../../src/observe/log.ts';
import { startWorkers } from '../../src/workers/supervisor.ts';

/** `TEST_WORKERS=2 npm test` holds servers of several processes to the same tests. */
const workers = Number(process.env.TEST_WORKERS ?? 1);

/**
 * A server of this test file's own, on a free port, in a temporary folder; started on first use and closed
 * after the file's tests. Call it at the top level of a test file or inside a `describe`.
 */
export function useServer(
  options: TabulariumOptions = {},
  surroundings?: Surroundings,
): () => Promise<Tabularium> {
  let started: Promise<Tabularium> | undefined;
  after(async () => (await started)?.close());
  return () => {
    const all: TabulariumOptions = { tablePort: 0, memory: true, logLevel: 'silent', ...options };
    // What surrounds a server are functions of this process, which workers do not have.
    started ??=
      workers === 1 || surroundings !== undefined
        ? startTabularium(all, surroundings)
        : startWorkers(workers, all, createLogger('silent'));
    return started;
  };
}

let lastName = 0;

/** A table name that no other test uses. */
export function freshTableName(prefix = 'table'): string {
  lastName++;
  return `${prefix}${process.pid}x${lastName}`;
}
