import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshTable } from '../support/official-client.ts';
import { useServer } from '../support/server.ts';

const guid = 'c9da6455-213d-42c9-9a79-3e9149a57833';
const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);

describe('the types of properties, through the official client', () => {
  const server = useServer();

  /** What a property is read as, as a value of JavaScript and as a typed one, after any way of writing it. */
  async function assertReads(written: unknown, value: unknown, typed: unknown): Promise<void> {
    const table = await freshTable(server);
    const key = { partitionKey: 'p', rowKey: 'created' };
    await table.createEntity({ ...key, a: written });
    await table.upsertEntity({ partitionKey: 'p', rowKey: 'replaced', a: written }, 'Replace');
    await table.upsertEntity({ partitionKey: 'p', rowKey: 'merged', a: false }, 'Replace');
    await table.updateEntity({ partitionKey: 'p', rowKey: 'merged', a: written }, 'Merge');
    await table.submitTransaction([['create', { partitionKey: 'p', rowKey: 'transacted', a: written }]]);
    for (const rowKey of ['created', 'replaced', 'merged', 'transacted']) {
      assert.deepEqual((await table.getEntity('p', rowKey)).a, value);
      const entity = await table.getEntity('p', rowKey, { disableTypeConversion: true });
      assert.deepEqual(entity.a, typed);
    }
    for await (const entity of table.listEntities()) assert.deepEqual(entity.a, value);
    for await (const entity of table.listEntities({ disableTypeConversion: true })) {
      assert.deepEqual(entity.a, typed);
    }
  }

  for (const text of [
    '',
    ' ',
    'true',
    '3',
    '3.0',
    'Infinity',
    '"\\/\b\f\n\r\t',
    "'",
    '\u0000\u001f\u007f\u2028',
    'é😀\uffff',
    '--changeset_1\r\n--batch_1--',
    '{"a":1}',
  ] as const) {
    it(`keep the string ${JSON.stringify(text)}`, () =>
      assertReads(text, text, { type: 'String', value: text }));
  }

  it('keep the largest string', () => {
    const text = '😀'.repeat(16_384);
    return assertReads(text, text, { type: 'String', value: text });
  });

  for (const value of [0, 1, -1, 2147483647, -2147483648]) {
    it(`keep the Int32 ${value}`, () => assertReads(value, value, { type: 'Int32', value: String(value) }));
    it(`keep the Int32 ${value}, typed`, () =>
      assertReads({ type: 'Int32', value: String(value) }, value, { type: 'Int32', value: String(value) }));
  }

  for (const value of [0n, 1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    it(`keep the Int64 ${value}`, async () => {
      const typed = { type: 'Int64', value: String(value) };
      await assertReads(value, value, typed);
      await assertReads(typed, value, typed);
    });
  }

  for (const value of [1.5, -0.1, 5e-324, 1.7976931348623157e308, 1e21, 123456789.12345679]) {
    it(`keep the Double ${value}`, async () => {
      const typed = { type: 'Double', value: String(value) };
      await assertReads(value, value, typed);
      await assertReads({ type: 'Double', value }, value, typed);
      await assertReads(typed, value, typed);
    });
  }

  it('keep a Double that is whole a Double, which filters tell', async () => {
    const table = await freshTable(server);
    await table.createEntity({ partitionKey: 'p', rowKey: 'double', a: { type: 'Double', value: 1 } });
    await table.createEntity({ partitionKey: 'p', rowKey: 'int', a: 1 });
    assert.equal((await table.getEntity('p', 'double')).a, 1);
    const found: unknown[] = [];
    for await (const entity of table.listEntities({ queryOptions: { filter: 'a eq 1.0' } }))
      found.push(entity.rowKey);
    assert.deepEqual(found, ['double']);
  });

  for (const text of ['NaN', 'Infinity', '-Infinity']) {
    it(`keep the Double ${text}`, () => {
      const typed = { type: 'Double', value: text };
      return assertReads(typed, text, typed);
    });
  }

  for (const value of [true, false]) {
    it(`keep the Boolean ${value}`, async () => {
      await assertReads(value, value, { type: 'Boolean', value: String(value) });
      await assertReads({ type: 'Boolean', value }, value, { type: 'Boolean', value: String(value) });
    });
  }

  for (const text of ['1601-01-01T00:00:00Z', '1970-01-01T00:00:00.001Z', '9999-12-31T23:59:59.999Z']) {
    it(`keep the DateTime ${text}`, async () => {
      const typed = { type: 'DateTime', value: text };
      await assertReads(new Date(text), new Date(text), typed);
      await assertReads(typed, new Date(text), typed);
    });
  }

  it('keep all seven digits of a DateTime', async () => {
    const typed = { type: 'DateTime', value: '2020-01-01T00:00:00.1234567Z' };
    await assertReads(typed, new Date('2020-01-01T00:00:00.123Z'), typed);
    const least = { type: 'DateTime', value: '2020-01-01T00:00:00.0000001Z' };
    await assertReads(least, new Date('2020-01-01T00:00:00Z'), least);
  });

  it('keep a Guid, in lower case', async () => {
    await assertReads(
      { type: 'Guid', value: guid },
      { type: 'Guid', value: guid },
      { type: 'Guid', value: guid },
    );
    await assertReads(
      { type: 'Guid', value: guid.toUpperCase() },
      { type: 'Guid', value: guid },
      { type: 'Guid', value: guid },
    );
  });

  it('keep a Binary, empty or of any bytes', async () => {
    for (const value of [bytes, bytes.slice(0, 1), bytes.slice(0, 2), new Uint8Array(0)]) {
      const base64 = Buffer.from(value).toString('base64');
      await assertReads(value, Buffer.from(value), { type: 'Binary', value: base64 });
      await assertReads({ type: 'Binary', value: base64 }, Buffer.from(value), {
        type: 'Binary',
        value: base64,
      });
    }
  });

  it('may change with a merge', async () => {
    const table = await freshTable(server);
    const key = { partitionKey: 'p', rowKey: 'r' };
    await table.createEntity({ ...key, a: 1 });
    for (const value of ['text', 5n, 1.5, true, new Date(0), 1]) {
      await table.updateEntity({ ...key, a: value }, 'Merge');
      assert.deepEqual((await table.getEntity('p', 'r')).a, value);
    }
  });

  it('keep the names of properties, with their case and whatever letters they have', async () => {
    const table = await freshTable(server);
    const properties = {
      age: 1,
      Age: 2,
      AGE: 3,
      _: 4,
      é名: 5,
      constructor: 6,
      toString: 7,
      value: 8,
      type: 9,
    };
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', ...properties });
    const entity: Record<string, unknown> = await table.getEntity('p', 'r');
    for (const [name, value] of Object.entries(properties)) assert.equal(entity[name], value, name);
  });
});
