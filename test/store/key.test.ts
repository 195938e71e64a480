import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareKeys, compareText, firstKey, partitionRange, successor } from '../../src/store/key.ts';
import { anyKey, keyText, literalText } from '../support/arbitraries.ts';

describe('the order of keys', () => {
  it('is the order of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(literalText, literalText, (a, b) => {
        assert.equal(Math.sign(compareText(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it('sorts characters beyond U+FFFF last, unlike UTF-16', () => {
    assert.ok(compareText('\uffff', '\u{10000}') < 0);
    assert.ok('\uffff' > '\u{10000}');
    assert.ok(compareText('\ud7ff', '\ue000') < 0);
    assert.ok(compareText('a😀', 'a\ue000') > 0);
  });

  it('is by partition key, then by row key', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (a, b) => {
        const expected = compareText(a.partitionKey, b.partitionKey) || compareText(a.rowKey, b.rowKey);
        assert.equal(Math.sign(compareKeys(a, b)), Math.sign(expected));
        assert.equal(Math.sign(compareKeys(b, a)), -Math.sign(expected) + 0);
      }),
    );
    assert.ok(compareKeys({ partitionKey: 'a', rowKey: 'z' }, { partitionKey: 'b', rowKey: 'a' }) < 0);
  });

  it('begins with two empty keys', () => {
    fc.assert(fc.property(anyKey, key => compareKeys(firstKey, key) <= 0));
  });
});

describe('successor', () => {
  it('lies behind its text and before every other text that is', () => {
    fc.assert(
      fc.property(keyText, keyText, (text, other) => {
        assert.ok(compareText(text, successor(text)) < 0);
        if (compareText(other, text) > 0) assert.ok(compareText(other, successor(text)) > 0);
      }),
    );
  });
});

describe('partitionRange', () => {
  it('holds a partition whole, and nothing else', () => {
    fc.assert(
      fc.property(keyText, anyKey, fc.boolean(), (partitionKey, other, isInside) => {
        const { from, to } = partitionRange(partitionKey);
        const key = isInside ? { partitionKey, rowKey: other.rowKey } : other;
        const isInRange = compareKeys(from, key) <= 0 && to !== undefined && compareKeys(key, to) < 0;
        assert.equal(isInRange, key.partitionKey === partitionKey);
      }),
    );
  });
});
