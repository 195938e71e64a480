import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  assertFails,
  type BatchOperation,
  change,
  changesetBody,
  crlf,
  insert,
  minimal,
  queryBody,
  readBatch,
  remove,
  useBatches,
} from '../support/batch.ts';
import { mask } from '../support/golden.ts';
import { entityPath, invalid, useWire } from '../support/wire.ts';

describe('Answers of entity group transactions on the wire', () => {
  const wire = useWire();
  const { post, rowKeysIn } = useBatches(wire);

  describe('the bytes of an answer', () => {
    it('are those of the service for every kind of write', async () => {
      const table = await wire.createTable();
      for (const RowKey of ['2', '3', '4', '7'])
        await wire.insert(table, { PartitionKey: 'p', RowKey, n: 1 });
      const response = await post(
        changesetBody([
          insert(table, '1'),
          change('PUT', table, '2', '{"n":2}', '*'),
          change('MERGE', table, '3', '{"n":2}', '*'),
          change('PATCH', table, '4', '{"n":2}', '*'),
          change('PUT', table, '5', '{"n":2}'),
          change('MERGE', table, '6', '{"n":2}'),
          remove(table, '7'),
        ]),
      );
      const bodyless = (headers: readonly string[]): string[] => [
        '--changesetresponse_<guid>',
        'Content-Type: application/http',
        'Content-Transfer-Encoding: binary',
        '',
        'HTTP/1.1 204 No Content',
        'X-Content-Type-Options: nosniff',
        'Cache-Control: no-cache',
        ...headers,
        '',
        '',
      ];
      const changed = bodyless(['DataServiceVersion: 1.0;', `ETag: W/"datetime'<time>'"`]);
      const location = `<base>/${table}(PartitionKey='p',RowKey='1')`;
      assert.equal(response.status, 202);
      assert.equal(response.statusMessage, 'Accepted');
      assert.equal(
        mask(response.body, await wire.base()),
        crlf([
          '--batchresponse_<guid>',
          'Content-Type: multipart/mixed; boundary=changesetresponse_<guid>',
          '',
          ...bodyless([
            'Preference-Applied: return-no-content',
            'DataServiceVersion: 3.0;',
            `Location: ${location}`,
            `DataServiceId: ${location}`,
            `ETag: W/"datetime'<time>'"`,
          ]),
          ...changed,
          ...changed,
          ...changed,
          ...changed,
          ...changed,
          ...bodyless(['DataServiceVersion: 1.0;']),
          '--changesetresponse_<guid>--',
          '--batchresponse_<guid>--',
        ]),
      );
    });

    it('are those of the service for an insert that echoes its entity', async () => {
      const table = await wire.createTable();
      const response = await post(
        changesetBody([
          insert(table, '1', ',"d":3.0', []),
          insert(table, '2', '', ['Prefer: return-content', 'Content-ID: 7']),
        ]),
      );
      const entity = (rowKey: string, members: string): string =>
        `{"odata.metadata":"<base>/$metadata#${table}/@Element","odata.etag":"W/\\"datetime'<time>'\\"","PartitionKey":"p","RowKey":"${rowKey}","Timestamp":"<time>"${members}}`;
      const part = (contentId: string[], preference: string[], rowKey: string, members: string): string[] => [
        '--changesetresponse_<guid>',
        'Content-Type: application/http',
        'Content-Transfer-Encoding: binary',
        '',
        'HTTP/1.1 201 Created',
        'DataServiceVersion: 3.0;',
        'Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8',
        ...contentId,
        'X-Content-Type-Options: nosniff',
        'Cache-Control: no-cache',
        ...preference,
        `Location: <base>/${table}(PartitionKey='p',RowKey='${rowKey}')`,
        `ETag: W/"datetime'<time>'"`,
        '',
        entity(rowKey, members),
      ];
      assert.equal(
        mask(response.body, await wire.base()),
        crlf([
          '--batchresponse_<guid>',
          'Content-Type: multipart/mixed; boundary=changesetresponse_<guid>',
          '',
          ...part([], [], '1', ',"d":3.0'),
          ...part(['Content-ID: 7'], ['Preference-Applied: return-content'], '2', ''),
          '--changesetresponse_<guid>--',
          '--batchresponse_<guid>--',
        ]),
      );
    });

    it('are those of the service for a failure', async () => {
      const table = await wire.createTable();
      await wire.insert(table, { PartitionKey: 'p', RowKey: '3' });
      const response = await post(
        changesetBody([insert(table, '1'), insert(table, '2'), insert(table, '3'), insert(table, '4')]),
      );
      assert.equal(response.status, 202);
      assert.equal(
        mask(response.body, await wire.base()),
        crlf([
          '--batchresponse_<guid>',
          'Content-Type: multipart/mixed; boundary=changesetresponse_<guid>',
          '',
          '--changesetresponse_<guid>',
          'Content-Type: application/http',
          'Content-Transfer-Encoding: binary',
          '',
          'HTTP/1.1 409 Conflict',
          'X-Content-Type-Options: nosniff',
          'Cache-Control: no-cache',
          'Preference-Applied: return-no-content',
          'DataServiceVersion: 3.0;',
          'Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8',
          '',
          '{"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"2:The specified entity already exists.\\nRequestId:<guid>\\nTime:<time>"}}}',
          '--changesetresponse_<guid>--',
          '--batchresponse_<guid>--',
        ]),
      );
      assert.ok(response.body.includes(`RequestId:${response.headers['x-ms-request-id']}\\n`));
      assert.match(response.body, /Time:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z"/);
      assert.deepEqual(await rowKeysIn(table), ['3']);
    });

    it('are those of the service for a query', async () => {
      const table = await wire.createTable();
      const etag = await wire.insert(table, { PartitionKey: 'p', RowKey: 'r', n: 1 });
      const response = await post(
        queryBody({ method: 'GET', target: entityPath(table, 'p', 'r'), headers: [minimal] }),
      );
      assert.ok(response.body.includes(`ETag: ${etag}\r\n`));
      assert.equal(
        mask(response.body, await wire.base()),
        crlf([
          '--batchresponse_<guid>',
          'Content-Type: application/http',
          'Content-Transfer-Encoding: binary',
          '',
          'HTTP/1.1 200 OK',
          'DataServiceVersion: 3.0;',
          'Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8',
          'X-Content-Type-Options: nosniff',
          'Cache-Control: no-cache',
          `ETag: W/"datetime'<time>'"`,
          '',
          `{"odata.metadata":"<base>/$metadata#${table}/@Element","odata.etag":"W/\\"datetime'<time>'\\"","PartitionKey":"p","RowKey":"r","Timestamp":"<time>","n":1}`,
          '--batchresponse_<guid>--',
        ]),
      );
    });

    it('are those of the service for a query that finds nothing', async () => {
      const table = await wire.createTable();
      const response = await post(
        queryBody({ method: 'GET', target: entityPath(table, 'p', 'r'), headers: [minimal] }),
      );
      assert.equal(
        mask(response.body, await wire.base()),
        crlf([
          '--batchresponse_<guid>',
          'Content-Type: application/http',
          'Content-Transfer-Encoding: binary',
          '',
          'HTTP/1.1 404 Not Found',
          'X-Content-Type-Options: nosniff',
          'Cache-Control: no-cache',
          'DataServiceVersion: 3.0;',
          'Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8',
          '',
          '{"odata.error":{"code":"ResourceNotFound","message":{"lang":"en-US","value":"0:The specified resource does not exist.\\nRequestId:<guid>\\nTime:<time>"}}}',
          '--batchresponse_<guid>--',
        ]),
      );
    });

    it('keep what the parsers of the clients depend on', async () => {
      const table = await wire.createTable();
      const good = await post(
        changesetBody([insert(table, '1', '', ['Content-ID: 1']), change('PUT', table, '2', '{}')]),
      );
      const bad = await post(changesetBody([insert(table, '1')]));
      const query = await post(
        queryBody({ method: 'GET', target: entityPath(table, 'p', '1'), headers: [minimal] }),
      );
      for (const response of [good, bad, query]) {
        const type = response.headers['content-type'] as string;
        const boundary = /^multipart\/mixed; boundary=(batchresponse_[0-9a-f-]{36})$/.exec(type)?.[1];
        assert.ok(response.body.startsWith(`--${boundary}\r\n`), type);
        assert.ok(response.body.endsWith(`--${boundary}--\r\n`));
        assert.ok(!/[^\r]\n|\r[^\n]/.test(response.body), 'a bare line end');
        for (const line of response.body.split('\r\n')) {
          if (line.startsWith('Content-Type: multipart')) {
            assert.match(line, /^Content-Type: multipart\/mixed; boundary=changesetresponse_[0-9a-f-]{36}$/);
          }
          if (line.startsWith('HTTP/')) assert.match(line, /^HTTP\/1\.1 \d{3} \S.*$/);
        }
        for (const mime of response.body.split('HTTP/1.1').slice(0, -1)) {
          assert.ok(!/content-id/i.test(mime.slice(mime.lastIndexOf('--') + 2)), mime);
        }
        assert.equal(response.headers['content-length'], String(response.bytes.length));
      }
      for (const response of [good, bad]) {
        assert.match(response.body, /boundary=(changesetresponse_[0-9a-f-]{36})\r\n\r\n--\1\r\n/);
      }
      assert.match(bad.body, /"value":"0:/);
      assert.notEqual(good.headers['content-type'], bad.headers['content-type']);
    });

    it('say what version and request they answer', async () => {
      const table = await wire.createTable();
      const response = await post(changesetBody([insert(table, '1')]), { 'x-ms-client-request-id': 'mine' });
      assert.equal(response.headers['x-ms-version'], '2019-02-02');
      assert.equal(response.headers['x-ms-client-request-id'], 'mine');
      assert.equal(response.headers['cache-control'], 'no-cache');
      assert.equal(response.headers['x-content-type-options'], 'nosniff');
      assert.equal(response.headers.dataserviceversion, undefined);
    });
  });

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
