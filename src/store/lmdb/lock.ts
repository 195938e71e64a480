import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';

interface FileLocks {
  tryLock(descriptor: number, options?: { exclusive?: boolean }): boolean;
}
// A CommonJS package without types; of its surface this is all that we use.
const { tryLock } = createRequire(import.meta.url)('fs-native-extensions') as FileLocks;

/** A file's lock. The system gives it back when the last process that has the descriptor has ended, however. */
export interface FileLock {
  /** Handed to a child process, the lock is held by both. */
  readonly descriptor: number;
  release(): void;
}

const retryMs = 20;

/** Takes the lock of a file, which is made where it is missing, and waits for it as long. Undefined where another holds it. */
export function takeFileLock(path: string, waitMs = 0): FileLock | undefined {
  return lockDescriptor(openSync(path, 'a+', 0o600), waitMs);
}

/** Takes the lock of a file that is there, at once. Throws where it is not. */
export function takeExistingLock(path: string): FileLock | undefined {
  return lockDescriptor(openSync(path, 'r+'), 0);
}

function lockDescriptor(descriptor: number, waitMs: number): FileLock | undefined {
  for (let waitedMs = 0; !tryLock(descriptor); waitedMs += retryMs) {
    if (waitedMs >= waitMs) {
      closeSync(descriptor);
      return undefined;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
  }
  return { descriptor, release: () => closeSync(descriptor) };
}
