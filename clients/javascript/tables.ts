import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { freshTableName } from '../server-under-test.ts';
import { collect, freshTable, odata, readTablesPage, refusal, serviceClient, tableClient } from './sdk.ts';

async function namesOf(filter: string): Promise<(string | undefined)[]> {
  const tables = await collect(serviceClient().listTables({ queryOptions: { filter } }));
  return tables.map(({ name }) => name);
}

/** Notes the status of each answer. */
function statuses(): { seen: Set<number>; onResponse: (response: { status: number }) => void } {
  const seen = new Set<number>();
  return { seen, onResponse: ({ status }) => void seen.add(status) };
}

behaviour('tables: the service client creates and deletes one', async () => {
  const service = serviceClient();
  const name = freshTableName();
  await service.createTable(name);
  assert.deepEqual(await namesOf(odata`TableName eq ${name}`), [name]);
  await service.deleteTable(name);
  assert.deepEqual(await namesOf(odata`TableName eq ${name}`), []);
});

behaviour('tables: the table client creates and deletes its own', async () => {
  const table = tableClient();
  await table.createTable();
  assert.deepEqual(await namesOf(odata`TableName eq ${table.tableName}`), [table.tableName]);
  await table.deleteTable();
  assert.deepEqual(await namesOf(odata`TableName eq ${table.tableName}`), []);
});

behaviour('tables: a second creation is answered 409, which the client takes for success', async () => {
  const table = await freshTable();
  const { seen, onResponse } = statuses();
  await table.createTable({ onResponse });
  assert.deepEqual([...seen], [409]);
});

behaviour('tables: a creation in another case is answered 409', async () => {
  const table = await freshTable();
  const { seen, onResponse } = statuses();
  await serviceClient().createTable(table.tableName.toUpperCase(), { onResponse });
  assert.deepEqual([...seen], [409]);
});

behaviour('tables: deleting a missing one is answered 404, which the client takes for success', async () => {
  const { seen, onResponse } = statuses();
  await tableClient().deleteTable({ onResponse });
  await serviceClient().deleteTable(freshTableName(), { onResponse });
  assert.deepEqual([...seen], [404]);
});

behaviour('tables: names are found in any case', async () => {
  const table = await freshTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
  const shouting = tableClient(table.tableName.toUpperCase());
  assert.equal((await shouting.getEntity('p', 'r')).rowKey, 'r');
});

behaviour('tables: names are listed in the case of their creation', async () => {
  const name = freshTableName().toUpperCase();
  await serviceClient().createTable(name);
  assert.deepEqual(await namesOf(odata`TableName eq ${name}`), [name]);
  assert.deepEqual(await namesOf(odata`TableName eq ${name.toLowerCase()}`), [name]);
});

behaviour('tables: the list is filtered by a range of names', async () => {
  const service = serviceClient();
  const name = freshTableName();
  for (const end of ['b', 'a', 'd', 'c']) await service.createTable(name + end);
  const names = await namesOf(odata`TableName ge ${`${name}b`} and TableName lt ${`${name}d`}`);
  assert.deepEqual(names, [`${name}b`, `${name}c`]);
});

behaviour('tables: the list comes in pages, resumed by token in a new client', async () => {
  const names = Array.from({ length: 5 }, () => freshTableName());
  for (const name of names) await serviceClient().createTable(name);
  const listed: string[] = [];
  let token: string | undefined;
  do {
    const page = await readTablesPage(serviceClient(), 2, token);
    assert.ok(page.items.length <= 2);
    listed.push(...page.items);
    token = page.token;
  } while (token !== undefined && token !== '');
  assert.equal(new Set(listed).size, listed.length);
  for (const name of names) assert.ok(listed.includes(name), `${name} is missing`);
});

for (const [name, code, what] of [
  ['ab', 'OutOfRangeInput', 'two characters'],
  ['x'.repeat(64), 'OutOfRangeInput', '64 characters'],
  ['my_table', 'InvalidResourceName', 'an underscore'],
  ['1abc', 'InvalidResourceName', 'a digit first'],
  ['tables', 'InvalidInput', 'the reserved name'],
] as const) {
  behaviour(`tables: a name of ${what} is refused with ${code}`, () =>
    assert.rejects(serviceClient().createTable(name), refusal(400, code)),
  );
}

behaviour('tables: one that is created anew is empty', async () => {
  const table = await freshTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
  await table.deleteTable();
  await table.createTable();
  assert.deepEqual(await collect(table.listEntities()), []);
});

behaviour('tables: every operation on a missing one says TableNotFound', async () => {
  const table = tableClient();
  const entity = { partitionKey: 'p', rowKey: 'r' };
  const missing = refusal(404, 'TableNotFound');
  await assert.rejects(table.createEntity(entity), missing);
  await assert.rejects(table.getEntity('p', 'r'), missing);
  await assert.rejects(collect(table.listEntities()), missing);
  await assert.rejects(table.updateEntity(entity, 'Merge'), missing);
  await assert.rejects(table.upsertEntity(entity, 'Replace'), missing);
  await assert.rejects(table.deleteEntity('p', 'r'), missing);
  await assert.rejects(table.submitTransaction([['create', entity]]), missing);
});
