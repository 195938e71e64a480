import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import {
  credential,
  freshTable,
  generateTableSas,
  policySas,
  refusal,
  type TableClient,
  tableClient,
  tableClientWithSas,
} from './sdk.ts';

const start = new Date('2021-06-08T02:05:09Z');
const expiry = new Date('2099-06-08T03:10:09Z');
const unauthenticated = refusal(403, 'AuthenticationFailed');

/** Without the members that the SDK leaves undefined, and without the headers of the answer. */
async function policiesOf(table: TableClient): Promise<unknown[]> {
  return Array.from(await table.getAccessPolicy(), ({ id, accessPolicy = {} }) => {
    const members = Object.entries(accessPolicy).filter(([, value]) => value !== undefined);
    return { id, accessPolicy: Object.fromEntries(members) };
  });
}

async function tableWithEntity(): Promise<TableClient> {
  const table = await freshTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r', a: 1 });
  return table;
}

function byPolicy(table: TableClient, identifier: string): TableClient {
  return tableClientWithSas(table.tableName, policySas(table.tableName, identifier));
}

behaviour('access policies: a new table has none', async () => {
  assert.deepEqual(await policiesOf(await freshTable()), []);
});

behaviour('access policies: one is kept whole', async () => {
  const table = await freshTable();
  const policy = { id: 'one', accessPolicy: { start, expiry, permission: 'raud' } };
  await table.setAccessPolicy([policy]);
  assert.deepEqual(await policiesOf(table), [policy]);
});

behaviour('access policies: each part may be missing', async () => {
  const table = await freshTable();
  const policies = [
    { id: 'nothing', accessPolicy: {} },
    { id: 'start', accessPolicy: { start } },
    { id: 'expiry', accessPolicy: { expiry } },
    { id: 'permission', accessPolicy: { permission: 'r' } },
  ];
  await table.setAccessPolicy(policies);
  assert.deepEqual(await policiesOf(table), policies);
});

behaviour('access policies: five are kept in order', async () => {
  const table = await freshTable();
  const policies = ['e', 'd', 'c', 'b', 'a'].map(id => ({ id, accessPolicy: { expiry, permission: 'r' } }));
  await table.setAccessPolicy(policies);
  assert.deepEqual(await policiesOf(table), policies);
});

behaviour('access policies: six are refused with InvalidXmlDocument and change nothing', async () => {
  const table = await freshTable();
  const policies = Array.from({ length: 6 }, (_, index) => ({
    id: `p${index}`,
    accessPolicy: { expiry, permission: 'r' },
  }));
  await table.setAccessPolicy(policies.slice(0, 1));
  await assert.rejects(table.setAccessPolicy(policies), refusal(400, 'InvalidXmlDocument'));
  assert.deepEqual(await policiesOf(table), policies.slice(0, 1));
});

behaviour('access policies: an id of 64 characters is kept and a longer one refused', async () => {
  const table = await freshTable();
  const policyOf = (id: string) => [{ id, accessPolicy: { expiry, permission: 'r' } }];
  await table.setAccessPolicy(policyOf('x'.repeat(64)));
  assert.deepEqual(await policiesOf(table), policyOf('x'.repeat(64)));
  await assert.rejects(table.setAccessPolicy(policyOf('x'.repeat(65))), refusal(400, 'InvalidXmlDocument'));
});

behaviour('access policies: ids and permissions need no escaping by their users', async () => {
  const table = await freshTable();
  const policies = [{ id: `<a & "b" 'c' é>`, accessPolicy: { expiry, permission: 'r' } }];
  await table.setAccessPolicy(policies);
  assert.deepEqual(await policiesOf(table), policies);
});

