import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { mask } from '../support/golden.ts';
import type { RawResponse } from '../support/raw-client.ts';
import { assertRefused, entityPath, json, useWire } from '../support/wire.ts';
import { assertAnswer, assertXmlAnswer, entityBody, jsonType } from './answers.ts';
import { conforms } from './conforms.ts';

const origin = 'http://www.contoso.com';
const other = 'https://www.fabrikam.com';

interface Rule {
  readonly origins?: string;
  readonly methods?: string;
  readonly headers?: string;
  readonly exposed?: string;
  readonly seconds?: number;
}

function formatRule({
  origins = origin,
  methods = 'GET,PUT',
  headers = '',
  exposed = '',
  seconds = 60,
}: Rule): string {
  return `<CorsRule><AllowedOrigins>${origins}</AllowedOrigins><AllowedMethods>${methods}</AllowedMethods><AllowedHeaders>${headers}</AllowedHeaders><ExposedHeaders>${exposed}</ExposedHeaders><MaxAgeInSeconds>${seconds}</MaxAgeInSeconds></CorsRule>`;
}

describe('Cross-origin requests', () => {
  const wire = useWire();
  const setRules = async (...rules: readonly Rule[]): Promise<void> => {
    const { status } = await wire.send({
      method: 'PUT',
      path: '/?restype=service&comp=properties',
      body: `<StorageServiceProperties><Cors>${rules.map(formatRule).join('')}</Cors></StorageServiceProperties>`,
    });
    assert.equal(status, 202);
  };
  /** As a browser asks: without credentials. */
  const preflight = (
    headers: Record<string, string>,
    path = '/mytable',
    authorization = '',
  ): Promise<RawResponse> =>
    wire.send({
      method: 'OPTIONS',
      path,
      sign: false,
      headers: { Accept: '*/*', ...(authorization && { Authorization: authorization }), ...headers },
    });
  const asked = (headers = '', method = 'PUT', from = origin): Record<string, string> => ({
    Origin: from,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': headers,
  });
  const assertAllowed = async (headers: string, method = 'PUT', from = origin): Promise<void> => {
    const response = await preflight(asked(headers, method, from));
    assert.equal(response.status, 200, `${from} ${method} ${headers}: ${response.body}`);
  };
  const notAllowed = 'CORS not enabled or no matching rule found for this request.';
  const assertNotAllowed = async (headers: string, method = 'PUT', from = origin): Promise<void> => {
    const response = await preflight(asked(headers, method, from));
    assertRefused(response, 403, 'CorsPreflightFailure', notAllowed);
    for (const name in response.headers) assert.ok(!name.startsWith('access-control-'), name);
  };
  const corsOf = ({ headers }: RawResponse): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(headers).filter(([name]) => name === 'vary' || name.startsWith('access-control-')),
    );

  conforms(91, async () => {
    await setRules(
      { origins: other, headers: '*', seconds: 1 },
      { origins: `http://a,${origin}`, headers: 'content-type,accept,x-ms-*', seconds: 60 },
      { origins: '*', methods: 'GET,PUT,MERGE', headers: '*', seconds: 3 },
    );
    const requested = 'content-type,accept,x-ms-date';
    await assertXmlAnswer(wire, await preflight(asked(requested)), {
      status: '200 OK',
      headers: [
        `access-control-allow-origin: ${origin}`,
        'access-control-allow-methods: PUT',
        `access-control-allow-headers: ${requested}`,
        'access-control-max-age: 60',
        'access-control-allow-credentials: true',
      ],
    });
    for (const [headers, method, from, seconds] of [
      ['', 'PUT', origin, '60'],
      ['', 'GET', 'http://a', '60'],
      ['other', 'GET', origin, '3'],
      ['', 'MERGE', origin, '3'],
      ['anything', 'PUT', other, '1'],
      ['', 'GET', 'http://somewhere', '3'],
    ] as const) {
      const response = await preflight(asked(headers, method, from));
      assert.equal(response.status, 200);
      assert.equal(response.headers['access-control-max-age'], seconds, `${method} ${from} ${headers}`);
      assert.equal(response.headers['access-control-allow-origin'], from);
      assert.equal(response.headers['access-control-allow-methods'], method);
    }
  });

  conforms(92, async () => {
    await setRules();
    await assertNotAllowed('');
    await setRules({ headers: 'content-type' });
    await assertAllowed('content-type');
    await assertNotAllowed('content-type', 'PUT', other);
    await assertNotAllowed('content-type', 'PUT', `${origin}:8080`);
    await assertNotAllowed('content-type', 'PUT', 'https://www.contoso.com');
    await assertNotAllowed('content-type', 'DELETE');
    await assertNotAllowed('accept');
    await assertNotAllowed('content-type,accept');
    await setRules({ methods: 'PUT', headers: '' }, { methods: 'GET', headers: 'accept' });
    await assertAllowed('');
    await assertAllowed('accept', 'GET');
    await assertNotAllowed('accept', 'PUT');
  });

  conforms(93, async () => {
    for (const rules of [[], [{ origins: '*', headers: '*' }]]) {
      await setRules(...rules);
      for (const headers of [
        { 'Access-Control-Request-Method': 'PUT' },
        { Origin: origin },
        { Origin: origin, 'Access-Control-Request-Headers': 'accept' },
        {},
      ]) {
        const message = 'A required CORS header is not present.';
        assertRefused(await preflight(headers), 400, 'InvalidHeaderValue', message);
      }
    }
  });

  conforms(94, async () => {
    await setRules({ headers: 'x-ms-meta-xyz,x-ms-meta-data*,X-Ms-Other*' });
    for (const headers of [
      'x-ms-meta-data-foo',
      'x-ms-meta-data',
      'X-MS-Meta-Data-Foo',
      ' x-ms-meta-data-foo , x-ms-meta-xyz ',
      'x-ms-meta-xyz,x-ms-meta-data1,x-ms-meta-data2,x-ms-other-1',
    ]) {
      await assertAllowed(headers);
    }
    for (const headers of [
      'x-ms-meta-dat',
      'x-ms-meta-xyz-foo',
      'a-x-ms-meta-data',
      'x-ms-meta-data-foo,accept',
    ]) {
      await assertNotAllowed(headers);
    }
    await setRules({ headers: '*' });
    await assertAllowed('x-ms-meta-dat,accept,anything');
  });

  conforms(95, async () => {
    await setRules({ headers: '*' });
    const table = await wire.createTable();
    for (const path of [
      `/${table}`,
      '/missing',
      '/missing()?$filter=a%20eq%201',
      entityPath('missing', 'p', 'r'),
      '/Tables',
      '/$batch',
      '/',
    ]) {
      for (const authorization of ['', 'SharedKeyLite devstoreaccount1:AAAA', 'Bearer x', 'nonsense']) {
        const response = await preflight(asked('accept'), path, authorization);
        assert.equal(response.status, 200, `${path} ${authorization}: ${response.body}`);
        assert.equal(response.headers['access-control-allow-origin'], origin);
      }
    }
  });

  conforms(96, async () => {
    const table = await wire.createTable();
    const etag = await wire.insert(table, { PartitionKey: 'p', RowKey: 'r' });
    const path = entityPath(table, 'p', 'r');
    const get = (from = origin): Promise<RawResponse> => wire.send({ path, headers: { Origin: from } });
    await setRules({ exposed: 'x-ms-meta-abc,ETag', methods: 'GET,POST' });
    const shown = await entityBody(wire, { table, partitionKey: 'p', rowKey: 'r', etag }, '');
    const body = mask(shown, await wire.base()).replaceAll(table, '<table>');
    const etagHeader = `etag: W/"datetime'<time>'"`;
    await assertAnswer(wire, await get(), {
      status: '200 OK',
      headers: [
        etagHeader,
        `access-control-allow-origin: ${origin}`,
        'access-control-expose-headers: x-ms-meta-abc,ETag',
        'access-control-allow-credentials: true',
        'vary: Origin',
      ],
      body,
      table,
    });
    const explicit = {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'x-ms-meta-abc,ETag',
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    };
    const missing = await wire.send({ path: '/missing()', headers: { Origin: origin } });
    assert.equal(missing.status, 404);
    assert.deepEqual(corsOf(missing), explicit);
    const inserted = await wire.send({
      method: 'POST',
      path: `/${table}`,
      headers: { ...json, Origin: origin, 'x-not-listed': 'headers are not checked again' },
      body: '{"PartitionKey":"p","RowKey":"s"}',
    });
    assert.equal(inserted.status, 201);
    assert.deepEqual(corsOf(inserted), explicit);

    const foreign = await get(other);
    assert.equal(foreign.status, 200);
    assert.deepEqual(corsOf(foreign), { vary: 'Origin' });
    const deleted = await wire.send({
      method: 'DELETE',
      path: entityPath(table, 'p', 's'),
      headers: { Origin: origin, 'If-Match': '*' },
    });
    assert.equal(deleted.status, 204, 'a method that is not listed does not fail');
    assert.equal(corsOf(deleted)['access-control-allow-origin'], undefined);

    await setRules({ origins: '*', exposed: '*' });
    const open = await get(other);
    const { 'access-control-expose-headers': exposed, ...rest } = corsOf(open);
    assert.deepEqual(rest, { 'access-control-allow-origin': '*' });
    const own = [
      'x-ms-request-id',
      'Server',
      'x-ms-version',
      'X-Content-Type-Options',
      'Cache-Control',
      'ETag',
      'Content-Type',
      'Content-Length',
      'Date',
    ];
    assert.deepEqual((exposed as string).split(',').sort(), own.sort());
    assert.equal(open.headers['content-type'], jsonType());

    await setRules();
    assert.deepEqual(corsOf(await get()), {});
  });

  conforms(97, async () => {
    const table = await wire.createTable();
    const query = async (headers: Record<string, string> = {}): Promise<Record<string, unknown>> => {
      const response = await wire.send({ path: `/${table}()`, headers });
      assert.equal(response.status, 200);
      return corsOf(response);
    };
    await setRules();
    assert.deepEqual(await query(), {});
    await setRules({ methods: 'GET' });
    assert.deepEqual(await query(), { vary: 'Origin' });
    assert.deepEqual(await query({ Origin: other }), { vary: 'Origin' });
    await setRules({ methods: 'PUT' }, { origins: other, methods: 'GET' });
    assert.deepEqual(await query(), { vary: 'Origin' });
    const missing = await wire.send({ path: '/missing()' });
    assert.deepEqual([missing.status, corsOf(missing)], [404, { vary: 'Origin' }]);
    const posted = await wire.send({
      method: 'POST',
      path: `/${table}`,
      headers: json,
      body: '{"PartitionKey":"p","RowKey":"r"}',
    });
    assert.deepEqual([posted.status, corsOf(posted)], [201, {}]);
    await setRules({ origins: '*' });
    assert.equal((await query()).vary, undefined, 'no answer depends on the origin');
  });
});
