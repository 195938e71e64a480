import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { MetadataLevel } from '../../../src/http/media-type.ts';
import type { Property } from '../../../src/table/entity/edm.ts';
import { type Projection, projectorOf, projectRow } from '../../../src/table/entity/project.ts';
import { formatProperties, formatRow } from '../../../src/table/entity/row.ts';
import { RowMembers } from '../../../src/table/entity/row-members.ts';
import { entityUrls } from '../../../src/table/urls.ts';
import { parseTicks } from '../../../src/ticks.ts';
import { anyKey, anyValue, propertyName, propertyOf } from '../../support/arbitraries.ts';

const urls = entityUrls('http://127.0.0.1:10002/acme', 'acme', 'mytable');
const properties: Property[] = [
  { name: 'age', type: 'Edm.Int64', json: '"39"' },
  { name: 'ratio', type: 'Edm.Double', json: '3.0' },
  { name: 'limit', type: 'Edm.Double', json: '"NaN"' },
  { name: 'born', type: 'Edm.DateTime', json: '"1973-10-04T00:00:00Z"' },
  { name: 'name', type: 'Edm.String', json: '"Ann \\"A\\""' },
  { name: 'é', type: 'Edm.Boolean', json: 'true' },
];
const row = formatRow(
  { partitionKey: 'pk', rowKey: `A'a"` },
  parseTicks('2020-07-24T14:34:48.4767Z') as bigint,
  formatProperties(properties),
);
const etag = `"odata.etag":"W/\\"datetime'2020-07-24T14%3A34%3A48.4767Z'\\""`;
const full = `"odata.type":"acme.mytable","odata.id":"http://127.0.0.1:10002/acme/mytable(PartitionKey='pk',RowKey='A''a%22')",${etag},"odata.editLink":"mytable(PartitionKey='pk',RowKey='A''a%22')"`;
const keys = `"PartitionKey":"pk","RowKey":"A'a\\""`;

function project(level: MetadataLevel, select?: readonly string[]): string {
  return String(projectRow(row, { level, select }, urls));
}

/** The same by walking over all members and building texts of them. */
function naiveProjection(stored: Buffer, { level, select }: Projection): string {
  const members = new Map<string, string>();
  const types = new Map<string, string>();
  const cursor = new RowMembers(stored);
  while (cursor.next()) {
    if (cursor.isAnnotation) types.set(cursor.name.slice(0, -'@odata.type'.length), cursor.json);
    else members.set(cursor.name, cursor.json);
  }
  const tag = `"odata.etag":${members.get('odata.etag')}`;
  members.delete('odata.etag');
  const { PartitionKey, RowKey } = JSON.parse(String(stored)) as Record<string, string>;
  const url = urls.relative(PartitionKey as string, RowKey as string);
  const address = (text: string): string => JSON.stringify(text);
  const system = {
    none: [],
    minimal: [tag],
    full: [
      '"odata.type":"acme.mytable"',
      `"odata.id":${address(`${urls.base}/${url}`)}`,
      tag,
      `"odata.editLink":${address(url)}`,
    ],
  }[level];
  if (level === 'full') types.set('Timestamp', '"Edm.DateTime"');
  const shown = (select ?? [...members.keys()]).flatMap(name => {
    const type = level === 'none' || !members.has(name) ? undefined : types.get(name);
    const value = `${JSON.stringify(name)}:${members.get(name) ?? 'null'}`;
    return type === undefined ? [value] : [`"${name}@odata.type":${type}`, value];
  });
  return `{${[...system, ...shown].join(',')}}`;
}

describe('an entity in an answer', () => {
  it('is, at any level and with any selection, what a walk over its members makes of it', () => {
    const closeName = fc.oneof(propertyName, fc.constantFrom('a', 'ab', 'b', 'type', 'é'));
    const trickyValue = fc
      .constantFrom(
        '@odata.type":"Edm.Int64',
        ',"a@odata.type":"',
        '","a":1,"b":"',
        'a@odata.type',
        '\\"',
        ',',
      )
      .map(value => ({ type: 'Edm.String' as const, value }));
    const someProperties = fc.uniqueArray(fc.tuple(closeName, fc.oneof(anyValue, trickyValue)), {
      selector: ([name]) => name,
      maxLength: 6,
    });
    const someSelect = fc.uniqueArray(
      fc.oneof(closeName, fc.constantFrom('PartitionKey', 'RowKey', 'Timestamp', 'a@odata.type', 'a"')),
      { minLength: 1, maxLength: 5 },
    );
    const someProjection: fc.Arbitrary<Projection> = fc.record({
      level: fc.constantFrom('none', 'minimal', 'full'),
      select: fc.option(someSelect, { nil: undefined }),
    });
    fc.assert(
      fc.property(someProjection, fc.array(fc.tuple(anyKey, someProperties)), (projection, entities) => {
        const project = projectorOf(projection, urls);
        for (const [key, pairs] of entities) {
          const text = formatProperties(pairs.map(([name, value]) => propertyOf(name, value)));
          const stored = formatRow(key, 638_000_000_000_000_000n, text);
          const before = String(stored);
          assert.equal(String(project?.(stored) ?? stored), naiveProjection(stored, projection));
          assert.equal(String(stored), before, 'the row itself stays as it is');
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('is the stored row at minimal metadata', () => {
    assert.equal(projectRow(row, { level: 'minimal', select: undefined }, urls), row);
  });

  it('has neither types nor annotations at no metadata', () => {
    assert.equal(
      project('none'),
      `{${keys},"Timestamp":"2020-07-24T14:34:48.4767Z","age":"39","ratio":3.0,"limit":"NaN","born":"1973-10-04T00:00:00Z","name":"Ann \\"A\\"","é":true}`,
    );
  });

  it('has its addresses and the type of Timestamp at full metadata', () => {
    assert.equal(
      project('full'),
      `{${full},${keys},"Timestamp@odata.type":"Edm.DateTime","Timestamp":"2020-07-24T14:34:48.4767Z","age@odata.type":"Edm.Int64","age":"39","ratio":3.0,"limit@odata.type":"Edm.Double","limit":"NaN","born@odata.type":"Edm.DateTime","born":"1973-10-04T00:00:00Z","name":"Ann \\"A\\"","é":true}`,
    );
  });

  it('has the selected members alone, in the order of the list, and its ETag', () => {
    assert.equal(
      project('minimal', ['name', 'age', 'RowKey']),
      `{${etag},"name":"Ann \\"A\\"","age@odata.type":"Edm.Int64","age":"39","RowKey":"A'a\\""}`,
    );
    assert.equal(project('none', ['é', 'limit']), '{"é":true,"limit":"NaN"}');
    assert.equal(
      project('full', ['Timestamp']),
      `{${full},"Timestamp@odata.type":"Edm.DateTime","Timestamp":"2020-07-24T14:34:48.4767Z"}`,
    );
  });

  it('has null, without a type, for a selected member that it lacks, whatever its name', () => {
    assert.equal(
      project('minimal', ['Age', 'age']),
      `{${etag},"Age":null,"age@odata.type":"Edm.Int64","age":"39"}`,
    );
    assert.equal(project('none', ['__proto__', 'a"b']), '{"__proto__":null,"a\\"b":null}');
    assert.equal(project('none', ['age@odata.type']), '{"age@odata.type":null}');
  });
});
