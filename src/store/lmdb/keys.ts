import type { Key, KeyRange } from '../key.ts';

/**
 * Keys of the embedded store. An entity's is its table's id in 8 bytes, the partition key, a zero byte and
 * the row key, both in UTF-8: bytes sort as the contract demands, since no key contains U+0000.
 */
const tableIdBytes = 8;
const separator = 0;
/** Sorts behind every row of a partition, and before the next: no key contains a control character. */
const partitionEnd = 1;
/** What a page of 8 KiB allows; longer bounds are cut, which no legal key (2,609 bytes) can tell. */
const boundBytesMax = 4026;

export function encodeKey(tableId: number, { partitionKey, rowKey }: Key): Buffer {
  const partitionBytes = Buffer.byteLength(partitionKey);
  const bytes = Buffer.allocUnsafe(tableIdBytes + partitionBytes + 1 + Buffer.byteLength(rowKey));
  writeTableId(bytes, tableId);
  bytes.write(partitionKey, tableIdBytes);
  bytes[tableIdBytes + partitionBytes] = separator;
  bytes.write(rowKey, tableIdBytes + partitionBytes + 1);
  return bytes;
}

/** A bound of a range: any text, successors and the unheard-of lengths of a filter's literals included. */
export function encodeBound(tableId: number, key: Key): Buffer {
  const successorAt = key.partitionKey.indexOf('\0');
  if (successorAt < 0) return encodeKey(tableId, key).subarray(0, boundBytesMax);
  const bytes = encodeKey(tableId, { partitionKey: key.partitionKey.slice(0, successorAt), rowKey: '' });
  bytes[bytes.length - 1] = partitionEnd;
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
  bytes.writeUInt16BE(0, 0);
  bytes.writeUIntBE(tableId, 2, 6);
}

/** A table's record: the account and the name in lower case, so that names compare ignoring case. */
export function encodeTableKey(account: string, name: string): Buffer {
  return Buffer.from(`${account}\0${name.toLowerCase()}`);
}
