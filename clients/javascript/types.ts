import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { collect, freshTable, has, refusal, type TableClient } from './sdk.ts';

interface Typed {
  readonly type: string;
  readonly value: unknown;
}

/** What a property is read as, alone and in a list, after it was inserted, replaced, merged and in a transaction. */
async function assertReads(written: unknown, expected: unknown): Promise<TableClient> {
  const table = await freshTable();
  const entity = (rowKey: string) => ({ partitionKey: 'p', rowKey, a: written });
  await table.createEntity(entity('created'));
  await table.upsertEntity(entity('upserted'), 'Replace');
  await table.createEntity({ ...entity('merged'), a: true });
  await table.updateEntity(entity('merged'), 'Merge');
  await table.submitTransaction([['create', entity('transacted')]]);
  for (const rowKey of ['created', 'merged', 'transacted', 'upserted']) {
    const { a } = await table.getEntity<{ a: unknown }>('p', rowKey);
    assert.deepEqual(a, expected, `${rowKey}, alone`);
  }
  const listed = await collect(table.listEntities());
  assert.deepEqual(
    listed.map(({ a }) => a),
    Array(4).fill(expected),
  );
  return table;
}

async function countMatches(table: TableClient, filter: string): Promise<number> {
  return (await collect(table.listEntities({ queryOptions: { filter } }))).length;
}

for (const [what, text] of [
  ['empty', ''],
  ['of spaces', '  '],
  ['that looks like a number', '3.0'],
  ['that looks like a date', '2020-01-01T00:00:00Z'],
  ['with quotes, backslashes and control characters', '"\\/\b\f\n\r\t\u0000\u001f\u007f'],
  ['of other scripts and of supplementary characters', 'é名前שלום😀\uffff'],
  ['that looks like the parts of a transaction', '--changeset_1\r\n--batch_1--\r\nHTTP/1.1 404 Not Found'],
  ['of 32,768 characters', 'x'.repeat(32_768)],
] as const) {
  behaviour(`types: a String ${what} is kept`, async () => {
    await assertReads(text, text);
  });
}

for (const value of [true, false]) {
  behaviour(`types: the Boolean ${value} is kept`, async () => {
    await assertReads(value, value);
  });
}

for (const value of [0, 1, -1, 2_147_483_647, -2_147_483_648]) {
  behaviour(`types: the Int32 ${value} is kept`, async () => {
    const table = await assertReads(value, value);
    assert.equal(await countMatches(table, `a eq ${value}`), 4);
    assert.equal(await countMatches(table, `a eq ${value}.0`), 0);
  });
}

for (const value of [0n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
  behaviour(`types: the Int64 ${value} is kept`, async () => {
    await assertReads(value, value);
  });
}

behaviour('types: the Double 3.0 stays a Double', async () => {
  const table = await assertReads({ type: 'Double', value: 3 }, 3);
  assert.equal(await countMatches(table, 'a eq 3.0'), 4);
});

for (const value of [1.5, -1.5e-300, Number.MAX_VALUE, Number.MIN_VALUE]) {
  behaviour(`types: the Double ${value} is kept`, async () => {
    await assertReads(value, value);
  });
}

behaviour('types: the Double -0.0 keeps its sign', async () => {
  await assertReads({ type: 'Double', value: '-0.0' }, -0);
});

for (const text of ['NaN', 'Infinity', '-Infinity']) {
  behaviour(`types: the Double ${text} is kept`, async () => {
    await assertReads({ type: 'Double', value: text }, text);
  });
}

for (const time of ['2020-02-29T12:34:56Z', '2020-02-29T12:34:56.789Z', '1601-01-01T00:00:00Z']) {
  behaviour(`types: the DateTime ${time} is kept`, async () => {
    await assertReads(new Date(time), new Date(time));
  });
}

behaviour('types: a DateTime is kept to 100 nanoseconds', async () => {
  const written: Typed = { type: 'DateTime', value: '2020-02-29T12:34:56.1234567Z' };
  const table = await freshTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r', a: written });
  const { a } = await table.getEntity<{ a: Typed }>('p', 'r', { disableTypeConversion: true });
  assert.deepEqual(a, written);
});

behaviour('types: a Guid is kept', async () => {
  const guid: Typed = { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' };
  await assertReads(guid, guid);
});

for (const [what, length] of [
  ['empty', 0],
  ['of every byte', 256],
  ['of 64 KiB', 65_536],
] as const) {
  behaviour(`types: a Binary ${what} is kept`, async () => {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 256);
    const table = await freshTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', a: bytes });
    await table.submitTransaction([['create', { partitionKey: 'p', rowKey: 's', a: bytes }]]);
    for (const { a } of await collect(table.listEntities())) {
      assert.ok(a instanceof Uint8Array);
      assert.deepEqual(Uint8Array.from(a), bytes);
    }
  });
}

behaviour('types: typed values are written as they are told and read as they are', async () => {
  const table = await freshTable();
  const written: Record<string, Typed> = {
    string: { type: 'String', value: 'x' },
    int32: { type: 'Int32', value: '7' },
    int64: { type: 'Int64', value: '7' },
    double: { type: 'Double', value: '7.5' },
    dateTime: { type: 'DateTime', value: '2020-01-01T00:00:00Z' },
    guid: { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
    boolean: { type: 'Boolean', value: 'true' },
  };
  await table.createEntity({ partitionKey: 'p', rowKey: 'r', ...written });
  const entity = await table.getEntity('p', 'r', { disableTypeConversion: true });
  for (const name of Object.keys(written)) assert.deepEqual(entity[name], written[name]);
});

if (has.typedFalsyValues) {
  behaviour('types: typed values that JavaScript takes for false are kept', async () => {
    await assertReads({ type: 'Boolean', value: false }, false);
    await assertReads({ type: 'Int32', value: 0 }, 0);
    await assertReads({ type: 'String', value: '' }, '');
  });
}

behaviour('types: a property that is null is dropped', async () => {
  const table = await freshTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r', a: null, b: 1 });
  const entity = await table.getEntity('p', 'r');
  assert.equal('a' in entity, false);
  assert.equal(entity.b, 1);
});

behaviour('types: names that differ in case are different properties', async () => {
  const table = await freshTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r', age: 1, Age: 2 });
  const { age, Age } = await table.getEntity('p', 'r');
  assert.deepEqual([age, Age], [1, 2]);
});

for (const [what, code, properties] of [
  ['a String of 32,769 characters', 'PropertyValueTooLarge', { a: 'x'.repeat(32_769) }],
  ['a Binary of more than 64 KiB', 'PropertyValueTooLarge', { a: new Uint8Array(65_537) }],
  ['an Int64 out of range', 'InvalidInput', { a: 2n ** 63n }],
  ['a DateTime before 1601', 'OutOfRangeInput', { a: new Date('1600-12-31T23:59:59Z') }],
  ['a name that begins with a digit', 'PropertyNameInvalid', { '1a': 1 }],
  ['a name of 256 characters', 'PropertyNameTooLong', { ['x'.repeat(256)]: 1 }],
  [
    '253 properties',
    'TooManyProperties',
    Object.fromEntries(Array.from({ length: 253 }, (_, index) => [`a${index}`, index])),
  ],
  [
    'more than 1 MiB',
    'EntityTooLarge',
    Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`a${index}`, 'x'.repeat(32_000)])),
  ],
] as const) {
  behaviour(`types: an entity with ${what} is refused with ${code}`, async () => {
    const table = await freshTable();
    const entity = { partitionKey: 'p', rowKey: 'r', ...properties };
    await assert.rejects(table.createEntity(entity), refusal(400, code));
  });
}
