/**
 * The same entities straight in LMDB, with the settings of the server's store: what the bare contestants
 * read and write. A row is put with the text it would be answered with, so that all rows have one size.
 */

import { open, type RootDatabase } from 'lmdb';
import { keyOf, type Layout, rowText, scanPartitionKey } from './entities.ts';

const putsPerTransaction = 1_000;
const tableIdBytes = 8;

export interface RowRange {
  partitionKey: string;
  /** The first row key and the one after the last; the whole partition where they are absent. */
  fromRowKey?: string;
  toRowKey?: string;
}

/**
 * Values are bytes, and reading one makes no copy of its own: it is a view of the buffer that the next read
 * uses again. With the library's own 'binary' encoding, to copy a page into one buffer takes five times as long.
 */
const sharedBytes = {
  encode: (value: Buffer): Buffer => value,
  decode: (shared: Buffer): Buffer => shared.subarray(0, shared.length),
};

export class Rows {
  readonly #database: RootDatabase<Buffer, Buffer>;
  readonly #value: Buffer;

  constructor(path: string) {
    this.#database = open<Buffer, Buffer>({
      path,
      keyEncoding: 'binary',
      encoder: sharedBytes,
      overlappingSync: false,
      pageSize: 8192,
    });
    this.#value = Buffer.from(rowText({ partitionKey: scanPartitionKey, rowKey: '000000000000' }, 0));
  }

  /** The bytes of every row, within one or two. */
  get valueBytes(): number {
    return this.#value.length;
  }

  /** Drops what is there, and puts all entities. */
  async load(layout: Layout): Promise<void> {
    await this.#database.clearAsync();
    for (let first = 0; first < layout.entityCount; first += putsPerTransaction) {
      await this.#database.transaction(() => {
        for (
          let index = first;
          index < Math.min(first + putsPerTransaction, layout.entityCount);
          index += 1
        ) {
          const key = keyOf(layout, index);
          this.#database.put(this.#key(key.partitionKey, key.rowKey), Buffer.from(rowText(key, index)));
        }
      });
    }
  }

  get(partitionKey: string, rowKey: string): Buffer | undefined {
    const shared = this.#database.get(this.#key(partitionKey, rowKey));
    return shared === undefined ? undefined : Buffer.from(shared);
  }

  /** Resolves when the row is on disk. */
  put(partitionKey: string, rowKey: string): Promise<boolean> {
    return this.#database.put(this.#key(partitionKey, rowKey), this.#value);
  }

  /** Resolves when the row is gone from the disk; false where there was none, which LMDB does not tell. */
  remove(partitionKey: string, rowKey: string): Promise<boolean> {
    const key = this.#key(partitionKey, rowKey);
    return this.#database.doesExist(key) ? this.#database.remove(key) : Promise.resolve(false);
  }

  /** One transaction of as many puts as there are row keys. */
  putAll(partitionKey: string, rowKeys: string[]): Promise<void> {
    return this.#database.transaction(() => {
      for (const rowKey of rowKeys) this.#database.put(this.#key(partitionKey, rowKey), this.#value);
    });
  }

  /** Visits the values in order, and tells how many there were. A value is good until the visit returns. */
  iterate(range: RowRange, visit: (value: Uint8Array, position: number) => void): number {
    const start = this.#key(range.partitionKey, range.fromRowKey ?? '');
    const end =
      range.toRowKey === undefined
        ? this.#key(`${range.partitionKey}\u0001`, '')
        : this.#key(range.partitionKey, range.toRowKey);
    let position = 0;
    for (const { value } of this.#database.getRange({ start, end })) {
      visit(value, position);
      position += 1;
    }
    return position;
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  /** Table id, partition key, zero, row key: the order of the bytes is the order of the rows. */
  #key(partitionKey: string, rowKey: string): Buffer {
    const key = Buffer.allocUnsafe(tableIdBytes + partitionKey.length + 1 + rowKey.length);
    key.fill(0, 0, tableIdBytes);
    key[tableIdBytes - 1] = 1;
    key.write(partitionKey, tableIdBytes, 'latin1');
    key[tableIdBytes + partitionKey.length] = 0;
    key.write(rowKey, tableIdBytes + partitionKey.length + 1, 'latin1');
    return key;
  }
}
