import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RestError, type TableClient, TableTransaction, type TransactionAction } from '@azure/data-tables';
import { collect, freshTable, refusal, tableClient } from '../support/official-client.ts';
import { useServer } from '../support/server.ts';

const foreignEtag = `W/"datetime'2020-01-01T00%3A00%3A00Z'"`;

function entity(rowKey: string, properties: Record<string, unknown> = {}) {
  return { partitionKey: 'p', rowKey, ...properties };
}

/** Row keys of the table and the value of `a`, in order. */
async function contents(table: TableClient): Promise<string> {
  const entities = await collect(table.listEntities());
  return entities.map(({ rowKey, a }) => (a === undefined ? rowKey : `${rowKey}=${a}`)).join(' ');
}

/** For assert.rejects: a transaction that failed at an operation. */
function failure(status: number, code: string, index: number, message: string): (error: unknown) => boolean {
  return error => {
    assert.ok(error instanceof RestError);
    assert.equal(error.statusCode, status);
    assert.equal(error.code, code);
    assert.match(error.message, /\nRequestId:.+\nTime:.+Z$/);
    assert.equal(error.message.split('\n', 1)[0], `${index}:${message}`);
    return true;
  };
}

describe('a transaction, through the official client', () => {
  const server = useServer();

  it('does every kind of action', async () => {
    const table = await freshTable(server);
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

  it('answers the ETag of each entity that it wrote', async () => {
    const table = await freshTable(server);
    await table.createEntity(entity('c'));
    const answer = await table.submitTransaction([
      ['create', entity('a')],
      ['upsert', entity('b'), 'Replace'],
      ['delete', entity('c')],
    ]);
    assert.equal(answer.getResponseForEntity('a')?.etag, (await table.getEntity('p', 'a')).etag);
    const [created, upserted, deleted] = answer.subResponses;
    assert.equal(created?.rowKey, 'a');
    assert.equal(upserted?.etag, (await table.getEntity('p', 'b')).etag);
    assert.equal(deleted?.etag, undefined);
    await table.updateEntity(entity('b', { a: 1 }), 'Merge', { etag: upserted?.etag as string });
  });

  it('may be built with the helper of the client', async () => {
    const table = await freshTable(server);
    for (const rowKey of ['b', 'c', 'd']) await table.createEntity(entity(rowKey, { a: 1 }));
    const { etag } = await table.getEntity('p', 'c');
    const transaction = new TableTransaction();
    transaction.createEntity(entity('a', { a: 2 }));
    transaction.updateEntity(entity('b', { a: 2 }));
    transaction.updateEntity(entity('c', { a: 2 }), 'Replace', { etag });
    transaction.deleteEntity('p', 'd');
    transaction.upsertEntity(entity('e', { a: 2 }));
    transaction.upsertEntity(entity('f', { a: 2 }), 'Replace');
    await table.submitTransaction(transaction.actions);
    assert.equal(await contents(table), 'a=2 b=2 c=2 e=2 f=2');
  });

  it('may be a single action, and as many as a hundred', async () => {
    const table = await freshTable(server);
    await table.submitTransaction([['create', entity('single')]]);
    await table.submitTransaction([['delete', entity('single')]]);
    const actions = Array.from(
      { length: 100 },
      (_, index): TransactionAction => ['create', entity(`r${index}`)],
    );
    const answer = await table.submitTransaction(actions);
    assert.equal(answer.subResponses.length, 100);
    assert.equal((await collect(table.listEntities())).length, 100);
  });

  it('is refused past a hundred actions, and changes nothing', async () => {
    const table = await freshTable(server);
    const actions = Array.from(
      { length: 101 },
      (_, index): TransactionAction => ['create', entity(`r${index}`)],
    );
    await assert.rejects(
      table.submitTransaction(actions),
      failure(
        400,
        'InvalidInput',
        99,
        'The batch request operation exceeds the maximum 100 changes per change set.',
      ),
    );
    assert.equal(await contents(table), '');
  });

  it('may hold megabytes, and no more than four', async () => {
    const table = await freshTable(server);
    const large = (count: number): TransactionAction[] =>
      Array.from({ length: count }, (_, index) => [
        'create',
        entity(`r${index}`, { a: 'x'.repeat(32_000), b: 'y'.repeat(32_000) }),
      ]);
    await table.submitTransaction(large(60));
    assert.equal((await collect(table.listEntities())).length, 60);
    await assert.rejects(table.submitTransaction(large(70)), refusal(413, 'RequestBodyTooLarge'));
  });

  it('keeps values that look like the parts of a transaction', async () => {
    const table = await freshTable(server);
    const texts = [
      '--changeset_x',
      '\r\n--changeset_x--\r\n',
      'HTTP/1.1 404 Not Found',
      '}{',
      'ETag: x',
      "RowKey='x'",
    ];
    await table.submitTransaction(
      texts.map((a, index): TransactionAction => ['create', entity(`r${index}`, { a })]),
    );
    const entities = await collect(table.listEntities());
    assert.deepEqual(
      entities.map(({ a }) => a),
      texts,
    );
  });
});

describe('a transaction that fails, through the official client', () => {
  const server = useServer();
  const notThere = 'The specified resource does not exist.';
  const unmet = 'The update condition specified in the request was not satisfied.';

  for (const [name, action, status, code, message] of [
    [
      'creates what is there',
      ['create', entity('there')],
      409,
      'EntityAlreadyExists',
      'The specified entity already exists.',
    ],
    [
      'merges into what is missing',
      ['update', entity('missing'), 'Merge'],
      404,
      'ResourceNotFound',
      notThere,
    ],
    ['replaces what is missing', ['update', entity('missing'), 'Replace'], 404, 'ResourceNotFound', notThere],
    ['deletes what is missing', ['delete', entity('missing')], 404, 'ResourceNotFound', notThere],
    [
      'merges with an old ETag',
      ['update', entity('there'), 'Merge', { etag: foreignEtag }],
      412,
      'UpdateConditionNotSatisfied',
      unmet,
    ],
    [
      'replaces with an old ETag',
      ['update', entity('there'), 'Replace', { etag: foreignEtag }],
      412,
      'UpdateConditionNotSatisfied',
      unmet,
    ],
    [
      'names a property wrongly',
      ['upsert', entity('there', { '1a': 1 }), 'Replace'],
      400,
      'PropertyNameInvalid',
      'The property name is invalid.',
    ],
    [
      'changes an entity twice',
      ['upsert', entity('new1'), 'Merge'],
      400,
      'InvalidDuplicateRow',
      'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
    ],
  ] as const) {
    it(`changes nothing and names the action where it ${name}`, async () => {
      const table = await freshTable(server);
      await table.createEntity(entity('there', { a: 1 }));
      const { etag } = await table.getEntity('p', 'there');
      for (const index of [2, 0]) {
        if (code === 'InvalidDuplicateRow' && index === 0) continue;
        const actions: TransactionAction[] = [
          ['create', entity('new1')],
          ['create', entity('new2')],
          ['upsert', entity('new3'), 'Replace'],
        ];
        actions.splice(index, 0, action as TransactionAction);
        await assert.rejects(table.submitTransaction(actions), failure(status, code, index, message));
        assert.equal(await contents(table), 'there=1');
        assert.equal((await table.getEntity('p', 'there')).etag, etag);
      }
    });
  }

  it('names the first of several failures', async () => {
    const table = await freshTable(server);
    await assert.rejects(
      table.submitTransaction([
        ['create', entity('a')],
        ['update', entity('b'), 'Merge'],
        ['delete', entity('c')],
      ]),
      failure(404, 'ResourceNotFound', 1, notThere),
    );
  });

  it('says TableNotFound for a table that is missing', async () => {
    const table = await tableClient(server);
    await assert.rejects(
      table.submitTransaction([
        ['upsert', entity('a'), 'Merge'],
        ['create', entity('b')],
      ]),
      failure(404, 'TableNotFound', 0, 'The table specified does not exist.'),
    );
  });

  it('lets a single action fail as well', async () => {
    const table = await freshTable(server);
    await table.createEntity(entity('there'));
    await assert.rejects(
      table.submitTransaction([['create', entity('there')]]),
      failure(409, 'EntityAlreadyExists', 0, 'The specified entity already exists.'),
    );
  });

  it('can be put right and submitted again', async () => {
    const table = await freshTable(server);
    await table.createEntity(entity('b'));
    const actions: TransactionAction[] = [
      ['create', entity('a')],
      ['create', entity('b')],
    ];
    await assert.rejects(table.submitTransaction(actions));
    await table.deleteEntity('p', 'b');
    await table.submitTransaction(actions);
    assert.equal(await contents(table), 'a b');
  });
});
