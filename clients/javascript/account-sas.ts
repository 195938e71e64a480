import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { freshTableName, secondaryEndpoint, tableEndpoint } from '../server-under-test.ts';
import {
  type AccountSasOptions,
  AzureNamedKeyCredential,
  collect,
  credential,
  freshTable,
  generateAccountSas,
  hiddenOrRefused,
  refusal,
  serviceClientWithSas,
  tableClientWithSas,
} from './sdk.ts';

type Permissions = NonNullable<AccountSasOptions['permissions']>;

const all: Permissions = { query: true, write: true, delete: true, list: true, add: true, update: true };
const table = { table: true };

/** Each operation by a token, on a table with one entity, and the least that it needs. */
const operations: readonly {
  readonly name: string;
  readonly resourceType: 's' | 'c' | 'o';
  readonly permissions: Permissions;
  readonly run: (sas: string, tableName: string) => Promise<unknown>;
}[] = [
  {
    name: 'getting service properties',
    resourceType: 's',
    permissions: { query: true },
    run: sas => serviceClientWithSas(sas).getProperties(),
  },
  {
    name: 'setting service properties',
    resourceType: 's',
    permissions: { write: true },
    run: sas => serviceClientWithSas(sas).setProperties({ cors: [] }),
  },
  {
    name: 'getting statistics',
    resourceType: 's',
    permissions: { query: true },
    run: sas => serviceClientWithSas(sas, secondaryEndpoint).getStatistics(),
  },
  {
    name: 'listing tables',
    resourceType: 'c',
    permissions: { list: true },
    run: sas => collect(serviceClientWithSas(sas).listTables()),
  },
  {
    name: 'creating a table',
    resourceType: 'c',
    permissions: { write: true },
    run: sas => serviceClientWithSas(sas).createTable(freshTableName()),
  },
  {
    name: 'deleting a table',
    resourceType: 'c',
    permissions: { delete: true },
    run: (sas, name) => serviceClientWithSas(sas).deleteTable(name),
  },
  {
    name: 'querying entities',
    resourceType: 'o',
    permissions: { query: true },
    run: (sas, name) => collect(tableClientWithSas(name, sas).listEntities()),
  },
  {
    name: 'getting an entity',
    resourceType: 'o',
    permissions: { query: true },
    run: (sas, name) => tableClientWithSas(name, sas).getEntity('p', 'r'),
  },
  {
    name: 'inserting an entity',
    resourceType: 'o',
    permissions: { add: true },
    run: (sas, name) => tableClientWithSas(name, sas).createEntity({ partitionKey: 'p', rowKey: 'new' }),
  },
  {
    name: 'updating an entity',
    resourceType: 'o',
    permissions: { update: true },
    run: (sas, name) => tableClientWithSas(name, sas).updateEntity({ partitionKey: 'p', rowKey: 'r' }),
  },
  {
    name: 'upserting an entity',
    resourceType: 'o',
    permissions: { add: true, update: true },
    run: (sas, name) => tableClientWithSas(name, sas).upsertEntity({ partitionKey: 'p', rowKey: 'new' }),
  },
  {
    name: 'deleting an entity',
    resourceType: 'o',
    permissions: { delete: true },
    run: (sas, name) => tableClientWithSas(name, sas).deleteEntity('p', 'r'),
  },
  {
    name: 'a transaction of an insert and a delete',
    resourceType: 'o',
    permissions: { add: true, delete: true },
    run: (sas, name) =>
      tableClientWithSas(name, sas).submitTransaction([
        ['create', { partitionKey: 'p', rowKey: 'new' }],
        ['delete', { partitionKey: 'p', rowKey: 'r' }],
      ]),
  },
];

async function tableNameWithEntity(): Promise<string> {
  const client = await freshTable();
  await client.createEntity({ partitionKey: 'p', rowKey: 'r', a: 1 });
  return client.tableName;
}

function sasWith(options: AccountSasOptions): string {
  return generateAccountSas(credential, { services: table, ...options });
}

/** Reads an entity by a token. */
async function openWith(options: AccountSasOptions): Promise<void> {
  const name = await tableNameWithEntity();
  await tableClientWithSas(name, sasWith(options)).getEntity('p', 'r');
}

