import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareKeys, type Key, type KeyRange, partitionRange, successor } from '../../../src/store/key.ts';
import { encodeKey, encodeRange } from '../../../src/store/lmdb/keys.ts';
import type { FilterNode, Value } from '../../../src/table/filter/nodes.ts';
import { parseFilter } from '../../../src/table/filter/parse-filter.ts';
import { clipRanges, planQuery } from '../../../src/table/filter/plan.ts';
import { anyKey, anyValue, isLiteral, keyOf, keyText, literalText } from '../../support/arbitraries.ts';
import { bareOf, comparisonOf, constant, filterTree } from '../../support/filters.ts';
import { naiveMatches } from '../../support/naive-filter.ts';

/** Few texts, so that literals and keys often meet; each with what lies just beside it. */
const closeText = fc.constantFrom('', 'a', 'a ', 'ab', 'b', 'B', "'", '~', '\uffff', '\u{10000}', 'é');
const closeLiteral = fc.oneof(
  { weight: 5, arbitrary: closeText },
  { weight: 1, arbitrary: closeText.map(text => `${text}\0`) },
  { weight: 1, arbitrary: literalText },
);
const keyComparison = comparisonOf(
  fc.constantFrom('PartitionKey', 'RowKey'),
  closeLiteral.map((value): Value => ({ type: 'Edm.String', value })),
);
const keyFilter = filterTree(
  fc.oneof({ weight: 12, arbitrary: keyComparison }, { weight: 1, arbitrary: constant }),
);
const anyFilter = filterTree(
  fc.oneof(
    { weight: 8, arbitrary: keyComparison },
    {
      weight: 2,
      arbitrary: comparisonOf(fc.constantFrom('a', 'PartitionKey', 'RowKey'), anyValue.filter(isLiteral)),
    },
    { weight: 1, arbitrary: bareOf(fc.constantFrom('a', 'RowKey')) },
    { weight: 1, arbitrary: constant },
  ),
);
const someKeys = fc.array(
  fc.oneof({ weight: 4, arbitrary: keyOf(closeText) }, { weight: 1, arbitrary: keyOf(keyText) }, anyKey),
  { minLength: 1, maxLength: 20 },
);

function matches(filter: FilterNode, { partitionKey, rowKey }: Key): boolean {
  return naiveMatches(
    filter,
    new Map<string, Value>([
      ['PartitionKey', { type: 'Edm.String', value: partitionKey }],
      ['RowKey', { type: 'Edm.String', value: rowKey }],
      ['a', { type: 'Edm.Int32', value: 1 }],
    ]),
  );
}

function isIn(ranges: readonly KeyRange[], key: Key): boolean {
  return ranges.some(
    ({ from, to }) => compareKeys(from, key) <= 0 && (to === undefined || compareKeys(key, to) < 0),
  );
}

/** As the embedded store reads them. */
function isInBytes(ranges: readonly KeyRange[], key: Key): boolean {
  const bytes = encodeKey(7, key);
  return ranges.some(range => {
    const { start, end } = encodeRange(7, range);
    return Buffer.compare(start, bytes) <= 0 && Buffer.compare(bytes, end) < 0;
  });
}

function planOf(filter: string) {
  return planQuery(parseFilter(filter));
}

