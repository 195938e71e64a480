import assert from 'node:assert/strict';
import azure from 'azure-storage';
import { behaviour } from '../cases.ts';
import { freshTableName, tableEndpoint } from '../server-under-test.ts';
import {
  accountSas,
  batchOf,
  call,
  entity,
  freshTable,
  get,
  make,
  policySas,
  queryAll,
  refusal,
  service,
  serviceWithKey,
  serviceWithSas,
  TableQuery,
  tableSas,
} from './sdk.mjs';

const { minutesFromNow } = azure.date;
const refused = refusal(403);
const unauthenticated = refusal(403, 'AuthenticationFailed');
const strangersKey = Buffer.alloc(64, 1).toString('base64');

async function tableWithEntity() {
  const table = await freshTable();
  await call(service, 'insertEntity', table, entity('p', 'r', { a: make.Int32(1) }));
  return table;
}

const open = (sas, table) => call(serviceWithSas(sas), 'retrieveEntity', table, 'p', 'r');

/** Every operation on entities, and the permissions that it needs. */
const operations = [
  ['retrieveEntity', 'r', (client, table) => call(client, 'retrieveEntity', table, 'p', 'r')],
  ['queryEntities', 'r', (client, table) => queryAll(table, new TableQuery(), client)],
  ['insertEntity', 'a', (client, table) => call(client, 'insertEntity', table, entity('p', 'new'))],
  ['mergeEntity', 'u', (client, table) => call(client, 'mergeEntity', table, entity('p', 'r'))],
  ['replaceEntity', 'u', (client, table) => call(client, 'replaceEntity', table, entity('p', 'r'))],
  [
    'insertOrMergeEntity',
    'au',
    (client, table) => call(client, 'insertOrMergeEntity', table, entity('p', 'new')),
  ],
  [
    'insertOrReplaceEntity',
    'au',
    (client, table) => call(client, 'insertOrReplaceEntity', table, entity('p', 'r')),
  ],
  ['deleteEntity', 'd', (client, table) => call(client, 'deleteEntity', table, entity('p', 'r'))],
  [
    'executeBatch',
    'ad',
    (client, table) => {
      const batch = batchOf(['insertEntity', entity('p', 'new')], ['deleteEntity', entity('p', 'r')]);
      return call(client, 'executeBatch', table, batch);
    },
  ],
];

for (const permissions of ['r', 'a', 'u', 'd', 'au', 'raud']) {
  behaviour(`table SAS: ${permissions} allows its operations and no others`, async () => {
    for (const [name, needs, run] of operations) {
      const table = await tableWithEntity();
      const client = serviceWithSas(tableSas(table, { Permissions: permissions }));
      const isAllowed = [...needs].every(need => permissions.includes(need));
      if (isAllowed) await run(client, table);
      else await assert.rejects(run(client, table), refused, name);
    }
  });
}

behaviour('table SAS: another table is refused', async () => {
  const table = await tableWithEntity();
  const sas = tableSas(table, { Permissions: 'raud' });
  await open(sas, table);
  await assert.rejects(open(sas, await tableWithEntity()), refused);
});

behaviour('table SAS: tables, their policies and service properties are refused', async () => {
  const table = await tableWithEntity();
  const sas = tableSas(table, { Permissions: 'raud' });
  const client = serviceWithSas(sas);
  await open(sas, table);
  await assert.rejects(call(client, 'listTablesSegmented', null), refused);
  await assert.rejects(call(client, 'deleteTable', table), refused);
  await assert.rejects(call(client, 'createTable', freshTableName()), refused);
  await assert.rejects(call(client, 'getServiceProperties'), refused);
  await assert.rejects(call(client, 'getTableAcl', table), ({ statusCode }) =>
    [403, 404].includes(statusCode),
  );
});

for (const [what, change] of [
  ['has expired', { Start: minutesFromNow(-60), Expiry: minutesFromNow(-30) }],
  ['is not yet valid', { Start: minutesFromNow(30) }],
]) {
  behaviour(`table SAS: one that ${what} is refused with AuthenticationFailed`, async () => {
    const table = await tableWithEntity();
    await open(tableSas(table, { Permissions: 'r', Start: minutesFromNow(-30) }), table);
    await assert.rejects(open(tableSas(table, { Permissions: 'r', ...change }), table), unauthenticated);
  });
}