behaviour('access policies: setting replaces all, and none clears them', async () => {
  const table = await freshTable();
  await table.setAccessPolicy([{ id: 'a', accessPolicy: { permission: 'r' } }]);
  await table.setAccessPolicy([{ id: 'b', accessPolicy: { permission: 'a' } }]);
  assert.deepEqual(await policiesOf(table), [{ id: 'b', accessPolicy: { permission: 'a' } }]);
  await table.setAccessPolicy([]);
  assert.deepEqual(await policiesOf(table), []);
});

behaviour('access policies: those of a missing table are TableNotFound', async () => {
  const missing = refusal(404, 'TableNotFound');
  await assert.rejects(tableClient().getAccessPolicy(), missing);
  await assert.rejects(tableClient().setAccessPolicy([]), missing);
});

behaviour('access policies: they go with their table', async () => {
  const table = await freshTable();
  await table.setAccessPolicy([{ id: 'a', accessPolicy: { permission: 'r' } }]);
  await table.deleteTable();
  await table.createTable();
  assert.deepEqual(await policiesOf(table), []);
});

behaviour('access policies: a SAS takes its times and permissions from one', async () => {
  const table = await tableWithEntity();
  await table.setAccessPolicy([{ id: 'readers', accessPolicy: { start, expiry, permission: 'r' } }]);
  const reader = byPolicy(table, 'readers');
  assert.equal((await reader.getEntity('p', 'r')).a, 1);
  await assert.rejects(reader.deleteEntity('p', 'r'), refusal(403));
});

behaviour('access policies: a change of one holds at once for the SAS that name it', async () => {
  const table = await tableWithEntity();
  const client = byPolicy(table, 'x');
  await table.setAccessPolicy([{ id: 'x', accessPolicy: { expiry, permission: 'r' } }]);
  await client.getEntity('p', 'r');
  await table.setAccessPolicy([{ id: 'x', accessPolicy: { expiry, permission: 'd' } }]);
  await assert.rejects(client.getEntity('p', 'r'), refusal(403));
  await client.deleteEntity('p', 'r');
});

behaviour('access policies: a SAS whose policy is taken away is refused', async () => {
  const table = await tableWithEntity();
  await table.setAccessPolicy([{ id: 'readers', accessPolicy: { expiry, permission: 'r' } }]);
  const reader = byPolicy(table, 'readers');
  await reader.getEntity('p', 'r');
  await table.setAccessPolicy([]);
  await assert.rejects(reader.getEntity('p', 'r'), unauthenticated);
});

behaviour('access policies: a SAS whose policy has expired, or has no expiry, is refused', async () => {
  const table = await tableWithEntity();
  await table.setAccessPolicy([
    { id: 'expired', accessPolicy: { start, expiry: new Date('2022-01-01T00:00:00Z'), permission: 'r' } },
    { id: 'endless', accessPolicy: { permission: 'r' } },
    { id: 'current', accessPolicy: { expiry, permission: 'r' } },
  ]);
  await byPolicy(table, 'current').getEntity('p', 'r');
  await assert.rejects(byPolicy(table, 'expired').getEntity('p', 'r'), unauthenticated);
  await assert.rejects(byPolicy(table, 'endless').getEntity('p', 'r'), unauthenticated);
});

behaviour('access policies: a SAS that names none that exists is refused', async () => {
  const table = await tableWithEntity();
  await table.setAccessPolicy([{ id: 'somebody', accessPolicy: { expiry, permission: 'r' } }]);
  await byPolicy(table, 'somebody').getEntity('p', 'r');
  await assert.rejects(byPolicy(table, 'nobody').getEntity('p', 'r'), unauthenticated);
});

behaviour('access policies: what a policy leaves open, the SAS says', async () => {
  const table = await tableWithEntity();
  await table.setAccessPolicy([{ id: 'open', accessPolicy: { start } }]);
  const sas = generateTableSas(table.tableName, credential, {
    identifier: 'open',
    expiresOn: expiry,
    permissions: { query: true },
  });
  assert.equal((await tableClientWithSas(table.tableName, sas).getEntity('p', 'r')).a, 1);
});
