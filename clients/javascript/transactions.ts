import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import {
  collect,
  freshTable,
  has,
  refusal,
  type TableClient,
  TableTransaction,
  type TransactionAction,
  tableClient,
} from './sdk.ts';

const foreignEtag = `W/"datetime'2020-01-01T00%3A00%3A00Z'"`;

function entity(rowKey: string, properties: Record<string, unknown> = {}) {
  return { partitionKey: 'p', rowKey, ...properties };
}

function creations(count: number, properties: Record<string, unknown> = {}): TransactionAction[] {
  return Array.from({ length: count }, (_, index) => ['create', entity(`r${index}`, properties)]);
}

/** Row keys of the table and the value of `a`, in order. */
async function contents(table: TableClient): Promise<string> {
  const entities = await collect(table.listEntities());
  return entities.map(({ rowKey, a }) => (a === undefined ? rowKey : `${rowKey}=${a}`)).join(' ');
}

/** A refusal that names the action. */
function failure(status: number, code: string, index: number): (error: unknown) => boolean {
  return error => {
    assert.ok(refusal(status, code)(error));
    assert.match((error as Error).message, new RegExp(`^${index}:.+\nRequestId:.+\nTime:.+Z$`));
    return true;
  };
}

behaviour('transactions: every kind of action succeeds in one', async () => {
  const table = await freshTable();
  for (const rowKey of ['b', 'c', 'd', 'e', 'f']) await table.createEntity(entity(rowKey, { a: 1, b: 1 }));
  const answer = await table.submitTransaction([
    ['create', entity('a', { a: 2 })],
    ['update', entity('b', { a: 2 }), 'Merge'],
    ['update', entity('c', { a: 2 }), 'Replace'],
    ['upsert', entity('d', { a: 2 }), 'Merge'],
    ['upsert', entity('e', { a: 2 }), 'Replace'],
    ['delete', entity('f')],
    ['upsert', entity('g', { a: 2 }), 'Merge'],
    ['upsert', entity('h', { a: 2 }), 'Replace'],
  ]);
  assert.equal(answer.status, 202);
  assert.deepEqual(
    answer.subResponses.map(({ status }) => status),
    Array(8).fill(204),
  );
  const entities = await collect(table.listEntities());
  assert.deepEqual(
    entities.map(({ rowKey, a, b }) => [rowKey, a, b]),
    [
      ['a', 2, undefined],
      ['b', 2, 1],
      ['c', 2, undefined],
      ['d', 2, 1],
      ['e', 2, undefined],
      ['g', 2, undefined],
      ['h', 2, undefined],
    ],
  );
});

behaviour('transactions: the answer has the ETag of each entity that was written', async () => {
  const table = await freshTable();
  await table.createEntity(entity('c'));
  const answer = await table.submitTransaction([
    ['create', entity('a')],
    ['upsert', entity('b'), 'Replace'],
    ['delete', entity('c')],
  ]);
  const [created, upserted, deleted] = answer.subResponses;
  assert.equal(answer.getResponseForEntity('a')?.etag, (await table.getEntity('p', 'a')).etag);
  assert.equal(created?.rowKey, 'a');
  assert.equal(upserted?.etag, (await table.getEntity('p', 'b')).etag);
  assert.equal(deleted?.etag, undefined);
  await table.updateEntity(entity('b', { a: 1 }), 'Merge', { etag: upserted?.etag as string });
});

behaviour('transactions: the builder of the SDK makes one', async () => {
  const table = await freshTable();
  for (const rowKey of ['b', 'c']) await table.createEntity(entity(rowKey, { a: 1 }));
  const transaction = new TableTransaction();
  transaction.createEntity(entity('a', { a: 2 }));
  transaction.updateEntity(entity('b', { a: 2 }));
  transaction.deleteEntity('p', 'c');
  transaction.upsertEntity(entity('d', { a: 2 }), 'Replace');
  await table.submitTransaction(transaction.actions);
  assert.equal(await contents(table), 'a=2 b=2 d=2');
});

behaviour('transactions: a single action is one', async () => {
  const table = await freshTable();
  await table.submitTransaction([['create', entity('a')]]);
  await table.submitTransaction([['delete', entity('a')]]);
  assert.equal(await contents(table), '');
});

behaviour('transactions: a hundred actions succeed', async () => {
  const table = await freshTable();
  const answer = await table.submitTransaction(creations(100));
  assert.equal(answer.subResponses.length, 100);
  assert.equal((await collect(table.listEntities())).length, 100);
});

