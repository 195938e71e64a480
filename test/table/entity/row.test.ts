import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseIfMatch } from '../../../src/http/etag.ts';
import type { Property } from '../../../src/table/entity/edm.ts';
import { parseEntity } from '../../../src/table/entity/parse-entity.ts';
import {
  formatEtag,
  formatProperties,
  formatRow,
  readEtag,
  readProperties,
  readTick,
} from '../../../src/table/entity/row.ts';
import type { Value } from '../../../src/table/filter/nodes.ts';
import { parseTicks } from '../../../src/ticks.ts';
import { anyKey, anyValue, isoOf, propertyName, propertyOf } from '../../support/arbitraries.ts';

const anyTick = fc.bigInt({ min: 600_000_000_000_000_000n, max: 700_000_000_000_000_000n });
const anyProperties = fc.uniqueArray(fc.tuple(propertyName, anyValue), {
  selector: ([name]) => name,
  maxLength: 8,
});

/** A value as a client sends it: JSON that shows its type, or is told it. */
function sentJson({ type, value }: Value): string {
  switch (type) {
    case 'Edm.String':
      return JSON.stringify(value);
    case 'Edm.DateTime':
      return `"${isoOf(value)}"`;
    case 'Edm.Binary':
      return `"${value.toString('base64')}"`;
    case 'Edm.Int64':
      return `"${value}"`;
    case 'Edm.Guid':
      return `"${value.toUpperCase()}"`;
    case 'Edm.Double':
      return Number.isFinite(value) ? (Object.is(value, -0) ? '-0' : String(value)) : `"${value}"`;
    default:
      return String(value);
  }
}

function sentBody(pairs: readonly (readonly [string, Value])[], annotateFirst: boolean): Buffer {
  const members = pairs.flatMap(([name, value]) => {
    const member = `${JSON.stringify(name)}:${sentJson(value)}`;
    const annotation = `"${name}@odata.type":"${value.type}"`;
    return annotateFirst ? [annotation, member] : [member, annotation];
  });
  return Buffer.from(`{${members.join(',')}}`);
}

describe('a stored row', () => {
  it('is the JSON of its entity at minimal metadata', () => {
    const tick = parseTicks('2026-11-20T08:21:08.123Z') as bigint;
    const properties: Property[] = [
      { name: 'age', type: 'Edm.Int64', json: '"39"' },
      { name: 'name', type: 'Edm.String', json: '"Ann"' },
      { name: 'ratio', type: 'Edm.Double', json: '3.0' },
      { name: 'limit', type: 'Edm.Double', json: '"NaN"' },
    ];
    assert.equal(
      String(formatRow({ partitionKey: 'p"', rowKey: 'é\\' }, tick, formatProperties(properties))),
      `{"odata.etag":"W/\\"datetime'2026-11-20T08%3A21%3A08.123Z'\\"","PartitionKey":"p\\"","RowKey":"é\\\\","Timestamp":"2026-11-20T08:21:08.123Z","age@odata.type":"Edm.Int64","age":"39","name":"Ann","ratio":3.0,"limit@odata.type":"Edm.Double","limit":"NaN"}`,
    );
  });

  it('gives back every property of every type, exactly, that a client sent', () => {
    fc.assert(
      fc.property(anyKey, anyTick, anyProperties, fc.boolean(), (key, tick, pairs, annotateFirst) => {
        const { properties } = parseEntity(sentBody(pairs, annotateFirst));
        assert.deepEqual(
          properties,
          pairs.map(([name, value]) => propertyOf(name, value)),
        );
        const row = formatRow(key, tick, formatProperties(properties));
        assert.deepEqual(readProperties(row), properties);
      }),
      { numRuns: 500 },
    );
  });

  it('is read alike when a client sends back what it got', () => {
    fc.assert(
      fc.property(anyKey, anyTick, anyProperties, (key, tick, pairs) => {
        const properties = pairs.map(([name, value]) => propertyOf(name, value));
        const body = parseEntity(formatRow(key, tick, formatProperties(properties)));
        assert.deepEqual(body, { ...key, properties, text: formatProperties(properties) });
      }),
    );
  });

  it('is JSON that every parser reads, with the members in the order of the protocol', () => {
    fc.assert(
      fc.property(anyKey, anyTick, anyProperties, (key, tick, pairs) => {
        const properties = pairs.map(([name, value]) => propertyOf(name, value));
        const row = JSON.parse(String(formatRow(key, tick, formatProperties(properties))));
        const names = Object.keys(row).filter(name => !name.endsWith('@odata.type'));
        assert.deepEqual(names, [
          'odata.etag',
          'PartitionKey',
          'RowKey',
          'Timestamp',
          ...pairs.map(([name]) => name),
        ]);
        assert.equal(row.PartitionKey, key.partitionKey);
        assert.equal(row.RowKey, key.rowKey);
        for (const [name, { type, value }] of pairs) {
          if (type === 'Edm.String' || type === 'Edm.Boolean') assert.equal(row[name], value);
          if (type === 'Edm.Int32' || type === 'Edm.Double') assert.ok(Object.is(Number(row[name]), value));
          if (type === 'Edm.Int64') assert.equal(BigInt(row[name]), value);
          if (type === 'Edm.Binary') assert.deepEqual(Buffer.from(row[name], 'base64'), value);
          if (type === 'Edm.DateTime') assert.equal(parseTicks(row[name]), value);
        }
      }),
    );
  });

  it('tells when it was written, by its ETag too', () => {
    fc.assert(
      fc.property(anyKey, anyTick, (key, tick) => {
        const row = formatRow(key, tick, '');
        assert.equal(readTick(row), tick);
        assert.equal(readEtag(row), formatEtag(tick));
        assert.equal(JSON.parse(String(row))['odata.etag'], formatEtag(tick));
        assert.equal(parseTicks(JSON.parse(String(row)).Timestamp), tick);
        assert.deepEqual(parseIfMatch(readEtag(row)), { tick });
      }),
    );
  });

  it('has an ETag of the recorded form', () => {
    assert.equal(
      formatEtag(parseTicks('2020-07-24T14:34:48.4767000Z') as bigint),
      `W/"datetime'2020-07-24T14%3A34%3A48.4767Z'"`,
    );
  });
});
