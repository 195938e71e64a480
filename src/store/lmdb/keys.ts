import type { Key, KeyRange } from '../key.ts';

/**
 * Keys of the embedded store. An entity's is its table's id in 8 bytes, the partition key, a zero byte and
 * the row key, both in UTF-8: bytes sort as the contract demands, since no key contains U+0000.
 */
const tableIdBytes = 8;
const separator = 0;
/** Sorts behind every row of a partition, and before the next: no key contains a control character. */
const afterPartition = 1;
/** What a page of 8 KiB allows; longer bounds are cut, which no legal key (2,609 bytes) can tell. */
const boundBytesMax = 4026;

export function encodeKey(tableId: number, { partitionKey, rowKey }: Key): Buffer {
  // A text of n UTF-16 units has at most 3n bytes in UTF-8: measuring it first would read it twice.
  const bytesMax = tableIdBytes + 1 + 3 * (partitionKey.length + rowKey.length);
  const bytes = Buffer.allocUnsafe(bytesMax);
  writeTableId(bytes, tableId);
  const partitionEnd = tableIdBytes + bytes.write(partitionKey, tableIdBytes);
  bytes[partitionEnd] = separator;
  return bytes.subarray(0, partitionEnd + 1 + bytes.write(rowKey, partitionEnd + 1));
}

/** A bound of a range: any text, successors and the unheard-of lengths of a filter's literals included. */
export function encodeBound(tableId: number, key: Key): Buffer {
  const successorAt = key.partitionKey.indexOf('\0');
  if (successorAt < 0) return encodeKey(tableId, key).subarray(0, boundBytesMax);
  const bytes = encodeKey(tableId, { partitionKey: key.partitionKey.slice(0, successorAt), rowKey: '' });
  bytes[bytes.length - 1] = afterPartition;
  return bytes.subarray(0, boundBytesMax);
}

export function encodeRange(tableId: number, { from, to }: KeyRange): { start: Buffer; end: Buffer } {
  return {
    start: encodeBound(tableId, from),
    end: to === undefined ? encodeTableStart(tableId + 1) : encodeBound(tableId, to),
  };
}

/** The bound before all rows of a table. */
export function encodeTableStart(tableId: number): Buffer {
  const bytes = Buffer.allocUnsafe(tableIdBytes);
  writeTableId(bytes, tableId);
  return bytes;
}

export function decodeKey(bytes: Buffer): Key {
  const at = bytes.indexOf(separator, tableIdBytes);
  return {
    partitionKey: bytes.toString('utf8', tableIdBytes, at),
    rowKey: bytes.toString('utf8', at + 1),
  };
}

function writeTableId(bytes: Buffer, tableId: number): void {
  bytes.writeUInt32BE(Math.floor(tableId / 2 ** 32), 0);
  bytes.writeUInt32BE(tableId % 2 ** 32, 4);
}

/** A table's record: the account and the name in lower case, so that names compare ignoring case. */
export function encodeTableKey(account: string, name: string): Buffer {
  return Buffer.from(`${account}\0${name.toLowerCase()}`);
}
