import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  assertFails,
  type BatchOperation,
  minimal,
  queryBody,
  readBatch,
  useBatches,
} from '../support/batch.ts';
import { invalid, useWire } from '../support/wire.ts';

describe('Answers of entity group transactions on the wire', () => {
  const wire = useWire();
  const { post } = useBatches(wire);

  describe('a query', () => {
    it('may be of an entity, of a table or of a partition', async () => {
      const table = await wire.createTable();
      await wire.insert(table, { PartitionKey: 'p', RowKey: '1', n: 1 });
      await wire.insert(table, { PartitionKey: 'p', RowKey: '2', n: 2 });
      const base = await wire.base();
      for (const [target, count] of [
        [`${base}/${table}()?$filter=n%20eq%202`, 1],
        [`/${table}`, 2],
        [`/${table}?$top=1`, 1],
      ] as const) {
        const response = await post(queryBody({ method: 'GET', target, headers: [minimal] }));
        const [part] = readBatch(response.body);
        assert.equal(part?.status, 200);
        assert.equal(JSON.parse(part?.body ?? '').value.length, count);
        const hasToken = part?.headers.some(header =>
          header.startsWith('x-ms-continuation-NextPartitionKey: 1!'),
        );
        assert.equal(hasToken, target.includes('$top'));
      }
    });

    it('may have a target longer than any request line', async () => {
      const table = await wire.createTable();
      await wire.insert(table, { PartitionKey: 'p', RowKey: '1' });
      const terms = Array.from({ length: 500 }, (_, index) => `v%20eq%20'${'x'.repeat(500)}${index}'`);
      const target = `/${table}?$filter=RowKey%20eq%20'1'%20or%20${terms.join('%20or%20')}`;
      const response = await post(queryBody({ method: 'GET', target, headers: [minimal] }));
      const [part] = readBatch(response.body);
      assert.equal(JSON.parse(part?.body ?? '').value.length, 1, part?.body);
    });

    it('fails in the $format of its address, else as the batch accepts it', async () => {
      const full = { Accept: 'application/json;odata=fullmetadata' };
      const format = '$format=application/json;odata=nometadata';
      const bare: BatchOperation = { method: 'GET', target: '/missing()' };
      const cases: [BatchOperation, string][] = [
        [{ ...bare, target: `/missing()?${format}`, headers: [minimal] }, 'nometadata'],
        [{ ...bare, target: `/missing()?${format}` }, 'nometadata'],
        [{ ...bare, headers: [minimal] }, 'minimalmetadata'],
        [bare, 'fullmetadata'],
      ];
      for (const [operation, level] of cases) {
        const [part] = readBatch((await post(queryBody(operation), full)).body);
        assert.equal(part?.status, 404);
        assert.equal(
          part?.headers.at(-1),
          `Content-Type: application/json;odata=${level};streaming=true;charset=utf-8`,
        );
      }
    });

    it('may fail, at index 0', async () => {
      const table = await wire.createTable();
      for (const [target, status, code, message] of [
        ['/missing()', 404, 'TableNotFound', 'The table specified does not exist.'],
        [
          `/${table}?$filter=aaa%20bbb%20ccc`,
          400,
          'InvalidInput',
          "Syntax error at position 7 in 'aaa bbb ccc'.",
        ],
        [`/${table}?$top=1001`, 400, 'InvalidInput', invalid],
        ['/Tables', 400, 'InvalidInput', invalid],
        ['/', 400, 'InvalidInput', invalid],
      ] as const) {
        const response = await post(queryBody({ method: 'GET', target, headers: [minimal] }));
        assertFails(readBatch(response.body), status, code, `0:${message}`);
      }
    });
  });
});
