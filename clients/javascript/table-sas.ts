import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { tableEndpoint } from '../server-under-test.ts';
import {
  AzureNamedKeyCredential,
  collect,
  credential,
  freshTable,
  generateTableSas,
  has,
  hiddenOrRefused,
  refusal,
  serviceClientWithSas,
  type TableClient,
  tableClientWithSas,
} from './sdk.ts';

type SasOptions = NonNullable<Parameters<typeof generateTableSas>[2]>;

const everything = { query: true, add: true, update: true, delete: true };
const refused = refusal(403);
const unauthenticated = refusal(403, 'AuthenticationFailed');

/** The same table, by a token instead of the key. */
function withSas(table: TableClient, options: SasOptions): TableClient {
  return tableClientWithSas(table.tableName, generateTableSas(table.tableName, credential, options));
}

function minutesFromNow(minutes: number): Date {
  return new Date(Date.now() + minutes * 60_000);
}

async function tableWithEntity(): Promise<TableClient> {
  const table = await freshTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r', a: 1 });
  return table;
}

/** Every operation on entities, and the permissions that it needs. */
const operations: readonly {
  readonly name: string;
  readonly needs: readonly (keyof typeof everything)[];
  readonly run: (table: TableClient) => Promise<unknown>;
}[] = [
  { name: 'get', needs: ['query'], run: table => table.getEntity('p', 'r') },
  { name: 'query', needs: ['query'], run: table => collect(table.listEntities()) },
  {
    name: 'insert',
    needs: ['add'],
    run: table => table.createEntity({ partitionKey: 'p', rowKey: 'inserted' }),
  },
  {
    name: 'merge',
    needs: ['update'],
    run: table => table.updateEntity({ partitionKey: 'p', rowKey: 'r', a: 2 }, 'Merge'),
  },
  {
    name: 'replace',
    needs: ['update'],
    run: table => table.updateEntity({ partitionKey: 'p', rowKey: 'r', a: 2 }, 'Replace'),
  },
  {
    name: 'upsert by merging',
    needs: ['add', 'update'],
    run: table => table.upsertEntity({ partitionKey: 'p', rowKey: 'merged' }, 'Merge'),
  },
  {
    name: 'upsert by replacing',
    needs: ['add', 'update'],
    run: table => table.upsertEntity({ partitionKey: 'p', rowKey: 'replaced' }, 'Replace'),
  },
  { name: 'delete', needs: ['delete'], run: table => table.deleteEntity('p', 'r') },
  {
    name: 'insert in a transaction',
    needs: ['add'],
    run: table => table.submitTransaction([['create', { partitionKey: 'p', rowKey: 'transacted' }]]),
  },
  {
    name: 'update in a transaction',
    needs: ['update'],
    run: table => table.submitTransaction([['update', { partitionKey: 'p', rowKey: 'r' }, 'Merge']]),
  },
  {
    name: 'upsert in a transaction',
    needs: ['add', 'update'],
    run: table => table.submitTransaction([['upsert', { partitionKey: 'p', rowKey: 'r' }, 'Merge']]),
  },
  {
    name: 'delete in a transaction',
    needs: ['delete'],
    run: table => table.submitTransaction([['delete', { partitionKey: 'p', rowKey: 'r' }]]),
  },
];

for (const permissions of [
  { query: true },
  { add: true },
  { update: true },
  { delete: true },
  { add: true, update: true },
  everything,
]) {
  const names = Object.keys(permissions) as (keyof typeof everything)[];
  behaviour(`table SAS: ${names.join(' and ')} allows its operations and no others`, async () => {
    for (const { name, needs, run } of operations) {
      const table = await tableWithEntity();
      const isAllowed = needs.every(need => names.includes(need));
      if (isAllowed) await run(withSas(table, { permissions }));
      else await assert.rejects(run(withSas(table, { permissions })), refused, name);
    }
  });
}

