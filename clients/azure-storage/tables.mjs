import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { freshTableName } from '../server-under-test.ts';
import { call, entity, freshTable, get, queryAll, refusal, service } from './sdk.mjs';

const exists = async name => (await call(service, 'doesTableExist', name)).exists;

behaviour('tables: one is created, found and deleted', async () => {
  const name = freshTableName();
  assert.equal(await exists(name), false);
  const { TableName, statusCode } = await call(service, 'createTable', name);
  assert.deepEqual([TableName, statusCode], [name, 204]);
  assert.equal(await exists(name), true);
  await call(service, 'deleteTable', name);
  assert.equal(await exists(name), false);
});

behaviour('tables: a second creation is refused with TableAlreadyExists', async () => {
  const name = await freshTable();
  await assert.rejects(call(service, 'createTable', name), refusal(409, 'TableAlreadyExists'));
});

behaviour('tables: a creation in another case is refused with TableAlreadyExists', async () => {
  const name = await freshTable();
  const shouted = name.toUpperCase();
  await assert.rejects(call(service, 'createTable', shouted), refusal(409, 'TableAlreadyExists'));
});

behaviour('tables: creation if it is not there tells whether it was', async () => {
  const name = freshTableName();
  assert.equal((await call(service, 'createTableIfNotExists', name)).created, true);
  assert.equal((await call(service, 'createTableIfNotExists', name)).created, false);
});

behaviour('tables: deleting a missing one is refused with ResourceNotFound', () =>
  assert.rejects(call(service, 'deleteTable', freshTableName()), refusal(404, 'ResourceNotFound')),
);

behaviour('tables: deletion if it is there tells whether it was', async () => {
  const name = await freshTable();
  assert.equal(await call(service, 'deleteTableIfExists', name), true);
  assert.equal(await call(service, 'deleteTableIfExists', name), false);
});

behaviour('tables: names are found in any case', async () => {
  const name = await freshTable();
  await call(service, 'insertEntity', name, entity('p', 'r'));
  assert.equal((await get(name.toUpperCase(), 'p', 'r')).RowKey._, 'r');
});

behaviour('tables: names are listed by prefix, in the case of their creation', async () => {
  const name = freshTableName();
  for (const end of ['B', 'A', 'c']) await call(service, 'createTable', name + end);
  const { entries, continuationToken } = await call(service, 'listTablesSegmentedWithPrefix', name, null);
  assert.deepEqual(entries, [`${name}A`, `${name}B`, `${name}c`]);
  assert.equal(continuationToken, null);
});

behaviour('tables: the list comes in pages, resumed by token', async () => {
  const prefix = freshTableName();
  for (const end of ['a', 'b', 'c', 'd', 'e']) await call(service, 'createTable', prefix + end);
  const pages = [];
  let token = null;
  do {
    const options = { maxResults: 2 };
    const page = await call(service, 'listTablesSegmentedWithPrefix', prefix, token, options);
    pages.push(page.entries.map(name => name.slice(prefix.length)).join(''));
    token = page.continuationToken;
  } while (token);
  assert.deepEqual(pages, ['ab', 'cd', 'e']);
});

behaviour('tables: one that is created anew is empty', async () => {
  const name = await freshTable();
  await call(service, 'insertEntity', name, entity('p', 'r'));
  await call(service, 'deleteTable', name);
  await call(service, 'createTable', name);
  assert.deepEqual(await queryAll(name), []);
});

for (const [operation, ...parameters] of [
  ['insertEntity', entity('p', 'r')],
  ['insertOrReplaceEntity', entity('p', 'r')],
  ['insertOrMergeEntity', entity('p', 'r')],
  ['replaceEntity', entity('p', 'r')],
  ['mergeEntity', entity('p', 'r')],
  ['deleteEntity', entity('p', 'r')],
  ['retrieveEntity', 'p', 'r'],
]) {
  behaviour(`tables: ${operation} on a missing one says TableNotFound`, () =>
    assert.rejects(call(service, operation, freshTableName(), ...parameters), refusal(404, 'TableNotFound')),
  );
}

behaviour('tables: a query of a missing one says TableNotFound', () =>
  assert.rejects(queryAll(freshTableName()), refusal(404, 'TableNotFound')),
);
