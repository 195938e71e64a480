import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatProperties, formatRow } from '../../../src/table/entity/row.ts';
import { matchRow } from '../../../src/table/filter/match-row.ts';
import type { FilterNode, Value } from '../../../src/table/filter/nodes.ts';
import { parseFilter } from '../../../src/table/filter/parse-filter.ts';
import { parseTicks } from '../../../src/ticks.ts';
import { anyKey, anyValue, isLiteral, propertyName, propertyOf } from '../../support/arbitraries.ts';
import { bareOf, comparisonOf, constant, filterTree } from '../../support/filters.ts';
import { naiveMatches } from '../../support/naive-filter.ts';

const tick = parseTicks('2026-11-20T08:21:08.123Z') as bigint;

/** Values of which two are often equal, or near each other. */
const closeValue: fc.Arbitrary<Value> = fc.oneof(
  ...[
    ['', 'a', 'A', 'aa', '1', 'true', "'", '"\\', '\uffff', '\u{10000}', '\ud800'].map(
      (value): Value => ({ type: 'Edm.String', value }),
    ),
    [true, false].map((value): Value => ({ type: 'Edm.Boolean', value })),
    [-1, 0, 1, 2, 2147483647].map((value): Value => ({ type: 'Edm.Int32', value })),
    [-1n, 0n, 1n, 2147483647n, 2n ** 53n, 2n ** 53n + 1n].map(
      (value): Value => ({ type: 'Edm.Int64', value }),
    ),
    [-1, -0, 0, 0.5, 1, Number.NaN, Number.POSITIVE_INFINITY].map(
      (value): Value => ({ type: 'Edm.Double', value }),
    ),
    [tick - 1n, tick, tick + 1n].map((value): Value => ({ type: 'Edm.DateTime', value })),
    ['00000000-0000-0000-0000-000000000000', 'c9da6455-213d-42c9-9a79-3e9149a57833'].map(
      (value): Value => ({ type: 'Edm.Guid', value }),
    ),
    ['', '00', '0001', 'ff'].map((hex): Value => ({ type: 'Edm.Binary', value: Buffer.from(hex, 'hex') })),
  ].map(values => fc.constantFrom(...values)),
);
const someValue = fc.oneof({ weight: 4, arbitrary: closeValue }, { weight: 1, arbitrary: anyValue });
const closeName = fc.constantFrom(
  'a',
  'A',
  'ab',
  'é',
  'yes',
  'PartitionKey',
  'RowKey',
  'Timestamp',
  'missing',
);
const someName = fc.oneof({ weight: 4, arbitrary: closeName }, { weight: 1, arbitrary: propertyName });
const someFilter = filterTree(
  fc.oneof(
    { weight: 6, arbitrary: comparisonOf(someName, someValue.filter(isLiteral)) },
    { weight: 1, arbitrary: bareOf(someName) },
    { weight: 1, arbitrary: constant },
  ),
);
const systemNames = ['PartitionKey', 'RowKey', 'Timestamp', 'missing'];
const someProperties = fc
  .uniqueArray(fc.tuple(someName, someValue), { selector: ([name]) => name, maxLength: 6 })
  .map(pairs => pairs.filter(([name]) => !systemNames.includes(name)));

describe('a filter on stored rows', () => {
  it('matches those that the protocol says it does', () => {
    fc.assert(
      fc.property(
        someFilter,
        fc.array(fc.tuple(anyKey, someProperties), { maxLength: 4 }),
        (filter, entities) => {
          const matches = matchRow(filter);
          for (const [key, pairs] of entities) {
            const row = formatRow(
              key,
              tick,
              formatProperties(pairs.map(([name, value]) => propertyOf(name, value))),
            );
            const entity = new Map<string, Value>([
              ['PartitionKey', { type: 'Edm.String', value: key.partitionKey }],
              ['RowKey', { type: 'Edm.String', value: key.rowKey }],
              ['Timestamp', { type: 'Edm.DateTime', value: tick }],
              ...pairs,
            ]);
            assert.equal(matches(row), naiveMatches(filter, entity));
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('remembers nothing of the row before', () => {
    const matches = matchRow(parseFilter('a eq 1 or b eq 1') as FilterNode);
    const key = { partitionKey: 'p', rowKey: 'r' };
    const rowOf = (name: string) => formatRow(key, tick, `,"${name}":1`);
    assert.deepEqual(
      ['a', 'c', 'b', 'c'].map(name => matches(rowOf(name))),
      [true, false, true, false],
    );
  });

  it('sees the time of the write, to the tick', () => {
    const row = formatRow({ partitionKey: 'p', rowKey: 'r' }, tick + 1n, '');
    for (const [filter, isMatch] of [
      ["Timestamp eq datetime'2026-11-20T08:21:08.1230001Z'", true],
      ["Timestamp gt datetime'2026-11-20T08:21:08.123Z'", true],
      ["Timestamp ge datetime'2026-11-20T08:21:08.1230002Z'", false],
      ["Timestamp eq '2026-11-20T08:21:08.1230001Z'", false],
    ] as const) {
      assert.equal(matchRow(parseFilter(filter) as FilterNode)(row), isMatch, filter);
    }
  });

  it('does not see the ETag, which is as if it were missing', () => {
    const row = formatRow({ partitionKey: 'p', rowKey: 'r' }, tick, '');
    for (const property of ['odata.etag', 'ETag', 'etag']) {
      assert.equal(matchRow(parseFilter(`${property} ne ''`) as FilterNode)(row), false, property);
    }
  });
});
