import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  AzureNamedKeyCredential,
  TableClient,
  TableServiceClient,
  type TransactionAction,
} from '@azure/data-tables';
import { clientOptions, collect, freshTable, refusal } from '../support/official-client.ts';
import { freshTableName, useServer } from '../support/server.ts';

const developmentKey =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const key = { partitionKey: "O'Hara 😀", rowKey: 'r' };

async function assertWorks(table: TableClient): Promise<void> {
  await table.createTable();
  await table.createEntity({ ...key, a: 1 });
  await table.updateEntity({ ...key, b: 2 }, 'Merge');
  await table.submitTransaction([['update', { ...key, c: 3 }, 'Merge']]);
  const filter = "PartitionKey eq 'O''Hara 😀' and b eq 2";
  const [entity] = await collect(table.listEntities({ queryOptions: { filter } }));
  assert.deepEqual([entity?.a, entity?.b, entity?.c], [1, 2, 3]);
  await table.deleteEntity(key.partitionKey, key.rowKey);
  await table.deleteTable();
}

describe('a connection of the official client', () => {
  const server = useServer();

  it('is made with the connection string of the server', async () => {
    const { connectionString } = await server();
    await assertWorks(TableClient.fromConnectionString(connectionString, freshTableName(), clientOptions));
    const service = TableServiceClient.fromConnectionString(connectionString, clientOptions);
    assert.deepEqual(await collect(service.listTables()), []);
  });

  it('is made with what UseDevelopmentStorage=true stands for, at the address of the server', async () => {
    const { endpoints } = await server();
    for (const end of ['', ';', '/', '/;']) {
      const text = `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${developmentKey};TableEndpoint=${endpoints.table}${end}`;
      await assertWorks(TableClient.fromConnectionString(text, freshTableName(), clientOptions));
    }
  });

  it('is made with an address and a key', async () => {
    const { endpoints } = await server();
    const credential = new AzureNamedKeyCredential('devstoreaccount1', developmentKey);
    await assertWorks(new TableClient(endpoints.table, freshTableName(), credential, clientOptions));
    await assertWorks(new TableClient(`${endpoints.table}/`, freshTableName(), credential, clientOptions));
    const service = new TableServiceClient(endpoints.table, credential, clientOptions);
    assert.deepEqual(await collect(service.listTables()), []);
  });

  it('is made by host name as well', async () => {
    const { endpoints } = await server();
    const credential = new AzureNamedKeyCredential('devstoreaccount1', developmentKey);
    const url = endpoints.table.replace('127.0.0.1', 'localhost');
    await assertWorks(new TableClient(url, freshTableName(), credential, clientOptions));
  });

  it('may ask for another version of the service, which the answers repeat', async () => {
    const { endpoints } = await server();
    const credential = new AzureNamedKeyCredential('devstoreaccount1', developmentKey);
    for (const version of ['2026-06-06', '2020-12-06', '2018-03-28']) {
      const options = { ...clientOptions, version };
      const table = new TableClient(endpoints.table, freshTableName(), credential, options);
      await assertWorks(table);
      let repeated: string | undefined;
      await table.createTable({
        onResponse: ({ headers }) => {
          repeated = headers.get('x-ms-version');
        },
      });
      assert.equal(repeated, version);
    }
  });

  it('gets its own id of a request back', async () => {
    const table = await freshTable(server);
    const ids: (string | undefined)[] = [];
    const created = await table.createEntity(key, {
      onResponse: ({ request }) => void ids.push(request.headers.get('x-ms-client-request-id')),
    });
    assert.deepEqual([created.clientRequestId], ids);
    assert.ok(created.requestId);
    assert.ok(created.date instanceof Date);
  });

  it('is refused with 403 AuthenticationFailed with a key of another account', async () => {
    const { endpoints } = await server();
    const credential = new AzureNamedKeyCredential(
      'devstoreaccount1',
      Buffer.from('other').toString('base64'),
    );
    const table = new TableClient(endpoints.table, freshTableName(), credential, clientOptions);
    const code = /AuthenticationFailed/;
    await assert.rejects(table.createTable(), { statusCode: 403, message: code });
    await assert.rejects(table.getEntity('p', 'r'), { statusCode: 403, message: code });
    await assert.rejects(collect(table.listEntities()), { statusCode: 403, message: code });
    await assert.rejects(table.submitTransaction([['create', key]]), { statusCode: 403 });
  });

  it('is refused with 404 for an account that the server does not have', async () => {
    const { endpoints } = await server();
    const credential = new AzureNamedKeyCredential('nobody', developmentKey);
    const url = endpoints.table.replace('devstoreaccount1', 'nobody');
    const table = new TableClient(url, freshTableName(), credential, clientOptions);
    await assert.rejects(table.createTable(), { statusCode: 404 });
  });
});

