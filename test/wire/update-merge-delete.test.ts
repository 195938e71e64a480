import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTicks } from '../../src/ticks.ts';
import type { RawRequest, RawResponse } from '../support/raw-client.ts';
import { assertRefused, entityPath, invalid, json, unreadable, useTable, useWire } from '../support/wire.ts';

const notSatisfied = 'The update condition specified in the request was not satisfied.';
const notFound = 'The specified resource does not exist.';

describe('Update, merge and delete on the wire', () => {
  const wire = useWire();
  let rows = 0;
  const { table } = useTable(wire);
  const fresh = (): string => `r${++rows}`;
  const pathOf = async (rowKey: string): Promise<string> => entityPath(await table(), 'p', rowKey);
  const write = async (
    method: string,
    rowKey: string,
    body: string | undefined,
    headers: Record<string, string> = {},
  ): Promise<RawResponse> =>
    wire.send({
      method,
      path: await pathOf(rowKey),
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const read = async (rowKey: string): Promise<RawResponse> => wire.send({ path: await pathOf(rowKey) });
  /** The custom properties as stored, with their types. */
  const stored = async (rowKey: string): Promise<Record<string, unknown>> => {
    const response = await read(rowKey);
    assert.equal(response.status, 200, response.body);
    const entity = response.json();
    for (const name of ['odata.metadata', 'odata.etag', 'PartitionKey', 'RowKey', 'Timestamp'])
      delete entity[name];
    return entity;
  };
  /** A fresh entity with these members: its row key and its ETag. */
  const made = async (members = '"a":1,"b":2'): Promise<{ rowKey: string; etag: string }> => {
    const rowKey = fresh();
    const etag = await wire.insert(await table(), `{"PartitionKey":"p","RowKey":"${rowKey}",${members}}`);
    return { rowKey, etag };
  };
  const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;

  describe('each of the four verbs', () => {
    for (const method of ['PUT', 'PATCH', 'MERGE']) {
      it(`${method} with a star answers 204 and a new ETag`, async () => {
        const { rowKey, etag } = await made();
        const response = await write(method, rowKey, '{"c":3}', { 'If-Match': '*' });
        assert.equal(response.status, 204);
        assert.equal(response.body, '');
        assert.equal(response.headers['content-length'], '0');
        assert.match(response.headers.etag as string, /^W\/"datetime'[^"]+'"$/);
        assert.notEqual(response.headers.etag, etag);
        assert.equal((await read(rowKey)).headers.etag, response.headers.etag);
        for (const absent of ['location', 'dataserviceid', 'preference-applied']) {
          assert.equal(response.headers[absent], undefined);
        }
      });

      it(`${method} with the current ETag succeeds, and then with the old one does not`, async () => {
        const { rowKey, etag } = await made();
        assert.equal((await write(method, rowKey, '{"c":3}', { 'If-Match': etag })).status, 204);
        const again = await write(method, rowKey, '{"c":4}', { 'If-Match': etag });
        assertRefused(again, 412, 'UpdateConditionNotSatisfied', notSatisfied);
        assert.equal((await stored(rowKey)).c, 3);
      });

      it(`${method} with a condition finds no missing entity`, async () => {
        for (const ifMatch of ['*', stale, 'W/"wrong"']) {
          const response = await write(method, fresh(), '{}', { 'If-Match': ifMatch });
          assertRefused(response, 404, 'ResourceNotFound', notFound);
        }
      });

      it(`${method} without a condition creates the entity or changes it`, async () => {
        const rowKey = fresh();
        const created = await write(method, rowKey, '{"a":1}');
        assert.equal(created.status, 204);
        assert.deepEqual(await stored(rowKey), { a: 1 });
        const changed = await write(method, rowKey, '{"b":2}');
        assert.notEqual(changed.headers.etag, created.headers.etag);
        assert.deepEqual(await stored(rowKey), method === 'PUT' ? { b: 2 } : { a: 1, b: 2 });
      });

      it(`${method} finds no missing table, with a condition or without`, async () => {
        for (const headers of [json, { ...json, 'If-Match': '*' }]) {
          assertRefused(
            await wire.send({ method, path: entityPath('missing', 'p', 'r'), headers, body: '{}' }),
            404,
            'TableNotFound',
            'The table specified does not exist.',
          );
        }
      });

      it(`${method} is tunnelled through POST`, async () => {
        const { rowKey, etag } = await made();
        const headers = { 'X-HTTP-Method': method.toLowerCase(), 'If-Match': etag };
        assert.equal((await write('POST', rowKey, '{"c":3}', headers)).status, 204);
        assert.deepEqual(await stored(rowKey), method === 'PUT' ? { c: 3 } : { a: 1, b: 2, c: 3 });
      });

      it(`${method} ignores a preference`, async () => {
        const { rowKey } = await made();
        for (const preference of ['return-content', 'return-no-content']) {
          const response = await write(method, rowKey, '{}', { Prefer: preference });
          assert.equal(response.status, 204);
          assert.equal(response.headers['preference-applied'], undefined);
        }
      });

      it(`${method} needs no Accept, and shows its errors in XML then`, async () => {
        const { rowKey } = await made();
        for (const accept of ['', '*/*', 'application/atom+xml']) {
          assert.equal((await write(method, rowKey, '{}', { Accept: accept })).status, 204);
          const response = await write(method, rowKey, '{}', { Accept: accept, 'If-Match': stale });
          assertRefused(response, 412, 'UpdateConditionNotSatisfied', notSatisfied);
          assert.equal(response.headers['content-type'], 'application/xml;charset=utf-8');
          assert.match(response.body, /<error xmlns="[^"]+"><code>UpdateConditionNotSatisfied<\/code>/);
        }
        assertRefused(
          await write(method, fresh(), '{}', { Accept: '*/*', 'If-Match': '*' }),
          404,
          'ResourceNotFound',
        );
      });

      it(`${method} checks the body before it looks for the entity`, async () => {
        for (const [body, code, message] of [
          ['{', 'InvalidInput', unreadable],
          ['{"a@odata.type":"Edm.Int32","a":2147483648}', 'InvalidInput', unreadable],
          ['{"a-b":1}', 'PropertyNameInvalid', 'The property name is invalid.'],
          ['{"a":1,"a":2}', 'DuplicatePropertiesSpecified', 'A property is specified more than one time.'],
          ['{"PartitionKey":1}', 'InvalidInput', invalid],
        ] as const) {
          assertRefused(await write(method, fresh(), body, { 'If-Match': '*' }), 400, code, message);
        }
      });

      it(`${method} takes no body that is not JSON`, async () => {
        const type = { 'Content-Type': 'application/atom+xml' };
        assertRefused(await write(method, fresh(), '<entry/>', type), 415, 'AtomFormatNotSupported');
        assertRefused(
          await write(method, fresh(), '{}', { 'Content-Type': 'text/html' }),
          415,
          'MediaTypeNotSupported',
        );
      });

      it(`${method} tells a wrong type before a malformed condition`, async () => {
        const { rowKey, etag } = await made();
        const condition = { 'If-Match': 'abc' };
        assertRefused(await write(method, rowKey, '{}', condition), 400, 'InvalidInput');
        for (const [type, code] of [
          ['text/html', 'MediaTypeNotSupported'],
          ['application/atom+xml', 'AtomFormatNotSupported'],
        ] as const) {
          assertRefused(await write(method, rowKey, '{}', { ...condition, 'Content-Type': type }), 415, code);
        }
        assert.equal((await read(rowKey)).headers.etag, etag);
      });

      it(`${method} refuses keys that are too long`, async () => {
        const name = await table();
        const send = (partitionKey: string, rowKey: string): Promise<RawResponse> =>
          wire.send({ method, path: entityPath(name, partitionKey, rowKey), headers: json, body: '{}' });
        const longest = 'k'.repeat(1024);
        assert.equal((await send(longest, longest)).status, 204);
        assertRefused(await send(`${longest}k`, 'r'), 400, 'PropertyValueTooLarge');
        assertRefused(await send('p', `${longest}k`), 400, 'PropertyValueTooLarge');
        assertRefused(await send('é'.repeat(1024), '日'.repeat(185)), 400, 'KeyValueTooLarge');
      });
    }

    it('DELETE with a star answers 204 without an ETag, the second time 404', async () => {
      const { rowKey } = await made();
      const response = await write('DELETE', rowKey, undefined, { 'If-Match': '*' });
      assert.equal(response.status, 204);
      assert.equal(response.body, '');
      assert.equal(response.headers.etag, undefined);
      assert.equal(response.headers['content-length'], '0');
      assertRefused(await read(rowKey), 404, 'ResourceNotFound');
      const again = await write('DELETE', rowKey, undefined, { 'If-Match': '*' });
      assertRefused(again, 404, 'ResourceNotFound', notFound);
    });

    it('DELETE with a stale ETag answers 412 and with the current one 204', async () => {
      const { rowKey, etag } = await made();
      assertRefused(
        await write('DELETE', rowKey, undefined, { 'If-Match': stale }),
        412,
        'UpdateConditionNotSatisfied',
        notSatisfied,
      );
      assert.equal((await write('DELETE', rowKey, undefined, { 'If-Match': etag })).status, 204);
    });

    it('DELETE needs a condition', async () => {
      const { rowKey } = await made();
      assertRefused(
        await write('DELETE', rowKey, undefined),
        400,
        'MissingRequiredHeader',
        "An HTTP header that's mandatory for this request is not specified.",
      );
      assert.equal((await read(rowKey)).status, 200);
    });

    it('DELETE finds no missing table', async () => {
      const path = entityPath('missing', 'p', 'r');
      assertRefused(
        await wire.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } }),
        404,
        'TableNotFound',
      );
    });

    it('DELETE takes any Accept, any type, and a body that it does not read', async () => {
      for (const headers of [{ Accept: '' }, { Accept: '*/*' }, { 'Content-Type': 'application/atom+xml' }]) {
        const { rowKey } = await made();
        const response = await write('DELETE', rowKey, 'whatever', { ...headers, 'If-Match': '*' });
        assert.equal(response.status, 204);
      }
    });
  });

  describe('replacing and merging', () => {
    it('a replacement drops what it does not mention', async () => {
      const { rowKey } = await made('"a":1,"b":"x","c":true');
      await write('PUT', rowKey, '{"b":"y"}', { 'If-Match': '*' });
      assert.deepEqual(await stored(rowKey), { b: 'y' });
      await write('PUT', rowKey, '{}', { 'If-Match': '*' });
      assert.deepEqual(await stored(rowKey), {});
    });

    for (const method of ['PATCH', 'MERGE']) {
      it(`${method} keeps what it does not mention, and null changes nothing`, async () => {
        const { rowKey } = await made('"a":1,"b":2,"c":3');
        await write(method, rowKey, '{"b":null,"c":30,"d":null,"e":5}', { 'If-Match': '*' });
        assert.deepEqual(await stored(rowKey), { a: 1, b: 2, c: 30, e: 5 });
      });

      it(`${method} may change the type of a property`, async () => {
        const { rowKey } = await made('"a":1,"b":"7","b@odata.type":"Edm.Int64"');
        await write(method, rowKey, '{"a":"one","b":7.0}', { 'If-Match': '*' });
        const body = (await read(rowKey)).body;
        assert.ok(body.endsWith(',"a":"one","b":7.0}'), body);
      });

      it(`${method} keeps properties in their place and puts new ones last`, async () => {
        const { rowKey } = await made('"z":1,"y":2,"x":3');
        await write(method, rowKey, '{"new":4,"y":20}', { 'If-Match': '*' });
        assert.ok((await read(rowKey)).body.endsWith(',"z":1,"y":20,"x":3,"new":4}'));
      });

      it(`${method} of nothing still is a write`, async () => {
        const { rowKey } = await made();
        const before = await read(rowKey);
        for (const body of ['{}', `{"PartitionKey":"p","RowKey":"${rowKey}"}`, '{"a":null}', '']) {
          const response = await write(method, rowKey, body, { 'If-Match': '*' });
          assert.equal(response.status, 204, body);
          const after = await read(rowKey);
          assert.notEqual(after.headers.etag, before.headers.etag);
          assert.ok((after.json().Timestamp as string) !== (before.json().Timestamp as string));
          assert.deepEqual(await stored(rowKey), { a: 1, b: 2 });
        }
      });

      it(`${method} is held to the limits of an entity by what comes of it`, async () => {
        const members = (from: number, count: number): string =>
          Array.from({ length: count }, (_, index) => `"p${from + index}":1`).join();
        const { rowKey } = await made(members(0, 200));
        for (const headers of [{ 'If-Match': '*' }, {}]) {
          const response = await write(method, rowKey, `{${members(200, 53)}}`, headers);
          assertRefused(response, 400, 'TooManyProperties');
        }
        assert.equal((await write(method, rowKey, `{${members(148, 104)}}`)).status, 204);
        assert.equal(Object.keys(await stored(rowKey)).length, 252);
      });

      it(`${method} may not make an entity larger than 1 MiB`, async () => {
        const half = Array.from({ length: 9 }, (_, index) => `"p${index}":"${'x'.repeat(32_000)}"`).join();
        const { rowKey, etag } = await made(half);
        const response = await write(method, rowKey, `{${half.replaceAll('"p', '"q')}}`);
        assertRefused(response, 400, 'EntityTooLarge');
        assert.equal((await read(rowKey)).headers.etag, etag);
        assert.equal((await write(method, rowKey, `{${half.replaceAll('x', 'y')}}`)).status, 204);
      });
    }

    it('the keys of the address count, those of the body need not be there', async () => {
      for (const method of ['PUT', 'MERGE']) {
        const rowKey = fresh();
        const response = await write(method, rowKey, '{"PartitionKey":"other","RowKey":"other","a":1}');
        assert.equal(response.status, 204);
        assert.deepEqual(await stored(rowKey), { a: 1 });
        assertRefused(
          await wire.send({ path: entityPath(await table(), 'other', 'other') }),
          404,
          'ResourceNotFound',
        );
      }
    });

    it('a write ignores what the service itself writes', async () => {
      const rowKey = fresh();
      await write('PUT', rowKey, '{"odata.etag":"x","Timestamp":"0001-01-01T00:00:00Z","a":1}');
      assert.deepEqual(await stored(rowKey), { a: 1 });
    });

    it('a Timestamp never stands still', async () => {
      const rowKey = fresh();
      let last = 0n;
      for (let n = 0; n < 50; n++) {
        await write(n % 2 === 0 ? 'PUT' : 'MERGE', rowKey, `{"n":${n}}`);
        const tick = parseTicks((await read(rowKey)).json().Timestamp as string) as bigint;
        assert.ok(tick > last, `${tick} after ${last}`);
        last = tick;
      }
    });
  });

  describe('conditions', () => {
    const invalidTag = (value: string): string =>
      `The etag value '${value}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.`;

    it('may have any case of W, and colons unescaped', async () => {
      for (const form of [
        (tag: string) => tag.replace('W/', 'w/'),
        (tag: string) => tag.replaceAll('%3A', ':'),
        (tag: string) => tag.replaceAll('%3A', '%3a'),
        (tag: string) => `  ${tag} `,
        (tag: string) => tag.replace(/(?:\.\d+)?Z/, part => `.${part.slice(1, -1).padEnd(7, '0')}Z`),
      ]) {
        const { rowKey, etag } = await made();
        const response = await write('PUT', rowKey, '{}', { 'If-Match': form(etag) });
        assert.equal(response.status, 204, form(etag));
      }
    });

    it('are a mismatch where the tag is well-formed and another', async () => {
      const { rowKey } = await made();
      for (const tag of [
        'W/"wrong"',
        'W/""',
        stale,
        `W/"datetime'never'"`,
        `W/"datetime'2001-13-01T00%3A00%3A00Z'"`,
      ]) {
        for (const method of ['PUT', 'PATCH', 'MERGE', 'DELETE']) {
          assertRefused(
            await write(method, rowKey, '{}', { 'If-Match': tag }),
            412,
            'UpdateConditionNotSatisfied',
            notSatisfied,
          );
        }
      }
    });

    it('are refused where the tag is malformed', async () => {
      const { rowKey, etag } = await made();
      for (const tag of [
        'abc',
        '"strong"',
        etag.slice(2),
        `${etag}, ${etag}`,
        '*, *',
        'W/abc',
        'W/"a',
        '**',
        `${etag}x`,
      ]) {
        for (const method of ['PUT', 'PATCH', 'MERGE', 'DELETE']) {
          const response = await write(method, rowKey, '{}', { 'If-Match': tag });
          assertRefused(response, 400, 'InvalidInput', invalidTag(tag));
        }
      }
      assert.equal((await read(rowKey)).headers.etag, etag);
    });

    it('are refused where the header is empty', async () => {
      const { rowKey } = await made();
      const lines = ['Accept: application/json', 'If-Match:', 'Content-Length: 2'];
      const response = await wire.sendBytes(await wire.signedBytes('PUT', await pathOf(rowKey), lines, '{}'));
      assert.match(response, /^HTTP\/1\.1 400 /);
      assert.ok(response.includes(`"code":"InvalidInput"`), response);
      assert.ok(response.includes(invalidTag('')), response);
    });

    it('may not be If-None-Match', async () => {
      const { rowKey, etag } = await made();
      for (const method of ['PUT', 'DELETE']) {
        for (const tag of ['*', etag]) {
          assertRefused(
            await write(method, rowKey, '{}', { 'If-None-Match': tag }),
            400,
            'InvalidInput',
            `If-None-Match HTTP header cannot be specified for ${method} operations.`,
          );
        }
        assertRefused(
          await write(method, rowKey, '{}', { 'If-None-Match': '*', 'If-Match': '*' }),
          400,
          'InvalidInput',
          'Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please specify either one of the headers or none of them.',
        );
      }
      for (const method of ['PATCH', 'MERGE']) {
        assertRefused(
          await write(method, rowKey, '{}', { 'If-None-Match': '*' }),
          400,
          'InvalidInput',
          `If-None-Match HTTP header cannot be specified for ${method} operations.`,
        );
      }
      assert.equal((await read(rowKey)).headers.etag, etag);
    });

    it('let exactly one of several racing updates with one ETag succeed', async () => {
      for (const methods of [
        ['PUT', 'PUT', 'PUT'],
        ['MERGE', 'PATCH', 'PUT'],
        ['DELETE', 'DELETE', 'DELETE'],
      ]) {
        const { rowKey, etag } = await made();
        const responses = await Promise.all(
          methods.map((method, n) => write(method, rowKey, `{"winner":${n}}`, { 'If-Match': etag })),
        );
        const statuses = responses.map(({ status }) => status).sort();
        assert.deepEqual(statuses, methods[0] === 'DELETE' ? [204, 404, 404] : [204, 412, 412]);
        if (methods[0] === 'DELETE') continue;
        const winner = responses.findIndex(({ status }) => status === 204);
        assert.equal((await stored(rowKey)).winner, winner);
      }
    });
  });

  describe('tunnelling', () => {
    it('deletes', async () => {
      const { rowKey } = await made();
      const headers = { 'X-HTTP-Method': 'DELETE', 'If-Match': '*' };
      assert.equal((await write('POST', rowKey, undefined, headers)).status, 204);
      assertRefused(await read(rowKey), 404, 'ResourceNotFound');
    });

    it('takes four verbs only', async () => {
      const { rowKey } = await made();
      for (const verb of ['GET', 'POST', 'OPTIONS', 'NONSENSE', 'ME RGE']) {
        assertRefused(
          await write('POST', rowKey, '{}', { 'X-HTTP-Method': verb }),
          400,
          'XMethodIncorrectValue',
          'The specified X-HTTP-Method is invalid.',
        );
      }
    });

    it('takes one verb only', async () => {
      const { rowKey } = await made();
      for (const verbs of ['MERGE,MERGE', 'PUT, DELETE']) {
        assertRefused(
          await write('POST', rowKey, '{}', { 'X-HTTP-Method': verbs }),
          400,
          'XMethodIncorrectCount',
          'More than one X-HTTP-Method is specified.',
        );
      }
    });

    it('uses POST', async () => {
      const { rowKey } = await made();
      const requests: RawRequest[] = [
        { method: 'GET', path: await pathOf(rowKey) },
        { method: 'PUT', path: await pathOf(rowKey), body: '{}' },
        { method: 'DELETE', path: await pathOf(rowKey) },
        { method: 'GET', path: '/Tables' },
      ];
      for (const request of requests) {
        assertRefused(
          await wire.send({ ...request, headers: { ...json, 'X-HTTP-Method': 'MERGE', 'If-Match': '*' } }),
          400,
          'XMethodNotUsingPost',
          'The request uses X-HTTP-Method with an HTTP verb other than POST.',
        );
      }
    });

    it('is not how a POST to an entity is meant otherwise', async () => {
      const { rowKey } = await made();
      assertRefused(
        await write('POST', rowKey, '{}'),
        405,
        'MethodNotAllowed',
        'The requested method is not allowed on the specified resource.',
      );
    });
  });
});
