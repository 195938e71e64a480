import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  assertFails,
  type BatchOperation,
  change,
  insert,
  jsonType,
  minimal,
  remove,
  useBatches,
} from '../support/batch.ts';
import { entityPath, invalid, useWire } from '../support/wire.ts';

function contentType(level: string): string {
  return `Content-Type: application/json;odata=${level};streaming=true;charset=utf-8`;
}

describe('Atomicity of entity group transactions on the wire', () => {
  const wire = useWire();
  const { run, rowKeysIn } = useBatches(wire);

  describe('all or none', () => {
    it('writes every kind together, in order, each with an ETag of its own entity', async () => {
      const table = await wire.createTable();
      for (const RowKey of ['2', '3', '4'])
        await wire.insert(table, { PartitionKey: 'p', RowKey, a: 1, b: 1 });
      const parts = await run([
        insert(table, '1'),
        change('PUT', table, '2', '{"b":2}', '*'),
        change('MERGE', table, '3', '{"b":2}', '*'),
        remove(table, '4'),
        change('PATCH', table, '5', '{"b":2}'),
        change('PUT', table, '6', '{"b":2}'),
      ]);
      const entities = await wire.query(table);
      assert.deepEqual(
        entities.map(({ RowKey, a, b }) => [RowKey, a, b]),
        [
          ['1', undefined, undefined],
          ['2', undefined, 2],
          ['3', 1, 2],
          ['5', undefined, 2],
          ['6', undefined, 2],
        ],
      );
      const tags = parts.map(({ headers }) => headers.find(header => header.startsWith('ETag: '))?.slice(6));
      assert.deepEqual(
        tags.filter(tag => tag !== undefined),
        entities.map(entity => entity['odata.etag']),
      );
      assert.equal(tags[3], undefined);
    });

    it('refuses a second table, and takes one name in two cases', async () => {
      const table = await wire.createTable();
      const other = await wire.createTable();
      const parts = await run([insert(table, '1'), insert(other, '2')]);
      assertFails(
        parts,
        400,
        'CommandsInBatchActOnDifferentPartitions',
        '1:All commands in a batch must operate on same entity group.',
      );
      const mixed = await run([insert(table, '1'), insert(table.toUpperCase(), '2')]);
      assert.deepEqual(
        mixed.map(({ status }) => status),
        [204, 204],
      );
    });

    it('answers the failure of the first operation that fails, with its own status', async () => {
      const table = await wire.createTable();
      const etag = await wire.insert(table, { PartitionKey: 'p', RowKey: '1' });
      const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;
      const good = insert(table, 'new');
      const cases: [BatchOperation, number, string, string][] = [
        [insert(table, '1'), 409, 'EntityAlreadyExists', 'The specified entity already exists.'],
        [
          change('PUT', table, '1', '{}', stale),
          412,
          'UpdateConditionNotSatisfied',
          'The update condition specified in the request was not satisfied.',
        ],
        [
          change('MERGE', table, '1', '{}', 'W/"x"'),
          412,
          'UpdateConditionNotSatisfied',
          'The update condition specified in the request was not satisfied.',
        ],
        [
          remove(table, '1', stale),
          412,
          'UpdateConditionNotSatisfied',
          'The update condition specified in the request was not satisfied.',
        ],
        [
          change('PUT', table, 'no', '{}', '*'),
          404,
          'ResourceNotFound',
          'The specified resource does not exist.',
        ],
        [
          change('PATCH', table, 'no', '{}', etag),
          404,
          'ResourceNotFound',
          'The specified resource does not exist.',
        ],
        [remove(table, 'no'), 404, 'ResourceNotFound', 'The specified resource does not exist.'],
        [
          insert(table, 'a/b'),
          400,
          'OutOfRangeInput',
          "The 'RowKey' parameter of value 'a/b' is out of range.",
        ],
        [insert(table, '2', ',"a-b":1'), 400, 'PropertyNameInvalid', 'The property name is invalid.'],
        [
          insert(table, '2', ',"n@odata.type":"Edm.Int32","n":99999999999'),
          400,
          'InvalidInput',
          'An error occurred while processing this request.',
        ],
        [
          insert(table, '2', `,"v":"${'x'.repeat(32_769)}"`),
          400,
          'PropertyValueTooLarge',
          'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
        ],
        [
          change('PUT', table, '2', '{'),
          400,
          'InvalidInput',
          'An error occurred while processing this request.',
        ],
        [
          change('PUT', table, '2', '{}', 'strong'),
          400,
          'InvalidInput',
          "The etag value 'strong' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.",
        ],
        [
          { ...remove(table, '1'), headers: [minimal] },
          400,
          'MissingRequiredHeader',
          "An HTTP header that's mandatory for this request is not specified.",
        ],
        [
          { ...insert(table, '2'), body: '{"PartitionKey":"p"}' },
          400,
          'PropertiesNeedValue',
          'The values are not specified for all properties in the entity.',
        ],
        [
          { ...insert(table, '2'), headers: ['Content-Type: text/plain', minimal] },
          415,
          'MediaTypeNotSupported',
          'None of the provided media types are supported',
        ],
        [
          { ...insert(table, '2'), headers: [jsonType, 'Accept: */*'] },
          415,
          'AtomFormatNotSupported',
          'Atom format is not supported.',
        ],
        [change('PUT', table, 'a/b', '{}'), 400, 'InvalidInput', 'Bad Request - Error in query syntax.'],
        [
          { ...insert(table, '2'), target: `/${table}?%zz` },
          400,
          'InvalidInput',
          'Bad Request - Error in query syntax.',
        ],
        [{ ...insert(table, '2'), target: '/Tables' }, 400, 'InvalidInput', invalid],
        [{ ...insert(table, '2'), target: '/$batch' }, 400, 'InvalidInput', invalid],
        [{ ...insert(table, '2'), method: 'OPTIONS' }, 400, 'InvalidInput', invalid],
      ];
      for (const [operation, status, code, message] of cases) {
        assertFails(await run([operation]), status, code, `0:${message}`);
        assertFails(await run([good, operation]), status, code, `1:${message}`);
      }
      const [first] = await wire.query(table);
      assert.equal(first?.['odata.etag'], etag);
      assert.deepEqual(await rowKeysIn(table), ['1']);
    });

    it('shows the error at the metadata level of the operation', async () => {
      const table = await wire.createTable();
      for (const level of ['nometadata', 'minimalmetadata', 'fullmetadata']) {
        const operation = {
          ...remove(table, 'no'),
          headers: ['If-Match: *', `Accept: application/json;odata=${level}`],
        };
        const [part] = await run([operation]);
        assert.equal(part?.headers.at(-1), contentType(level));
      }
    });

    it('shows the error in the $format of the operation, before any Accept', async () => {
      const table = await wire.createTable();
      await wire.insert(table, { PartitionKey: 'p', RowKey: '1' });
      const format = '$format=application%2Fjson%3Bodata%3Dnometadata';
      const failing: BatchOperation[] = [
        { ...insert(table, '1'), target: `/${table}?${format}` },
        { ...insert(table, '2', ',"a-b":1'), target: `/${table}?${format}` },
        { ...insert('missing', '1'), target: `/missing?${format}` },
        { ...remove(table, 'no'), target: `${entityPath(table, 'p', 'no')}?${format}` },
        { ...change('PUT', table, 'no', '{}', '*'), target: `${entityPath(table, 'p', 'no')}?${format}` },
        { ...change('PUT', table, 'no', '{}'), target: `/${table}(RowKey='no')?${format}` },
      ];
      for (const operation of failing) {
        const parts = await run([operation], { Accept: 'application/json;odata=fullmetadata' });
        assert.equal(parts.length, 1);
        assert.ok((parts[0]?.status as number) >= 400);
        assert.equal(parts[0]?.headers.at(-1), contentType('nometadata'), operation.target);
      }
    });

    it('shows the error as the batch accepts it, where the operation says nothing', async () => {
      const table = await wire.createTable();
      const silent = { ...remove(table, 'no'), headers: ['If-Match: *'] };
      for (const level of ['nometadata', 'minimalmetadata', 'fullmetadata']) {
        const outer = { Accept: `application/json;odata=${level}` };
        const [part] = await run([silent], outer);
        assert.equal(part?.status, 404);
        assert.equal(part?.headers.at(-1), contentType(level));
        const [spoken] = await run([remove(table, 'no')], outer);
        assert.equal(spoken?.headers.at(-1), contentType('minimalmetadata'));
      }
    });

    it('is one of several racing ones with the same conditions', async () => {
      const table = await wire.createTable();
      const etag = await wire.insert(table, { PartitionKey: 'p', RowKey: 'lock' });
      const outcomes = await Promise.all(
        [1, 2, 3].map(n => run([change('PUT', table, 'lock', `{"n":${n}}`, etag), insert(table, `by${n}`)])),
      );
      assert.equal(outcomes.filter(parts => parts.length === 2).length, 1);
      assert.equal((await rowKeysIn(table)).length, 2);
    });
  });
});