describe('a connection to accounts of one’s own', () => {
  const keys = ['the first key', 'the second key', 'the key of the other'].map(text =>
    Buffer.from(text).toString('base64'),
  ) as [string, string, string];
  const server = useServer({ accounts: [`acme:${keys[0]}:${keys[1]}`, `other:${keys[2]}`] });

  async function client(account: string, accountKey: string, tableName: string, host = '127.0.0.1') {
    const { endpoints } = await server();
    const url = endpoints.table.replace('acme', account).replace('127.0.0.1', host);
    return new TableClient(url, tableName, new AzureNamedKeyCredential(account, accountKey), clientOptions);
  }

  it('is made with either key', async () => {
    for (const accountKey of keys.slice(0, 2))
      await assertWorks(await client('acme', accountKey, freshTableName()));
    await assert.rejects((await client('acme', keys[2], freshTableName())).createTable(), {
      statusCode: 403,
    });
  });

  it('sees the tables of its account alone', async () => {
    const mine = await client('acme', keys[0], freshTableName());
    const theirs = await client('other', keys[2], mine.tableName);
    await mine.createTable();
    await mine.createEntity({ ...key, owner: 'acme' });
    await assert.rejects(theirs.getEntity(key.partitionKey, key.rowKey), refusal(404, 'TableNotFound'));
    await theirs.createTable();
    assert.deepEqual(await collect(theirs.listEntities()), []);
    await theirs.deleteTable();
    assert.equal((await mine.getEntity(key.partitionKey, key.rowKey)).owner, 'acme');
    await mine.deleteTable();
  });

  it('may tunnel its merges through POST, as the client does at localhost, taking it for Cosmos DB', async () => {
    const table = await client('acme', keys[0], freshTableName(), 'localhost');
    await table.createTable();
    await table.createEntity({ ...key, a: 1 });
    const methods: string[] = [];
    const onResponse = ({ request }: { request: { method: string } }): void =>
      void methods.push(request.method);
    await table.updateEntity({ ...key, b: 2 }, 'Merge', { onResponse });
    await table.upsertEntity({ ...key, c: 3 }, 'Merge', { onResponse });
    assert.deepEqual(methods, ['POST', 'POST']);
    const entity = await table.getEntity(key.partitionKey, key.rowKey);
    assert.deepEqual([entity.a, entity.b, entity.c], [1, 2, 3]);
  });

  it('may tunnel the merges of a transaction, too', async () => {
    const table = await client('acme', keys[0], freshTableName(), 'localhost');
    await table.createTable();
    await table.createEntity({ ...key, a: 1 });
    const actions: TransactionAction[] = [
      ['update', { ...key, b: 2 }, 'Merge'],
      ['upsert', { ...key, rowKey: 's', b: 2 }, 'Merge'],
    ];
    await table.submitTransaction(actions);
    const entity = await table.getEntity(key.partitionKey, key.rowKey);
    assert.deepEqual([entity.a, entity.b], [1, 2]);
  });
});
