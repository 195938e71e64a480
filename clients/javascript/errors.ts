import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { collect, freshTable, refusal, tableClient, tableClientWithKey } from './sdk.ts';

const strangersKey = Buffer.alloc(64, 1).toString('base64');

behaviour('errors: a wrong key is AuthenticationFailed for every kind of request', async () => {
  const { tableName } = await freshTable();
  const stranger = tableClientWithKey(tableName, strangersKey);
  const refused = refusal(403, 'AuthenticationFailed');
  await assert.rejects(stranger.getEntity('p', 'r'), refused);
  await assert.rejects(collect(stranger.listEntities()), refused);
  await assert.rejects(stranger.createEntity({ partitionKey: 'p', rowKey: 'r' }), refused);
  await assert.rejects(stranger.createTable(), refused);
  await assert.rejects(stranger.getAccessPolicy(), refused);
});

behaviour('errors: a transaction with a wrong key is refused as a whole', async () => {
  const table = await freshTable();
  const stranger = tableClientWithKey(table.tableName, strangersKey);
  const transaction = stranger.submitTransaction([['create', { partitionKey: 'p', rowKey: 'r' }]]);
  await assert.rejects(transaction, refusal(403));
  assert.deepEqual(await collect(table.listEntities()), []);
});

behaviour('errors: an exception tells code, message, request id and time', async () => {
  const table = tableClient();
  await assert.rejects(table.getEntity('p', 'r'), error => {
    const { statusCode, details } = error as { statusCode: number; details: Record<string, unknown> };
    const { code, message } = details.odataError as {
      code: string;
      message: { lang: string; value: string };
    };
    assert.deepEqual([statusCode, code, message.lang], [404, 'TableNotFound', 'en-US']);
    const [text, id, time] = message.value.split('\n');
    assert.equal(text, 'The table specified does not exist.');
    assert.equal(id, `RequestId:${details['x-ms-request-id']}`);
    assert.match(time as string, /^Time:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
    return true;
  });
});

behaviour('errors: an answer carries the version and the id of its request', async () => {
  const table = await freshTable();
  const answer = await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
  assert.equal(answer.version, '2019-02-02');
  assert.match(answer.requestId ?? '', /^[0-9a-f-]{36}$/);
  assert.match(answer.clientRequestId ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(answer.preferenceApplied, 'return-no-content');
});