describe('the plan of a query', () => {
  for (const [name, filters] of [
    ['of keys', keyFilter],
    ['of anything', anyFilter],
  ] as const) {
    it(`has every entity that matches a filter ${name} in its ranges`, () => {
      fc.assert(
        fc.property(filters, someKeys, (filter, keys) => {
          const { ranges } = planQuery(filter);
          for (const key of keys) {
            if (!matches(filter, key)) continue;
            assert.ok(isIn(ranges, key));
            assert.ok(isInBytes(ranges, key));
          }
        }),
        { numRuns: 2000 },
      );
    });

    it(`has only entities that match a filter ${name} in its ranges where nothing is left to evaluate`, () => {
      fc.assert(
        fc.property(filters, someKeys, (filter, keys) => {
          const { ranges, residual } = planQuery(filter);
          if (residual !== undefined) return assert.equal(residual, filter);
          for (const key of keys) {
            if (isIn(ranges, key) || isInBytes(ranges, key)) assert.ok(matches(filter, key));
          }
        }),
        { numRuns: 2000 },
      );
    });

    it(`has ascending and disjoint ranges for a filter ${name}`, () => {
      fc.assert(
        fc.property(filters, filter => {
          const { ranges } = planQuery(filter);
          for (const [index, { from, to }] of ranges.entries()) {
            if (to !== undefined) assert.ok(compareKeys(from, to) < 0);
            const next = ranges[index + 1];
            if (next !== undefined) assert.ok(to !== undefined && compareKeys(to, next.from) < 0);
          }
        }),
      );
    });
  }

  it('is the whole table without a filter', () => {
    assert.deepEqual(planQuery(undefined), {
      ranges: [{ from: { partitionKey: '', rowKey: '' } }],
      class: 'table scan',
      residual: undefined,
    });
  });

  it('is one key for both keys by equality', () => {
    for (const filter of [
      "PartitionKey eq 'p' and RowKey eq 'r'",
      "'r' eq RowKey and 'p' eq PartitionKey",
      "not (PartitionKey ne 'p' or RowKey ne 'r')",
      "PartitionKey eq 'p' and RowKey ge 'r' and RowKey le 'r'",
    ]) {
      const plan = planOf(filter);
      assert.deepEqual(
        plan.ranges,
        [{ from: { partitionKey: 'p', rowKey: 'r' }, to: { partitionKey: 'p', rowKey: successor('r') } }],
        filter,
      );
      assert.equal(plan.class, 'point');
      assert.equal(plan.residual, undefined);
    }
  });

  it('is one range for a partition and bounds of the row key', () => {
    const plan = planOf("PartitionKey eq 'p' and RowKey ge 'ab' and RowKey lt 'ac'");
    assert.deepEqual(plan.ranges, [
      { from: { partitionKey: 'p', rowKey: 'ab' }, to: { partitionKey: 'p', rowKey: 'ac' } },
    ]);
    assert.equal(plan.class, 'range');
    assert.equal(plan.residual, undefined);
  });

  it('is the partition, with the filter on each row, for a partition and a property', () => {
    const filter = parseFilter("PartitionKey eq 'p' and Age gt 3");
    assert.deepEqual(planQuery(filter), {
      ranges: [partitionRange('p')],
      class: 'partition scan',
      residual: filter,
    });
  });

  it('is some points for alternatives of both keys', () => {
    const plan = planOf("PartitionKey eq 'p' and (RowKey eq 'b' or RowKey eq 'a' or RowKey eq 'b')");
    assert.deepEqual(
      plan.ranges.map(({ from }) => from.rowKey),
      ['a', 'b'],
    );
    assert.equal(plan.class, 'point');
    assert.equal(plan.residual, undefined);
  });

  it('is the table, or what bounds of the partition key leave of it, for anything else', () => {
    for (const filter of [
      'Age gt 3',
      "RowKey eq 'r'",
      'PartitionKey ne 5',
      "PartitionKey ne 'p'",
      "PartitionKey gt 'p'",
    ]) {
      assert.equal(planOf(filter).class, 'table scan', filter);
    }
    assert.deepEqual(planOf("PartitionKey gt 'p' and Age gt 3").ranges, [
      { from: { partitionKey: successor('p'), rowKey: '' } },
    ]);
  });

  it('is one range where ranges meet', () => {
    assert.deepEqual(planOf("PartitionKey ne 'p' or PartitionKey eq 'p'").ranges, [
      { from: { partitionKey: '', rowKey: '' } },
    ]);
    assert.deepEqual(
      planOf("PartitionKey eq 'p' and (RowKey lt 'b' or RowKey ge 'b' and RowKey lt 'c')").ranges,
      [{ from: { partitionKey: 'p', rowKey: '' }, to: { partitionKey: 'p', rowKey: 'c' } }],
    );
  });

  it('is nothing where nothing can match', () => {
    for (const filter of [
      'false',
      "PartitionKey lt ''",
      "PartitionKey eq 'a' and PartitionKey eq 'b'",
      "PartitionKey gt 'b' and PartitionKey lt 'a' and Age gt 3",
    ]) {
      assert.deepEqual(planOf(filter).ranges, [], filter);
    }
  });

  it('stays small for a filter whose alternatives multiply', () => {
    const alternatives = (property: string): string =>
      `(${Array.from({ length: 80 }, (_, index) => `${property} ne '${index}'`).join(' or ')})`;
    const filter = parseFilter(`${alternatives('PartitionKey')} and ${alternatives('RowKey')}`) as FilterNode;
    const plan = planQuery(filter);
    assert.equal(plan.residual, filter);
    assert.ok(isIn(plan.ranges, { partitionKey: '5', rowKey: '5' }));
  });
});

describe('what is left of a plan from a key on', () => {
  it('is every key of it from there', () => {
    fc.assert(
      fc.property(anyFilter, someKeys, fc.oneof(keyOf(closeText), anyKey), (filter, keys, from) => {
        const { ranges } = planQuery(filter);
        const left = clipRanges(ranges, { from });
        for (const key of keys) {
          assert.equal(isIn(left, key), isIn(ranges, key) && compareKeys(key, from) >= 0);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
