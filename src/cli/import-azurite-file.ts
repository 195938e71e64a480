import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ImportError, type ImportReport, importTables } from '../azurite/import-tables.ts';
import { decideInserts } from '../azurite/insert-round.ts';
import { type ReadChunks, readTableFile, TableFileError } from '../azurite/table-file.ts';
import { tableFileName } from '../azurite/table-file-name.ts';
import { ServiceError } from '../errors.ts';
import { DataFolderError } from '../index.ts';
import { openLmdbStore } from '../store/lmdb/lmdb-store.ts';

export interface ImportAzuriteOptions {
  readonly data: string;
  readonly account?: string;
  readonly into?: string;
  readonly merge?: boolean;
}

const exitCodes = { failed: 1, leftOut: 2 } as const;
const chunkBytes = 64 * 1024;
const progressIntervalMs = 2000;

/** Does what `tabularium import-azurite` was asked for, and sets the exit code. */
export async function importAzurite(path: string, options: ImportAzuriteOptions): Promise<void> {
  const beganMs = performance.now();
  try {
    const report = await importFile(path, options);
    process.stdout.write(`${summary(report, options.data, (performance.now() - beganMs) / 1000)}\n`);
    if (report.leftOut > 0) process.exitCode = exitCodes.leftOut;
  } catch (error) {
    process.stderr.write(`tabularium: ${explain(error, path)}\n`);
    process.exitCode = exitCodes.failed;
  }
}

async function importFile(path: string, options: ImportAzuriteOptions): Promise<ImportReport> {
  const isFolder = statSync(path).isDirectory();
  const descriptor = openSync(isFolder ? join(path, tableFileName) : path, 'r');
  try {
    const chunks = chunksOf(descriptor);
    const progress = new Progress();
    const fileBytes = fstatSync(descriptor).size;
    // Before the store is opened: a broken file leaves nothing behind, not even an empty data folder.
    const file = readTableFile(chunks, bytesRead => progress.show('checked', bytesRead, fileBytes, 'bytes'));
    const store = openLmdbStore({ folder: options.data, decide: decideInserts });
    try {
      return await importTables(file, chunks, store, options, {
        onLeftOut: message => process.stderr.write(`left out: ${message}\n`),
        onProgress: (entities, of) => progress.show('imported', entities, of, 'entities'),
      });
    } finally {
      await store.close();
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Reads the one file that was opened, whatever takes its name meanwhile. */
function chunksOf(descriptor: number): ReadChunks {
  return function* () {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (let position = 0; ; ) {
      const length = readSync(descriptor, buffer, 0, buffer.length, position);
      if (length === 0) return;
      yield buffer.subarray(0, length);
      position += length;
    }
  };
}

/** Lines on standard error, for imports that take long. */
class Progress {
  #nextMs = performance.now() + progressIntervalMs;

  show(verb: string, done: number, of: number, unit: string): void {
    if (performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + progressIntervalMs;
    const percent = Math.floor((100 * done) / of);
    process.stderr.write(`${verb} ${count(done)} of ${count(of)} ${unit} (${percent} %)\n`);
  }
}

function summary(report: ImportReport, data: string, seconds: number): string {
  const lines = [
    `Imported ${plural(report.tables, 'table')} with ${plural(report.entities, 'entity', 'entities')} into ${data} in ${seconds.toFixed(1)} s.`,
  ];
  if (report.accessPolicies > 0) {
    lines.push(`Access policies were set on ${plural(report.accessPolicies, 'table')}.`);
  }
  if (report.serviceProperties > 0) {
    lines.push(`Service properties were set on ${plural(report.serviceProperties, 'account')}.`);
  }
  if (report.alreadyThere > 0) {
    lines.push(`${plural(report.alreadyThere, 'entity was', 'entities were')} there already.`);
  }
  if (report.leftOut > 0) lines.push(`Left out, as told above: ${count(report.leftOut)}.`);
  return lines.join('\n');
}

/** Why it ended, in one line; what nobody foresaw is thrown on. */
function explain(error: unknown, path: string): string {
  if (error instanceof TableFileError) {
    return `${path} is no table file of the emulator, nothing was imported: ${error.message}`;
  }
  if (error instanceof ImportError || error instanceof DataFolderError) return error.message;
  if (error instanceof ServiceError) {
    return `the import stopped: ${error.message} What it imported stays; run it again with --merge`;
  }
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return `cannot read ${path}: ${message}`;
  throw error;
}

function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