behaviour('transactions: 101 actions are refused and write nothing', async () => {
  const table = await freshTable();
  await assert.rejects(table.submitTransaction(creations(101)), failure(400, 'InvalidInput', 99));
  assert.equal(await contents(table), '');
});

behaviour(
  'transactions: megabytes pass, and more than four are refused with RequestBodyTooLarge',
  async () => {
    const table = await freshTable();
    const large = { a: 'x'.repeat(32_000), b: 'y'.repeat(32_000) };
    await table.submitTransaction(creations(60, large));
    assert.equal((await collect(table.listEntities())).length, 60);
    await assert.rejects(table.submitTransaction(creations(70, large)), refusal(413));
  },
);

behaviour('transactions: the SDK itself refuses two partitions', async () => {
  const table = await freshTable();
  const other = { partitionKey: 'q', rowKey: 'b' };
  const actions: TransactionAction[] = [
    ['create', entity('a')],
    ['create', other],
  ];
  await assert.rejects(async () => table.submitTransaction(actions), /same partitionKey/);
  assert.equal(await contents(table), '');
});

const failing: readonly (readonly [what: string, TransactionAction, number, string])[] = [
  ['inserts what is there', ['create', entity('there')], 409, 'EntityAlreadyExists'],
  ['merges into what is missing', ['update', entity('missing'), 'Merge'], 404, 'ResourceNotFound'],
  ['replaces what is missing', ['update', entity('missing'), 'Replace'], 404, 'ResourceNotFound'],
  ['deletes what is missing', ['delete', entity('missing')], 404, 'ResourceNotFound'],
  ['changes an entity twice', ['upsert', entity('new1'), 'Merge'], 400, 'InvalidDuplicateRow'],
  [
    'writes a String that is too long',
    ['create', entity('new4', { a: 'x'.repeat(32_769) })],
    400,
    'PropertyValueTooLarge',
  ],
];

for (const [what, action, status, code] of failing) {
  behaviour(`transactions: one that ${what} says ${code} with its index and writes nothing`, async () => {
    const table = await freshTable();
    await table.createEntity(entity('there', { a: 1 }));
    const { etag } = await table.getEntity('p', 'there');
    const actions: TransactionAction[] = [
      ['create', entity('new1')],
      ['upsert', entity('new2'), 'Replace'],
      action,
      ['create', entity('new3')],
    ];
    await assert.rejects(table.submitTransaction(actions), failure(status, code, 2));
    assert.equal(await contents(table), 'there=1');
    assert.equal((await table.getEntity('p', 'there')).etag, etag);
  });
}

if (has.etagsInTransactions) {
  for (const mode of ['Merge', 'Replace'] as const) {
    behaviour(
      `transactions: a ${mode} with an ETag that is not true says 412 and writes nothing`,
      async () => {
        const table = await freshTable();
        await table.createEntity(entity('there', { a: 1 }));
        const actions: TransactionAction[] = [
          ['create', entity('new')],
          ['update', entity('there', { a: 2 }), mode, { etag: foreignEtag }],
        ];
        await assert.rejects(
          table.submitTransaction(actions),
          failure(412, 'UpdateConditionNotSatisfied', 1),
        );
        assert.equal(await contents(table), 'there=1');
      },
    );

    behaviour(`transactions: a ${mode} with the current ETag succeeds`, async () => {
      const table = await freshTable();
      await table.createEntity(entity('there', { a: 1 }));
      const { etag } = await table.getEntity('p', 'there');
      await table.submitTransaction([
        ['create', entity('new')],
        ['update', entity('there', { a: 2 }), mode, { etag }],
      ]);
      assert.equal(await contents(table), 'new there=2');
    });
  }
}

behaviour('transactions: one on a missing table says TableNotFound', () =>
  assert.rejects(tableClient().submitTransaction(creations(2)), failure(404, 'TableNotFound', 0)),
);

behaviour('transactions: one that failed can be put right and submitted again', async () => {
  const table = await freshTable();
  await table.createEntity(entity('b'));
  const actions: TransactionAction[] = [
    ['create', entity('a')],
    ['create', entity('b')],
  ];
  await assert.rejects(table.submitTransaction(actions), failure(409, 'EntityAlreadyExists', 1));
  await table.deleteEntity('p', 'b');
  await table.submitTransaction(actions);
  assert.equal(await contents(table), 'a b');
});
