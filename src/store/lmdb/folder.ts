import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type FileLock, takeExistingLock, takeFileLock } from './lock.ts';

/** A reason why a data folder cannot be used, told to the operator in one line. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

export interface DataFolder {
  readonly path: string;
  /** Deleted when it is released: what is in it need not be flushed. */
  readonly isTemporary: boolean;
  /** Lets go of the folder. */
  release(): void;
}

/** A folder that this process has taken; a child that is given the descriptor holds it, too. */
export interface ClaimedFolder extends DataFolder {
  readonly lockDescriptor: number;
}

const lockFile = 'tabularium.lock';
const temporaryPrefix = 'tabularium-memory-';
/** A server whose first process was killed needs a moment until the others, which hold the folder, have ended. */
const claimWaitMs = 1000;

/** Types that statfs gives for network file systems, whose locks and flushes do not hold what LMDB needs. */
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB2'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9P'],
  [0x00c36400, 'CephFS'],
  [0x5346414f, 'AFS'],
]);

/** Makes the folder where it is missing, and takes it for this process. Throws DataFolderError. */
export function claimFolder(path: string): ClaimedFolder {
  const absolute = resolve(path);
  const explain = (error: unknown): DataFolderError =>
    new DataFolderError(`cannot write to the data folder ${absolute}: ${(error as Error).message}`);
  let lock: FileLock | undefined;
  try {
    makeFolder(absolute);
    refuseNetworkFileSystem(absolute);
    lock = takeFileLock(join(absolute, lockFile), claimWaitMs);
  } catch (error) {
    throw error instanceof DataFolderError ? error : explain(error);
  }
  if (lock === undefined) {
    throw new DataFolderError(`the data folder ${absolute} is in use by another tabularium server`);
  }
  return { path: absolute, isTemporary: false, lockDescriptor: lock.descriptor, release: lock.release };
}

/** Not mkdir's own recursion, which never ends where the system says ENOENT of a folder whose parent is there. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
  flushFolder(dirname(path));
}

/** A folder that does not outlive the process; those that a killed one left behind are swept. */
export function claimTemporaryFolder(): ClaimedFolder {
  refuseNetworkFileSystem(tmpdir());
  sweepTemporaryFolders();
  for (;;) {
    const path = mkdtempSync(join(tmpdir(), temporaryPrefix));
    const lock = takeTemporaryLock(join(path, lockFile));
    if (lock === undefined) continue;
    return {
      path,
      isTemporary: true,
      lockDescriptor: lock.descriptor,
      release() {
        rmSync(path, { recursive: true, force: true });
        lock.release();
      },
    };
  }
}

/** Undefined where another process, which sweeps, was faster: it has deleted the folder, or is about to. */
function takeTemporaryLock(path: string): FileLock | undefined {
  try {
    const lock = takeFileLock(path);
    if (lock === undefined || existsSync(path)) return lock;
    lock.release();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return undefined;
}

function sweepTemporaryFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(temporaryPrefix)) continue;
    const path = join(tmpdir(), name);
    try {
      // One without it has just been made, and is about to be taken.
      const lock = takeExistingLock(join(path, lockFile));
      if (lock === undefined) continue;
      rmSync(path, { recursive: true, force: true });
      lock.release();
    } catch {
      // Another user's, or gone already: not ours to sweep.
    }
  }
}

function refuseNetworkFileSystem(path: string): void {
  const fileSystem = networkFileSystems.get(statfsSync(path).type >>> 0);
  if (fileSystem !== undefined) {
    throw new DataFolderError(
      `the data folder ${path} is on a network file system (${fileSystem}), which cannot keep what is acknowledged`,
    );
  }
}

/** Makes new names in a folder survive a power cut. */
export function flushFolder(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
