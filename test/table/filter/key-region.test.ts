import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareText, type Key } from '../../../src/store/key.ts';
import {
  combineAll,
  intersect,
  overlap,
  type Region,
  regionOfComparison,
  unite,
} from '../../../src/table/filter/key-region.ts';
import { operators } from '../../../src/table/filter/nodes.ts';
import { keyOf } from '../../support/arbitraries.ts';

const closeText = fc.constantFrom('', 'a', 'ab', 'b', 'é', '\uffff', '\u{10000}');
const comparison = fc
  .tuple(
    fc.constantFrom('PartitionKey' as const, 'RowKey' as const),
    fc.constantFrom(...operators),
    closeText,
  )
  .map(([name, operator, text]) => regionOfComparison(name, operator, text));
const someRegion: fc.Arbitrary<Region> = fc
  .array(fc.array(comparison, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  .map(alternatives =>
    combineAll(
      alternatives.map(conditions => combineAll(conditions, intersect)),
      unite,
    ),
  );
/** Of each set of keys that the comparisons above tell apart, one. */
const probes = ['', 'a', 'ab', 'b', 'é', '\uffff', '\u{10000}'].flatMap(text => [text, `${text}\u0001`]);
const probeKeys: Key[] = probes.flatMap(partitionKey => probes.map(rowKey => ({ partitionKey, rowKey })));

function has(region: Region, { partitionKey, rowKey }: Key): boolean {
  const step = region.findLast(({ from }) => compareText(from, partitionKey) <= 0);
  const bounds = step?.rowKeys.filter(bound => compareText(bound, rowKey) <= 0) ?? [];
  return bounds.length % 2 === 1;
}

describe('a region of keys', () => {
  it('has of two what both have, or what one of them has', () => {
    fc.assert(
      fc.property(someRegion, someRegion, (left, right) => {
        for (const key of probeKeys) {
          assert.equal(has(intersect(left, right), key), has(left, key) && has(right, key));
          assert.equal(has(unite(left, right), key), has(left, key) || has(right, key));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('overlaps another where a key is in both', () => {
    fc.assert(
      fc.property(someRegion, someRegion, (left, right) => {
        const isShared = probeKeys.some(key => has(left, key) && has(right, key));
        assert.equal(overlap(left, right), isShared);
        assert.equal(overlap(right, left), isShared);
      }),
      { numRuns: 1000 },
    );
  });

  it('has one form: the same keys are the same steps', () => {
    fc.assert(
      fc.property(someRegion, someRegion, (left, right) => {
        assert.deepEqual(unite(left, right), unite(right, left));
        assert.deepEqual(intersect(left, unite(left, right)), left);
        assert.deepEqual(unite(left, intersect(left, right)), left);
      }),
      { numRuns: 1000 },
    );
  });

  it('grows to a superset where it would be too large', () => {
    const list = (name: 'PartitionKey' | 'RowKey'): Region =>
      combineAll(
        Array.from({ length: 300 }, (_, index) => regionOfComparison(name, 'eq', String(index + 1000))),
        unite,
      );
    const grid = intersect(list('PartitionKey'), list('RowKey'));
    fc.assert(
      fc.property(keyOf(fc.integer({ min: 990, max: 1310 }).map(String)), key => {
        const isInside = (text: string): boolean => text >= '1000' && text <= '1299';
        assert.equal(has(grid, key), isInside(key.partitionKey) && isInside(key.rowKey));
      }),
    );
    assert.ok(has(grid, { partitionKey: '1000', rowKey: '1000x' }), 'between the row keys, too');
    assert.ok(!has(grid, { partitionKey: '1000x', rowKey: '1000' }), 'between the partition keys not');
  });
});