/** All permissions but one that the operation needs. */
function without(permissions: Permissions): Permissions[] {
  return Object.keys(permissions).map(name => ({ ...all, [name]: false }));
}

for (const { name, resourceType, permissions, run } of operations) {
  behaviour(`account SAS: ${name} needs its resource type and permissions, and no more`, async () => {
    await run(sasWith({ resourceTypes: resourceType, permissions }), await tableNameWithEntity());
    const tableName = await tableNameWithEntity();
    const otherTypes = ['s', 'c', 'o'].filter(type => type !== resourceType).join('');
    await assert.rejects(
      run(sasWith({ resourceTypes: otherTypes, permissions: all }), tableName),
      refusal(403),
      'by resource type',
    );
    for (const lacking of without(permissions)) {
      await assert.rejects(
        run(sasWith({ resourceTypes: resourceType, permissions: lacking }), tableName),
        refusal(403),
        'by permission',
      );
    }
  });
}

behaviour('account SAS: what is refused says why', async () => {
  const client = (options: AccountSasOptions) =>
    serviceClientWithSas(sasWith({ permissions: all, ...options }));
  const listWith = (options: AccountSasOptions) => collect(client(options).listTables());
  await assert.rejects(
    listWith({ permissions: { query: true }, resourceTypes: 'c' }),
    refusal(403, 'AuthorizationPermissionMismatch'),
  );
  await assert.rejects(listWith({ resourceTypes: 'so' }), refusal(403, 'AuthorizationResourceTypeMismatch'));
  await assert.rejects(
    listWith({ services: { blob: true, queue: true, file: true } }),
    refusal(403, 'AuthorizationServiceMismatch'),
  );
});

behaviour('account SAS: access policies are refused, with every permission', async () => {
  const name = await tableNameWithEntity();
  const client = tableClientWithSas(name, sasWith({ resourceTypes: 'sco', permissions: all }));
  await client.getEntity('p', 'r');
  await assert.rejects(client.getAccessPolicy(), hiddenOrRefused);
  await assert.rejects(client.setAccessPolicy([]), hiddenOrRefused);
});

for (const [what, minutes] of [
  ['has expired', [-60, -30]],
  ['is not yet valid', [30, 60]],
] as const) {
  behaviour(`account SAS: one that ${what} is refused with AuthenticationFailed`, async () => {
    await openWith({ permissions: all });
    const [startsOn, expiresOn] = minutes.map(minute => new Date(Date.now() + minute * 60_000));
    const times = { startsOn: startsOn as Date, expiresOn: expiresOn as Date };
    await assert.rejects(openWith({ permissions: all, ...times }), refusal(403, 'AuthenticationFailed'));
  });
}

behaviour('account SAS: one with a wrong signature is refused with AuthenticationFailed', async () => {
  await openWith({ permissions: all });
  const stranger = new AzureNamedKeyCredential(credential.name, Buffer.alloc(64).toString('base64'));
  const name = await tableNameWithEntity();
  const client = tableClientWithSas(name, generateAccountSas(stranger, { permissions: all }));
  await assert.rejects(client.getEntity('p', 'r'), refusal(403, 'AuthenticationFailed'));
});

behaviour('account SAS: caller and protocol must be those that are allowed', async () => {
  const getWith = (options: AccountSasOptions) => openWith({ permissions: all, ...options });
  await getWith({ ipRange: { start: '127.0.0.0', end: '127.0.0.9' }, protocol: 'https,http' });
  await assert.rejects(
    getWith({ ipRange: { start: '10.1.2.3' } }),
    refusal(403, 'AuthorizationSourceIPMismatch'),
  );
  if (tableEndpoint.startsWith('http:')) {
    await assert.rejects(getWith({ protocol: 'https' }), refusal(403, 'AuthorizationProtocolMismatch'));
  }
});

behaviour('account SAS: the default of the SDK reads and lists', async () => {
  const name = await tableNameWithEntity();
  const sas = generateAccountSas(credential);
  assert.equal((await tableClientWithSas(name, sas).getEntity('p', 'r')).a, 1);
  const names = (await collect(serviceClientWithSas(sas).listTables())).map(item => item.name);
  assert.ok(names.includes(name));
  await assert.rejects(tableClientWithSas(name, sas).deleteEntity('p', 'r'), refusal(403));
});
