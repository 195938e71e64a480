import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { specialKeys } from '../special-keys.ts';
import { addressed, addressKey, collect, freshTable, has, odata, readPage, refusal } from './sdk.ts';

for (const [what, key] of specialKeys) {
  behaviour(`keys: ${what} leads to its entity in every operation`, async () => {
    const table = await freshTable();
    for (const [partitionKey, rowKey] of [
      [key, 'r'],
      ['p', key],
      [key, key],
    ] as const) {
      const entity = { partitionKey, rowKey };
      const address = [addressKey(partitionKey), addressKey(rowKey)] as const;
      const filter = odata`PartitionKey eq ${partitionKey} and RowKey eq ${rowKey} and a eq ${key}`;
      await table.createEntity({ ...entity, a: key });
      await assert.rejects(table.createEntity(entity), refusal(409, 'EntityAlreadyExists'));
      await table.updateEntity(addressed({ ...entity, b: 1 }), 'Merge');
      await table.upsertEntity(addressed({ ...entity, c: 2 }), 'Merge');
      const { etag, partitionKey: p, rowKey: r, a, b, c } = await table.getEntity(...address);
      assert.deepEqual([p, r, a, b, c], [partitionKey, rowKey, key, 1, 2]);
      await table.updateEntity(addressed({ ...entity, a: key }), 'Replace', { etag });
      const found = await collect(table.listEntities({ queryOptions: { filter } }));
      assert.equal(found.length, 1, filter);
      assert.equal(found[0]?.b, undefined);
      await table.submitTransaction([['update', addressed({ ...entity, d: 3 }), 'Merge']]);
      await table.submitTransaction([['upsert', addressed({ ...entity, e: 4 }), 'Replace']]);
      assert.equal((await table.getEntity(...address)).e, 4);
      await table.deleteEntity(...address);
      await table.submitTransaction([['create', entity]]);
      await table.submitTransaction([['delete', addressed(entity)]]);
      await assert.rejects(table.getEntity(...address), refusal(404, 'ResourceNotFound'));
    }
  });
}

for (const [what, partitionKey, rowKey] of [
  ['an empty partition key', '', 'r'],
  ['an empty row key', 'p', ''],
  ['two empty keys', '', ''],
] as const) {
  behaviour(`keys: ${what} can be inserted, read, found and deleted`, async () => {
    const table = await freshTable();
    await table.createEntity({ partitionKey, rowKey, a: 1 });
    const entity = await table.getEntity(partitionKey, rowKey);
    assert.deepEqual([entity.partitionKey, entity.rowKey, entity.a], [partitionKey, rowKey, 1]);
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey eq ${rowKey}`;
    assert.equal((await collect(table.listEntities({ queryOptions: { filter } }))).length, 1);
    await table.deleteEntity(partitionKey, rowKey);
    await assert.rejects(table.getEntity(partitionKey, rowKey), refusal(404, 'ResourceNotFound'));
  });

  if (has.updatesOfEmptyKeys) {
    behaviour(`keys: ${what} can be updated, upserted and in transactions`, async () => {
      const table = await freshTable();
      const entity = { partitionKey, rowKey };
      await table.upsertEntity({ ...entity, a: 1 }, 'Replace');
      await table.updateEntity({ ...entity, b: 2 }, 'Merge');
      await table.submitTransaction([['update', { ...entity, c: 3 }, 'Merge']]);
      const { a, b, c } = await table.getEntity(partitionKey, rowKey);
      assert.deepEqual([a, b, c], [1, 2, 3]);
      await table.submitTransaction([['delete', entity]]);
      assert.deepEqual(await collect(table.listEntities()), []);
    });
  }
}

behaviour('keys: special ones stand together in a transaction', async () => {
  const table = await freshTable();
  const partitionKey = "O'Hara %27+(),= 😀";
  const entities = specialKeys.map(([, rowKey]) => ({ partitionKey, rowKey, text: rowKey }));
  await table.submitTransaction(entities.map(entity => ['create', entity]));
  await table.submitTransaction(entities.map(entity => ['update', addressed({ ...entity, a: 1 }), 'Merge']));
  const filter = odata`PartitionKey eq ${partitionKey} and a eq 1`;
  const found = await collect(table.listEntities({ queryOptions: { filter } }));
  assert.equal(found.length, entities.length);
  for (const { rowKey, text } of found) assert.equal(rowKey, text);
  await table.submitTransaction(entities.map(entity => ['delete', addressed(entity)]));
  assert.deepEqual(await collect(table.listEntities()), []);
});

behaviour('keys: special ones are resumed at by page tokens', async () => {
  const table = await freshTable();
  const keys = ['', ...specialKeys.map(([, key]) => key)];
  for (const key of keys) await table.createEntity({ partitionKey: key, rowKey: key });
  const seen: (string | undefined)[] = [];
  let token: string | undefined;
  do {
    const page = await readPage(table, 1, token);
    seen.push(...page.items.map(({ rowKey }) => rowKey));
    token = page.token;
  } while (token !== undefined);
  assert.equal(seen.length, keys.length);
  assert.deepEqual(new Set(seen), new Set(keys));
});

for (const [what, character] of [
  ['a slash', '/'],
  ['a backslash', '\\'],
  ['a number sign', '#'],
  ['a question mark', '?'],
  ['a tab', '\t'],
] as const) {
  behaviour(`keys: ${what} is refused with OutOfRangeInput`, async () => {
    const table = await freshTable();
    const entity = { partitionKey: 'p', rowKey: `a${character}b` };
    await assert.rejects(table.createEntity(entity), refusal(400, 'OutOfRangeInput'));
  });
}
