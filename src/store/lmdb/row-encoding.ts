/** Rows are bytes. Reading copies them, out of a buffer that the next read uses again. */
export const rowEncoding = {
  encoder: {
    encode(row: Buffer): Buffer {
      if (!(row instanceof Uint8Array)) throw new TypeError('a row is a buffer');
      return row;
    },
    decode(shared: Buffer): Buffer {
      const row = Buffer.allocUnsafe(shared.length);
      // Not shared.copy(): lmdb overrides the length of its buffer, which copy() half believes.
      row.set(shared.subarray(0, shared.length));
      return row;
    },
  },
};
