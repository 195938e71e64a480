import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStoredEntity } from '../../src/azurite/stored-entity.ts';
import { LeftOutError } from '../../src/azurite/stored-value.ts';
import { formatProperties } from '../../src/table/entity/row.ts';
import { formatTicks } from '../../src/ticks.ts';

const lastModifiedTime = '2026-11-20T11:28:35.6609488Z';

function document(properties: Record<string, unknown>, more: Record<string, unknown> = {}): unknown {
  return { PartitionKey: 'p', RowKey: 'r', properties, lastModifiedTime, ...more };
}

function textOf(properties: Record<string, unknown>): string {
  return formatProperties(readStoredEntity(document(properties)).properties);
}

function refusal(value: unknown): string {
  try {
    readStoredEntity(value);
  } catch (error) {
    assert.ok(error instanceof LeftOutError);
    return error.message;
  }
  throw new Error('it was read');
}

describe('readStoredEntity', () => {
  it('reads the keys, the time and the properties, in their order', () => {
    const { key, tick, properties } = readStoredEntity(
      document({
        PartitionKey: 'p',
        RowKey: 'r',
        b: 1,
        Timestamp: 'x',
        'Timestamp@odata.type': 'Edm.DateTime',
        a: 2,
      }),
    );
    assert.deepEqual(key, { partitionKey: 'p', rowKey: 'r' });
    assert.equal(formatTicks(tick ?? 0n), lastModifiedTime);
    assert.deepEqual(
      properties.map(({ name }) => name),
      ['b', 'a'],
    );
  });

  it('has no time where the emulator did not keep one', () => {
    for (const value of ['', undefined, 'yesterday', 5]) {
      assert.equal(readStoredEntity(document({}, { lastModifiedTime: value })).tick, undefined);
    }
  });

  it('drops nulls and annotations', () => {
    const properties = {
      nothing: null,
      'odata.metadata': 'x',
      'odata.etag': 'y',
      some: 's',
      'x@odata.type': 'Edm.Guid',
    };
    assert.equal(textOf(properties), ',"some":"s"');
  });

  it('gives every type its exact form', () => {
    assert.equal(textOf({ a: 3, 'a@odata.type': 'Edm.Double', b: 3, c: 3.5 }), ',"a":3.0,"b":3,"c":3.5');
    assert.equal(
      textOf({ n: 'NaN', 'n@odata.type': 'Edm.Double' }),
      ',"n@odata.type":"Edm.Double","n":"NaN"',
    );
    assert.equal(
      textOf({ i: '9223372036854775807', 'i@odata.type': 'Edm.Int64' }),
      ',"i@odata.type":"Edm.Int64","i":"9223372036854775807"',
    );
    assert.equal(
      textOf({ d: '2024-02-29T12:34:56+01:00', 'd@odata.type': 'Edm.DateTime' }),
      ',"d@odata.type":"Edm.DateTime","d":"2024-02-29T11:34:56Z"',
    );
    assert.equal(textOf({ t: true, f: 'false', 'f@odata.type': 'Edm.Boolean' }), ',"t":true,"f":false');
    assert.equal(textOf({ s: 'a"\ud800\n' }), ',"s":"a\\"\\ud800\\n"');
  });

  it('reads a Guid as its text, as older versions keep it, and as the Base64 of its text', () => {
    const guid = '0f8fad5b-d9cb-469f-a165-70867728950e';
    for (const value of [guid, guid.toUpperCase(), Buffer.from(guid).toString('base64')]) {
      assert.equal(
        textOf({ id: value, 'id@odata.type': 'Edm.Guid' }),
        `,"id@odata.type":"Edm.Guid","id":"${guid}"`,
      );
    }
  });

  it('makes a Double of an untyped number that does not fit an Int32, as an insert does', () => {
    const { properties } = readStoredEntity(document({ since: 1708000000000, most: 2147483647 }));
    assert.equal(formatProperties(properties), ',"since":1708000000000.0,"most":2147483647');
  });

  it('names the property that cannot be taken over', () => {
    assert.match(
      refusal(document({ wide: '9223372036854775808', 'wide@odata.type': 'Edm.Int64' })),
      /'wide' is no Edm\.Int64/,
    );
    assert.match(refusal(document({ a: 1, 'with-dash': 1 })), /'with-dash': PropertyNameInvalid/);
    assert.match(refusal(document({ a: { b: 1 } })), /'a' is an object or an array/);
    assert.match(
      refusal(document({ a: 'x', 'a@odata.type': 'Edm.Money' })),
      /has a type that is none: "Edm\.Money"/,
    );
    assert.match(refusal(document({ ok: 'x', long: 'x'.repeat(32_769) })), /'long': PropertyValueTooLarge/);
    assert.match(
      refusal(document({ at: '1600-12-31T00:00:00Z', 'at@odata.type': 'Edm.DateTime' })),
      /'at': OutOfRangeInput/,
    );
  });

  it('refuses what breaks a limit as a whole', () => {
    const many = Object.fromEntries(Array.from({ length: 253 }, (_, index) => [`p${index}`, index]));
    assert.match(refusal(document(many)), /^TooManyProperties/);
    const large = Object.fromEntries(
      Array.from({ length: 17 }, (_, index) => [`p${index}`, 'x'.repeat(32_000)]),
    );
    assert.match(refusal(document(large)), /^EntityTooLarge/);
    assert.match(refusal(document({}, { PartitionKey: 'a/b' })), /^OutOfRangeInput/);
    assert.match(refusal(document({}, { RowKey: '\ud800' })), /^OutOfRangeInput/);
  });

  it('refuses what is no entity', () => {
    for (const value of [null, 5, [], {}, { PartitionKey: 'p', RowKey: 'r' }, document({}, { RowKey: 7 })]) {
      assert.match(refusal(value), /no keys or no properties/);
    }
  });
});
