import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  type BatchOperation,
  change,
  changesetBody,
  insert,
  jsonType,
  minimal,
  preferNoContent,
  queryBody,
  readBatch,
  statusesOf,
  useBatches,
} from '../support/batch.ts';
import { entityPath, invalid, useWire } from '../support/wire.ts';
import { assertError } from './answers.ts';
import {
  assertBatch,
  changedPart,
  changesetAnswer,
  entityPart,
  etagLine,
  etagMember,
  insertedPart,
  maskedEntity,
  queryAnswer,
  removedPart,
} from './batch-answers.ts';
import { conforms } from './conforms.ts';

const preferContent = 'Prefer: return-content';
const format = (level: string): string => `$format=application%2Fjson%3Bodata%3D${level}metadata`;

describe('What entity group transactions may look like', () => {
  const wire = useWire();
  const { post, query, run, rowKeysIn } = useBatches(wire);
  /** That the whole request is refused, and the table is as it was. */
  const refusesWhole = async (
    table: string,
    body: string,
    rowKeys: readonly string[] = [],
  ): Promise<void> => {
    const refusal = { status: '400 Bad Request', code: 'InvalidInput', message: invalid };
    await assertError(wire, await post(body), refusal);
    assert.deepEqual(await rowKeysIn(table), rowKeys);
  };

  conforms(197, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: '3' });
    const base = await wire.base();
    const body = [
      '--batch_1',
      'content-type: multipart/mixed;charset="utf-8";boundary=changeset_1',
      '',
      '--changeset_1',
      'content-type: application/http',
      'content-transfer-encoding: binary',
      '',
      `POST ${base}/${table} HTTP/1.1`,
      'content-type: application/json;type=entry',
      'accept: application/json;odata=minimalmetadata',
      'prefer: return-no-content',
      '',
      '{"PartitionKey":"p","RowKey":"1"}',
      '--changeset_1',
      'content-type: application/http',
      'content-transfer-encoding: binary',
      '',
      `PUT ${base}${entityPath(table, 'p', '2')} HTTP/1.1`,
      'content-id: 1',
      'content-type: application/json',
      '',
      '{"n":1}',
      '--changeset_1',
      'content-type: application/http',
      'content-transfer-encoding: binary',
      '',
      `DELETE ${base}${entityPath(table, 'p', '3')} HTTP/1.1`,
      'content-id: 2',
      'if-match: *',
      '',
      '--changeset_1--',
      '--batch_1--',
    ].join('\n');
    const type = { 'Content-Type': 'multipart/mixed; charset="utf-8"; boundary=batch_1' };
    await assertBatch(
      wire,
      await post(body, type),
      changesetAnswer(insertedPart('1'), changedPart(['Content-ID: 1']), removedPart(['Content-ID: 2'])),
      table,
    );
    assert.deepEqual(await rowKeysIn(table), ['1', '2']);
    const alone = `--batch_1\ncontent-type: application/http\n\nGET ${base}${entityPath(table, 'p', '1')} HTTP/1.1\naccept: application/json;odata=nometadata\n\n--batch_1--`;
    const response = await post(alone, type);
    assert.deepEqual(statusesOf(response), [200]);
    assert.doesNotMatch(response.body, /(?<!\r)\n/);
  });

  conforms(198, async () => {
    const table = await wire.createTable();
    const endings = [
      '--changeset_1--\r\n--batch_1\r\n',
      '--changeset_1--\r\n--batch_1',
      '--changeset_1--\r\n',
      '--changeset_1\r\n--batch_1--\r\n',
      '--changeset_1--',
    ];
    for (const [index, ending] of endings.entries()) {
      const whole = changesetBody([insert(table, `${index}`), insert(table, `${index}+`)]);
      const body = whole.slice(0, whole.indexOf('--changeset_1--')) + ending;
      assert.deepEqual(statusesOf(await post(body)), [204, 204], ending);
    }
    assert.equal((await rowKeysIn(table)).length, 2 * endings.length);
    const alone = queryBody({ method: 'GET', target: entityPath(table, 'p', '0'), headers: [minimal] });
    assert.deepEqual(statusesOf(await post(alone.replace('--batch_1--\r\n', '--batch_1\r\n'))), [200]);
  });

  conforms(199, async () => {
    const table = await wire.createTable();
    const types = [
      'multipart/mixed; boundary="batch_1"',
      'multipart/mixed;boundary=batch_1',
      'multipart/mixed; charset="utf-8"; boundary=batch_1',
      'multipart/mixed;charset="utf-8";boundary=batch_1',
      'multipart/mixed; boundary=batch_1; charset=utf-8',
      'multipart/mixed; charset=utf-8; boundary="batch_1"',
      'Multipart/Mixed; Boundary="batch_1"; charset=utf-8',
      'multipart/mixed ; boundary = batch_1',
    ];
    for (const [index, type] of types.entries()) {
      const inner = type.replace('batch_1', 'changeset_1');
      const body = changesetBody([insert(table, `${index}`)]).replace(
        'multipart/mixed; boundary=changeset_1',
        inner,
      );
      assert.deepEqual(statusesOf(await post(body, { 'Content-Type': type })), [204], type);
    }
    assert.equal((await rowKeysIn(table)).length, types.length);
  });

  conforms(200, async () => {
    const table = await wire.createTable();
    const base = await wire.base();
    const { pathname } = new URL(base);
    const prefixes = [
      base,
      `https://somewhere.example:1234${pathname}`,
      `HTTP://HOST${pathname}`,
      pathname,
      '',
    ];
    const inserts = [
      ...prefixes.map(prefix => `${prefix}/${table}`),
      table,
      `/${table}()`,
      `/${table}?timeout=30`,
    ];
    const operations = inserts.map((target, index) => ({ ...insert(table, `${index}`), target }));
    assert.deepEqual(
      statusesOf(await post(changesetBody(operations))),
      inserts.map(() => 204),
    );
    const rowKeys = inserts.map((_, index) => `${index}`);
    assert.deepEqual(await rowKeysIn(table), rowKeys);
    for (const prefix of prefixes) {
      assert.deepEqual(statusesOf(await query(`${prefix}${entityPath(table, 'p', '1')}`)), [200], prefix);
    }
    const puts = prefixes.map((prefix, index) => {
      const operation = change('PUT', table, `${index}`, '{"n":1}', '*');
      return { ...operation, target: `${prefix}${operation.target}` };
    });
    assert.deepEqual(
      statusesOf(await post(changesetBody(puts))),
      prefixes.map(() => 204),
    );
    assert.deepEqual(
      (await wire.query(table, 'n eq 1')).map(({ RowKey }) => RowKey),
      rowKeys.slice(0, prefixes.length),
    );

    const bodies = {
      no: (rowKey: string) => `{"PartitionKey":"p","RowKey":"${rowKey}","Timestamp":"<time>"}`,
      minimal: maskedEntity,
      full: (rowKey: string) => {
        const path = `<table>(PartitionKey='p',RowKey='${rowKey}')`;
        return `{"odata.metadata":"<base>/$metadata#<table>/@Element","odata.type":"devstoreaccount1.<table>","odata.id":"<base>/${path}",${etagMember},"odata.editLink":"${path}","PartitionKey":"p","RowKey":"${rowKey}","Timestamp@odata.type":"Edm.DateTime","Timestamp":"<time>"}`;
      },
    };
    for (const level of ['no', 'minimal', 'full'] as const) {
      for (const [index, written] of [format(level), decodeURIComponent(format(level))].entries()) {
        const rowKey = `${level}${index}`;
        const headers = [jsonType, 'Accept: application/atom+xml'];
        const operation = {
          ...insert(table, rowKey),
          target: `${base}/${table}?${written.replace('$', index === 0 ? '%24' : '$')}`,
          headers,
        };
        const location = `Location: <base>/<table>(PartitionKey='p',RowKey='${rowKey}')`;
        const echo = entityPart('201 Created', [], [location, etagLine], bodies[level](rowKey), level);
        await assertBatch(wire, await post(changesetBody([operation])), changesetAnswer(echo), table);
        const found = entityPart('200 OK', [], [etagLine], bodies[level](rowKey), level);
        const response = await query(`${entityPath(table, 'p', rowKey)}?${written}`, headers);
        await assertBatch(wire, response, queryAnswer(found), table);
      }
    }
  });

  conforms(209, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: '0' });
    const read = { method: 'GET', target: entityPath(table, 'p', '0'), headers: [minimal] };
    const write = insert(table, '1');
    const open = (body: string): string => body.replace('--batch_1--\r\n', '');
    for (const body of [
      changesetBody([write, read]),
      changesetBody([read, write]),
      changesetBody([read]),
      open(changesetBody([write])) + queryBody(read),
      open(queryBody(read)) + changesetBody([write]),
    ]) {
      await refusesWhole(table, body, ['0']);
    }
  });

  conforms(210, async () => {
    const table = await wire.createTable();
    const first = changesetBody([insert(table, '1')]).replace('--batch_1--\r\n', '');
    const second = changesetBody([insert(table, '2')]);
    await refusesWhole(table, first + second);
    const other = second.replaceAll('changeset_1', 'changeset_2');
    await refusesWhole(table, first + other);
    const third = changesetBody([insert(table, '3')]).replaceAll('changeset_1', 'changeset_3');
    await refusesWhole(table, first + other.replace('--batch_1--\r\n', '') + third);
  });

  conforms(211, async () => {
    const table = await wire.createTable();
    const keys = ["O'Hara", "''", 'a b', '100%', '%20', '%27', ',=()', '"', 'ü+日', '&x=', '@*$!', ''];
    const percent = (key: string): string => encodeURIComponent(key.replaceAll("'", "''"));
    const writings = [
      (key: string) => `/${table}(PartitionKey='p',RowKey='${percent(key)}')`,
      (key: string) => `/${table}(PartitionKey=%27p%27,RowKey=%27${percent(key).replaceAll("'", '%27')}%27)`,
    ];
    const runEach = (operation: Omit<BatchOperation, 'target'>, target: (key: string) => string) =>
      run(keys.map(key => ({ ...operation, target: target(key) })));
    for (const [index, target] of writings.entries()) {
      const put = await runEach({ method: 'PUT', headers: [jsonType], body: '{"n":1}' }, target);
      const merge = await runEach(
        { method: 'MERGE', headers: [jsonType, 'If-Match: *'], body: '{"m":2}' },
        target,
      );
      for (const { status } of [...put, ...merge]) assert.equal(status, 204);
      const entities = await wire.query(table, 'n eq 1 and m eq 2');
      assert.deepEqual(entities.map(({ RowKey }) => RowKey).sort(), [...keys].sort(), `${index}`);
      for (const key of keys) {
        const [part] = readBatch((await query(target(key))).body);
        assert.equal(JSON.parse(part?.body as string).RowKey, key);
      }
      const removed = await runEach({ method: 'DELETE', headers: ['If-Match: *'] }, target);
      for (const { status } of removed) assert.equal(status, 204);
      assert.deepEqual(await rowKeysIn(table), []);
    }
    const inBoth = `/${table}(PartitionKey='${percent("it's")}',RowKey='${percent("it's")}')`;
    const insertion = { ...insert(table, ''), body: `{"PartitionKey":"it's","RowKey":"1"}` };
    const parts = await run([{ method: 'PUT', target: inBoth, headers: [jsonType], body: '{}' }, insertion]);
    assert.deepEqual(
      parts.map(({ status }) => status),
      [204, 204],
    );
    const location = `Location: ${await wire.base()}/${table}(PartitionKey='it''s',RowKey='1')`;
    assert.ok(parts[1]?.headers.includes(location), parts[1]?.headers.join('\n'));
  });

  conforms(212, async () => {
    const texts = [
      '--changeset_1',
      '--changeset_1--',
      '\r\n--changeset_1\r\n',
      '\r\n--changeset_1--\r\n--batch_1--\r\n',
      '\n--batch_1--\n',
      '\r\n\r\n',
      '\r',
      '\n',
      'POST /x HTTP/1.1\r\nHost: y\r\n\r\n{}',
      'HTTP/1.1',
      'DELETE',
      '"},"x":{"}',
      '--changesetresponse_1',
      'Content-Type: multipart/mixed; boundary=changeset_2',
    ];
    for (const prefer of [preferNoContent, preferContent]) {
      for (const lineEnd of ['\r\n', '\n']) {
        const table = await wire.createTable();
        const inserts = texts.map((text, index) =>
          insert(table, String.fromCharCode(0x61 + index), `,"v":${JSON.stringify(text)}`, [prefer]),
        );
        const body = changesetBody(inserts).replaceAll('\r\n', lineEnd);
        const response = await post(body);
        const status = prefer === preferContent ? 201 : 204;
        assert.deepEqual(
          statusesOf(response),
          texts.map(() => status),
        );
        if (status === 201) {
          assert.deepEqual(
            readBatch(response.body).map(part => JSON.parse(part.body).v),
            texts,
          );
        }
        assert.deepEqual(
          (await wire.query(table)).map(({ v }) => v),
          texts,
        );
      }
    }
  });
});