behaviour('table SAS: what is refused is not written', async () => {
  const table = await tableWithEntity();
  const { etag } = await table.getEntity('p', 'r');
  const reader = withSas(table, { permissions: { query: true } });
  await assert.rejects(reader.updateEntity({ partitionKey: 'p', rowKey: 'r', a: 2 }), refused);
  assert.equal((await table.getEntity('p', 'r')).etag, etag);
});

behaviour('table SAS: a transaction with one action that is not allowed writes nothing', async () => {
  const table = await tableWithEntity();
  const adder = withSas(table, { permissions: { add: true } });
  const transaction = adder.submitTransaction([
    ['create', { partitionKey: 'p', rowKey: 'new' }],
    ['delete', { partitionKey: 'p', rowKey: 'r' }],
  ]);
  await assert.rejects(transaction, refused);
  const entities = await collect(table.listEntities());
  assert.deepEqual(
    entities.map(({ rowKey }) => rowKey),
    ['r'],
  );
});

behaviour('table SAS: the table is found in any case', async () => {
  const table = await tableWithEntity();
  const shouted = table.tableName.toUpperCase();
  const sas = generateTableSas(shouted, credential, { permissions: { query: true } });
  for (const name of [shouted, table.tableName]) {
    assert.equal((await tableClientWithSas(name, sas).getEntity('p', 'r')).a, 1);
  }
});

behaviour('table SAS: another table is refused', async () => {
  const table = await tableWithEntity();
  const other = await tableWithEntity();
  const sas = generateTableSas(table.tableName, credential, { permissions: everything });
  await tableClientWithSas(table.tableName, sas).getEntity('p', 'r');
  await assert.rejects(tableClientWithSas(other.tableName, sas).getEntity('p', 'r'), refused);
});

behaviour('table SAS: tables cannot be listed, created or deleted', async () => {
  const table = await tableWithEntity();
  const sas = generateTableSas(table.tableName, credential, { permissions: everything });
  await tableClientWithSas(table.tableName, sas).getEntity('p', 'r');
  await assert.rejects(collect(serviceClientWithSas(sas).listTables()), refused);
  await assert.rejects(tableClientWithSas(table.tableName, sas).createTable(), refused);
  await assert.rejects(tableClientWithSas(table.tableName, sas).deleteTable(), refused);
});

behaviour('table SAS: service properties and access policies are refused', async () => {
  const table = await tableWithEntity();
  const sas = generateTableSas(table.tableName, credential, { permissions: everything });
  const client = tableClientWithSas(table.tableName, sas);
  await client.getEntity('p', 'r');
  await assert.rejects(serviceClientWithSas(sas).getProperties(), refused);
  await assert.rejects(client.getAccessPolicy(), hiddenOrRefused);
  await assert.rejects(client.setAccessPolicy([]), hiddenOrRefused);
});

for (const [what, options] of [
  ['has expired', { startsOn: minutesFromNow(-60), expiresOn: minutesFromNow(-30) }],
  ['is not yet valid', { startsOn: minutesFromNow(30), expiresOn: minutesFromNow(60) }],
] as const) {
  behaviour(`table SAS: one that ${what} is refused with AuthenticationFailed`, async () => {
    const table = await tableWithEntity();
    await withSas(table, { permissions: everything }).getEntity('p', 'r');
    const client = withSas(table, { permissions: everything, ...options });
    await assert.rejects(client.getEntity('p', 'r'), unauthenticated);
  });
}

behaviour('table SAS: one that is valid now opens', async () => {
  const table = await tableWithEntity();
  const times = { startsOn: minutesFromNow(-30), expiresOn: minutesFromNow(30) };
  await withSas(table, { permissions: { query: true }, ...times }).getEntity('p', 'r');
});

