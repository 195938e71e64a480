import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collect, freshTable, refusal } from '../support/official-client.ts';
import { useServer } from '../support/server.ts';

const key = { partitionKey: 'p', rowKey: 'r' };
const exists = refusal(409, 'EntityAlreadyExists');
const missing = refusal(404, 'ResourceNotFound');
const unmet = refusal(412, 'UpdateConditionNotSatisfied');
const foreignEtag = `W/"datetime'2020-01-01T00%3A00%3A00Z'"`;

/** The properties of the entity, without what the service adds. */
function custom(entity: Record<string, unknown>): Record<string, unknown> {
  const system = ['odata.metadata', 'etag', 'timestamp', 'partitionKey', 'rowKey'];
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !system.includes(name)));
}

describe('an entity, through the official client', () => {
  const server = useServer();

  it('is created, read and deleted', async () => {
    const table = await freshTable(server);
    const { etag } = await table.createEntity({ ...key, name: 'Ann', age: 39 });
    const entity = await table.getEntity('p', 'r');
    assert.equal(entity.partitionKey, 'p');
    assert.equal(entity.rowKey, 'r');
    assert.equal(entity.etag, etag);
    assert.equal(etag, `W/"datetime'${entity.timestamp?.replaceAll(':', '%3A')}'"`);
    assert.deepEqual(custom(entity), { name: 'Ann', age: 39 });
    await table.deleteEntity('p', 'r');
    await assert.rejects(table.getEntity('p', 'r'), missing);
  });

  it('is created once', async () => {
    const table = await freshTable(server);
    await table.createEntity({ ...key, name: 'first' });
    await assert.rejects(table.createEntity({ ...key, name: 'second' }), exists);
    assert.deepEqual(custom(await table.getEntity('p', 'r')), { name: 'first' });
  });

  it('is told from others by both keys, with their case', async () => {
    const table = await freshTable(server);
    for (const [partitionKey, rowKey] of [
      ['a', 'b'],
      ['A', 'b'],
      ['a', 'B'],
      ['ab', ''],
      ['', 'ab'],
    ] as const) {
      await table.createEntity({ partitionKey, rowKey, name: `${partitionKey}|${rowKey}` });
    }
    assert.equal((await table.getEntity('a', 'B')).name, 'a|B');
    assert.equal((await table.getEntity('ab', '')).name, 'ab|');
    await assert.rejects(table.getEntity('b', 'a'), missing);
  });

  it('shows what is selected, with its ETag, and null for what it lacks', async () => {
    const table = await freshTable(server);
    await table.createEntity({ ...key, name: 'Ann', age: 39n });
    const entity = await table.getEntity('p', 'r', {
      queryOptions: { select: ['age', 'rowKey', 'RowKey', 'sex'] },
    });
    assert.ok(entity.etag);
    assert.equal(entity.partitionKey, undefined);
    assert.equal(entity.timestamp, undefined);
    assert.equal(entity.rowKey, 'r');
    assert.equal(entity.age, 39n);
    assert.equal(entity.sex, null);
    assert.equal('name' in entity, false);
  });

  it('is created without the properties that are null or undefined', async () => {
    const table = await freshTable(server);
    await table.createEntity({ ...key, a: null, b: undefined, c: 1 });
    assert.deepEqual(custom(await table.getEntity('p', 'r')), { c: 1 });
  });

  it('may be given back as it was read', async () => {
    const table = await freshTable(server);
    await table.createEntity({
      ...key,
      name: 'Ann',
      id: { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
    });
    const entity = await table.getEntity('p', 'r');
    const { etag } = await table.updateEntity({ ...key, ...entity, age: 1 }, 'Replace', {
      etag: entity.etag,
    });
    const updated = await table.getEntity('p', 'r');
    assert.equal(updated.etag, etag);
    assert.deepEqual(custom(updated), { ...custom(entity), age: 1 });
  });
});

describe('an update, through the official client', () => {
  const server = useServer();

  it('replaces an entity whole', async () => {
    const table = await freshTable(server);
    const created = await table.createEntity({ ...key, a: 1, b: 2 });
    const { etag } = await table.updateEntity({ ...key, b: 'two', c: 3 }, 'Replace');
    const entity = await table.getEntity('p', 'r');
    assert.deepEqual(custom(entity), { b: 'two', c: 3 });
    assert.equal(entity.etag, etag);
    assert.notEqual(etag, created.etag);
  });

  it('merges into an entity, which it does by default', async () => {
    const table = await freshTable(server);
    await table.createEntity({ ...key, a: 1, b: 2 });
    await table.updateEntity({ ...key, b: 'two', c: 3 }, 'Merge');
    assert.deepEqual(custom(await table.getEntity('p', 'r')), { a: 1, b: 'two', c: 3 });
    await table.updateEntity({ ...key, d: true });
    assert.deepEqual(custom(await table.getEntity('p', 'r')), { a: 1, b: 'two', c: 3, d: true });
  });

  it('leaves with a merge what is null untouched', async () => {
    const table = await freshTable(server);
    await table.createEntity({ ...key, a: 1 });
    await table.updateEntity({ ...key, a: null, b: null }, 'Merge');
    assert.deepEqual(custom(await table.getEntity('p', 'r')), { a: 1 });
  });

  it('changes the ETag also when it changes nothing else', async () => {
    const table = await freshTable(server);
    const { etag } = await table.createEntity({ ...key, a: 1 });
    const updated = await table.updateEntity(key, 'Merge');
    assert.notEqual(updated.etag, etag);
    assert.deepEqual(custom(await table.getEntity('p', 'r')), { a: 1 });
  });

  for (const mode of ['Merge', 'Replace'] as const) {
    it(`needs the entity to be there: ${mode}`, async () => {
      const table = await freshTable(server);
      await assert.rejects(table.updateEntity({ ...key, a: 1 }, mode), missing);
      await assert.rejects(table.updateEntity({ ...key, a: 1 }, mode, { etag: '*' }), missing);
      await assert.rejects(table.updateEntity({ ...key, a: 1 }, mode, { etag: foreignEtag }), missing);
    });

    it(`is done with the current ETag and refused with an old one: ${mode}`, async () => {
      const table = await freshTable(server);
      const created = await table.createEntity({ ...key, a: 1 });
      const etag = created.etag as string;
      const updated = await table.updateEntity({ ...key, a: 2 }, mode, { etag });
      await assert.rejects(table.updateEntity({ ...key, a: 3 }, mode, { etag }), unmet);
      await assert.rejects(table.updateEntity({ ...key, a: 3 }, mode, { etag: foreignEtag }), unmet);
      await assert.rejects(table.updateEntity({ ...key, a: 3 }, mode, { etag: 'W/"wrong"' }), unmet);
      assert.equal((await table.getEntity('p', 'r')).a, 2);
      await table.updateEntity({ ...key, a: 4 }, mode, { etag: updated.etag as string });
      await table.updateEntity({ ...key, a: 5 }, mode, { etag: '*' });
      assert.equal((await table.getEntity('p', 'r')).a, 5);
    });

    it(`takes an ETag that was made of a timestamp: ${mode}`, async () => {
      const table = await freshTable(server);
      await table.createEntity({ ...key, a: 1 });
      const { timestamp } = await table.getEntity('p', 'r');
      await table.updateEntity({ ...key, a: 2 }, mode, { etag: `W/"datetime'${timestamp}'"` });
    });

    it(`is refused with InvalidInput for an ETag that is none: ${mode}`, async () => {
      const table = await freshTable(server);
      await table.createEntity({ ...key, a: 1 });
      for (const etag of ['abc', '"strong"', 'W/"a", W/"b"']) {
        await assert.rejects(
          table.updateEntity({ ...key, a: 2 }, mode, { etag }),
          refusal(400, 'InvalidInput'),
          etag,
        );
      }
    });
  }
});

describe('an upsert, through the official client', () => {
  const server = useServer();

  for (const mode of ['Merge', 'Replace'] as const) {
    it(`creates an entity that is not there: ${mode}`, async () => {
      const table = await freshTable(server);
      const { etag } = await table.upsertEntity({ ...key, a: 1 }, mode);
      const entity = await table.getEntity('p', 'r');
      assert.deepEqual(custom(entity), { a: 1 });
      assert.equal(entity.etag, etag);
    });
  }

  it('replaces one that is', async () => {
    const table = await freshTable(server);
    await table.createEntity({ ...key, a: 1, b: 2 });
    await table.upsertEntity({ ...key, b: 3 }, 'Replace');
    assert.deepEqual(custom(await table.getEntity('p', 'r')), { b: 3 });
  });

  it('merges into one that is, which it does by default', async () => {
    const table = await freshTable(server);
    await table.createEntity({ ...key, a: 1, b: 2 });
    await table.upsertEntity({ ...key, b: 3n });
    await table.upsertEntity({ ...key, c: 4 }, 'Merge');
    assert.deepEqual(custom(await table.getEntity('p', 'r')), { a: 1, b: 3n, c: 4 });
  });

  it('holds the limits of an entity to the merged one', async () => {
    const table = await freshTable(server);
    const many = Object.fromEntries(Array.from({ length: 252 }, (_, index) => [`p${index}`, index]));
    await table.upsertEntity({ ...key, ...many }, 'Replace');
    await table.upsertEntity({ ...key, p0: 'other' }, 'Merge');
    await assert.rejects(table.upsertEntity({ ...key, more: 1 }, 'Merge'), refusal(400, 'TooManyProperties'));
    assert.equal((await table.getEntity('p', 'r')).p0, 'other');
  });
});

describe('a deletion, through the official client', () => {
  const server = useServer();

  it('is done whatever the ETag, without one', async () => {
    const table = await freshTable(server);
    await table.createEntity(key);
    await table.updateEntity({ ...key, a: 1 });
    await table.deleteEntity('p', 'r');
    assert.deepEqual(await collect(table.listEntities()), []);
  });

  it('needs the entity to be there', async () => {
    const table = await freshTable(server);
    await assert.rejects(table.deleteEntity('p', 'r'), missing);
    await assert.rejects(table.deleteEntity('p', 'r', { etag: foreignEtag }), missing);
  });

  it('is done with the current ETag and refused with an old one', async () => {
    const table = await freshTable(server);
    const created = await table.createEntity(key);
    const updated = await table.updateEntity({ ...key, a: 1 });
    await assert.rejects(table.deleteEntity('p', 'r', { etag: created.etag as string }), unmet);
    assert.equal((await table.getEntity('p', 'r')).a, 1);
    await table.deleteEntity('p', 'r', { etag: updated.etag as string });
    await assert.rejects(table.getEntity('p', 'r'), missing);
  });

  it('lets an entity of the same keys be created, with another ETag', async () => {
    const table = await freshTable(server);
    const first = await table.createEntity(key);
    await table.deleteEntity('p', 'r');
    const second = await table.createEntity(key);
    assert.notEqual(second.etag, first.etag);
  });
});

describe('the limits of an entity, through the official client', () => {
  const server = useServer();

  it('are refused past them, and reached', async () => {
    const table = await freshTable(server);
    const many = (count: number): Record<string, number> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, index]));
    for (const [properties, code] of [
      [{ a: 'x'.repeat(32_769) }, 'PropertyValueTooLarge'],
      [{ a: new Uint8Array(65_537) }, 'PropertyValueTooLarge'],
      [{ ['x'.repeat(256)]: 1 }, 'PropertyNameTooLong'],
      [{ 'a-b': 1 }, 'PropertyNameInvalid'],
      [{ 123: 1 }, 'PropertyNameInvalid'],
      [many(253), 'TooManyProperties'],
      [{ a: new Uint8Array(1024 * 1024) }, 'EntityTooLarge'],
      [{ a: { type: 'Int64', value: '9223372036854775808' } }, 'InvalidInput'],
      [{ a: { type: 'Guid', value: 'none' } }, 'InvalidInput'],
      [{ a: { type: 'DateTime', value: '1600-12-31T23:59:59Z' } }, 'OutOfRangeInput'],
      [{ a: { type: 'Int32', value: 2147483648 } }, 'InvalidInput'],
    ] as const) {
      await assert.rejects(table.createEntity({ ...key, ...properties }), refusal(400, code), code);
      await assert.rejects(
        table.upsertEntity({ ...key, ...properties }, 'Replace'),
        refusal(400, code),
        code,
      );
    }
    const full = {
      string: 'é'.repeat(32_768),
      binary: new Uint8Array(65_536),
      ['x'.repeat(255)]: 1,
      ...many(249),
    };
    await table.createEntity({ ...key, ...full });
    const entity = await table.getEntity('p', 'r');
    assert.equal(entity.string, full.string);
    assert.equal((entity.binary as Uint8Array).length, 65_536);
    assert.equal(Object.keys(custom(entity)).length, 252);
  });
});
