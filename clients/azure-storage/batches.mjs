import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { freshTableName } from '../server-under-test.ts';
import {
  batchOf,
  call,
  entity,
  etagOf,
  failure,
  freshTable,
  get,
  make,
  queryAll,
  refusal,
  service,
  TableBatch,
  withEtag,
} from './sdk.mjs';

const foreignEtag = `W/"datetime'2020-01-01T00%3A00%3A00Z'"`;
const withA = (rowKey, a) => entity('p', rowKey, { a: make.Int32(a) });

function execute(table, ...operations) {
  return call(service, 'executeBatch', table, batchOf(...operations));
}

function insertions(count) {
  return Array.from({ length: count }, (_, index) => ['insertEntity', withA(`r${index}`, index)]);
}

/** Row keys of the table and the value of `a`, in order. */
async function contents(table) {
  const entries = await queryAll(table);
  return entries.map(({ RowKey, a }) => (a === undefined ? RowKey._ : `${RowKey._}=${a._}`)).join(' ');
}

behaviour('batches: every kind of operation succeeds in one', async () => {
  const table = await freshTable();
  for (const rowKey of ['b', 'c', 'd', 'e', 'f'])
    await call(service, 'insertEntity', table, withA(rowKey, 1));
  const results = await execute(
    table,
    ['insertEntity', withA('a', 2)],
    ['mergeEntity', withA('b', 2)],
    ['replaceEntity', withA('c', 2)],
    ['insertOrMergeEntity', withA('d', 2)],
    ['insertOrReplaceEntity', withA('e', 2)],
    ['deleteEntity', entity('p', 'f')],
    ['insertOrReplaceEntity', withA('g', 2)],
  );
  assert.deepEqual(
    results.map(({ response }) => response.statusCode),
    Array(7).fill(204),
  );
  assert.equal(await contents(table), 'a=2 b=2 c=2 d=2 e=2 g=2');
});

behaviour('batches: the answer has the ETag of each entity that was written', async () => {
  const table = await freshTable();
  const [inserted, upserted] = await execute(
    table,
    ['insertEntity', withA('a', 1)],
    ['insertOrReplaceEntity', withA('b', 1)],
  );
  assert.equal(etagOf(inserted.entity), etagOf(await get(table, 'p', 'a')));
  assert.equal(etagOf(upserted.entity), etagOf(await get(table, 'p', 'b')));
});

behaviour('batches: inserts can echo what they wrote', async () => {
  const table = await freshTable();
  const [quiet, echoed] = await execute(
    table,
    ['insertEntity', withA('a', 1)],
    ['insertEntity', withA('b', 2), { echoContent: true }],
  );
  assert.equal(quiet.response.statusCode, 204);
  assert.equal(echoed.response.statusCode, 201);
  assert.equal(echoed.entity.a._, 2);
});

behaviour('batches: one may be a single retrieval', async () => {
  const table = await freshTable();
  await call(service, 'insertEntity', table, withA("it's", 1));
  const batch = new TableBatch();
  batch.retrieveEntity('p', "it's");
  const [{ response, entity: found }] = await call(service, 'executeBatch', table, batch);
  assert.deepEqual([response.statusCode, found.a._], [200, 1]);
});

behaviour('batches: a single retrieval of what is missing says ResourceNotFound', async () => {
  const table = await freshTable();
  const batch = new TableBatch();
  batch.retrieveEntity('p', 'r');
  await assert.rejects(call(service, 'executeBatch', table, batch), failure(404, 'ResourceNotFound', 0));
});

behaviour('batches: a hundred operations succeed', async () => {
  const table = await freshTable();
  assert.equal((await execute(table, ...insertions(100))).length, 100);
  assert.equal((await queryAll(table)).length, 100);
});

behaviour('batches: the SDK itself refuses 101 operations and two partitions', async () => {
  assert.throws(() => batchOf(...insertions(101)), /100/);
  const operations = [
    ['insertEntity', entity('p', 'a')],
    ['insertEntity', entity('q', 'a')],
  ];
  assert.throws(() => batchOf(...operations), /same PartitionKey/);
});

for (const [what, operation, status, code] of [
  ['inserts what is there', ['insertEntity', withA('there', 2)], 409, 'EntityAlreadyExists'],
  ['merges into what is missing', ['mergeEntity', withA('missing', 2)], 404, 'ResourceNotFound'],
  ['replaces what is missing', ['replaceEntity', withA('missing', 2)], 404, 'ResourceNotFound'],
  ['deletes what is missing', ['deleteEntity', entity('p', 'missing')], 404, 'ResourceNotFound'],
  [
    'merges with an ETag that is not true',
    ['mergeEntity', withEtag(withA('there', 2), foreignEtag)],
    412,
    'UpdateConditionNotSatisfied',
  ],
  [
    'replaces with an ETag that is not true',
    ['replaceEntity', withEtag(withA('there', 2), foreignEtag)],
    412,
    'UpdateConditionNotSatisfied',
  ],
  [
    'deletes with an ETag that is not true',
    ['deleteEntity', withEtag(entity('p', 'there'), foreignEtag)],
    412,
    'UpdateConditionNotSatisfied',
  ],
  ['changes an entity twice', ['insertOrMergeEntity', withA('new1', 2)], 400, 'InvalidDuplicateRow'],
]) {
  behaviour(`batches: one that ${what} says ${code} with its index and writes nothing`, async () => {
    const table = await freshTable();
    await call(service, 'insertEntity', table, withA('there', 1));
    const operations = [
      ['insertEntity', withA('new1', 1)],
      ['insertEntity', withA('new2', 1)],
      operation,
      ['insertEntity', withA('new3', 1)],
    ];
    await assert.rejects(execute(table, ...operations), failure(status, code, 2));
    assert.equal(await contents(table), 'there=1');
  });
}

behaviour('batches: a current ETag succeeds', async () => {
  const table = await freshTable();
  const written = await call(service, 'insertEntity', table, withA('a', 1));
  await execute(
    table,
    ['insertEntity', withA('b', 1)],
    ['mergeEntity', withEtag(withA('a', 2), etagOf(written))],
  );
  assert.equal(await contents(table), 'a=2 b=1');
});

behaviour('batches: one on a missing table says TableNotFound', () =>
  assert.rejects(execute(freshTableName(), ...insertions(2)), failure(404, 'TableNotFound', 0)),
);

behaviour('batches: values that look like the parts of a batch are kept', async () => {
  const table = await freshTable();
  const texts = ['--changeset_x', '\n--batch_x--\n', 'HTTP/1.1 404 Not Found', '}{', 'POST /x HTTP/1.1'];
  await execute(
    table,
    ...texts.map((text, index) => ['insertEntity', entity('p', `r${index}`, { a: make.String(text) })]),
  );
  const entries = await queryAll(table);
  assert.deepEqual(
    entries.map(({ a }) => a._),
    texts,
  );
});

behaviour('batches: more than 4 MiB are refused with RequestBodyTooLarge', async () => {
  const table = await freshTable();
  const large = { a: make.String('x'.repeat(32_000)), b: make.String('y'.repeat(32_000)) };
  const operations = Array.from({ length: 70 }, (_, index) => [
    'insertEntity',
    entity('p', `r${index}`, large),
  ]);
  await assert.rejects(execute(table, ...operations), refusal(413, 'RequestBodyTooLarge'));
  assert.equal(await contents(table), '');
});