behaviour('table SAS: a changed permission is refused with AuthenticationFailed', async () => {
  const table = await tableWithEntity();
  const sas = generateTableSas(table.tableName, credential, { permissions: { query: true } });
  await tableClientWithSas(table.tableName, sas).getEntity('p', 'r');
  const client = tableClientWithSas(table.tableName, sas.replace('sp=r', 'sp=raud'));
  await assert.rejects(client.getEntity('p', 'r'), unauthenticated);
});

behaviour('table SAS: one that is signed with another key is refused with AuthenticationFailed', async () => {
  const table = await tableWithEntity();
  await withSas(table, { permissions: everything }).getEntity('p', 'r');
  const stranger = new AzureNamedKeyCredential(credential.name, Buffer.alloc(64).toString('base64'));
  const sas = generateTableSas(table.tableName, stranger, { permissions: everything });
  await assert.rejects(tableClientWithSas(table.tableName, sas).getEntity('p', 'r'), unauthenticated);
});

behaviour('table SAS: the address of the caller must be in the range', async () => {
  const table = await tableWithEntity();
  const from = (start: string, end?: string): Promise<unknown> => {
    const ipRange = end === undefined ? { start } : { start, end };
    return withSas(table, { permissions: { query: true }, ipRange }).getEntity('p', 'r');
  };
  await from('127.0.0.1');
  await from('127.0.0.0', '127.0.0.9');
  await assert.rejects(from('10.1.2.3'), refusal(403, 'AuthorizationSourceIPMismatch'));
  await assert.rejects(from('127.0.0.2', '127.0.0.9'), refusal(403, 'AuthorizationSourceIPMismatch'));
});

behaviour('table SAS: the protocol must be the one that is allowed', async () => {
  const table = await tableWithEntity();
  const by = (protocol: 'https' | 'https,http'): Promise<unknown> =>
    withSas(table, { permissions: { query: true }, protocol }).getEntity('p', 'r');
  await by('https,http');
  const isSecure = tableEndpoint.startsWith('https:');
  if (isSecure) await by('https');
  else await assert.rejects(by('https'), refusal(403, 'AuthorizationProtocolMismatch'));
});

behaviour('table SAS: one of an older version of the service opens', async () => {
  const table = await tableWithEntity();
  for (const version of ['2015-04-05', '2018-03-28', '2020-12-06']) {
    await withSas(table, { permissions: { query: true }, version }).getEntity('p', 'r');
  }
});

/** Partitions a to e with rows 1 to 3 in each. */
async function tableOfPartitions(): Promise<TableClient> {
  const table = await freshTable();
  for (const partitionKey of ['a', 'b', 'c', 'd', 'e']) {
    await table.submitTransaction(
      ['1', '2', '3'].map(rowKey => ['create', { partitionKey, rowKey, name: partitionKey + rowKey }]),
    );
  }
  return table;
}

async function namesIn(table: TableClient): Promise<string> {
  return (await collect(table.listEntities())).map(({ name }) => name).join(' ');
}