behaviour(
  'table SAS: a changed permission and a strange key are refused with AuthenticationFailed',
  async () => {
    const table = await tableWithEntity();
    const sas = tableSas(table, { Permissions: 'r' });
    await open(sas, table);
    await assert.rejects(open(sas.replace('sp=r', 'sp=raud'), table), unauthenticated);
    const strange = tableSas(table, { Permissions: 'r' }, serviceWithKey(strangersKey));
    await assert.rejects(open(strange, table), unauthenticated);
  },
);

behaviour('table SAS: caller and protocol must be those that are allowed', async () => {
  const table = await tableWithEntity();
  const openWith = policy => open(tableSas(table, { Permissions: 'r', ...policy }), table);
  await openWith({ IPAddressOrRange: '127.0.0.1' });
  await openWith({ IPAddressOrRange: '127.0.0.0-127.0.0.9', Protocols: 'https,http' });
  await assert.rejects(
    openWith({ IPAddressOrRange: '10.1.2.3' }),
    refusal(403, 'AuthorizationSourceIPMismatch'),
  );
  if (tableEndpoint.startsWith('http:')) {
    await assert.rejects(openWith({ Protocols: 'https' }), refusal(403, 'AuthorizationProtocolMismatch'));
  }
});

/** Partitions a to e with rows 1 to 3 in each. */
async function tableOfPartitions() {
  const table = await freshTable();
  for (const partitionKey of ['a', 'b', 'c', 'd', 'e']) {
    const rows = ['1', '2', '3'].map(rowKey => ['insertEntity', entity(partitionKey, rowKey)]);
    await call(service, 'executeBatch', table, batchOf(...rows));
  }
  return table;
}

const namesOf = entries => entries.map(({ PartitionKey, RowKey }) => PartitionKey._ + RowKey._).join(' ');

for (const [what, range, expected] of [
  ['from a partition', { StartPk: 'd' }, 'd1 d2 d3 e1 e2 e3'],
  ['up to a partition', { EndPk: 'b' }, 'a1 a2 a3 b1 b2 b3'],
  ['of one partition', { StartPk: 'c', EndPk: 'c' }, 'c1 c2 c3'],
  ['from a row to a row', { StartPk: 'b', StartRk: '3', EndPk: 'c', EndRk: '1' }, 'b3 c1'],
  ['of one row', { StartPk: 'c', StartRk: '2', EndPk: 'c', EndRk: '2' }, 'c2'],
]) {
  behaviour(`SAS ranges: a query shows the entities ${what} and no others`, async () => {
    const table = await tableOfPartitions();
    const client = serviceWithSas(tableSas(table, { Permissions: 'r', ...range }));
    assert.equal(namesOf(await queryAll(table, new TableQuery(), client)), expected);
    assert.equal(namesOf(await queryAll(table, new TableQuery().top(1), client)), expected);
  });
}

behaviour('SAS ranges: an entity outside is not there and cannot be written', async () => {
  const table = await tableOfPartitions();
  const client = serviceWithSas(tableSas(table, { Permissions: 'raud', StartPk: 'b', EndPk: 'd' }));
  const outside = refusal(403, 'AuthorizationFailure');
  await call(client, 'retrieveEntity', table, 'b', '1');
  await assert.rejects(call(client, 'retrieveEntity', table, 'a', '1'), refusal(404, 'ResourceNotFound'));
  await assert.rejects(call(client, 'insertEntity', table, entity('e', '4')), outside);
  await assert.rejects(call(client, 'replaceEntity', table, entity('e', '1')), outside);
  await assert.rejects(call(client, 'insertOrMergeEntity', table, entity('a', '1')), outside);
  await assert.rejects(call(client, 'deleteEntity', table, entity('a', '1')), outside);
  await call(client, 'insertEntity', table, entity('b', '4'));
});

behaviour('SAS ranges: a batch with one row outside is refused and writes nothing', async () => {
  const table = await tableOfPartitions();
  const range = { StartPk: 'b', StartRk: '2', EndPk: 'b' };
  const client = serviceWithSas(tableSas(table, { Permissions: 'raud', ...range }));
  const batch = batchOf(['insertEntity', entity('b', '4')], ['deleteEntity', entity('b', '1')]);
  await assert.rejects(call(client, 'executeBatch', table, batch), refusal(403, 'AuthorizationFailure'));
  assert.equal(namesOf(await queryAll(table, new TableQuery(), client)), 'b2 b3');
});

