import { after } from 'node:test';
import type { TabulariumOptions } from '../../src/config.ts';
import { type Surroundings, startTabularium, type Tabularium } from '../../src/index.ts';

/**
 * A server of this test file's own, on a free port, in a temporary folder; started on first use and closed
 * after the file's tests. Call it at the top level of a test file or inside a `describe`.
 */
export function useServer(
  options: TabulariumOptions = {},
  surroundings: Surroundings = {},
): () => Promise<Tabularium> {
  let started: Promise<Tabularium> | undefined;
  after(async () => (await started)?.close());
  return () => {
    started ??= startTabularium({ tablePort: 0, memory: true, logLevel: 'silent', ...options }, surroundings);
    return started;
  };
}

let lastName = 0;

/** A table name that no other test uses. */
export function freshTableName(prefix = 'table'): string {
  lastName++;
  return `${prefix}${process.pid}x${lastName}`;
}
