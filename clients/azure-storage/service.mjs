import assert from 'node:assert/strict';
import azure from 'azure-storage';
import { behaviour } from '../cases.ts';
import {
  call,
  entity,
  freshTable,
  get,
  queryAll,
  refusal,
  service,
  serviceOnSecondary,
  serviceWithKey,
  TableQuery,
} from './sdk.mjs';

const off = { Enabled: false };
const defaults = {
  Logging: { Version: '1.0', Delete: false, Read: false, Write: false, RetentionPolicy: off },
  HourMetrics: { Version: '1.0', Enabled: false, RetentionPolicy: off },
  MinuteMetrics: { Version: '1.0', Enabled: false, RetentionPolicy: off },
  Cors: {},
};

const rule = {
  AllowedMethods: ['GET', 'PUT'],
  AllowedOrigins: ['http://www.contoso.com', 'http://www.fabrikam.com'],
  AllowedHeaders: ['x-ms-meta-xyz', 'x-ms-meta-data*'],
  ExposedHeaders: ['x-ms-meta-abc'],
  MaxAgeInSeconds: 500,
};

const set = properties => call(service, 'setServiceProperties', properties);
const properties = () => call(service, 'getServiceProperties');

/** The properties belong to the account, so each case begins with the defaults and leaves them behind. */
function behaviourOfProperties(name, run) {
  behaviour(`service properties: ${name}`, async () => {
    await set(defaults);
    try {
      await run();
    } finally {
      await set(defaults);
    }
  });
}

behaviourOfProperties('the defaults', async () => {
  assert.deepEqual(await properties(), defaults);
});

behaviourOfProperties('logging and metrics are kept', async () => {
  const RetentionPolicy = { Enabled: true, Days: 5 };
  const changed = {
    Logging: { Version: '1.0', Delete: true, Read: true, Write: true, RetentionPolicy },
    HourMetrics: { Version: '1.0', Enabled: true, IncludeAPIs: true, RetentionPolicy },
    MinuteMetrics: { Version: '1.0', Enabled: true, IncludeAPIs: false, RetentionPolicy: off },
  };
  await set(changed);
  assert.deepEqual(await properties(), { ...defaults, ...changed });
});

behaviourOfProperties('CORS rules are kept in order', async () => {
  const open = { ...rule, AllowedOrigins: ['*'], AllowedHeaders: [], ExposedHeaders: [] };
  await set({ Cors: { CorsRule: [rule, open] } });
  assert.deepEqual((await properties()).Cors, { CorsRule: [rule, open] });
});

behaviourOfProperties('what is left out keeps its value', async () => {
  await set({ Cors: { CorsRule: [rule] } });
  await set({ HourMetrics: { Version: '1.0', Enabled: true, IncludeAPIs: true, RetentionPolicy: off } });
  const { Cors, HourMetrics, Logging } = await properties();
  assert.deepEqual([Cors, HourMetrics.Enabled, Logging], [{ CorsRule: [rule] }, true, defaults.Logging]);
});

behaviourOfProperties('six CORS rules are refused with InvalidXmlDocument', async () => {
  await set({ Cors: { CorsRule: Array(5).fill(rule) } });
  await assert.rejects(set({ Cors: { CorsRule: Array(6).fill(rule) } }), refusal(400, 'InvalidXmlDocument'));
  assert.equal((await properties()).Cors.CorsRule.length, 5);
});

behaviourOfProperties('retention of 366 days is refused with InvalidXmlDocument', async () => {
  const RetentionPolicy = { Enabled: true, Days: 366 };
  await assert.rejects(
    set({ Logging: { ...defaults.Logging, RetentionPolicy } }),
    refusal(400, 'InvalidXmlDocument'),
  );
});

const { SECONDARY_ONLY } = azure.StorageUtilities.LocationMode;
const onSecondary = { locationMode: SECONDARY_ONLY };

behaviour('secondary: statistics tell of live replication and of its time', async () => {
  const { GeoReplication } = await call(service, 'getServiceStats', onSecondary);
  assert.equal(GeoReplication.Status, 'live');
  assert.ok(GeoReplication.LastSyncTime instanceof Date);
  assert.ok(Math.abs(Date.now() - GeoReplication.LastSyncTime.getTime()) < 3_600_000);
});

behaviour('secondary: statistics are refused on the primary', () =>
  assert.rejects(call(service, 'getServiceStats'), refusal(400, 'InvalidQueryParameterValue')),
);

behaviour('secondary: entities, tables, policies and properties can be read', async () => {
  const table = await freshTable();
  await call(service, 'insertEntity', table, entity('p', 'r'));
  const entries = await queryAll(table, new TableQuery(), service, onSecondary);
  assert.deepEqual(
    entries.map(({ RowKey }) => RowKey._),
    ['r'],
  );
  const listed = await call(service, 'listTablesSegmentedWithPrefix', table, null, onSecondary);
  assert.deepEqual(listed.entries, [table]);
  assert.equal((await call(service, 'doesTableExist', table, onSecondary)).exists, true);
  assert.deepEqual((await call(service, 'getTableAcl', table, onSecondary)).signedIdentifiers, {});
  assert.equal((await call(service, 'getServiceProperties', onSecondary)).Logging.Version, '1.0');
  assert.equal((await call(serviceOnSecondary, 'retrieveEntity', table, 'p', 'r')).RowKey._, 'r');
});

behaviour('secondary: writes are refused with 403', async () => {
  const table = await freshTable();
  const refused = refusal(403, 'WriteOperationNotSupportedOnSecondary');
  for (const operation of ['insertEntity', 'insertOrReplaceEntity', 'mergeEntity', 'deleteEntity']) {
    await assert.rejects(call(serviceOnSecondary, operation, table, entity('p', 'r')), refused, operation);
  }
  await assert.rejects(call(serviceOnSecondary, 'deleteTable', table), refused);
  assert.deepEqual(await queryAll(table), []);
});

behaviour('errors: a wrong key is AuthenticationFailed', async () => {
  const stranger = serviceWithKey(Buffer.alloc(64, 1).toString('base64'));
  const refused = refusal(403, 'AuthenticationFailed');
  await assert.rejects(call(stranger, 'listTablesSegmented', null), refused);
  await assert.rejects(call(stranger, 'insertEntity', await freshTable(), entity('p', 'r')), refused);
});

behaviour('errors: an exception tells code, message, request id and time', async () => {
  const table = await freshTable();
  await assert.rejects(get(table, 'p', 'r'), error => {
    const [text, id, time] = error.message.split('\n');
    assert.deepEqual([error.statusCode, error.code], [404, 'ResourceNotFound']);
    assert.equal(text, 'The specified resource does not exist.');
    assert.equal(id, `RequestId:${error.requestId}`);
    assert.match(time, /^Time:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
    return true;
  });
});