for (const [name, type, permissions, run] of [
  ['getServiceProperties', 's', 'r', client => call(client, 'getServiceProperties')],
  ['setServiceProperties', 's', 'w', client => call(client, 'setServiceProperties', { Cors: {} })],
  ['listTablesSegmented', 'c', 'l', client => call(client, 'listTablesSegmented', null)],
  ['createTable', 'c', 'c', client => call(client, 'createTable', freshTableName())],
  ['createTable, by w', 'c', 'w', client => call(client, 'createTable', freshTableName())],
  ['deleteTable', 'c', 'd', (client, table) => call(client, 'deleteTable', table)],
  ...operations.map(([name, needs, run]) => [name, 'o', needs, run]),
]) {
  behaviour(`account SAS: ${name} needs ${permissions} on ${type}, and no more`, async () => {
    const table = await tableWithEntity();
    const withSas = (ResourceTypes, Permissions) =>
      run(serviceWithSas(accountSas({ ResourceTypes, Permissions })), table);
    const otherTypes = 'sco'.replace(type, '');
    await assert.rejects(withSas(otherTypes, 'rwdlacu'), refused, 'by resource type');
    for (const permission of permissions) {
      // Either of c and w creates a table.
      const lacking = 'rwdlacu'.replace(name.startsWith('createTable') ? /[cw]/g : permission, '');
      await assert.rejects(withSas(type, lacking), refused, 'by permission');
    }
    await withSas(type, permissions);
  });
}

behaviour('account SAS: what is refused says why', async () => {
  const list = policy => call(serviceWithSas(accountSas(policy)), 'listTablesSegmented', null);
  await list({ Permissions: 'l' });
  await assert.rejects(list({ Permissions: 'r' }), refusal(403, 'AuthorizationPermissionMismatch'));
  await assert.rejects(
    list({ Permissions: 'l', ResourceTypes: 'so' }),
    refusal(403, 'AuthorizationResourceTypeMismatch'),
  );
  await assert.rejects(
    list({ Permissions: 'l', Services: 'bfq' }),
    refusal(403, 'AuthorizationServiceMismatch'),
  );
  await assert.rejects(list({ Permissions: 'l', Expiry: minutesFromNow(-30) }), unauthenticated);
  const strange = serviceWithSas(accountSas({ Permissions: 'l' }, strangersKey));
  await assert.rejects(call(strange, 'listTablesSegmented', null), unauthenticated);
});

const Start = new Date('2021-06-08T02:05:09Z');
const Expiry = new Date('2099-06-08T03:10:09Z');
const policiesOf = async table => (await call(service, 'getTableAcl', table)).signedIdentifiers;

behaviour('access policies: a new table has none, and one is kept whole', async () => {
  const table = await freshTable();
  assert.deepEqual(await policiesOf(table), {});
  const policies = { one: { Start, Expiry, Permissions: 'raud' } };
  await call(service, 'setTableAcl', table, policies);
  assert.deepEqual(await policiesOf(table), policies);
});

behaviour('access policies: each part may be missing', async () => {
  const table = await freshTable();
  const policies = { nothing: {}, start: { Start }, expiry: { Expiry }, permissions: { Permissions: 'r' } };
  await call(service, 'setTableAcl', table, policies);
  assert.deepEqual(await policiesOf(table), policies);
});

behaviour('access policies: five are kept and six refused with InvalidXmlDocument', async () => {
  const table = await freshTable();
  const policies = count =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { Permissions: 'r' }]));
  await call(service, 'setTableAcl', table, policies(5));
  await assert.rejects(call(service, 'setTableAcl', table, policies(6)), refusal(400, 'InvalidXmlDocument'));
  assert.deepEqual(await policiesOf(table), policies(5));
});

behaviour('access policies: an empty body clears them', async () => {
  const table = await freshTable();
  await call(service, 'setTableAcl', table, { one: { Permissions: 'r' } });
  await call(service, 'setTableAcl', table, null);
  assert.deepEqual(await policiesOf(table), {});
});

behaviour('access policies: those of a missing table are TableNotFound', () =>
  assert.rejects(call(service, 'getTableAcl', freshTableName()), refusal(404, 'TableNotFound')),
);

behaviour(
  'access policies: a SAS takes its times and permissions from one, until it is revoked',
  async () => {
    const table = await tableWithEntity();
    await call(service, 'setTableAcl', table, { readers: { Start, Expiry, Permissions: 'r' } });
    const sas = policySas(table, 'readers');
    assert.equal((await open(sas, table)).a._, 1);
    await assert.rejects(call(serviceWithSas(sas), 'deleteEntity', table, entity('p', 'r')), refused);
    await call(service, 'setTableAcl', table, {});
    await assert.rejects(open(sas, table), unauthenticated);
    assert.equal((await get(table, 'p', 'r')).a._, 1);
  },
);
