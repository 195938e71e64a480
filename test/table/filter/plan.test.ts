import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  compareKeys,
  compareText,
  type Key,
  type KeyRange,
  partitionRange,
  successor,
} from '../../../src/store/key.ts';
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
/** Without those texts that no key can hold, or that stand so close to others that nothing fits between. */
const plainKeyFilter = filterTree(
  comparisonOf(
    fc.constantFrom('PartitionKey', 'RowKey'),
    fc
      .tuple(closeText, fc.constantFrom('', '', '', '\0', '\0x'))
      .map((pair): Value => ({ type: 'Edm.String', value: pair.join('') })),
  ),
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

function matches(filter: FilterNode, { partitionKey, rowKey }: Key, a: number | undefined = 1): boolean {
  const entity = new Map<string, Value>([
    ['PartitionKey', { type: 'Edm.String', value: partitionKey }],
    ['RowKey', { type: 'Edm.String', value: rowKey }],
  ]);
  if (a !== undefined) entity.set('a', { type: 'Edm.Int32', value: a });
  return naiveMatches(filter, entity);
}

/** The texts that a filter on keys alone names for one of them, without what no key can hold. */
function textsNamed(node: FilterNode, property: string): string[] {
  if (node.kind === 'and' || node.kind === 'or') {
    return [...textsNamed(node.left, property), ...textsNamed(node.right, property)];
  }
  if (node.kind === 'not') return textsNamed(node.operand, property);
  if (node.kind !== 'comparison' || node.property !== property) return [];
  return [String(node.literal.value).split('\0', 1)[0] as string];
}

/** Of each set of texts that the comparisons of a filter tell apart, one: a name, or what comes right behind it. */
function textsToldApart(node: FilterNode, property: string): string[] {
  return [...new Set(['', ...textsNamed(node, property)])].flatMap(text => [text, `${text}\u0001`]);
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

    it(`has an entity in its ranges that what is left of a filter ${name} accepts if and only if it matches`, () => {
      fc.assert(
        fc.property(filters, someKeys, fc.constantFrom(1, 2, undefined), (filter, keys, a) => {
          const { ranges, residual } = planQuery(filter);
          for (const key of keys) {
            const isAccepted = residual === undefined || matches(residual, key, a);
            assert.equal(isIn(ranges, key) && isAccepted, matches(filter, key, a));
          }
        }),
        { numRuns: 3000 },
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

  it('has the smallest ranges for a filter on keys: exact where the answer changes, between whole partitions', () => {
    fc.assert(
      fc.property(plainKeyFilter, filter => {
        const { ranges } = planQuery(filter);
        const rowKeys = textsToldApart(filter, 'RowKey');
        const partitionKeys = textsToldApart(filter, 'PartitionKey').toSorted(compareText);
        const answers = partitionKeys.map(partitionKey =>
          rowKeys.map(rowKey => Number(matches(filter, { partitionKey, rowKey }))).join(''),
        );
        for (const [index, partitionKey] of partitionKeys.entries()) {
          // Behind a name there are any number of partitions, of which no range can single one out.
          const isNamed = !partitionKey.endsWith('\u0001');
          const isChange = answers[index - 1] !== answers[index] || answers[index] !== answers[index + 1];
          for (const [at, rowKey] of rowKeys.entries()) {
            const isMatch = answers[index]?.[at] === '1';
            const isNeeded = isNamed && isChange ? isMatch : answers[index]?.includes('1');
            const key = { partitionKey, rowKey };
            assert.equal(isIn(ranges, key), isNeeded, JSON.stringify(key));
            assert.equal(isInBytes(ranges, key), isNeeded, JSON.stringify(key));
          }
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('has a class that tells of its ranges: single keys, one partition each, whole ones, or no end of them', () => {
    fc.assert(
      fc.property(anyFilter, filter => {
        const { ranges, class: queryClass } = planQuery(filter);
        const isOf = {
          point: ({ from, to }: KeyRange) =>
            to?.partitionKey === from.partitionKey && to.rowKey === successor(from.rowKey),
          partition: ({ from, to }: KeyRange) =>
            to?.partitionKey === from.partitionKey ||
            (to?.partitionKey === successor(from.partitionKey) && to.rowKey === ''),
          wholePartition: ({ from, to }: KeyRange) => from.rowKey === '' && to?.rowKey === '',
        };
        const expected = ranges.every(isOf.point)
          ? 'point'
          : !ranges.every(isOf.partition)
            ? 'table scan'
            : ranges.some(isOf.wholePartition)
              ? 'partition scan'
              : 'range';
        assert.equal(queryClass, expected);
      }),
      { numRuns: 2000 },
    );
  });

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
      residual: parseFilter('Age gt 3'),
    });
  });

  it('leaves of a conjunction only what the ranges do not say', () => {
    for (const [filter, left] of [
      ["PartitionKey eq 'p' and RowKey eq 'r' and Age gt 3", 'Age gt 3'],
      ["Age gt 3 and PartitionKey eq 'p' and Name eq 'n'", "Age gt 3 and Name eq 'n'"],
      ["PartitionKey ge 'p' and RowKey eq 'r' and Age gt 3", "RowKey eq 'r' and Age gt 3"],
      [
        "PartitionKey ge 'p' and (RowKey eq 'r' or PartitionKey eq 'q')",
        "RowKey eq 'r' or PartitionKey eq 'q'",
      ],
      ["PartitionKey eq 'p' and (PartitionKey eq 'p' or Age gt 3)", ''],
      ["RowKey lt 'b' or RowKey ge 'b'", ''],
      [
        "PartitionKey ne 5 and Age gt 3 and not RowKey and RowKey le guid'00000000-0000-0000-0000-000000000000'",
        'Age gt 3',
      ],
    ] as const) {
      assert.deepEqual(planOf(filter).residual, parseFilter(left), filter);
    }
  });

  it('has the classes that docs/queries.md tells of', () => {
    const page = readFileSync(new URL('../../../docs/queries.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(.*?)` \| (point|range|partition scan|table scan) \|/gm)];
    assert.ok(rows.length >= 10);
    for (const [, filter, queryClass] of rows)
      assert.equal(planOf(filter as string).class, queryClass, filter);
  });

  it('reads exactly the partitions at the ends of a range of them, and the others whole', () => {
    assert.deepEqual(planOf("PartitionKey ge 'b' and PartitionKey le 'd' and RowKey eq 'r'").ranges, [
      { from: { partitionKey: 'b', rowKey: 'r' }, to: { partitionKey: 'b', rowKey: successor('r') } },
      { from: { partitionKey: successor('b'), rowKey: '' }, to: { partitionKey: 'd', rowKey: '' } },
      { from: { partitionKey: 'd', rowKey: 'r' }, to: { partitionKey: 'd', rowKey: successor('r') } },
    ]);
  });

  it('has the class of the dearest of its ranges', () => {
    for (const [filter, queryClass] of [
      ["PartitionKey eq 'p' and RowKey eq 'r' and Age gt 3", 'point'],
      ["PartitionKey eq 'p' and (RowKey eq 'r' or RowKey gt 's')", 'range'],
      ["PartitionKey eq 'p' and RowKey gt 's' or PartitionKey eq 'q'", 'partition scan'],
      ["PartitionKey eq 'p' and RowKey eq 's' or Age gt 3", 'table scan'],
      ["PartitionKey ge 'p' and PartitionKey le 'p'", 'partition scan'],
      ["PartitionKey eq 'p' and RowKey ge ''", 'partition scan'],
    ] as const) {
      assert.equal(planOf(filter).class, queryClass, filter);
    }
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
      'PartitionKey eq 5 and Age gt 3',
      'RowKey ge 5',
      'PartitionKey',
    ]) {
      assert.deepEqual(planOf(filter).ranges, [], filter);
    }
  });

  const list = (length: number, separator: string, write: (index: number) => string): string =>
    Array.from({ length }, (_, index) => write(index)).join(` ${separator} `);

  it('reads each key of a product of alternatives by itself, up to some thousands', () => {
    const alternatives = (property: string): string =>
      `(${list(50, 'or', index => `${property} eq '${index}'`)})`;
    const plan = planOf(`${alternatives('PartitionKey')} and ${alternatives('RowKey')}`);
    assert.equal(plan.ranges.length, 2500);
    assert.equal(plan.class, 'point');
    assert.equal(plan.residual, undefined);
  });

  it('stays small past that: of each partition a range, and all that is left to say', () => {
    const alternatives = (property: string): string =>
      `(${list(500, 'or', index => `${property} eq '${index + 1000}'`)})`;
    const filter = parseFilter(`${alternatives('PartitionKey')} and ${alternatives('RowKey')}`) as FilterNode;
    const plan = planQuery(filter);
    assert.equal(plan.ranges.length, 500);
    assert.equal(plan.class, 'range');
    assert.ok(isIn(plan.ranges, { partitionKey: '1005', rowKey: '1499' }));
    assert.ok(!isIn(plan.ranges, { partitionKey: '1005', rowKey: '1500' }));
    assert.deepEqual(plan.residual, parseFilter(alternatives('RowKey')));
  });

  it('takes a thousand comparisons', () => {
    const ids = (index: number): string => String((index * 7919) % 1000).padStart(3, '0');
    const points = planOf(
      `PartitionKey eq 'p' and (${list(999, 'or', index => `RowKey eq '${ids(index)}'`)})`,
    );
    assert.equal(points.ranges.length, 999);
    assert.equal(points.residual, undefined);
    const holes = planOf(`${list(999, 'and', index => `'${ids(index)}' ne PartitionKey`)} and Age gt 3`);
    assert.equal(holes.ranges.length, 1000);
    assert.deepEqual(holes.residual, parseFilter('Age gt 3'));
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
