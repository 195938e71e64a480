import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as limits from '../../../src/limits.ts';
import { compareKeys, firstKey, type Key, partitionRange, successor } from '../../../src/store/key.ts';
import {
  decodeKey,
  encodeBound,
  encodeKey,
  encodeRange,
  encodeTableKey,
  encodeTableStart,
} from '../../../src/store/lmdb/keys.ts';
import { anyKey, keyOf, literalText } from '../../support/arbitraries.ts';

const tableId = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(255, 256, 2 ** 32, 2 ** 48 - 2));
const bound: fc.Arbitrary<Key> = fc.oneof(
  keyOf(literalText),
  anyKey.map(key => ({ ...key, rowKey: successor(key.rowKey) })),
  anyKey.map(key => ({ partitionKey: successor(key.partitionKey), rowKey: '' })),
);
/** A key, and a bound that often differs from it in its end alone. */
const keyAndBound = fc.oneof(
  fc.tuple(anyKey, bound),
  fc
    .tuple(anyKey, literalText, literalText)
    .map(([key, partitionEnd, rowEnd]): [Key, Key] => [
      key,
      { partitionKey: key.partitionKey + partitionEnd, rowKey: key.rowKey + rowEnd },
    ]),
  fc
    .tuple(anyKey, literalText)
    .map(([key, rowEnd]): [Key, Key] => [
      key,
      { partitionKey: key.partitionKey, rowKey: key.rowKey + rowEnd },
    ]),
);

describe('the bytes of a key', () => {
  it('give the key back', () => {
    fc.assert(
      fc.property(tableId, anyKey, (id, key) => assert.deepEqual(decodeKey(encodeKey(id, key)), key)),
    );
  });

  it('sort as the store contract sorts keys', () => {
    fc.assert(
      fc.property(tableId, anyKey, anyKey, (id, a, b) => {
        assert.equal(Buffer.compare(encodeKey(id, a), encodeKey(id, b)), Math.sign(compareKeys(a, b)));
      }),
      { numRuns: 500 },
    );
  });

  it('keep tables apart', () => {
    fc.assert(
      fc.property(tableId, anyKey, (id, key) => {
        const bytes = encodeKey(id, key);
        assert.ok(Buffer.compare(encodeTableStart(id), bytes) < 0);
        assert.ok(Buffer.compare(bytes, encodeTableStart(id + 1)) < 0);
      }),
    );
  });

  it('are at most 2,609 for the longest legal keys', () => {
    const partitionKey = '😀'.repeat(limits.keyUnitsMax / 2);
    const rowKey = 'x'.repeat(limits.keysUtf8BytesMax - Buffer.byteLength(partitionKey));
    const bytes = encodeKey(2 ** 48 - 1, { partitionKey, rowKey });
    assert.equal(bytes.length, 2609);
    assert.deepEqual(decodeKey(bytes), { partitionKey, rowKey });
    assert.deepEqual(encodeBound(2 ** 48 - 1, { partitionKey, rowKey }), bytes);
  });
});

describe('the bytes of a bound', () => {
  it('part the keys before it from the others as the store contract does', () => {
    fc.assert(
      fc.property(keyAndBound, ([key, at]) => {
        const isBefore = Buffer.compare(encodeKey(7, key), encodeBound(7, at)) < 0;
        assert.equal(isBefore, compareKeys(key, at) < 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('stay below what the engine takes, whatever a filter names', () => {
    fc.assert(fc.property(bound, at => encodeBound(7, at).length <= 4026));
    const huge = '\u{10ffff}'.repeat(100_000);
    assert.equal(encodeBound(7, { partitionKey: huge, rowKey: huge }).length, 4026);
    assert.equal(encodeBound(7, { partitionKey: successor(huge), rowKey: '' }).length, 4026);
  });

  it('are those of the key where it is one', () => {
    fc.assert(fc.property(anyKey, key => assert.deepEqual(encodeBound(7, key), encodeKey(7, key))));
  });

  it('put a bound with a table of another id outside of it', () => {
    fc.assert(
      fc.property(bound, anyKey, (at, key) => {
        assert.ok(Buffer.compare(encodeBound(7, at), encodeKey(8, key)) < 0);
        assert.ok(Buffer.compare(encodeBound(7, at), encodeKey(6, key)) > 0);
      }),
    );
  });
});

describe('the bytes of a range', () => {
  it('hold the partition that the range names', () => {
    fc.assert(
      fc.property(anyKey, anyKey, fc.boolean(), (inside, other, isInside) => {
        const key = isInside ? { ...other, partitionKey: inside.partitionKey } : other;
        const { start, end } = encodeRange(7, partitionRange(inside.partitionKey));
        const bytes = encodeKey(7, key);
        const isInRange = Buffer.compare(start, bytes) <= 0 && Buffer.compare(bytes, end) < 0;
        assert.equal(isInRange, key.partitionKey === inside.partitionKey);
      }),
    );
  });

  it('end with the table where the range has no end', () => {
    const { start, end } = encodeRange(7, { from: firstKey });
    assert.deepEqual(end, encodeTableStart(8));
    assert.ok(Buffer.compare(encodeTableStart(7), start) <= 0);
  });
});

describe('the key of a table', () => {
  it('ignores the case of the name and tells accounts apart', () => {
    assert.deepEqual(encodeTableKey('account', 'MyTable'), encodeTableKey('account', 'mytable'));
    assert.notDeepEqual(encodeTableKey('account', 'mytable'), encodeTableKey('accountm', 'ytable'));
  });
});
