import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { developmentAccount } from '../../src/auth/accounts.ts';
import { golden } from '../support/golden.ts';
import { type RawRequest, type RawResponse, signRequest } from '../support/raw-client.ts';
import { entityPath, json, querySyntax, useTable, useWire } from '../support/wire.ts';
import { assertAnswer, assertError, entityBody, refusals, timestampOf } from './answers.ts';
import { conforms } from './conforms.ts';

const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;
const etagHeader = `etag: W/"datetime'<time>'"`;
const changes = ['PUT', 'PATCH', 'MERGE'];
const merges = ['PATCH', 'MERGE'];

function notValid(message: string): { status: string; code: string; message: string } {
  return { status: '400 Bad Request', code: 'InvalidInput', message };
}

function malformedTag(tag: string): { status: string; code: string; message: string } {
  return notValid(
    `The etag value '${tag}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.`,
  );
}

describe('Update, merge, delete', () => {
  const wire = useWire();
  const { table } = useTable(wire);
  let rows = 0;
  const fresh = (): string => `r${++rows}`;
  const pathOf = async (rowKey: string): Promise<string> => entityPath(await table(), 'p', rowKey);
  const write = async (
    method: string,
    rowKey: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<RawResponse> =>
    wire.send({
      method,
      path: await pathOf(rowKey),
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const read = async (rowKey: string): Promise<RawResponse> => wire.send({ path: await pathOf(rowKey) });
  /** A fresh entity: its row key and its ETag. */
  const made = async (members = ',"a":1,"b":2'): Promise<{ rowKey: string; etag: string }> => {
    const rowKey = fresh();
    const etag = await wire.insert(await table(), `{"PartitionKey":"p","RowKey":"${rowKey}"${members}}`);
    return { rowKey, etag };
  };
  /** That the entity is now the one of this ETag with these members, to the byte. */
  const assertStored = async (rowKey: string, etag: string, members: string): Promise<void> => {
    const response = await read(rowKey);
    const entity = { table: await table(), partitionKey: 'p', rowKey, etag };
    assert.equal(response.headers.etag, etag);
    assert.equal(response.body, await entityBody(wire, entity, members));
  };
  /** That the write succeeded, in the one form that such answers have; its ETag. */
  const assertWritten = async (response: RawResponse): Promise<string> => {
    await assertAnswer(wire, response, { status: '204 No Content', headers: [etagHeader] });
    const etag = response.headers.etag as string;
    timestampOf(etag);
    return etag;
  };
  const assertGone = async (rowKey: string): Promise<void> =>
    assertError(wire, await read(rowKey), refusals.resourceNotFound);

  conforms(136, async () => {
    const rowKey = fresh();
    for (const ifMatch of ['*', stale]) {
      const response = await write('PUT', rowKey, '{"a":1}', { 'If-Match': ifMatch });
      await assertError(wire, response, refusals.resourceNotFound);
    }
    await assertGone(rowKey);
    const noTable = { method: 'PUT', path: "/missing(PartitionKey='p',RowKey='r')", body: '{}' };
    const response = await wire.send({ ...noTable, headers: { ...json, 'If-Match': '*' } });
    await assertError(wire, response, refusals.tableNotFound);
  });

  conforms(137, async () => {
    const { rowKey, etag } = await made();
    const current = await assertWritten(await write('PUT', rowKey, '{"n":1}', { 'If-Match': etag }));
    for (const tag of [etag, stale, 'W/"wrong"', `W/"datetime'9999-01-01T00%3A00%3A00Z'"`]) {
      const response = await write('PUT', rowKey, '{"n":2}', { 'If-Match': tag });
      await assertError(wire, response, refusals.notSatisfied);
    }
    await assertStored(rowKey, current, ',"n":1');
  });

  conforms(138, async () => {
    const { rowKey, etag } = await made();
    const tags = [etag];
    for (let n = 0; n < 5; n++) {
      const current = tags.at(-1) as string;
      const next = await assertWritten(await write('PUT', rowKey, `{"n":${n}}`, { 'If-Match': current }));
      await assertStored(rowKey, next, `,"n":${n}`);
      tags.push(next);
    }
    assert.equal(new Set(tags).size, tags.length);
    const lowerCase = (tags.at(-1) as string).replace('W/', 'w/');
    await assertWritten(await write('PUT', rowKey, '{}', { 'If-Match': lowerCase }));
  });

  conforms(139, async () => {
    const { rowKey, etag } = await made(',"a":1,"b":"x","c":true');
    const second = await assertWritten(await write('PUT', rowKey, '{"d":4,"b":"y"}', { 'If-Match': etag }));
    await assertStored(rowKey, second, ',"d":4,"b":"y"');
    const third = await assertWritten(await write('PUT', rowKey, '{"d":null}', { 'If-Match': '*' }));
    await assertStored(rowKey, third, '');
    const upserted = await made();
    await assertStored(
      upserted.rowKey,
      await assertWritten(await write('PUT', upserted.rowKey, '{"c":3}')),
      ',"c":3',
    );
  });

  conforms(140, async () => {
    const rowKey = fresh();
    await assertGone(rowKey);
    await assertStored(
      rowKey,
      await assertWritten(await write('PUT', rowKey, '{"a":1,"b":2}')),
      ',"a":1,"b":2',
    );
    await assertStored(rowKey, await assertWritten(await write('PUT', rowKey, '{"c":3}')), ',"c":3');
    const noTable = {
      method: 'PUT',
      path: "/missing(PartitionKey='p',RowKey='r')",
      headers: json,
      body: '{}',
    };
    await assertError(wire, await wire.send(noTable), refusals.tableNotFound);
  });

  conforms(141, async () => {
    const { rowKey } = await made();
    const base = await wire.base();
    /** What each verb answers to the same writes, and what comes of them. */
    const story = async (method: string): Promise<string[]> => {
      await write('PUT', rowKey, '{"a":1,"b":"7","b@odata.type":"Edm.Int64"}');
      const missing = fresh();
      const told: string[] = [];
      const tell = (...responses: RawResponse[]): void => {
        // The length of a body depends on that of a time in it.
        const texts = responses.map(response => golden(response, base, missing));
        told.push(...texts.map(text => text.replace(/^content-length: \d+\n/m, '')));
      };
      const { etag } = (await read(rowKey)).headers as { etag: string };
      tell(
        await write(method, rowKey, '{"c":3.0,"a":"one","b":null}', { 'If-Match': etag }),
        await read(rowKey),
        await write(method, rowKey, '{"d":4}', { 'If-Match': etag }),
        await write(method, rowKey, '{"d":4}', { 'If-Match': '*' }),
        await write(method, rowKey, '{"e":5}'),
        await read(rowKey),
        await write(method, missing, '{"a":1}', { 'If-Match': '*' }),
        await write(method, missing, '{"a":1,"b":null}'),
        await read(missing),
        await write(method, rowKey, '{', { 'If-Match': '*' }),
        await write(method, rowKey, '{}', { 'If-Match': 'abc' }),
        await write(method, rowKey, '{}', { Accept: '*/*', 'If-Match': stale }),
      );
      return told;
    };
    const patched = await story('PATCH');
    assert.deepEqual(await story('MERGE'), patched);
    assert.deepEqual(
      patched.map(text => Number(text.slice(0, 3))),
      [204, 200, 412, 204, 204, 200, 404, 204, 200, 400, 400, 412],
    );
    assert.ok(patched[5]?.endsWith(',"a":"one","b@odata.type":"Edm.Int64","b":"7","c":3.0,"d":4,"e":5}'));
  });

  conforms(142, async () => {
    for (const method of merges) {
      for (const headers of [{ 'If-Match': '*' }, {}] as Record<string, string>[]) {
        const { rowKey } = await made(',"a":1,"b":"2","b@odata.type":"Edm.Int64","c":3.0,"d":"x"');
        const body = '{"e":5,"b":null,"c":30.5,"f":null,"d":null,"d@odata.type":"Edm.String"}';
        const etag = await assertWritten(await write(method, rowKey, body, headers));
        await assertStored(rowKey, etag, ',"a":1,"b@odata.type":"Edm.Int64","b":"2","c":30.5,"d":"x","e":5');
      }
    }
  });

  conforms(143, async () => {
    for (const method of merges) {
      const rowKey = fresh();
      const created = await assertWritten(await write(method, rowKey, '{"a":1,"none":null}'));
      await assertStored(rowKey, created, ',"a":1');
      const merged = await assertWritten(await write(method, rowKey, '{"b":2}'));
      await assertStored(rowKey, merged, ',"a":1,"b":2');
      const conditional = await write(method, fresh(), '{"a":1}', { 'If-Match': '*' });
      await assertError(wire, conditional, refusals.resourceNotFound);
    }
  });

  conforms(144, async () => {
    for (const method of merges) {
      const { rowKey, etag } = await made();
      const tags = [etag];
      for (const body of ['{}', `{"PartitionKey":"p","RowKey":"${rowKey}"}`, '{"a":null}', '']) {
        for (const headers of [{ 'If-Match': '*' }, {}] as Record<string, string>[]) {
          const before = (await read(rowKey)).json().Timestamp;
          const next = await assertWritten(await write(method, rowKey, body, headers));
          await assertStored(rowKey, next, ',"a":1,"b":2');
          assert.notEqual((await read(rowKey)).json().Timestamp, before);
          tags.push(next);
        }
      }
      assert.equal(new Set(tags).size, tags.length);
    }
  });

  conforms(145, async () => {
    const forms = [
      '"v":1',
      '"v":"text"',
      '"v@odata.type":"Edm.Int64","v":"1"',
      '"v":1.0',
      '"v@odata.type":"Edm.DateTime","v":"2013-08-22T01:12:06Z"',
      '"v":true',
      '"v@odata.type":"Edm.Guid","v":"c9da6455-213d-42c9-9a79-3e9149a57833"',
      '"v@odata.type":"Edm.Binary","v":"AAEC"',
      '"v":1',
    ];
    for (const method of merges) {
      const { rowKey } = await made(',"v":"first","other":1');
      for (const form of forms) {
        const etag = await assertWritten(await write(method, rowKey, `{${form}}`, { 'If-Match': '*' }));
        await assertStored(rowKey, etag, `,${form},"other":1`);
      }
    }
  });

  conforms(146, async () => {
    const members = (from: number, count: number): string =>
      Array.from({ length: count }, (_, index) => `"p${from + index}":1`).join();
    const tooMany = {
      status: '400 Bad Request',
      code: 'TooManyProperties',
      message:
        'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.',
    };
    for (const method of merges) {
      for (const headers of [{ 'If-Match': '*' }, {}] as Record<string, string>[]) {
        const { rowKey, etag } = await made(`,${members(0, 200)}`);
        await assertError(wire, await write(method, rowKey, `{${members(200, 53)}}`, headers), tooMany);
        await assertStored(rowKey, etag, `,${members(0, 200)}`);
        // Those that are there already do not count twice.
        const full = await assertWritten(await write(method, rowKey, `{${members(100, 152)}}`, headers));
        await assertStored(rowKey, full, `,${members(0, 252)}`);
        await assertError(wire, await write(method, rowKey, '{"one":1}', headers), tooMany);
        await assertWritten(await write(method, rowKey, '{"one":null,"p0":1}', headers));
      }
    }
  });

  conforms(147, async () => {
    const { rowKey, etag } = await made();
    for (const tag of [
      'abc',
      etag.slice(2),
      '"strong"',
      `${etag}, ${etag}`,
      '*, *',
      'W/abc',
      'W/"open',
      '**',
      `${etag}x`,
    ]) {
      for (const method of [...changes, 'DELETE']) {
        const response = await write(method, rowKey, '{"a":2}', { 'If-Match': tag });
        await assertError(wire, response, malformedTag(tag));
      }
    }
    const lines = ['Accept: application/json', 'If-Match:', 'Content-Length: 2'];
    const empty = await wire.sendBytes(await wire.signedBytes('PUT', await pathOf(rowKey), lines, '{}'));
    assert.match(empty, /^HTTP\/1\.1 400 [\s\S]*"code":"InvalidInput"/);
    assert.ok(empty.includes(malformedTag('').message), empty);
    await assertStored(rowKey, etag, ',"a":1,"b":2');
  });

  conforms(148, async () => {
    for (const method of changes) {
      for (const colon of [':', '%3a', '%3A']) {
        const { rowKey, etag } = await made();
        const tag = etag.replaceAll('%3A', colon);
        const next = await assertWritten(await write(method, rowKey, '{"c":3}', { 'If-Match': tag }));
        // What is matched is still the tag: the old one does not, in this form either.
        const again = await write(method, rowKey, '{"c":4}', { 'If-Match': tag });
        await assertError(wire, again, refusals.notSatisfied);
        const unescaped = { 'If-Match': next.replaceAll('%3A', colon) };
        assert.equal((await write('DELETE', rowKey, undefined, unescaped)).status, 204);
      }
    }
  });

  conforms(149, async () => {
    for (const method of [...changes, 'DELETE']) {
      for (const Accept of ['*/*', '', 'application/atom+xml']) {
        const { rowKey, etag } = await made();
        const mismatch = await write(method, rowKey, '{}', { Accept, 'If-Match': stale });
        await assertError(wire, mismatch, { ...refusals.notSatisfied, shape: 'xml' });
        const missing = await write(method, fresh(), '{}', { Accept, 'If-Match': '*' });
        await assertError(wire, missing, { ...refusals.resourceNotFound, shape: 'xml' });
        // A success needs no format.
        const success = await write(method, rowKey, '{}', { Accept, 'If-Match': etag });
        const tag = method === 'DELETE' ? [] : [etagHeader];
        await assertAnswer(wire, success, { status: '204 No Content', headers: tag });
      }
    }
  });

  conforms(150, async () => {
    const name = await table();
    for (const [partitionKey, rowKey] of [
      ['a%2Fb', 'c'],
      ['a', 'b%2fc'],
      ['%2F', '%2F'],
      ['a%5Cb', 'c'],
      ['a', '%5C'],
    ] as const) {
      for (const method of [...changes, 'DELETE', 'GET']) {
        for (const headers of [{ ...json, 'If-Match': '*' }, json]) {
          const path = `/${name}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
          const request: RawRequest = { method, path, headers };
          const response = await wire.send(method === 'GET' ? request : { ...request, body: '{}' });
          await assertError(wire, response, notValid(querySyntax));
        }
      }
    }
  });

  conforms(151, async () => {
    for (const sign of ['SharedKey', 'SharedKeyLite'] as const) {
      const tunnelled = async (
        rowKey: string,
        body: string,
        headers: Record<string, string>,
      ): Promise<RawResponse> =>
        wire.send({
          method: 'POST',
          path: await pathOf(rowKey),
          sign,
          headers: { ...json, 'X-HTTP-Method': 'MERGE', ...headers },
          body,
        });
      const { rowKey, etag } = await made();
      const merged = await assertWritten(await tunnelled(rowKey, '{"c":3,"a":null}', { 'If-Match': etag }));
      await assertStored(rowKey, merged, ',"a":1,"b":2,"c":3');
      await assertError(
        wire,
        await tunnelled(rowKey, '{"c":4}', { 'If-Match': etag }),
        refusals.notSatisfied,
      );
      const missing = await tunnelled(fresh(), '{"c":4}', { 'If-Match': '*' });
      await assertError(wire, missing, refusals.resourceNotFound);
      const created = fresh();
      await assertStored(created, await assertWritten(await tunnelled(created, '{"n":1}', {})), ',"n":1');
    }
    const { rowKey, etag } = await made();
    const path = await pathOf(rowKey);
    const headers = {
      ...json,
      'x-ms-date': new Date().toUTCString(),
      'X-HTTP-Method': 'MERGE',
      'If-Match': '*',
    };
    const target = `/${developmentAccount.name}${path}`;
    for (const [method, status] of [
      ['MERGE', 403],
      ['POST', 204],
    ] as const) {
      const Authorization = signRequest('SharedKey', method, target, headers);
      const response = await wire.send({
        method: 'POST',
        path,
        headers: { ...headers, Authorization },
        body: '{}',
      });
      assert.equal(response.status, status, response.body);
      if (status === 403) await assertStored(rowKey, etag, ',"a":1,"b":2');
    }
  });

  conforms(152, async () => {
    const { rowKey, etag } = await made();
    const path = await pathOf(rowKey);
    const notPost = {
      status: '400 Bad Request',
      code: 'XMethodNotUsingPost',
      message: 'The request uses X-HTTP-Method with an HTTP verb other than POST.',
    };
    for (const verb of ['MERGE', 'PUT', 'DELETE', 'PATCH']) {
      const headers = { ...json, 'X-HTTP-Method': verb, 'If-Match': '*' };
      for (const address of [path, '/Tables', `/Tables('${await table()}')`, `/${await table()}()`]) {
        await assertError(wire, await wire.send({ path: address, headers }), notPost);
      }
      for (const method of ['PUT', 'MERGE', 'DELETE']) {
        await assertError(wire, await wire.send({ method, path, headers, body: '{}' }), notPost);
      }
    }
    // Of a request that is wrong in both ways the verb is told.
    const both = await wire.send({ path, headers: { 'X-HTTP-Method': 'NONSENSE' } });
    assert.equal(both.errorCode, 'XMethodIncorrectValue');
    for (const verb of ['GET', 'POST', 'OPTIONS', 'NONSENSE', 'MERG', 'ME RGE']) {
      for (const address of [path, '/Tables', `/${await table()}`, '/$batch']) {
        const headers = { ...json, 'X-HTTP-Method': verb, 'If-Match': '*' };
        await assertError(wire, await wire.send({ method: 'POST', path: address, headers, body: '{}' }), {
          status: '400 Bad Request',
          code: 'XMethodIncorrectValue',
          message: 'The specified X-HTTP-Method is invalid.',
        });
      }
    }
    await assertStored(rowKey, etag, ',"a":1,"b":2');
  });

  conforms(153, async () => {
    const { rowKey, etag } = await made();
    const missing = fresh();
    for (const tag of ['*', etag, stale]) {
      for (const method of [...changes, 'DELETE']) {
        const alone = notValid(`If-None-Match HTTP header cannot be specified for ${method} operations.`);
        for (const key of [rowKey, missing]) {
          const response = await write(method, key, '{"a":2}', { 'If-None-Match': tag });
          await assertError(wire, response, alone);
        }
        const both = await write(method, rowKey, '{"a":2}', { 'If-None-Match': tag, 'If-Match': '*' });
        await assertError(
          wire,
          both,
          notValid(
            'Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please specify either one of the headers or none of them.',
          ),
        );
      }
    }
    await assertStored(rowKey, etag, ',"a":1,"b":2');
    await assertGone(missing);
  });

  conforms(154, async () => {
    const { rowKey } = await made();
    const other = await made();
    const removed = await write('DELETE', rowKey, undefined, { 'If-Match': '*' });
    await assertAnswer(wire, removed, { status: '204 No Content' });
    await assertGone(rowKey);
    for (const ifMatch of ['*', stale]) {
      const again = await write('DELETE', rowKey, undefined, { 'If-Match': ifMatch });
      await assertError(wire, again, refusals.resourceNotFound);
    }
    await assertStored(other.rowKey, other.etag, ',"a":1,"b":2');
    const path = "/missing(PartitionKey='p',RowKey='r')";
    const noTable = await wire.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } });
    await assertError(wire, noTable, refusals.tableNotFound);
  });

  conforms(155, async () => {
    const { rowKey, etag } = await made();
    const current = await assertWritten(await write('PUT', rowKey, '{"n":1}', { 'If-Match': etag }));
    for (const tag of [etag, stale, 'W/"wrong"']) {
      const response = await write('DELETE', rowKey, undefined, { 'If-Match': tag });
      await assertError(wire, response, refusals.notSatisfied);
    }
    for (const key of [rowKey, fresh()]) {
      await assertError(wire, await write('DELETE', key), {
        status: '400 Bad Request',
        code: 'MissingRequiredHeader',
        message: "An HTTP header that's mandatory for this request is not specified.",
      });
    }
    await assertStored(rowKey, current, ',"n":1');
    const removed = await write('DELETE', rowKey, undefined, { 'If-Match': current });
    await assertAnswer(wire, removed, { status: '204 No Content' });
    await assertGone(rowKey);
  });

  conforms(156, async () => {
    for (const method of changes) {
      for (const headers of [{ 'If-Match': '*' }, {}] as Record<string, string>[]) {
        const { rowKey } = await made('');
        for (const keys of [
          '',
          `"PartitionKey":"p",`,
          `"RowKey":"${rowKey}",`,
          `"PartitionKey":"p","RowKey":"${rowKey}",`,
        ]) {
          const etag = await assertWritten(await write(method, rowKey, `{${keys}"n":1}`, headers));
          await assertStored(rowKey, etag, ',"n":1');
        }
      }
    }
    // The address is authoritative: keys of another entity in the body change nothing.
    for (const method of changes) {
      const { rowKey } = await made('');
      const body = '{"PartitionKey":"other","RowKey":"other156","n":1}';
      await assertStored(rowKey, await assertWritten(await write(method, rowKey, body)), ',"n":1');
    }
    assert.deepEqual(await wire.query(await table(), "RowKey eq 'other156'"), []);
  });
});
