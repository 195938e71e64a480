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

/** Views are kept of rows up to this length: making one for each row is what scans would leave to be collected. */
const viewedBytesMax = 4096;
const chunkBytes = 256 * 1024;
/** Behind each row: so rows lie in a chunk as the text of a page has them, and need not be copied once more. */
const comma = 0x2c;

/**
 * The rows as scans read them: tested and projected in the engine's own buffer, and copied only if they match,
 * into chunks that many rows share; keys are not read unless somebody asks. Scans take turns, so one reader serves all.
 */
export class RowReader {
  readonly #rows: ReadDatabase;
  /** Which rows the next read returns; the others are undefined. */
  matches: ((row: Buffer) => boolean) | undefined;
  /** What the next read returns of them; its answer is copied at once. */
  project: ((row: Buffer) => Buffer) | undefined;
  /** Whether the next read returns its key. */
  wantsKey = false;
  /** Of rows that were read, returned or not; a scan sets it back. */
  bytesRead = 0;
  #shared: Buffer | undefined;
  readonly #views = new Array<Buffer | undefined>(viewedBytesMax + 1);
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

  /** A row in the engine's buffer, which the next read uses again. */
  viewOne(key: Buffer, options: { readonly transaction: ReadTransaction }): Buffer | undefined {
    const shared = this.#rows.getBinaryFast(key, options);
    return shared && this.#view(shared);
  }

  #take(shared: Buffer): Buffer | undefined {
    const row = this.#view(shared);
    this.bytesRead += row.length;
    if (this.matches !== undefined && !this.matches(row)) return undefined;
    return this.#copy(this.project === undefined ? row : this.project(row));
  }

  /** A view of the engine's buffer that ends with the row; most rows are as long as another was. */
  #view(shared: Buffer): Buffer {
    const { length } = shared;
    if (length > viewedBytesMax) return shared.subarray(0, length);
    if (shared !== this.#shared) {
      this.#shared = shared;
      this.#views.fill(undefined);
    }
    this.#views[length] ??= shared.subarray(0, length);
    return this.#views[length];
  }

  #copy(row: Buffer): Buffer {
    if (row.length >= chunkBytes / 8) return Buffer.from(row);
    if (this.#chunkUsed + row.length + 1 > this.#chunk.length) {
      this.#chunk = Buffer.allocUnsafeSlow(chunkBytes);
      this.#chunkUsed = 0;
    }
    const start = this.#chunkUsed;
    const end = start + row.length;
    this.#chunk.set(row, start);
    this.#chunk[end] = comma;
    this.#chunkUsed = end + 1;
    return this.#chunk.subarray(start, end);
  }
}
