import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  batchType,
  change,
  changesetBody,
  crlf,
  insert,
  jsonType,
  minimal,
  preferNoContent,
  queryBody,
  readBatch,
  remove,
  useBatches,
} from '../support/batch.ts';
import { rawClient } from '../support/raw-client.ts';
import { assertRefused, entityPath, invalid, json, useWire } from '../support/wire.ts';

describe('Requests of entity group transactions on the wire', () => {
  const wire = useWire();
  const { post, run, rowKeysIn } = useBatches(wire);

  describe('what clients send', () => {
    it('may have a preamble, an epilogue and spaces behind a delimiter', async () => {
      const table = await wire.createTable();
      const body = changesetBody([insert(table, '1')]);
      const response = await post(
        `This is multipart.\r\n\r\n${body.replaceAll(/--(batch_1|changeset_1)\r\n/g, '--$1 \t\r\n')}the end`,
      );
      assert.equal(response.status, 202, response.body);
      assert.deepEqual(await rowKeysIn(table), ['1']);
    });

    it('may have a boundary of any legal character', async () => {
      const table = await wire.createTable();
      for (const [index, boundary] of ["'()+_,-./:=?", 'a.b', 'x'.repeat(70), '--', '(a)*'].entries()) {
        const body = changesetBody([insert(table, `${index}`)]).replaceAll('--batch_1', `--${boundary}`);
        const response = await post(body, { 'Content-Type': `multipart/mixed; boundary="${boundary}"` });
        assert.equal(response.status, 202, `${boundary}: ${response.body}`);
      }
    });

    it('may have delimiters that begin alike', async () => {
      const table = await wire.createTable();
      const body = changesetBody([insert(table, '1'), insert(table, '2')])
        .replaceAll('changeset_1', 'same_1')
        .replaceAll('batch_1', 'same');
      const response = await post(body, { 'Content-Type': 'multipart/mixed; boundary=same' });
      assert.equal(response.status, 202, response.body);
      assert.deepEqual(await rowKeysIn(table), ['1', '2']);
    });

    it('may order and spell its headers as it likes', async () => {
      const table = await wire.createTable();
      const body = crlf([
        '--batch_1',
        'Content-Type: multipart/mixed; boundary=changeset_1',
        '',
        '--changeset_1',
        'Content-Transfer-Encoding: binary',
        'Content-Type: application/http',
        '',
        `POST /${table} HTTP/1.1`,
        'Dataserviceversion: 3.0',
        'X-Ms-Version:2019-02-02',
        'PREFER:    return-no-content   ',
        'content-TYPE: application/json',
        '',
        '{"PartitionKey":"p","RowKey":"1"}',
        '--changeset_1--',
        '--batch_1--',
      ]);
      assert.equal(readBatch((await post(body)).body)[0]?.status, 204);
    });

    it('may put further line ends before and after a body, and none after the headers of a deletion', async () => {
      const table = await wire.createTable();
      await wire.insert(table, { PartitionKey: 'p', RowKey: '2' });
      const body = [
        '--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n',
        `--changeset_1\r\nContent-Type: application/http\r\n\r\n\r\n\r\nPUT ${entityPath(table, 'p', '1')} HTTP/1.1\r\nContent-Type: application/json\r\n\r\n\r\n\r\n{"n":1}\r\n\r\n\r\n`,
        `--changeset_1\r\nContent-Type: application/http\r\n\r\nDELETE ${entityPath(table, 'p', '2')} HTTP/1.1\r\nIf-Match: *\r\n`,
        `--changeset_1\r\nContent-Type: application/http\r\n\r\nPUT ${entityPath(table, 'p', '3')} HTTP/1.1\r\n`,
        '--changeset_1--\r\n--batch_1--',
      ].join('');
      const response = await post(body);
      assert.deepEqual(
        readBatch(response.body).map(({ status }) => status),
        [204, 204, 204],
      );
      assert.deepEqual(await rowKeysIn(table), ['1', '3']);
    });

    it('may be a merge without a body', async () => {
      const table = await wire.createTable();
      const etag = await wire.insert(table, { PartitionKey: 'p', RowKey: '1', n: 1 });
      const [part] = await run([change('MERGE', table, '1', '', etag)]);
      assert.equal(part?.status, 204);
      const [entity] = await wire.query(table);
      assert.equal(entity?.n, 1);
      assert.notEqual(entity?.['odata.etag'], etag);
    });

    it('may say any length of a part', async () => {
      const table = await wire.createTable();
      const parts = await run(
        ['0', '3', '999999', 'x'].map((length, index) => ({
          ...change('PUT', table, `${index}`, '{"n":1}'),
          headers: [jsonType, `Content-Length: ${length}`],
        })),
      );
      assert.deepEqual(
        parts.map(({ status }) => status),
        [204, 204, 204, 204],
      );
      assert.ok((await wire.query(table)).every(({ n }) => n === 1));
    });

    it('may hold any UTF-8', async () => {
      const table = await wire.createTable();
      await run([insert(table, '日本', ',"größe":"\u{1f600}é"'), change('PUT', table, 'ü', '{"v":"ß"}')]);
      const [first, second] = await wire.query(table);
      assert.deepEqual([first?.RowKey, first?.v], ['ü', 'ß']);
      assert.deepEqual([second?.RowKey, second?.größe], ['日本', '\u{1f600}é']);
    });

    it('may come by host, with targets without the account', async () => {
      const table = await wire.createTable();
      const host = 'devstoreaccount1.table.localhost';
      const response = await rawClient(new URL(await wire.base()).origin)({
        method: 'POST',
        path: '/$batch',
        headers: { ...batchType, Host: host },
        body: changesetBody([
          insert(table, '1'),
          { ...insert(table, '2'), target: `http://${host}/${table}` },
        ]),
      });
      const parts = readBatch(response.body);
      assert.deepEqual(
        parts.map(({ status }) => status),
        [204, 204],
      );
      assert.ok(
        parts[0]?.headers.includes(`Location: http://${host}/${table}(PartitionKey='p',RowKey='1')`),
        parts[0]?.headers.join(),
      );
    });

    it('may come without an Accept, outside and inside', async () => {
      const table = await wire.createTable();
      const operation = { ...insert(table, '1'), headers: [jsonType, preferNoContent] };
      const response = await post(changesetBody([operation, change('PUT', table, '2', '{}')]), {
        Accept: '',
      });
      assert.equal(response.status, 202);
      assert.deepEqual(
        readBatch(response.body).map(({ status }) => status),
        [204, 204],
      );
    });

    it('may come in chunks', async () => {
      const table = await wire.createTable();
      const response = await post(changesetBody([insert(table, '1')]), {
        'Content-Length': '',
        'Transfer-Encoding': 'chunked',
      });
      assert.equal(response.status, 202);
    });
  });

  describe('what is no transaction', () => {
    const refuse = async (body: string, headers: Record<string, string> = {}): Promise<void> => {
      assertRefused(await post(body, headers), 400, 'InvalidInput', invalid);
    };

    it('is a second query', async () => {
      const table = await wire.createTable();
      const query = queryBody({ method: 'GET', target: `/${table}`, headers: [minimal] });
      await refuse(query.replace('--batch_1--\r\n', '') + query);
    });

    it('is an empty change set, and an empty batch', async () => {
      await refuse(changesetBody([]));
      await refuse('--batch_1--\r\n');
      await refuse('--batch_1\r\n--batch_1--\r\n');
      await refuse('');
    });

    it('is a write that stands outside of a change set', async () => {
      const table = await wire.createTable();
      await refuse(queryBody(insert(table, '1')));
      await refuse(queryBody(remove(table, '1')));
      assert.deepEqual(await rowKeysIn(table), []);
    });

    it('is a body without its boundary', async () => {
      const body = changesetBody([insert('t', '1')]);
      for (const type of [
        'multipart/mixed',
        'multipart/mixed; boundary=',
        'multipart/mixed; boundary=""',
        'multipart/mixed; boundary=other',
        'multipart/form-data; boundary=batch_1',
        'application/json',
        'text/plain',
        '',
      ]) {
        await refuse(body, { 'Content-Type': type });
      }
      await refuse(body.replaceAll('boundary=changeset_1', 'boundary=changeset_2'));
      await refuse(body.replaceAll('; boundary=changeset_1', ''));
    });

    it('is a part that is no HTTP', async () => {
      for (const content of [
        '',
        'nonsense',
        'POST',
        'POST /t',
        'POST /t HTTP/2',
        'POST  HTTP/1.1',
        '{"a":1}',
        '\u0000',
      ]) {
        await refuse(
          `--batch_1\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n${content}\r\n--c--\r\n--batch_1--\r\n`,
        );
      }
    });

    it('is one with a wrong signature: plain 403 in XML', async () => {
      const table = await wire.createTable();
      const response = await wire.send({
        method: 'POST',
        path: '/$batch',
        headers: batchType,
        body: changesetBody([insert(table, '1')]),
        key: Buffer.from('wrong').toString('base64'),
      });
      assertRefused(response, 403, 'AuthenticationFailed');
      assert.equal(response.headers['content-type'], 'application/xml');
      assert.deepEqual(await rowKeysIn(table), []);
    });
  });

  it('is found under its name in any case, and percent-encoded', async () => {
    const table = await wire.createTable();
    for (const [index, path] of ['/$batch', '/%24batch', '/$BATCH', '/$batch/'].entries()) {
      const body = changesetBody([insert(table, `${index}`)]);
      const response = await wire.send({ method: 'POST', path, headers: { ...json, ...batchType }, body });
      assert.equal(response.status, 202, path);
    }
  });
});
