import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { freshTable, refusal, type TableClient } from './sdk.ts';

const entity = { partitionKey: 'p', rowKey: 'r' };
const foreignEtag = `W/"datetime'2020-01-01T00%3A00%3A00Z'"`;
const stale = refusal(412, 'UpdateConditionNotSatisfied');
const missing = refusal(404, 'ResourceNotFound');

/** A table with one entity, whose properties are a and b. */
async function tableWithEntity(): Promise<TableClient> {
  const table = await freshTable();
  await table.createEntity({ ...entity, a: 1, b: 1 });
  return table;
}

async function propertiesIn(table: TableClient): Promise<unknown> {
  const { a, b, c } = await table.getEntity('p', 'r');
  return { a, b, c };
}

/** With seven digits of a second, so that texts compare like times. */
function ticksText(timestamp: unknown): string {
  const [seconds, fraction = ''] = String(timestamp).slice(0, -1).split('.');
  return `${seconds}.${fraction.padEnd(7, '0')}`;
}

behaviour('writes: an insert answers the ETag of what it wrote', async () => {
  const table = await freshTable();
  const { etag } = await table.createEntity(entity);
  assert.match(etag ?? '', /^W\/"datetime'.+'"$/);
  assert.equal((await table.getEntity('p', 'r')).etag, etag);
});

behaviour('writes: an insert of what is there is refused with EntityAlreadyExists', async () => {
  const table = await tableWithEntity();
  await assert.rejects(table.createEntity({ ...entity, a: 2 }), refusal(409, 'EntityAlreadyExists'));
  assert.deepEqual(await propertiesIn(table), { a: 1, b: 1, c: undefined });
});

for (const mode of ['Merge', 'Replace'] as const) {
  const changed = mode === 'Merge' ? { a: 2, b: 1, c: 2 } : { a: 2, b: undefined, c: 2 };

  behaviour(`writes: upsert ${mode} creates what is missing`, async () => {
    const table = await freshTable();
    await table.upsertEntity({ ...entity, a: 1 }, mode);
    assert.deepEqual(await propertiesIn(table), { a: 1, b: undefined, c: undefined });
  });

  behaviour(`writes: upsert ${mode} changes what is there`, async () => {
    const table = await tableWithEntity();
    await table.upsertEntity({ ...entity, a: 2, c: 2 }, mode);
    assert.deepEqual(await propertiesIn(table), changed);
  });

  behaviour(`writes: update ${mode} changes what is there`, async () => {
    const table = await tableWithEntity();
    await table.updateEntity({ ...entity, a: 2, c: 2 }, mode);
    assert.deepEqual(await propertiesIn(table), changed);
  });

  behaviour(`writes: update ${mode} of what is missing is refused with ResourceNotFound`, async () => {
    const table = await freshTable();
    await assert.rejects(table.updateEntity(entity, mode), missing);
    await assert.rejects(table.updateEntity(entity, mode, { etag: foreignEtag }), missing);
  });

  behaviour(`writes: update ${mode} works with the ETag of the write before`, async () => {
    const table = await freshTable();
    const { etag: created } = await table.createEntity(entity);
    const { etag: updated } = await table.updateEntity({ ...entity, a: 1 }, mode, {
      etag: created as string,
    });
    await table.updateEntity({ ...entity, a: 2 }, mode, { etag: updated as string });
    assert.equal((await table.getEntity('p', 'r')).a, 2);
  });

  behaviour(`writes: update ${mode} with an ETag that is no longer true is refused with 412`, async () => {
    const table = await tableWithEntity();
    const { etag } = await table.getEntity('p', 'r');
    await table.updateEntity({ ...entity, c: 1 }, 'Merge');
    await assert.rejects(table.updateEntity({ ...entity, a: 2 }, mode, { etag }), stale);
    await assert.rejects(table.updateEntity({ ...entity, a: 2 }, mode, { etag: foreignEtag }), stale);
    assert.deepEqual(await propertiesIn(table), { a: 1, b: 1, c: 1 });
  });

  behaviour(`writes: update ${mode} with * changes whatever is there`, async () => {
    const table = await tableWithEntity();
    await table.updateEntity({ ...entity, a: 2, c: 2 }, mode, { etag: '*' });
    assert.deepEqual(await propertiesIn(table), changed);
  });
}

behaviour('writes: a merge can change the type of a property', async () => {
  const table = await tableWithEntity();
  await table.updateEntity({ ...entity, a: 'text' }, 'Merge');
  assert.deepEqual(await propertiesIn(table), { a: 'text', b: 1, c: undefined });
});

behaviour('writes: null in a merge leaves what is stored', async () => {
  const table = await tableWithEntity();
  await table.updateEntity({ ...entity, a: null, b: 2 }, 'Merge');
  assert.deepEqual(await propertiesIn(table), { a: 1, b: 2, c: undefined });
});

behaviour('writes: every one changes the ETag and moves the Timestamp on', async () => {
  const table = await tableWithEntity();
  let before = await table.getEntity('p', 'r');
  for (const write of [
    () => table.updateEntity(entity, 'Merge'),
    () => table.updateEntity(entity, 'Replace'),
    () => table.upsertEntity(entity, 'Merge'),
    () => table.upsertEntity(entity, 'Replace'),
  ]) {
    await write();
    const after = await table.getEntity('p', 'r');
    assert.notEqual(after.etag, before.etag);
    assert.ok(ticksText(after.timestamp) > ticksText(before.timestamp));
    before = after;
  }
});

behaviour('writes: a delete removes what is there', async () => {
  const table = await tableWithEntity();
  await table.deleteEntity('p', 'r');
  await assert.rejects(table.getEntity('p', 'r'), missing);
});

behaviour('writes: a delete of what is missing is refused with ResourceNotFound', async () => {
  const table = await freshTable();
  await assert.rejects(table.deleteEntity('p', 'r'), missing);
});

behaviour('writes: a delete works with the ETag of the write before', async () => {
  const table = await freshTable();
  const { etag } = await table.upsertEntity(entity);
  await table.deleteEntity('p', 'r', { etag: etag as string });
  await assert.rejects(table.getEntity('p', 'r'), missing);
});

behaviour('writes: a delete with an ETag that is no longer true is refused with 412', async () => {
  const table = await tableWithEntity();
  const { etag } = await table.getEntity('p', 'r');
  await table.updateEntity({ ...entity, a: 2 });
  await assert.rejects(table.deleteEntity('p', 'r', { etag }), stale);
  assert.equal((await table.getEntity('p', 'r')).a, 2);
});

behaviour('writes: an ETag that is none is refused with InvalidInput', async () => {
  const table = await tableWithEntity();
  const options = { etag: 'abc' };
  await assert.rejects(table.updateEntity(entity, 'Merge', options), refusal(400, 'InvalidInput'));
});

behaviour('writes: of two racing updates with one ETag exactly one wins', async () => {
  const table = await tableWithEntity();
  const { etag } = await table.getEntity('p', 'r');
  const outcomes = await Promise.allSettled(
    [2, 3].map(a => table.updateEntity({ ...entity, a }, 'Merge', { etag })),
  );
  const losers = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  assert.equal(losers.length, 1);
  assert.ok(stale(losers[0]?.reason));
});
