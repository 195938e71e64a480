import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { specialKeys } from '../special-keys.ts';
import {
  batchOf,
  call,
  entity,
  etagOf,
  freshTable,
  get,
  make,
  queryAll,
  refusal,
  service,
  TableQuery,
  withEtag,
} from './sdk.mjs';

for (const [what, key] of [...specialKeys, ['nothing at all', '']]) {
  behaviour(`keys: ${what} leads to its entity in every operation`, async () => {
    const table = await freshTable();
    for (const [partitionKey, rowKey] of [
      [key, 'r'],
      ['p', key],
      [key, key],
    ]) {
      const descriptor = (properties = {}) => entity(partitionKey, rowKey, properties);
      await call(service, 'insertEntity', table, descriptor({ a: make.String(key) }));
      await call(service, 'mergeEntity', table, descriptor({ b: make.Int32(1) }));
      await call(service, 'insertOrMergeEntity', table, descriptor({ c: make.Int32(2) }));
      const found = await get(table, partitionKey, rowKey);
      const { PartitionKey, RowKey, a, b, c } = found;
      assert.deepEqual([PartitionKey._, RowKey._, a._, b._, c._], [partitionKey, rowKey, key, 1, 2]);
      const replacement = withEtag(descriptor({ a: make.String(key) }), etagOf(found));
      await call(service, 'replaceEntity', table, replacement);
      const query = new TableQuery()
        .where('PartitionKey == ?', partitionKey)
        .and('RowKey == ?', rowKey)
        .and('a == ?', key);
      const [only, ...others] = await queryAll(table, query);
      assert.deepEqual([only.RowKey._, 'b' in only, others], [rowKey, false, []]);
      const inBatch = (kind, properties) =>
        call(service, 'executeBatch', table, batchOf([kind, descriptor(properties)]));
      await inBatch('mergeEntity', { d: make.Int32(3) });
      await inBatch('insertOrReplaceEntity', { e: make.Int32(4) });
      assert.equal((await get(table, partitionKey, rowKey)).e._, 4);
      await call(service, 'deleteEntity', table, descriptor());
      await inBatch('insertEntity');
      await inBatch('deleteEntity');
      await assert.rejects(get(table, partitionKey, rowKey), refusal(404, 'ResourceNotFound'));
    }
  });
}

behaviour('keys: special ones stand together in a batch', async () => {
  const table = await freshTable();
  const partitionKey = "O'Hara %27+(),= 😀";
  const operations = kind => specialKeys.map(([, rowKey]) => [kind, entity(partitionKey, rowKey)]);
  await call(service, 'executeBatch', table, batchOf(...operations('insertEntity')));
  const found = await queryAll(table, new TableQuery().where('PartitionKey == ?', partitionKey));
  assert.deepEqual(
    new Set(found.map(({ RowKey }) => RowKey._)),
    new Set(specialKeys.map(([, rowKey]) => rowKey)),
  );
  await call(service, 'executeBatch', table, batchOf(...operations('deleteEntity')));
  assert.deepEqual(await queryAll(table), []);
});

behaviour('keys: special ones are resumed at by continuation tokens', async () => {
  const table = await freshTable();
  const keys = ['', ...specialKeys.map(([, key]) => key)];
  for (const key of keys) await call(service, 'insertEntity', table, entity(key, key));
  const found = await queryAll(table, new TableQuery().top(1));
  assert.equal(found.length, keys.length);
  assert.deepEqual(new Set(found.map(({ RowKey }) => RowKey._)), new Set(keys));
});

for (const [what, character] of [
  ['a slash', '/'],
  ['a backslash', '\\'],
  ['a number sign', '#'],
  ['a question mark', '?'],
]) {
  behaviour(`keys: ${what} is refused with OutOfRangeInput`, async () => {
    const table = await freshTable();
    await assert.rejects(
      call(service, 'insertEntity', table, entity('p', `a${character}b`)),
      refusal(400, 'OutOfRangeInput'),
    );
  });
}
