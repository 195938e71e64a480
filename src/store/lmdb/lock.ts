import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';

interface FileLocks {
  tryLock(descriptor: number, options?: { exclusive?: boolean }): boolean;
}
// A CommonJS package without types; of its surface this is all that we use.
const { tryLock } = createRequire(import.meta.url)('fs-native-extensions') as FileLocks;

/**
 * Takes the lock of a file, which the system gives back when this process ends, however it ends. Undefined
 * where another holds it; else a function that releases it.
 */
export function takeFileLock(path: string): (() => void) | undefined {
  const descriptor = openSync(path, 'a+', 0o600);
  if (tryLock(descriptor)) return () => closeSync(descriptor);
  closeSync(descriptor);
  return undefined;
}
