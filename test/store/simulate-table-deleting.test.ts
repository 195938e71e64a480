import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ModelStore } from '../../src/store/model.ts';
import { simulateTableDeleting } from '../../src/store/simulate-table-deleting.ts';
import { decideRows } from './rule.ts';

describe('a store that simulates the deleting of tables', () => {
  it('keeps the name taken for a while, in any case, and of that account alone', async () => {
    let now = 1_000_000;
    const store = new ModelStore(decideRows);
    simulateTableDeleting(store, 40_000, () => now);
    await store.createTable('a', 'People');
    assert.equal(await store.deleteTable('a', 'people'), true);
    await assert.rejects(store.createTable('a', 'PEOPLE'), { code: 'TableBeingDeleted', status: 409 });
    assert.deepEqual(await store.listTables('a', '', 10), []);
    const read = store.read({ account: 'a', table: 'people' }, { partitionKey: '', rowKey: '' }, String);
    await assert.rejects(read, { code: 'TableNotFound' });
    assert.equal(await store.deleteTable('a', 'people'), false);
    assert.equal(await store.createTable('b', 'people'), true);
    assert.equal(await store.createTable('a', 'other'), true);
    now += 39_999;
    await assert.rejects(store.createTable('a', 'people'), { code: 'TableBeingDeleted' });
    now += 1;
    assert.equal(await store.createTable('a', 'people'), true);
    assert.equal(await store.createTable('a', 'people'), false);
  });
});