if (has.rangesInSas) {
  for (const [what, range, expected] of [
    ['from a partition', { startPartitionKey: 'd' }, 'd1 d2 d3 e1 e2 e3'],
    ['up to a partition', { endPartitionKey: 'b' }, 'a1 a2 a3 b1 b2 b3'],
    ['of one partition', { startPartitionKey: 'c', endPartitionKey: 'c' }, 'c1 c2 c3'],
    [
      'from a row to a row',
      { startPartitionKey: 'b', startRowKey: '3', endPartitionKey: 'c', endRowKey: '1' },
      'b3 c1',
    ],
    ['from a row', { startPartitionKey: 'd', startRowKey: '2' }, 'd2 d3 e1 e2 e3'],
    ['up to a row', { endPartitionKey: 'b', endRowKey: '1' }, 'a1 a2 a3 b1'],
    ['of one row', { startPartitionKey: 'c', startRowKey: '2', endPartitionKey: 'c', endRowKey: '2' }, 'c2'],
  ] as const) {
    behaviour(`SAS ranges: a query shows the entities ${what} and no others`, async () => {
      const table = await tableOfPartitions();
      const client = withSas(table, { permissions: everything, ...range });
      assert.equal(await namesIn(client), expected);
    });
  }

  const middle = { permissions: everything, startPartitionKey: 'b', endPartitionKey: 'd' };

  behaviour('SAS ranges: pages and their tokens stay inside', async () => {
    const table = await tableOfPartitions();
    const pages = await collect(withSas(table, middle).listEntities().byPage({ maxPageSize: 3 }));
    assert.deepEqual(
      pages.map(page => page.map(({ name }) => name).join(' ')),
      ['b1 b2 b3', 'c1 c2 c3', 'd1 d2 d3'],
    );
  });

  behaviour('SAS ranges: a filter cannot look outside', async () => {
    const table = await tableOfPartitions();
    const client = withSas(table, middle);
    const queryOptions = { filter: "PartitionKey eq 'a' or RowKey eq '2'" };
    const found = await collect(client.listEntities({ queryOptions }));
    assert.deepEqual(
      found.map(({ name }) => name),
      ['b2', 'c2', 'd2'],
    );
  });

  behaviour('SAS ranges: a single entity outside is not there', async () => {
    const table = await tableOfPartitions();
    const client = withSas(table, middle);
    assert.equal((await client.getEntity('b', '1')).name, 'b1');
    await assert.rejects(client.getEntity('a', '1'), refusal(404, 'ResourceNotFound'));
    await assert.rejects(client.getEntity('e', '1'), refusal(404, 'ResourceNotFound'));
  });

  behaviour('SAS ranges: every write outside is refused with AuthorizationFailure', async () => {
    const table = await tableOfPartitions();
    const client = withSas(table, middle);
    const outside = refusal(403, 'AuthorizationFailure');
    const there = { partitionKey: 'a', rowKey: '1' };
    await assert.rejects(client.createEntity({ partitionKey: 'a', rowKey: '4' }), outside);
    await assert.rejects(client.upsertEntity({ partitionKey: 'e', rowKey: '4' }), outside);
    await assert.rejects(client.updateEntity({ ...there, name: 'x' }, 'Merge'), outside);
    await assert.rejects(client.updateEntity({ ...there, name: 'x' }, 'Replace'), outside);
    await assert.rejects(client.deleteEntity('a', '1'), outside);
    assert.equal((await table.getEntity('a', '1')).name, 'a1');
  });

  behaviour('SAS ranges: writes inside succeed', async () => {
    const table = await tableOfPartitions();
    const client = withSas(table, middle);
    await client.createEntity({ partitionKey: 'b', rowKey: '4' });
    await client.updateEntity({ partitionKey: 'c', rowKey: '1', name: 'x' }, 'Merge');
    await client.upsertEntity({ partitionKey: 'd', rowKey: '4' }, 'Replace');
    await client.deleteEntity('d', '1');
    await client.submitTransaction([
      ['create', { partitionKey: 'b', rowKey: '5' }],
      ['delete', { partitionKey: 'b', rowKey: '4' }],
    ]);
    assert.equal((await table.getEntity('c', '1')).name, 'x');
  });

  behaviour('SAS ranges: a transaction with one row outside is refused and writes nothing', async () => {
    const table = await tableOfPartitions();
    const range = { startPartitionKey: 'b', startRowKey: '2', endPartitionKey: 'b' };
    const client = withSas(table, { permissions: everything, ...range });
    const transaction = client.submitTransaction([
      ['create', { partitionKey: 'b', rowKey: '4' }],
      ['update', { partitionKey: 'b', rowKey: '1', name: 'x' }, 'Merge'],
    ]);
    await assert.rejects(transaction, refusal(403, 'AuthorizationFailure'));
    assert.equal(await namesIn(client), 'b2 b3');
  });
}
