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
import { takeFileLock } from './lock.ts';

/** A reason why a data folder cannot be used, told to the operator in one line. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

export interface DataFolder {
  readonly path: string;
  /** Lets go of the folder; a temporary one is deleted. */
  release(): void;
}

const lockFile = 'tabularium.lock';
const temporaryPrefix = 'tabularium-memory-';

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
export function claimFolder(path: string): DataFolder {
  const absolute = resolve(path);
  const explain = (error: unknown): DataFolderError =>
    new DataFolderError(`cannot write to the data folder ${absolute}: ${(error as Error).message}`);
  let release: (() => void) | undefined;
  try {
    makeFolder(absolute);
    refuseNetworkFileSystem(absolute);
    release = takeFileLock(join(absolute, lockFile));
  } catch (error) {
    throw error instanceof DataFolderError ? error : explain(error);
  }
  if (release === undefined) {
    throw new DataFolderError(`the data folder ${absolute} is in use by another tabularium server`);
  }
  return { path: absolute, release };
}

/** Not mkdir's own recursion, which never ends where the system says ENOENT of a folder whose parent is there. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
  flushFolder(dirname(path));
}

/** A folder that does not outlive the process; those that a killed one left behind are swept. */
export function claimTemporaryFolder(): DataFolder {
  sweepTemporaryFolders();
  const { path, release } = claimFolder(mkdtempSync(join(tmpdir(), temporaryPrefix)));
  return {
    path,
    release() {
      release();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function sweepTemporaryFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(temporaryPrefix)) continue;
    const path = join(tmpdir(), name);
    try {
      const release = takeFileLock(join(path, lockFile));
      if (release === undefined) continue;
      rmSync(path, { recursive: true, force: true });
      release();
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
