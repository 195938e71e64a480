import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { developmentAccount } from '../../src/auth/accounts.ts';
import {
  type Call,
  everyCall,
  everyRefusal,
  getServiceStats,
  preflight,
  withHeaders,
  withOption,
} from '../support/calls.ts';
import { type RawRequest, type RawResponse, rawClient } from '../support/raw-client.ts';
import { freshTableName } from '../support/server.ts';
import { assertRefused, entityPath, json, noContent, useWire } from '../support/wire.ts';
import { assertAnswer, assertError, jsonType, refusals } from './answers.ts';
import { conforms } from './conforms.ts';

const account = developmentAccount.name;
const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const malformedHeader = 'The value for one of the HTTP headers is not in the correct format.';
const writesRefused = 'Write operations are not allowed.';

describe('Addressing and headers', () => {
  const wire = useWire();

  /** Sends to the account in the Host header: the path is all there is. */
  const byHost =
    (host: string) =>
    async (request: RawRequest): Promise<RawResponse> =>
      rawClient(new URL(await wire.base()).origin)(withHeaders(request, { Host: host }));
  const onSecondaryByPath = async (request: RawRequest): Promise<RawResponse> =>
    rawClient(`${new URL(await wire.base()).origin}/${account}-secondary`)(request);
  const onSecondaryByHost = byHost(`${account}-secondary.table.localhost:10002`);

  const send = async (
    { name, status, request }: Call,
    by: (request: RawRequest) => Promise<RawResponse> = wire.send,
  ): Promise<RawResponse> => {
    const response = await by(request);
    assert.equal(response.status, status, `${name}: ${response.body}`);
    return response;
  };

  /** Every operation and every kind of refusal once, each as `prepare` makes it, shown to `check`. */
  const visit = async (
    prepare: (request: RawRequest) => RawRequest,
    check: (response: RawResponse, call: Call) => void,
  ): Promise<void> => {
    const standing = await wire.createTable();
    for (const call of [...everyCall(freshTableName()), ...everyRefusal(standing)]) {
      check(await send({ ...call, request: prepare(call.request) }), call);
    }
  };
  const asIs = (request: RawRequest): RawRequest => request;

  conforms(1, async () => {
    for (const host of [
      `${account}.table.localhost`,
      `${account}.table.core.windows.net:10002`,
      `${account.toUpperCase()}.Table.LocalHost`,
    ]) {
      // What one style made, the other reads, changes and deletes.
      for (const isFirstByHost of [true, false]) {
        for (const [index, call] of everyCall(freshTableName()).entries()) {
          await send(call, (index % 2 === 0) === isFirstByHost ? byHost(host) : wire.send);
        }
      }
      const table = await wire.createTable();
      const path = entityPath(table, 'p', 'r');
      const body = '{"PartitionKey":"p","RowKey":"r","n":1}';
      const made = await byHost(host)({ method: 'POST', path: `/${table}`, headers: noContent, body });
      assert.equal(made.headers.location, `http://${host}${path}`);
      const fromPath = await wire.send({ path });
      await assertAnswer(wire, fromPath, {
        status: '200 OK',
        table,
        headers: [`etag: W/"datetime'<time>'"`],
        body: `{"odata.metadata":"<base>/$metadata#<table>/@Element","odata.etag":"W/\\"datetime'<time>'\\"","PartitionKey":"p","RowKey":"r","Timestamp":"<time>","n":1}`,
      });
      const fromHost = await byHost(host)({ path });
      assert.equal(fromHost.headers.etag, made.headers.etag);
      assert.equal(fromHost.body, fromPath.body.replace(await wire.base(), `http://${host}`));
    }
  });

  conforms(2, async () => {
    for (const write of [(name: string) => name.toUpperCase(), (name: string) => name.toLowerCase()]) {
      const table = freshTableName('MixedCase');
      for (const call of everyCall(table, write(table))) {
        const response = await send(call);
        if (call.name === 'Query Tables') assert.ok(response.body.includes(`"TableName":"${table}"`));
        if (call.name === 'Get Table ACL') assert.ok(response.body.includes('<Id>called</Id>'));
        if (call.name === 'Get Table') assert.equal(response.json().TableName, table);
      }
    }
    const table = await wire.createTable();
    await wire.insert(table.toUpperCase(), { PartitionKey: 'p', RowKey: 'upper' });
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'lower' });
    for (const name of [table, table.toUpperCase()]) {
      assert.deepEqual(
        (await wire.query(name)).map(({ RowKey }) => RowKey),
        ['lower', 'upper'],
      );
    }
    for (const tables of ['/tables', '/TABLES()', `/tAbLeS('${table}')`]) {
      assert.equal((await wire.send({ path: tables })).status, 200, tables);
    }
  });

  conforms(3, async () => {
    const ids = new Set<string>();
    let answers = 0;
    const check = ({ headers, body, status }: RawResponse): void => {
      answers++;
      const id = headers['x-ms-request-id'] as string;
      assert.match(id, guid);
      ids.add(id);
      if (status >= 400) assert.ok(body.includes(`RequestId:${id}`), body);
      assert.equal(headers['x-ms-version'], '2019-02-02');
      const date = headers.date as string;
      assert.equal(date, new Date(date).toUTCString());
      assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000, date);
      assert.match(headers.server as string, /^Windows-Azure-Table\/1\.0 \S/);
    };
    await visit(asIs, check);
    check(await wire.send({ path: '/Tables', sign: false }));
    check(await wire.send(preflight));
    check(await wire.send(getServiceStats));
    check(await onSecondaryByPath(getServiceStats));
    check(await wire.send({ path: '/Tables', headers: { Accept: '*/*' } }));
    check(await onSecondaryByPath({ method: 'DELETE', path: "/Tables('any')" }));
    check(await rawClient(`${new URL(await wire.base()).origin}/nobody`)({ path: '/Tables' }));
    const tooLarge = Buffer.alloc(4 * 1024 * 1024 + 1, ' ');
    check(await wire.send({ method: 'POST', path: '/Tables', headers: json, body: tooLarge }));
    assert.equal(ids.size, answers);
  });

  conforms(4, async () => {
    for (const version of [
      '2013-08-15',
      '2015-12-11',
      '2018-03-28',
      '2019-02-02',
      '2020-12-06',
      '2026-06-06',
    ]) {
      const headers = { 'x-ms-version': version };
      const check = (response: RawResponse): void =>
        assert.equal(response.headers['x-ms-version'], version, response.body);
      await visit(request => withHeaders(request, headers), check);
      check(await wire.send({ path: '/Tables', headers, sign: false }));
      check(await wire.send(withHeaders(preflight, headers)));
      check(await onSecondaryByPath(withHeaders(getServiceStats, headers)));
    }
    // Versions from before JSON are refused, by their own name.
    for (const version of ['2009-04-14', '2012-02-12']) {
      const response = await wire.send({ path: '/Tables', headers: { 'x-ms-version': version } });
      assertRefused(response, 415, 'JsonFormatNotSupported', 'JSON format is not supported.');
      assert.equal(response.headers['x-ms-version'], version);
    }
    const unnamed = await wire.send({ path: '/Tables', headers: { 'x-ms-version': '' } });
    assert.equal(unnamed.headers['x-ms-version'], '2026-06-06');
  });

  conforms(5, async () => {
    const name = 'x-ms-client-request-id';
    for (const id of ['9f8b6c1e-0d0b-4f3c-8c33-2f5a4f3f3b10', '{"of": a client} ~!']) {
      const echoes = (response: RawResponse): void => assert.equal(response.headers[name], id);
      await visit(request => withHeaders(request, { [name]: id }), echoes);
      for (const request of [{ path: '/Tables', sign: false } as const, preflight, getServiceStats]) {
        echoes(await wire.send(withHeaders(request, { [name]: id })));
      }
    }
    const silent = ({ headers }: RawResponse): void => assert.ok(!(name in headers));
    await visit(asIs, silent);
    for (const request of [{ path: '/Tables', sign: false } as const, preflight, getServiceStats]) {
      silent(await wire.send(request));
    }
  });

  conforms(6, async () => {
    for (const accept of ['application/json;odata=minimalmetadata', 'application/json;odata=nometadata']) {
      await visit(
        request => withHeaders(request, { Accept: accept }),
        ({ rawHeaders }, { name, surface }) => {
          const pairs = rawHeaders.map((text, index) => `${text}: ${rawHeaders[index + 1]}`);
          // The operations that speak XML alone have neither (recorded).
          assert.equal(pairs.includes('X-Content-Type-Options: nosniff'), surface === 'odata', name);
          assert.equal(pairs.includes('Cache-Control: no-cache'), surface === 'odata', name);
        },
      );
    }
  });

  conforms(7, async () => {
    for (const [accept, level] of [
      ['application/json;odata=nometadata', 'no'],
      ['application/json;odata=minimalmetadata', 'minimal'],
      ['application/json;odata=fullmetadata', 'full'],
      ['application/json', 'minimal'],
      ['application/json; odata=nometadata; streaming=true', 'no'],
      ['APPLICATION/JSON; ODATA=FULLMETADATA', 'full'],
    ] as const) {
      await visit(
        request => withHeaders(request, { Accept: accept }),
        ({ headers, body, status }, { name, surface }) => {
          if (surface === 'xml') return;
          if (status === 202)
            assert.match(headers['content-type'] as string, /^multipart\/mixed; boundary=\S+$/);
          else assert.equal(headers['content-type'], body === '' ? undefined : jsonType(level), name);
        },
      );
    }
  });

  conforms(8, async () => {
    let seen = 0;
    for (const { name, status, request } of everyCall(freshTableName())) {
      const { method = 'GET', path, headers = {}, body = '' } = request;
      const lines = Object.entries({ Accept: 'application/json', ...headers }).map(pair => pair.join(': '));
      lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
      const answer = await wire.sendBytes(await wire.signedBytes(method, path, lines, body as string));
      assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer);
      if (status !== 204) continue;
      seen++;
      const [head, ...rest] = answer.split('\r\n\r\n');
      assert.match(head as string, /^HTTP\/1\.1 204 No Content\r\n/);
      assert.deepEqual(head?.match(/^Content-Length: .*$/gim), ['Content-Length: 0'], name);
      assert.doesNotMatch(head as string, /^(?:Content-Type|Transfer-Encoding):/im);
      assert.deepEqual(rest, [''], name);
    }
    assert.equal(seen, 13);
  });

  conforms(9, async () => {
    const table = await wire.createTable();
    for (const version of [
      'bogus',
      '2019-2-2',
      '20190202',
      '2019-02-02T00:00:00Z',
      '2019-13-01',
      '02-02-2019',
      '2009-04-13',
      '0000-00-00',
      '2019-02-02, 2019-02-02',
    ]) {
      const headers = { 'x-ms-version': version };
      for (const { name, surface, request } of everyCall('neverMade', table)) {
        const response = await wire.send(withHeaders(request, headers));
        assertRefused(response, 400, 'InvalidHeaderValue', malformedHeader);
        const type = surface === 'xml' ? 'application/xml' : jsonType();
        assert.equal(response.headers['content-type'], type, name);
      }
    }
    assert.deepEqual(await wire.query(table), []);
    await assertError(wire, await wire.send({ path: "/Tables('neverMade')" }), refusals.resourceNotFound);
    for (const version of ['2016-01-01', '2099-12-31']) {
      const response = await wire.send({ path: '/Tables', headers: { 'x-ms-version': version } });
      assert.equal(response.status, 200, response.body);
      assert.equal(response.headers['x-ms-version'], version);
    }
  });

  conforms(10, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'r', n: 1 });
    const recased: readonly ((name: string) => string)[] = [
      name => name.toUpperCase(),
      name => name.toLowerCase(),
      name =>
        name.replaceAll(/./g, (letter, at) => (at % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase())),
    ];
    for (const recase of recased) {
      const ask = async (
        method: string,
        path: string,
        lines: readonly string[],
        body = '',
      ): Promise<string> => {
        const [requestLine, ...signed] = (
          await wire.signedBytes(method, path, ['x-ms-version: 2018-03-28', ...lines])
        )
          .trimEnd()
          .split('\r\n');
        const head = [...signed, `Content-Length: ${body.length}`].map(line =>
          line.replace(/^[^:]+/, recase),
        );
        return wire.sendBytes(`${requestLine}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
      };
      const inserted = await ask(
        'POST',
        `/${table}`,
        [
          'Accept: application/json;odata=nometadata',
          'Content-Type: application/json',
          'Prefer: return-no-content',
          'x-ms-client-request-id: mine',
        ],
        `{"PartitionKey":"p","RowKey":"${recase('Header')}"}`,
      );
      assert.match(inserted, /^HTTP\/1\.1 204 /, inserted);
      assert.match(inserted, /^preference-applied: return-no-content\r$/im);
      assert.match(inserted, /^x-ms-client-request-id: mine\r$/im);
      assert.match(inserted, /^x-ms-version: 2018-03-28\r$/im);
      const read = await ask('GET', `/${table}`, ['Accept: application/json;odata=nometadata']);
      assert.match(read, /\r\n\r\n\{"value":\[/);
      const path = entityPath(table, 'p', 'r');
      const stale = `If-Match: W/"datetime'2001-01-01T00%3A00%3A00Z'"`;
      const accept = 'Accept: application/json';
      assert.match(await ask('PUT', path, [accept, stale], '{}'), /^HTTP\/1\.1 412 /);
      const refused = await ask('PUT', path, [accept, 'If-None-Match: *'], '{}');
      assert.match(refused, /^HTTP\/1\.1 400 [\s\S]*"code":"InvalidInput"/);
      const tunnelled = await ask('POST', path, [accept, 'X-HTTP-Method: MERGE', 'If-Match: *'], '{"m":2}');
      assert.match(tunnelled, /^HTTP\/1\.1 204 /);
      const typed = await ask('PUT', path, [accept, 'Content-Type: text/plain'], '{}');
      assert.match(typed, /^HTTP\/1\.1 415 /);
    }
    assert.equal((await wire.query(table)).length, 4);
  });

  conforms(11, async () => {
    const table = await wire.createTable();
    for (const RowKey of ['1', '2', '3']) await wire.insert(table, { PartitionKey: 'p', RowKey, n: 1 });
    const found = async (path: string, members: number): Promise<string> => {
      const response = await wire.send({ path });
      assert.equal(response.status, 200, response.body);
      assert.equal(response.json<{ value: unknown[] }>().value.length, members, path);
      return response.body;
    };
    for (const [collection, filter, members] of [
      [`/${table}()`, "RowKey ge '2'", 2],
      [`/${table}()`, "RowKey eq '2' and n eq 1", 1],
      ['/Tables', `TableName eq '${table}'`, 1],
      ['/Tables', "TableName lt 'a'", 0],
    ] as const) {
      const value = encodeURIComponent(filter);
      const plain = await found(`${collection}?$filter=${value}`, members);
      for (const name of ['%24filter', '%24%66ilter']) {
        assert.equal(await found(`${collection}?${name}=${value}`, members), plain);
      }
    }
    const options = (dollar: string): string =>
      `/${table}?${dollar}filter=n%20eq%201&${dollar}top=2&${dollar}select=RowKey&${dollar}format=application/json;odata=nometadata`;
    assert.equal(await found(options('$'), 2), '{"value":[{"RowKey":"1"},{"RowKey":"2"}]}');
    assert.equal(await found(options('%24'), 2), '{"value":[{"RowKey":"1"},{"RowKey":"2"}]}');
  });

  conforms(12, async () => {
    const table = await wire.createTable();
    const keys = ['a b', 'a+b'];
    for (const key of keys) await wire.insert(table, { PartitionKey: key, RowKey: key, v: key });
    for (const [sent, meant] of [
      ['a+b', 'a b'],
      ['a%20b', 'a b'],
      ['a%2Bb', 'a+b'],
    ] as const) {
      const filter = `RowKey+eq+%27${sent}%27+and+(v+eq+'${sent}')`;
      const response = await wire.send({ path: `/${table}?$filter=${filter}&$select=v` });
      assert.deepEqual(
        response.json<{ value: { v: string }[] }>().value.map(({ v }) => v),
        [meant],
      );
    }
    const address = (key: string): string => `/${table}(PartitionKey='${key}',RowKey='${key}')`;
    for (const [sent, meant] of [
      ['a+b', 'a+b'],
      ['a%2Bb', 'a+b'],
      ['a%20b', 'a b'],
    ] as const) {
      assert.equal((await wire.send({ path: address(sent) })).json().v, meant);
    }
    const body = '{"v":"written"}';
    await wire.send({ method: 'PUT', path: address('a+b'), headers: json, body });
    assert.deepEqual(
      (await wire.query(table)).map(({ RowKey, v }) => [RowKey, v]),
      [
        ['a b', 'a b'],
        ['a+b', 'written'],
      ],
    );
    await wire.send({ method: 'DELETE', path: address('a+b'), headers: { 'If-Match': '*' } });
    assert.deepEqual(
      (await wire.query(table)).map(({ RowKey }) => RowKey),
      ['a b'],
    );
  });

  conforms(13, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'r', n: 1 });
    await wire.insert(table, { PartitionKey: 'p', RowKey: 's', n: 1 });
    const state = async (): Promise<string> =>
      [
        (await wire.send({ path: '/Tables' })).body,
        (await wire.send({ path: `/${table}?comp=acl` })).body,
        JSON.stringify(await wire.query(table)),
      ].join('\n');
    const before = await state();
    for (const by of [onSecondaryByPath, onSecondaryByHost]) {
      for (const call of everyCall(table)) {
        if ((call.request.method ?? 'GET') === 'GET') {
          const response = await send(call, by);
          const primary = await wire.send(call.request);
          const own = response.body.replaceAll(/http:[^"]*\$metadata/g, '');
          assert.equal(own, primary.body.replaceAll(/http:[^"]*\$metadata/g, ''));
          assert.equal(response.headers.etag, primary.headers.etag);
          continue;
        }
        const response = await by(call.request);
        if (call.surface === 'xml') {
          assertRefused(response, 403, 'WriteOperationNotSupportedOnSecondary', writesRefused);
          continue;
        }
        const preference = call.request.headers?.Prefer;
        await assertError(wire, response, {
          status: '403 Forbidden',
          code: 'WriteOperationNotSupportedOnSecondary',
          message: writesRefused,
          headers: preference === undefined ? [] : [`preference-applied: ${preference}`],
        });
      }
    }
    assert.equal((await onSecondaryByPath(getServiceStats)).status, 200);
    assert.equal((await onSecondaryByHost(getServiceStats)).status, 200);
    assert.equal(await state(), before);
  });

  conforms(14, async () => {
    for (const option of ['whatever=1', '_=%20&&=x', 'filter=a%20b%20c', 'a']) {
      const table = freshTableName();
      for (const call of everyCall(table)) {
        const response = await send({ ...call, request: withOption(call.request, option) });
        if (call.status !== 200) continue;
        assert.equal(response.body, (await wire.send(call.request)).body, `${call.name} with ${option}`);
      }
      assert.equal((await onSecondaryByPath(withOption(getServiceStats, option))).status, 200);
    }
  });

  conforms(15, async () => {
    for (const option of ['timeout=30', 'Timeout=30', 'timeout=90&timeout=30']) {
      for (const call of everyCall(freshTableName())) {
        await send({ ...call, request: withOption(call.request, option) });
      }
      assert.equal((await onSecondaryByPath(withOption(getServiceStats, option))).status, 200);
      const { errorCode } = await wire.send(withOption(preflight, option));
      assert.equal(errorCode, 'CorsPreflightFailure');
    }
  });
});
