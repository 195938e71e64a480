import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { odata, type TableServiceClient } from '@azure/data-tables';
import { collect, freshTable, refusal, serviceClient, tableClient } from '../support/official-client.ts';
import { freshTableName, useServer } from '../support/server.ts';

async function namesOf(service: TableServiceClient, filter?: string): Promise<(string | undefined)[]> {
  const tables = service.listTables(filter === undefined ? {} : { queryOptions: { filter } });
  return (await collect(tables)).map(({ name }) => name);
}

describe('tables, through the official client', () => {
  const server = useServer();

  it('are created and deleted by the service client', async () => {
    const service = await serviceClient(server);
    const name = freshTableName('Service');
    await service.createTable(name);
    assert.deepEqual(await namesOf(service, odata`TableName eq ${name}`), [name]);
    await service.deleteTable(name);
    assert.deepEqual(await namesOf(service, odata`TableName eq ${name}`), []);
  });

  it('are created and deleted by the table client', async () => {
    const service = await serviceClient(server);
    const table = await tableClient(server);
    await table.createTable();
    assert.deepEqual(await namesOf(service, odata`TableName eq ${table.tableName}`), [table.tableName]);
    await table.deleteTable();
    assert.deepEqual(await namesOf(service, odata`TableName eq ${table.tableName}`), []);
  });

  it('answer a second creation with 409 TableAlreadyExists, which the client takes for success', async () => {
    const service = await serviceClient(server);
    const table = await freshTable(server);
    // The client tells of this answer twice.
    const answers = new Set<number>();
    const options = { onResponse: (response: { status: number }) => void answers.add(response.status) };
    await table.createTable(options);
    await service.createTable(table.tableName.toUpperCase(), options);
    assert.deepEqual([...answers], [409]);
  });

  it('answer the deletion of a missing table with 404, which the client takes for success', async () => {
    const service = await serviceClient(server);
    const answers: number[] = [];
    const options = { onResponse: (response: { status: number }) => void answers.push(response.status) };
    await service.deleteTable(freshTableName(), options);
    await (await tableClient(server)).deleteTable(options);
    assert.deepEqual(answers, [404, 404]);
  });

  it('are refused for a name that no table can have', async () => {
    const service = await serviceClient(server);
    for (const [name, code] of [
      ['ab', 'OutOfRangeInput'],
      ['x'.repeat(64), 'OutOfRangeInput'],
      ['my_table', 'InvalidResourceName'],
      ['1abc', 'InvalidResourceName'],
      ['a-b', 'InvalidResourceName'],
      ['tables', 'InvalidInput'],
    ] as const) {
      await assert.rejects(service.createTable(name), refusal(400, code), name);
    }
  });

  it('keep the case of their name and are found in any case', async () => {
    const table = await freshTable(server);
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const shouting = await tableClient(server, table.tableName.toUpperCase());
    assert.equal((await shouting.getEntity('p', 'r')).rowKey, 'r');
  });

  it('lose their entities when they are deleted, and are empty when created anew', async () => {
    const table = await freshTable(server);
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    await table.deleteTable();
    await assert.rejects(table.getEntity('p', 'r'), refusal(404, 'TableNotFound'));
    await table.createTable();
    assert.deepEqual(await collect(table.listEntities()), []);
  });

  it('say TableNotFound to every operation on entities while they are missing', async () => {
    const table = await tableClient(server);
    const entity = { partitionKey: 'p', rowKey: 'r' };
    const missing = refusal(404, 'TableNotFound');
    await assert.rejects(table.createEntity(entity), missing);
    await assert.rejects(table.getEntity('p', 'r'), missing);
    await assert.rejects(collect(table.listEntities()), missing);
    await assert.rejects(table.updateEntity(entity, 'Merge'), missing);
    await assert.rejects(table.updateEntity(entity, 'Replace'), missing);
    await assert.rejects(table.upsertEntity(entity, 'Merge'), missing);
    await assert.rejects(table.upsertEntity(entity, 'Replace'), missing);
    await assert.rejects(table.deleteEntity('p', 'r'), missing);
    await assert.rejects(table.submitTransaction([['create', entity]]), missing);
  });
});

describe('the list of tables, through the official client', () => {
  const server = useServer();
  const names = ['Beta', 'alpha', 'Gamma', 'delta', 'Epsilon'];
  const sorted = ['alpha', 'Beta', 'delta', 'Epsilon', 'Gamma'];
  let created: Promise<TableServiceClient> | undefined;
  const listed = (): Promise<TableServiceClient> => {
    created ??= (async () => {
      const service = await serviceClient(server);
      assert.deepEqual(await namesOf(service), []);
      for (const name of names) await service.createTable(name);
      return service;
    })();
    return created;
  };

  it('has all, ascending by name ignoring case, as they were created', async () => {
    assert.deepEqual(await namesOf(await listed()), sorted);
  });

  it('is filtered by name', async () => {
    const service = await listed();
    for (const [filter, expected] of [
      [odata`TableName eq ${'Beta'}`, ['Beta']],
      [odata`TableName eq ${'BETA'}`, ['Beta']],
      [odata`TableName ne ${'Beta'}`, ['alpha', 'delta', 'Epsilon', 'Gamma']],
      [odata`TableName ge ${'d'} and TableName lt ${'e'}`, ['delta']],
      [odata`TableName gt ${'delta'}`, ['Epsilon', 'Gamma']],
      [odata`TableName eq ${'alpha'} or TableName eq ${'Gamma'}`, ['alpha', 'Gamma']],
      [odata`not (TableName le ${'delta'})`, ['Epsilon', 'Gamma']],
      [odata`TableName eq ${'none'}`, []],
    ] as const) {
      assert.deepEqual(await namesOf(service, filter), expected, filter);
    }
  });

  it('comes in pages, whose tokens continue in another client', async () => {
    await listed();
    const seen: (string | undefined)[][] = [];
    let continuationToken: string | undefined;
    do {
      const service = await serviceClient(server);
      const settings = { maxPageSize: 2, ...(continuationToken === undefined ? {} : { continuationToken }) };
      const { value: page } = await service.listTables().byPage(settings).next();
      seen.push(page.map(({ name }: { name?: string }) => name));
      continuationToken = page.continuationToken;
    } while (continuationToken !== undefined && continuationToken !== '');
    assert.deepEqual(seen, [['alpha', 'Beta'], ['delta', 'Epsilon'], ['Gamma']]);
  });

  it('has no token on a page that ends with the list', async () => {
    const service = await listed();
    const pages = await collect(service.listTables().byPage({ maxPageSize: 5 }));
    assert.equal(pages.length, 1);
    assert.equal(pages[0]?.length, 5);
  });

  it('comes in pages with a filter', async () => {
    const service = await listed();
    const options = { queryOptions: { filter: odata`TableName ne ${'Beta'}` } };
    const pages = await collect(service.listTables(options).byPage({ maxPageSize: 3 }));
    assert.deepEqual(
      pages.map(page => page.map(({ name }) => name)),
      [['alpha', 'delta', 'Epsilon'], ['Gamma']],
    );
  });
});
