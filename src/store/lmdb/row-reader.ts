import type { Database, DatabaseOptions, RootDatabase } from 'lmdb';

export type ReadTransaction = ReturnType<Database['useReadTransaction']>;

/** With what lmdb has and its types leave out. */
interface ReadDatabase extends Database<Buffer, Buffer> {
  getBinaryFast(key: Buffer, options?: { transaction: ReadTransaction }): Buffer | undefined;
}

/** Without a value where the row did not match, without a key where none was wanted. */
export interface Entry {
  readonly key: Buffer | undefined;
  readonly value: Buffer | undefined;
}

const chunkBytes = 256 * 1024;

/**
 * The rows as scans read them: tested in the engine's own buffer, and copied only if they match, into chunks
 * that many rows share; keys are not read unless somebody asks. Scans take turns, so one reader serves all.
 */
export class RowReader {
  readonly #rows: ReadDatabase;
  /** Which rows the next read returns; the others are undefined. */
  matches: ((row: Buffer) => boolean) | undefined;
  /** Whether the next read returns its key. */
  wantsKey = false;
  #chunk = Buffer.alloc(0);
  #chunkUsed = 0;

  constructor(root: RootDatabase, name: string) {
    this.#rows = root.openDB<Buffer, Buffer>({
      name,
      keyEncoder: {
        writeKey(key: Buffer, target: Buffer, start: number): number {
          target.set(key, start);
          return start + key.length;
        },
        readKey: (source: Buffer, start: number, end: number): Buffer | undefined =>
          this.wantsKey ? Buffer.from(source.subarray(start, end)) : undefined,
      },
      encoder: {
        encode: (row: Buffer) => row,
        decode: (shared: Buffer) => this.#take(shared),
      },
    } as DatabaseOptions & { name: string });
  }

  /** A cursor without a transaction holds the snapshot that it was opened in. */
  readRange(
    range: { start: Buffer; end: Buffer },
    transaction: ReadTransaction | undefined,
  ): Iterator<Entry> {
    const options = transaction === undefined ? range : { ...range, transaction };
    return this.#rows.getRange(options)[Symbol.iterator]() as Iterator<Entry>;
  }

  readOne(key: Buffer, transaction: ReadTransaction | undefined): Entry | undefined {
    const shared = this.#rows.getBinaryFast(key, transaction && { transaction });
    return shared && { key, value: this.#take(shared) };
  }

  #take(shared: Buffer): Buffer | undefined {
    const row = shared.subarray(0, shared.length);
    return this.matches === undefined || this.matches(row) ? this.#copy(row) : undefined;
  }

  #copy(row: Buffer): Buffer {
    if (row.length > chunkBytes / 8) return Buffer.from(row);
    if (this.#chunkUsed + row.length > this.#chunk.length) {
      this.#chunk = Buffer.allocUnsafeSlow(chunkBytes);
      this.#chunkUsed = 0;
    }
    const start = this.#chunkUsed;
    this.#chunkUsed += row.length;
    this.#chunk.set(row, start);
    return this.#chunk.subarray(start, this.#chunkUsed);
  }
}
