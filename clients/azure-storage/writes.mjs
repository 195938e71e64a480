import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import {
  call,
  entity,
  etagOf,
  freshTable,
  get,
  make,
  queryAll,
  refusal,
  service,
  TableQuery,
  TableUtilities,
  withEtag,
} from './sdk.mjs';

const foreignEtag = `W/"datetime'2020-01-01T00%3A00%3A00Z'"`;
const stale = refusal(412, 'UpdateConditionNotSatisfied');
const missing = refusal(404, 'ResourceNotFound');
const change = entity('p', 'r', { a: make.Int32(2), c: make.Int32(2) });

/** A table with one entity, whose properties are a and b. */
async function tableWithEntity() {
  const table = await freshTable();
  const descriptor = entity('p', 'r', { a: make.Int32(1), b: make.Int32(1) });
  await call(service, 'insertEntity', table, descriptor);
  return table;
}

async function valuesIn(table) {
  const { a, b, c } = await get(table, 'p', 'r');
  return [a?._, b?._, c?._];
}

behaviour('writes: an insert answers the ETag of what it wrote', async () => {
  const table = await freshTable();
  const written = await call(service, 'insertEntity', table, entity('p', 'r'));
  assert.equal(etagOf(await get(table, 'p', 'r')), etagOf(written));
});

behaviour('writes: an insert of what is there is refused with EntityAlreadyExists', async () => {
  const table = await tableWithEntity();
  await assert.rejects(call(service, 'insertEntity', table, change), refusal(409, 'EntityAlreadyExists'));
  assert.deepEqual(await valuesIn(table), [1, 1, undefined]);
});

for (const [operation, expected] of [
  ['insertOrReplaceEntity', [2, undefined, 2]],
  ['insertOrMergeEntity', [2, 1, 2]],
]) {
  behaviour(`writes: ${operation} creates what is missing`, async () => {
    const table = await freshTable();
    await call(service, operation, table, change);
    assert.deepEqual(await valuesIn(table), [2, undefined, 2]);
  });

  behaviour(`writes: ${operation} changes what is there`, async () => {
    const table = await tableWithEntity();
    await call(service, operation, table, change);
    assert.deepEqual(await valuesIn(table), expected);
  });
}

for (const [operation, expected] of [
  ['replaceEntity', [2, undefined, 2]],
  ['mergeEntity', [2, 1, 2]],
]) {
  behaviour(`writes: ${operation} changes what is there`, async () => {
    const table = await tableWithEntity();
    await call(service, operation, table, change);
    assert.deepEqual(await valuesIn(table), expected);
  });

  behaviour(`writes: ${operation} of what is missing is refused with ResourceNotFound`, async () => {
    const table = await freshTable();
    await assert.rejects(call(service, operation, table, change), missing);
    await assert.rejects(call(service, operation, table, withEtag(change, foreignEtag)), missing);
  });

  behaviour(`writes: ${operation} works with the ETag of the write before`, async () => {
    const table = await freshTable();
    const first = await call(service, 'insertEntity', table, entity('p', 'r'));
    const second = await call(service, operation, table, withEtag(change, etagOf(first)));
    await call(service, operation, table, withEtag(change, etagOf(second)));
    assert.deepEqual(await valuesIn(table), [2, undefined, 2]);
  });

  behaviour(`writes: ${operation} with an ETag that is no longer true is refused with 412`, async () => {
    const table = await tableWithEntity();
    const before = etagOf(await get(table, 'p', 'r'));
    await call(service, 'mergeEntity', table, entity('p', 'r'));
    for (const etag of [before, foreignEtag]) {
      await assert.rejects(call(service, operation, table, withEtag(change, etag)), stale);
    }
    assert.deepEqual(await valuesIn(table), [1, 1, undefined]);
  });
}

behaviour('writes: an ETag that the SDK makes of a Timestamp is taken', async () => {
  const table = await tableWithEntity();
  const options = { payloadFormat: TableUtilities.PayloadFormat.NO_METADATA };
  const [found] = await queryAll(table, new TableQuery(), service, options);
  assert.match(etagOf(found), /^W\/"datetime'.*T\d\d:\d\d:.*'"$/);
  await call(service, 'replaceEntity', table, withEtag(change, etagOf(found)));
  await assert.rejects(call(service, 'replaceEntity', table, withEtag(change, etagOf(found))), stale);
});

behaviour('writes: a delete removes what is there', async () => {
  const table = await tableWithEntity();
  await call(service, 'deleteEntity', table, entity('p', 'r'));
  await assert.rejects(get(table, 'p', 'r'), missing);
});

behaviour('writes: a delete of what is missing is refused with ResourceNotFound', async () => {
  const table = await freshTable();
  await assert.rejects(call(service, 'deleteEntity', table, entity('p', 'r')), missing);
});

behaviour('writes: a delete heeds its ETag', async () => {
  const table = await tableWithEntity();
  const etag = etagOf(await get(table, 'p', 'r'));
  const { '.metadata': metadata } = await call(service, 'mergeEntity', table, entity('p', 'r'));
  await assert.rejects(call(service, 'deleteEntity', table, withEtag(entity('p', 'r'), etag)), stale);
  await call(service, 'deleteEntity', table, withEtag(entity('p', 'r'), metadata.etag));
  await assert.rejects(get(table, 'p', 'r'), missing);
});
