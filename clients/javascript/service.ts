import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import {
  collect,
  freshTable,
  refusal,
  secondaryServiceClient,
  secondaryTableClient,
  serviceClient,
  type TableServiceClient,
} from './sdk.ts';

type Properties = Parameters<TableServiceClient['setProperties']>[0];

const off = { enabled: false };
const defaults: Required<Properties> = {
  logging: { version: '1.0', read: false, write: false, delete: false, retentionPolicy: off },
  hourMetrics: { version: '1.0', enabled: false, retentionPolicy: off },
  minuteMetrics: { version: '1.0', enabled: false, retentionPolicy: off },
  cors: [],
};

/** Without the members that the SDK leaves undefined, and without the headers of the answer. */
async function properties(): Promise<Required<Properties>> {
  const { logging, hourMetrics, minuteMetrics, cors } = await serviceClient().getProperties();
  return JSON.parse(JSON.stringify({ logging, hourMetrics, minuteMetrics, cors }));
}

/** The properties belong to the account, so each case begins with the defaults and leaves them behind. */
function behaviourOfProperties(name: string, run: (service: TableServiceClient) => Promise<void>): void {
  behaviour(`service properties: ${name}`, async () => {
    const service = serviceClient();
    await service.setProperties(defaults);
    try {
      await run(service);
    } finally {
      await service.setProperties(defaults);
    }
  });
}

const rule = {
  allowedOrigins: 'http://www.contoso.com,http://www.fabrikam.com',
  allowedMethods: 'GET,PUT',
  allowedHeaders: 'x-ms-meta-xyz,x-ms-meta-data*',
  exposedHeaders: 'x-ms-meta-abc',
  maxAgeInSeconds: 500,
};

behaviour('service properties: a new account has the defaults', async () => {
  assert.deepEqual(await properties(), defaults);
});

behaviourOfProperties('logging is kept', async service => {
  const logging = {
    version: '1.0',
    read: true,
    write: true,
    delete: true,
    retentionPolicy: { enabled: true, days: 5 },
  };
  await service.setProperties({ logging });
  assert.deepEqual(await properties(), { ...defaults, logging });
});

behaviourOfProperties('metrics are kept', async service => {
  const hourMetrics = {
    version: '1.0',
    enabled: true,
    includeAPIs: true,
    retentionPolicy: { enabled: true, days: 365 },
  };
  const minuteMetrics = { version: '1.0', enabled: true, includeAPIs: false, retentionPolicy: off };
  await service.setProperties({ hourMetrics, minuteMetrics });
  assert.deepEqual(await properties(), { ...defaults, hourMetrics, minuteMetrics });
});

behaviourOfProperties('CORS rules are kept in order', async service => {
  const cors = [rule, { ...rule, allowedOrigins: '*', allowedHeaders: '', exposedHeaders: '' }];
  await service.setProperties({ cors });
  const { cors: kept } = await properties();
  assert.equal(kept.length, 2);
  assert.deepEqual(kept[0], rule);
  assert.equal(kept[1]?.allowedOrigins, '*');
  assert.equal(kept[1]?.allowedHeaders, '');
});

behaviourOfProperties('what is left out keeps its value', async service => {
  const minuteMetrics = { version: '1.0', enabled: true, includeAPIs: true, retentionPolicy: off };
  await service.setProperties({ cors: [rule] });
  await service.setProperties({ minuteMetrics });
  assert.deepEqual(await properties(), { ...defaults, cors: [rule], minuteMetrics });
});

behaviourOfProperties('five CORS rules are kept and six refused with InvalidXmlDocument', async service => {
  const rules = (count: number) => Array<typeof rule>(count).fill(rule);
  await service.setProperties({ cors: rules(5) });
  assert.equal((await properties()).cors.length, 5);
  await assert.rejects(service.setProperties({ cors: rules(6) }), refusal(400, 'InvalidXmlDocument'));
  assert.equal((await properties()).cors.length, 5);
});

behaviourOfProperties('an empty list of CORS rules deletes them', async service => {
  await service.setProperties({ cors: [rule] });
  await service.setProperties({ cors: [] });
  assert.deepEqual((await properties()).cors, []);
});

for (const [what, days] of [
  ['366 days', 366],
  ['0 days', 0],
  ['no days', undefined],
] as const) {
  behaviourOfProperties(`retention of ${what} is refused with InvalidXmlDocument`, async service => {
    const retentionPolicy = days === undefined ? { enabled: true } : { enabled: true, days };
    const hourMetrics = { version: '1.0', enabled: true, includeAPIs: true, retentionPolicy };
    await assert.rejects(service.setProperties({ hourMetrics }), refusal(400, 'InvalidXmlDocument'));
    assert.deepEqual(await properties(), defaults);
  });
}

behaviourOfProperties('none at all are refused with InvalidXmlDocument', async service => {
  await assert.rejects(service.setProperties({}), refusal(400, 'InvalidXmlDocument'));
});

behaviour('secondary: statistics tell of live replication and of its time', async () => {
  const { geoReplication } = await secondaryServiceClient().getStatistics();
  assert.equal(geoReplication?.status, 'live');
  assert.ok(geoReplication?.lastSyncTime instanceof Date);
  assert.ok(Math.abs(Date.now() - geoReplication.lastSyncTime.getTime()) < 3_600_000);
});

behaviour('secondary: statistics are refused on the primary', async () => {
  const { href } = new URL(serviceClient().url);
  assert.doesNotMatch(href, /-secondary/);
  await assert.rejects(serviceClient().getStatistics(), refusal(400, 'InvalidQueryParameterValue'));
});

behaviour('secondary: entities, tables, policies and properties can be read', async () => {
  const table = await freshTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r', a: 1 });
  const secondary = secondaryTableClient(table.tableName);
  assert.equal((await secondary.getEntity('p', 'r')).a, 1);
  assert.equal((await collect(secondary.listEntities())).length, 1);
  const names = (await collect(secondaryServiceClient().listTables())).map(({ name }) => name);
  assert.ok(names.includes(table.tableName));
  assert.deepEqual([...(await secondary.getAccessPolicy())], []);
  assert.equal((await secondaryServiceClient().getProperties()).logging?.version, '1.0');
});

behaviour('secondary: writes are refused with 403', async () => {
  const table = await freshTable();
  const secondary = secondaryTableClient(table.tableName);
  const entity = { partitionKey: 'p', rowKey: 'r' };
  const refused = refusal(403, 'WriteOperationNotSupportedOnSecondary');
  await assert.rejects(secondary.createEntity(entity), refused);
  await assert.rejects(secondary.upsertEntity(entity), refused);
  await assert.rejects(secondary.deleteTable(), refused);
  await assert.rejects(secondary.submitTransaction([['create', entity]]), refusal(403));
  assert.deepEqual(await collect(table.listEntities()), []);
});
