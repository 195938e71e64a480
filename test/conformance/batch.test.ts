import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  assertFails,
  type BatchOperation,
  type BatchPart,
  change,
  changesetBody,
  insert,
  preferNoContent,
  readBatch,
  remove,
  statusesOf,
  useBatches,
} from '../support/batch.ts';
import { entityPath, useWire } from '../support/wire.ts';
import { assertError, refusals } from './answers.ts';
import {
  appliedNoContent,
  assertBatch,
  changedPart,
  changesetAnswer,
  echoedPart,
  entityPart,
  errorPart,
  etagLine,
  insertedPart,
  maskedEntity,
  queryAnswer,
} from './batch-answers.ts';
import { conforms } from './conforms.ts';

const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;
const preferContent = 'Prefer: return-content';
const applied = [appliedNoContent];

describe('Entity group transactions', () => {
  const wire = useWire();
  const { post, query, run, rowKeysIn } = useBatches(wire);
  const entityOf = async (table: string, rowKey: string): Promise<Record<string, unknown>> => {
    const response = await wire.send({ path: entityPath(table, 'p', rowKey) });
    assert.equal(response.status, 200, response.body);
    return response.json();
  };

  conforms(193, async () => {
    const table = await wire.createTable();
    const response = await post(
      changesetBody([
        insert(table, '1', ',"n":1', [preferContent]),
        insert(table, '2', ',"n":2', [preferNoContent]),
        insert(table, '3', ',"n":3', []),
      ]),
    );
    const preference = ['Preference-Applied: return-content'];
    const parts = [echoedPart('1', ',"n":1', [], preference), insertedPart('2'), echoedPart('3', ',"n":3')];
    await assertBatch(wire, response, changesetAnswer(...parts), table);
    for (const [index, entity] of (await wire.query(table)).entries()) {
      const { headers, body } = readBatch(response.body)[index] as BatchPart;
      assert.ok(headers.includes(`ETag: ${entity['odata.etag']}`));
      if (index === 1) continue;
      const { 'odata.metadata': _, ...shown } = JSON.parse(body);
      assert.deepEqual(shown, entity);
    }
  });

  conforms(201, async () => {
    const table = await wire.createTable();
    const inserts = (count: number, prefix: string): BatchOperation[] =>
      Array.from({ length: count }, (_, index) =>
        insert(table, `${prefix}${String(index).padStart(3, '0')}`),
      );
    const parts = await run(inserts(100, 'a'));
    const rowKeys = await rowKeysIn(table);
    assert.equal(rowKeys.length, 100);
    assert.deepEqual(
      parts.map(({ status, headers }) => [status, headers.find(header => header.startsWith('Location'))]),
      await Promise.all(
        rowKeys.map(async rowKey => [
          204,
          `Location: ${await wire.base()}/${table}(PartitionKey='p',RowKey='${rowKey}')`,
        ]),
      ),
    );
    const message = '99:The batch request operation exceeds the maximum 100 changes per change set.';
    for (const [operations, preference] of [
      [inserts(101, 'b'), applied],
      [inserts(150, 'c'), applied],
      [rowKeys.map(rowKey => remove(table, rowKey)).concat(remove(table, 'x')), []],
    ] as const) {
      await assertBatch(
        wire,
        await post(changesetBody(operations)),
        changesetAnswer(errorPart('400 Bad Request', 'InvalidInput', message, preference)),
      );
      assert.deepEqual(await rowKeysIn(table), rowKeys);
    }
  });

  conforms(202, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'q', RowKey: '9' });
    const inOther = ({ target, body, ...rest }: BatchOperation): BatchOperation => ({
      ...rest,
      target: target.replace("PartitionKey='p'", "PartitionKey='q'"),
      ...(body === undefined ? {} : { body: body.replace('"PartitionKey":"p"', '"PartitionKey":"q"') }),
    });
    const good = insert(table, '1');
    const cases: readonly (readonly [
      operations: BatchOperation[],
      index: number,
      preference: readonly string[],
    ])[] = [
      [[good, inOther(insert(table, '2'))], 1, applied],
      [[good, insert(table, '2'), inOther(insert(table, '3')), inOther(insert(table, '4'))], 2, applied],
      [[good, inOther(change('PUT', table, '2', '{}'))], 1, []],
      [[good, inOther(change('MERGE', table, '9', '{}', '*'))], 1, []],
      [[good, inOther(remove(table, '9'))], 1, []],
      [[good, { ...insert(table, '2'), body: '{"PartitionKey":"P","RowKey":"2"}' }], 1, applied],
    ];
    for (const [operations, index, preference] of cases) {
      const message = `${index}:All commands in a batch must operate on same entity group.`;
      await assertBatch(
        wire,
        await post(changesetBody(operations)),
        changesetAnswer(
          errorPart('400 Bad Request', 'CommandsInBatchActOnDifferentPartitions', message, preference),
        ),
      );
    }
    assert.deepEqual(await rowKeysIn(table), ['9']);
  });

  conforms(203, async () => {
    const table = await wire.createTable();
    const before = await wire.insert(table, { PartitionKey: 'p', RowKey: '1' });
    const kinds: readonly (readonly [operation: BatchOperation, preference: readonly string[]])[] = [
      [insert(table, '1'), applied],
      [change('PUT', table, '1', '{}', '*'), []],
      [change('PUT', table, '1', '{}'), []],
      [change('MERGE', table, '1', '{}', '*'), []],
      [change('PATCH', table, '1', '{}'), []],
      [remove(table, '1'), []],
    ];
    const text =
      'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.';
    for (const [first] of kinds) {
      for (const [second, preference] of kinds) {
        await assertBatch(
          wire,
          await post(changesetBody([insert(table, '0'), first, insert(table, '2'), second])),
          changesetAnswer(errorPart('400 Bad Request', 'InvalidDuplicateRow', `3:${text}`, preference)),
        );
      }
    }
    assert.deepEqual(await rowKeysIn(table), ['1']);
    assert.equal((await entityOf(table, '1'))['odata.etag'], before);
  });

  conforms(204, async () => {
    const table = await wire.createTable();
    for (const RowKey of ['2', '5']) await wire.insert(table, { PartitionKey: 'p', RowKey, n: 1 });
    const before = await wire.query(table);
    const response = await post(
      changesetBody([
        insert(table, '0'),
        change('PUT', table, '5', '{"n":2}', '*'),
        insert(table, '2'),
        insert(table, '3'),
        remove(table, 'missing'),
      ]),
    );
    const message = '2:The specified entity already exists.';
    await assertBatch(
      wire,
      response,
      changesetAnswer(errorPart('409 Conflict', 'EntityAlreadyExists', message, applied)),
    );
    assert.deepEqual(await wire.query(table), before);
  });

  conforms(205, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: '1', n: 1 });
    const current = await wire.send({ method: 'MERGE', path: entityPath(table, 'p', '1'), body: '{}' });
    assert.equal(current.status, 204);
    const before = await wire.query(table);
    const { notSatisfied, resourceNotFound } = refusals;
    const cases: readonly (readonly [
      operation: BatchOperation,
      refusal: typeof notSatisfied | typeof resourceNotFound,
    ])[] = [
      ...['PUT', 'MERGE', 'PATCH'].flatMap(
        method =>
          [
            [change(method, table, '1', '{}', stale), notSatisfied],
            [change(method, table, '1', '{}', 'W/"wrong"'), notSatisfied],
            [change(method, table, 'missing', '{}', '*'), resourceNotFound],
            [change(method, table, 'missing', '{}', current.headers.etag), resourceNotFound],
          ] as const,
      ),
      [remove(table, '1', stale), notSatisfied],
      [remove(table, 'missing'), resourceNotFound],
      [remove(table, 'missing', current.headers.etag), resourceNotFound],
    ];
    for (const [operation, { status, code, message }] of cases) {
      for (const [index, operations] of [[operation], [insert(table, 'new'), operation]].entries()) {
        await assertBatch(
          wire,
          await post(changesetBody(operations)),
          changesetAnswer(errorPart(status, code, `${index}:${message}`)),
        );
      }
    }
    assert.deepEqual(await wire.query(table), before);
  });

  conforms(206, async () => {
    const operations = [
      insert('missing', '1'),
      change('PUT', 'missing', '2', '{}', '*'),
      change('MERGE', 'missing', '3', '{}'),
      remove('missing', '4'),
    ];
    const message = '0:The table specified does not exist.';
    for (const first of operations.keys()) {
      await assertBatch(
        wire,
        await post(changesetBody(operations.slice(first))),
        changesetAnswer(errorPart('404 Not Found', 'TableNotFound', message, first === 0 ? applied : [])),
      );
    }
    const queried = queryAnswer(errorPart('404 Not Found', 'TableNotFound', message));
    await assertBatch(wire, await query('/missing()'), queried);
    await assertBatch(wire, await query(entityPath('missing', 'p', '1')), queried);
  });

  conforms(207, async () => {
    const table = await wire.createTable();
    const members = Array.from({ length: 10 }, (_, index) => `,"p${index}":"${'x'.repeat(32_000)}"`).join('');
    const body = (count: number, prefix: string): string =>
      changesetBody(Array.from({ length: count }, (_, index) => insert(table, `${prefix}${index}`, members)));
    const bytesMax = 4 * 1024 * 1024;
    const refusal = {
      status: '413 Payload Too Large',
      code: 'RequestBodyTooLarge',
      message: 'The request body is too large and exceeds the maximum permissible limit.',
    };
    const large = body(14, 'a');
    assert.ok(large.length > bytesMax);
    await assertError(wire, await post(large), refusal);
    await assertError(wire, await post(body(13, 'b').padEnd(bytesMax + 1)), refusal);
    assert.deepEqual(await wire.query(table), []);
    assert.equal(statusesOf(await post(body(13, 'c').padEnd(bytesMax))).length, 13);
  });

  conforms(208, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'r', n: 1 });
    const response = await query(entityPath(table, 'p', 'r'));
    await assertBatch(
      wire,
      response,
      queryAnswer(entityPart('200 OK', [], [etagLine], maskedEntity('r', ',"n":1'))),
      table,
    );
    const stored = await entityOf(table, 'r');
    const [part] = readBatch(response.body);
    assert.ok(part?.headers.includes(`ETag: ${stored['odata.etag']}`));
    assert.deepEqual(JSON.parse(part?.body as string), stored);
    const missing = errorPart(
      '404 Not Found',
      'ResourceNotFound',
      '0:The specified resource does not exist.',
    );
    await assertBatch(wire, await query(entityPath(table, 'p', 'missing')), queryAnswer(missing));
  });

  conforms(213, async () => {
    const table = await wire.createTable();
    const rows = Array.from({ length: 20 }, (_, index) => `${index + 10}`);
    const writeAll = (n: number): Promise<unknown> =>
      run(rows.map(row => change('PUT', table, row, `{"n":${n}}`)));
    const removeAll = (): Promise<unknown> => run(rows.map(row => remove(table, row)));
    await writeAll(0);
    let isDone = false;
    /** Each page is of one moment: all rows as one transaction left them, or none. */
    const reader = async (): Promise<Set<string>> => {
      const seen = new Set<string>();
      while (!isDone) {
        const entities = await wire.query(table);
        const values = new Set(entities.map(({ n }) => n));
        assert.ok(entities.length === 0 || entities.length === rows.length, `${entities.length} rows`);
        assert.ok(values.size <= 1, `values of several transactions: ${[...values].join()}`);
        assert.ok(!values.has(-1), 'a transaction that failed');
        seen.add([...values].join());
      }
      return seen;
    };
    const readers = [reader(), reader(), reader()];
    for (let n = 1; n <= 30; n++) {
      await writeAll(n);
      const failing = [...rows.map(row => change('PUT', table, row, '{"n":-1}')), remove(table, 'missing')];
      assertFails(await run(failing), 404, 'ResourceNotFound', '20:The specified resource does not exist.');
      if (n % 3 === 0) await removeAll();
    }
    isDone = true;
    for (const seen of await Promise.all(readers)) assert.ok(seen.size > 2, 'reads between the writes');
  });

  conforms(214, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: '1' });
    const began = Date.now();
    for (const response of [
      await post(changesetBody([insert(table, '1')])),
      await post(changesetBody([insert(table, '2'), remove(table, '3')])),
      await post(changesetBody([insert('missing', '1')])),
      await query(entityPath(table, 'p', 'missing')),
    ]) {
      const [part] = readBatch(response.body);
      const lines = JSON.parse(part?.body as string)['odata.error'].message.value.split('\n');
      assert.equal(lines.length, 3);
      assert.match(lines[0], /^[01]:The .*\.$/);
      assert.equal(lines[1], `RequestId:${response.headers['x-ms-request-id']}`);
      assert.match(lines[2], /^Time:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
      const ms = Date.parse(lines[2].slice('Time:'.length));
      assert.ok(ms >= began - 1 && ms <= Date.now() + 1, lines[2]);
    }
  });

  conforms(215, async () => {
    const table = await wire.createTable();
    for (const RowKey of ['1', '2', '3']) await wire.insert(table, { PartitionKey: 'p', RowKey, old: 1 });
    const response = await post(
      changesetBody([
        change('PUT', table, '1', '{"n":1}'),
        change('MERGE', table, '2', '{"n":1}'),
        change('PATCH', table, '3', '{"n":1}'),
        change('PUT', table, '4', '{"n":1}'),
        change('MERGE', table, '5', '{"n":1}'),
        change('PATCH', table, '6', '{"n":1}'),
      ]),
    );
    const part = changedPart();
    await assertBatch(wire, response, changesetAnswer(part, part, part, part, part, part), table);
    assert.deepEqual(
      (await wire.query(table)).map(({ RowKey, old, n }) => [RowKey, old, n]),
      [
        ['1', undefined, 1],
        ['2', 1, 1],
        ['3', 1, 1],
        ['4', undefined, 1],
        ['5', undefined, 1],
        ['6', undefined, 1],
      ],
    );
  });
});
