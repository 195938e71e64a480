import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
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
      it(`${method} with a condition finds no missing entity`, async () => {
        for (const ifMatch of ['*', stale, 'W/"wrong"']) {
          const response = await write(method, fresh(), '{}', { 'If-Match': ifMatch });
          assertRefused(response, 404, 'ResourceNotFound', notFound);
        }
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

    it('DELETE takes any Accept, any type, and a body that it does not read', async () => {
      for (const headers of [{ Accept: '' }, { Accept: '*/*' }, { 'Content-Type': 'application/atom+xml' }]) {
        const { rowKey } = await made();
        const response = await write('DELETE', rowKey, 'whatever', { ...headers, 'If-Match': '*' });
        assert.equal(response.status, 204);
      }
    });
  });

  describe('replacing and merging', () => {
    for (const method of ['PATCH', 'MERGE']) {
      it(`${method} may not make an entity larger than 1 MiB`, async () => {
        const half = Array.from({ length: 9 }, (_, index) => `"p${index}":"${'x'.repeat(32_000)}"`).join();
        const { rowKey, etag } = await made(half);
        const response = await write(method, rowKey, `{${half.replaceAll('"p', '"q')}}`);
        assertRefused(response, 400, 'EntityTooLarge');
        assert.equal((await read(rowKey)).headers.etag, etag);
        assert.equal((await write(method, rowKey, `{${half.replaceAll('x', 'y')}}`)).status, 204);
      });
    }

    it('a write ignores what the service itself writes', async () => {
      const rowKey = fresh();
      await write('PUT', rowKey, '{"odata.etag":"x","Timestamp":"0001-01-01T00:00:00Z","a":1}');
      assert.deepEqual(await stored(rowKey), { a: 1 });
    });
  });

  describe('conditions', () => {
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
