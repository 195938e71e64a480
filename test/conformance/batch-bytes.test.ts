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
  readBatch,
  remove,
  useBatches,
} from '../support/batch.ts';
import type { RawResponse } from '../support/raw-client.ts';
import { entityPath, json, useWire } from '../support/wire.ts';
import { assertError } from './answers.ts';
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
  removedPart,
} from './batch-answers.ts';
import { conforms } from './conforms.ts';

const guid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.source;
const preferContent = 'Prefer: return-content';

describe('The bytes of entity group transactions', () => {
  const wire = useWire();
  const { post, query, run } = useBatches(wire);

  /** An answer of each kind: all went well, with and without bodies; one failed; a query; a query that failed. */
  const everyAnswer = async (): Promise<readonly (readonly [kind: string, response: RawResponse])[]> => {
    const table = await wire.createTable();
    for (const RowKey of ['1', '2', '3', '4', '5', '6'])
      await wire.insert(table, { PartitionKey: 'p', RowKey });
    const named = insert(table, 'id', '', [preferNoContent, 'Content-ID: 4']);
    const writes = [
      insert(table, 'a'),
      insert(table, 'b', ',"s":"line\\r\\nend\\n"', []),
      insert(table, 'c', '', [preferContent, 'Content-ID: 3']),
      { ...named, mimeHeaders: ['Content-ID: 5'] },
      change('PUT', table, '1', '{}', '*'),
      change('MERGE', table, '2', '{}', '*'),
      change('PATCH', table, '3', '{}', '*'),
      change('PUT', table, 'd', '{}'),
      change('MERGE', table, 'e', '{}'),
      change('PATCH', table, 'f', '{}'),
      remove(table, '4'),
    ];
    const failure = [insert(table, 'g'), { ...insert(table, '5'), mimeHeaders: ['Content-ID: 1'] }];
    return [
      ['writes', await post(changesetBody(writes))],
      ['one write', await post(changesetBody([remove(table, '6')]))],
      ['a failure', await post(changesetBody(failure))],
      ['a missing table', await post(changesetBody([insert('missing', '1')]))],
      ['a query', await query(entityPath(table, 'p', '5'))],
      ['a query of the table', await query(`/${table}()?$top=1`)],
      ['a query that failed', await query(entityPath(table, 'p', 'missing'))],
    ];
  };

  conforms(189, async () => {
    const boundaries = new Set<string>();
    const answers = await everyAnswer();
    for (const [kind, response] of answers) {
      assert.equal(`${response.status} ${response.statusMessage}`, '202 Accepted', kind);
      const type = response.headers['content-type'] as string;
      assert.match(type, new RegExp(`^multipart/mixed; boundary=batchresponse_${guid}$`), kind);
      boundaries.add(type);
    }
    assert.equal(boundaries.size, answers.length);
  });

  conforms(190, async () => {
    for (const [kind, { body }] of await everyAnswer()) {
      if (kind.startsWith('a query')) {
        assert.ok(!body.includes('changesetresponse_'), kind);
        continue;
      }
      const form = `^--batchresponse_${guid}\r\nContent-Type: multipart/mixed; boundary=(changesetresponse_${guid})\r\n\r\n--\\1\r\n`;
      assert.match(body, new RegExp(form), kind);
      const [, boundary] = new RegExp(form).exec(body) as unknown as [string, string];
      assert.match(body, new RegExp(`\r\n--${boundary}--\r\n--batchresponse_${guid}--\r\n$`), kind);
    }
  });

  conforms(191, async () => {
    const table = await wire.createTable();
    for (const RowKey of ['2', '3', '4', '7', '9'])
      await wire.insert(table, { PartitionKey: 'p', RowKey, n: 1 });
    const withId = (operation: BatchOperation, id: string): BatchOperation => ({
      ...operation,
      headers: [...(operation.headers ?? []), `Content-ID: ${id}`],
    });
    const writes = [
      remove(table, '7'),
      insert(table, '1', ',"d":3.0', []),
      change('PUT', table, '2', '{"n":2}', '*'),
      insert(table, '8'),
      change('MERGE', table, '3', '{"n":2}', '*'),
      change('PATCH', table, '4', '{"n":2}', '*'),
      insert(table, '0', '', [preferContent]),
      change('PUT', table, '5', '{"n":2}'),
      change('MERGE', table, '6', '{"n":2}'),
      change('PATCH', table, '60', '{"n":2}'),
    ];
    await assertBatch(
      wire,
      await post(changesetBody(writes)),
      changesetAnswer(
        removedPart(),
        echoedPart('1', ',"d":3.0'),
        changedPart(),
        insertedPart('8'),
        changedPart(),
        changedPart(),
        echoedPart('0', '', [], ['Preference-Applied: return-content']),
        changedPart(),
        changedPart(),
        changedPart(),
      ),
      table,
    );
    const named = [
      withId(insert(table, 'a'), '1'),
      withId(insert(table, 'b', '', []), '2'),
      withId(change('PUT', table, '2', '{}', '*'), '3'),
      withId(remove(table, '9'), '4'),
    ];
    await assertBatch(
      wire,
      await post(changesetBody(named)),
      changesetAnswer(
        insertedPart('a', ['Content-ID: 1']),
        echoedPart('b', '', ['Content-ID: 2']),
        changedPart(['Content-ID: 3']),
        removedPart(['Content-ID: 4']),
      ),
      table,
    );
    const found = entityPart('200 OK', [], [etagLine], maskedEntity('2'));
    await assertBatch(wire, await query(entityPath(table, 'p', '2')), queryAnswer(found), table);
    const failure = errorPart(
      '409 Conflict',
      'EntityAlreadyExists',
      '1:The specified entity already exists.',
      [appliedNoContent],
    );
    const conflict = changesetBody([insert(table, 'c'), insert(table, '2'), remove(table, '3')]);
    await assertBatch(wire, await post(conflict), changesetAnswer(failure), table);
  });

  conforms(192, async () => {
    let [bodyless, bodied] = [0, 0];
    for (const [kind, { body }] of await everyAnswer()) {
      const parts = body.split(/(?:^|\r\n)--(?:batchresponse|changesetresponse)_[0-9a-f-]{36}(?:--)?/);
      for (const part of parts.filter(text => text.includes('HTTP/1.1'))) {
        const [, mime, head, rest] = /^\r\n(.*?)\r\n\r\n(.*?)\r\n\r\n(.*)$/s.exec(part) ?? [];
        assert.ok(mime?.startsWith('Content-Type: application/http'), `${kind}: ${part}`);
        if (head?.startsWith('HTTP/1.1 204 ')) {
          // The line end before the delimiter was split off with it: two empty lines in all.
          assert.equal(rest, '', kind);
          bodyless++;
        } else {
          assert.match(rest as string, /^\{[^\r\n]*\}$/, kind);
          JSON.parse(rest as string);
          bodied++;
        }
      }
    }
    assert.deepEqual([bodyless, bodied], [10, 7]);
  });

  conforms(194, async () => {
    const table = await wire.createTable();
    const kinds = ['PUT', 'MERGE', 'PATCH'];
    const operations: BatchOperation[] = [];
    const rowKeys: string[] = [];
    for (const [index, method] of kinds.entries()) {
      const [any, current, absent, present] = ['0', '1', '2', '3'].map(digit => `${index}${digit}`) as [
        string,
        string,
        string,
        string,
      ];
      await wire.insert(table, { PartitionKey: 'p', RowKey: any });
      const etag = await wire.insert(table, { PartitionKey: 'p', RowKey: current });
      await wire.insert(table, { PartitionKey: 'p', RowKey: present });
      operations.push(
        change(method, table, any, '{"n":1}', '*'),
        change(method, table, current, '{"n":1}', etag),
        change(method, table, absent, '{"n":1}'),
        change(method, table, present, '{"n":1}'),
      );
      rowKeys.push(any, current, absent, present);
    }
    const response = await post(changesetBody(operations));
    await assertBatch(wire, response, changesetAnswer(...rowKeys.map(() => changedPart())), table);
    const tags = [...response.body.matchAll(/\r\nETag: (\S+)\r\n/g)].map(([, tag]) => tag);
    const entities = await wire.query(table);
    assert.deepEqual(
      entities.map(({ RowKey, n }) => [RowKey, n]),
      rowKeys.map(rowKey => [rowKey, 1]),
    );
    assert.deepEqual(
      tags,
      entities.map(entity => entity['odata.etag']),
    );
  });

  conforms(195, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: '1' });
    const etag = await wire.insert(table, { PartitionKey: 'p', RowKey: '2' });
    const operations = [remove(table, '1'), insert(table, '3'), remove(table, '2', etag)];
    const response = await post(changesetBody(operations));
    await assertBatch(
      wire,
      response,
      changesetAnswer(removedPart(), insertedPart('3'), removedPart()),
      table,
    );
  });

  conforms(196, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: '7' });
    await wire.insert(table, { PartitionKey: 'p', RowKey: '8' });
    const atMime = (operation: BatchOperation, id: string): BatchOperation => ({
      ...operation,
      mimeHeaders: [`Content-ID: ${id}`],
    });
    const inHttp = (operation: BatchOperation, header: string): BatchOperation => ({
      ...operation,
      headers: [header, ...(operation.headers ?? [])],
    });
    const operations = [
      atMime(insert(table, '1'), '0'),
      inHttp(insert(table, '2'), 'Content-ID: 1'),
      atMime(inHttp(insert(table, '3', '', []), 'Content-ID: 5'), '6'),
      atMime(insert(table, '4', '', []), '3'),
      inHttp(change('PUT', table, '5', '{}'), 'content-id: x-7'),
      atMime(change('MERGE', table, '6', '{}'), '5'),
      inHttp(remove(table, '7'), 'CONTENT-ID: 101'),
      atMime(remove(table, '8'), '7'),
    ];
    await assertBatch(
      wire,
      await post(changesetBody(operations)),
      changesetAnswer(
        insertedPart('1'),
        insertedPart('2', ['Content-ID: 1']),
        echoedPart('3', '', ['Content-ID: 5']),
        echoedPart('4'),
        changedPart(['Content-ID: x-7']),
        changedPart(),
        removedPart(['Content-ID: 101']),
        removedPart(),
      ),
      table,
    );
  });

  conforms(220, async () => {
    for (const [kind, { bytes, body }] of await everyAnswer()) {
      assert.equal(bytes.subarray(0, 16).toString('latin1'), '--batchresponse_', kind);
      const [head = '', ...rest] = body.slice(body.indexOf('\r\n') + 2).split('\r\n\r\n');
      if (head.startsWith('Content-Type: multipart/')) {
        assert.ok(rest.join('\r\n\r\n').startsWith('--changesetresponse_'), kind);
      } else {
        assert.equal(head, 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary', kind);
      }
    }
  });

  conforms(221, async () => {
    const form = /^multipart\/mixed; boundary=[^";\s]+$/;
    for (const [kind, response] of await everyAnswer()) {
      assert.match(response.headers['content-type'] as string, form, kind);
      const inner = response.body.split('\r\n').filter(line => /^content-type\s*:.*multipart/i.test(line));
      assert.equal(inner.length, kind.startsWith('a query') ? 0 : 1, kind);
      for (const line of inner) {
        assert.ok(line.startsWith('Content-Type: '), line);
        assert.match(line.slice('Content-Type: '.length), form);
      }
    }
  });

  conforms(222, async () => {
    let echoes = 0;
    for (const [kind, { body }] of await everyAnswer()) {
      const pieces = body.split('HTTP/1.1 ');
      for (const [index, piece] of pieces.entries()) {
        const mime = index === pieces.length - 1 ? '' : piece.slice(piece.lastIndexOf('\r\n--') + 1);
        assert.ok(!/content-id/i.test(mime), `${kind}: ${mime}`);
      }
      echoes += body.split('Content-ID: ').length - 1;
    }
    assert.equal(echoes, 2, 'there is a Content-ID, in its place');
  });

  conforms(223, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: '1' });
    const text = { ...insert(table, '2'), headers: ['Content-Type: text/plain', minimal] };
    const failures: readonly (readonly [operation: BatchOperation, line: string])[] = [
      [change('PUT', table, '1', '{'), '400 Bad Request'],
      [remove(table, 'missing'), '404 Not Found'],
      [insert(table, '1'), '409 Conflict'],
      [remove(table, '1', 'W/"other"'), '412 Precondition Failed'],
      [text, '415 Unsupported Media Type'],
    ];
    const lines = new Set<string>();
    const answers = await everyAnswer();
    const bodies = answers.map(([, { body }]) => body);
    for (const [operation, line] of failures) {
      const { body } = await post(changesetBody([operation]));
      assert.ok(body.includes(`\r\n\r\nHTTP/1.1 ${line}\r\n`), body);
      bodies.push(body);
    }
    for (const body of bodies) {
      for (const [line] of body.matchAll(/^HTTP\/.*$/gm)) {
        assert.match(line, /^HTTP\/1\.1 \d{3} [A-Z][A-Za-z -]*\r?$/);
        lines.add(line.slice(9, 12));
      }
    }
    assert.deepEqual([...lines].sort(), ['200', '201', '204', '400', '404', '409', '412', '415']);
  });

  conforms(224, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'x' });
    for (const index of [0, 1, 9, 10, 99]) {
      const operations = Array.from({ length: index }, (_, row) => insert(table, `${row}`));
      const { body } = await post(changesetBody([...operations, insert(table, 'x')]));
      assert.deepEqual(/"value":"(\d+):/.exec(body)?.[1], `${index}`, body);
      const [part] = readBatch(body);
      assert.equal(part?.body, JSON.stringify(JSON.parse(part?.body as string)), 'compact');
    }
    const { body } = await query(entityPath(table, 'p', 'missing'));
    assert.match(body, /"value":"0:/);
  });

  conforms(225, async () => {
    for (const [kind, { body }] of await everyAnswer()) {
      assert.doesNotMatch(body, /(?<!\r)\n/, kind);
      assert.doesNotMatch(body, /\r(?!\n)/, kind);
    }
    const table = await wire.createTable();
    const operations = [insert(table, '1', ',"s":"a\\nb\\rc\\r\\nd"', []), insert(table, '2', '', [])];
    const { body } = await post(changesetBody(operations).replaceAll('\r\n', '\n'));
    assert.ok(body.includes('"s":"a\\nb\\rc\\r\\nd"'), body);
    assert.doesNotMatch(body, /(?<!\r)\n|\r(?!\n)/);
  });

  conforms(226, async () => {
    const table = await wire.createTable();
    const message = 'The property name is invalid.';
    for (const name of ['a-b', '-a', 'a-', 'größe-1']) {
      const members = `"${name}":1`;
      const entity = `{"PartitionKey":"p","RowKey":"r",${members}}`;
      const path = entityPath(table, 'p', 'r');
      for (const request of [
        { method: 'POST', path: `/${table}`, headers: json, body: entity },
        { method: 'PUT', path, headers: json, body: entity },
        { method: 'MERGE', path, headers: json, body: `{${members}}` },
      ]) {
        const refusal = { status: '400 Bad Request', code: 'PropertyNameInvalid', message };
        await assertError(wire, await wire.send(request), refusal);
      }
      const typed = insert(table, 'r', `,"${name}":"1","${name}@odata.type":"Edm.Int64"`);
      const failure = errorPart('400 Bad Request', 'PropertyNameInvalid', `0:${message}`, [appliedNoContent]);
      await assertBatch(wire, await post(changesetBody([typed])), changesetAnswer(failure));
    }
    assert.deepEqual(await wire.query(table), []);
    const [part] = await run([{ ...insert(table, 'r', ',"a_b":1'), headers: [jsonType, preferNoContent] }]);
    assert.equal(part?.status, 204);
  });
});
