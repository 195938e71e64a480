import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { developmentAccount } from '../../src/auth/accounts.ts';
import { type RawRequest, type RawResponse, rawClient } from '../support/raw-client.ts';
import { assertRefused, entityPath, json, noContent, querySyntax, useWire } from '../support/wire.ts';

describe('Addresses and common headers on the wire', () => {
  const wire = useWire();
  const account = developmentAccount.name;
  /** A request whose path is all there is, the account in the Host header. */
  const sendHostStyle = async (host: string, request: RawRequest): Promise<RawResponse> =>
    rawClient(new URL(await wire.base()).origin)({
      ...request,
      headers: { Host: host, ...request.headers },
    });

  describe('addressing styles', () => {
    it('takes a host of another shape for path style', async () => {
      for (const host of ['localhost', 'host.docker.internal:10002', `${account}.blob.localhost`]) {
        const response = await wire.send({ path: '/Tables', headers: { Host: host } });
        assert.equal(response.status, 200, host);
        assert.equal(response.json()['odata.metadata'], `http://${host}/${account}/$metadata#Tables`);
      }
    });

    it('answers 404 for an unknown account, in either style', async () => {
      const inPath = await sendHostStyle('localhost', { path: '/nobody/Tables' });
      assertRefused(inPath, 404, 'ResourceNotFound', 'The specified resource does not exist.');
      assert.match(inPath.body, /^<\?xml version="1.0" encoding="utf-8"\?><m:error xmlns:m=/);
      const inHost = await sendHostStyle('nobody.table.localhost', { path: '/Tables' });
      assertRefused(inHost, 404, 'ResourceNotFound');
      for (const path of ['/', '/?comp=list', '//Tables']) {
        assertRefused(await sendHostStyle('localhost', { path }), 404, 'ResourceNotFound');
      }
    });

    it('takes a request line with an absolute address', async () => {
      const { host } = new URL(await wire.base());
      const date = new Date().toUTCString();
      const response = await wire.sendBytes(
        `GET http://${host}/${account}/Tables HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nx-ms-date: ${date}\r\nConnection: close\r\n\r\n`,
      );
      // It came as far as the missing credentials: the address was understood.
      assert.match(response, /^HTTP\/1\.1 403 /);
    });
  });

  describe('table names and options', () => {
    it('counts the first of two options of one name', async () => {
      const table = await wire.createTable();
      await wire.insert(table, { PartitionKey: 'p', RowKey: '1' });
      await wire.insert(table, { PartitionKey: 'p', RowKey: '2' });
      const response = await wire.send({ path: `/${table}?$top=1&$top=2` });
      assert.equal(response.json<{ value: unknown[] }>().value.length, 1);
    });
  });

  describe('keys in addresses', () => {
    const keys: readonly [partitionKey: string, rowKey: string][] = [
      ['', ''],
      ['', 'r'],
      ["O'Hara", "''"],
      ["a',RowKey='b", 'c'],
      ['a,b=c(d)e', ')'],
      ['100%', '%20'],
      ['%2520', '%27'],
      ['a@b*c$d!e&f', '"quoted"'],
      ['München', '日本語'],
      ['\u{1f600}', 'a\u0301'],
      [' leading', 'trailing '],
      ['a+b', ';:@&=+$,'],
      ['<xml>', '[]{}|^`~'],
    ];
    for (const [partitionKey, rowKey] of keys) {
      it(`finds what was stored under ${JSON.stringify([partitionKey, rowKey])}`, async () => {
        const table = await wire.createTable();
        await wire.insert(table, { PartitionKey: partitionKey, RowKey: rowKey, found: true });
        const path = entityPath(table, partitionKey, rowKey);
        const raw = encodeURI(
          `/${table}(PartitionKey='${partitionKey.replaceAll("'", "''")}',RowKey='${rowKey.replaceAll("'", "''")}')`,
        );
        const allEncoded = path.replaceAll("'", '%27').replaceAll('(', '%28').replaceAll(')', '%29');
        for (const form of [path, raw, allEncoded]) {
          const response = await wire.send({ path: form });
          assert.equal(response.status, 200, `${form} ${response.body}`);
          const entity = response.json();
          assert.deepEqual([entity.PartitionKey, entity.RowKey, entity.found], [partitionKey, rowKey, true]);
        }
        const response = await wire.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } });
        assert.equal(response.status, 204, response.body);
      });
    }

    it('takes the two keys in either order and with spaces', async () => {
      const table = await wire.createTable();
      await wire.insert(table, { PartitionKey: 'p', RowKey: 'r' });
      for (const predicate of [
        "PartitionKey='p',%20RowKey='r'",
        "RowKey='r',PartitionKey='p'",
        "%20PartitionKey%20=%20'p'%20,%20RowKey%20=%20'r'%20",
      ]) {
        assert.equal((await wire.send({ path: `/${table}(${predicate})` })).status, 200, predicate);
      }
    });

    it('refuses what is no pair of keys', async () => {
      const table = await wire.createTable();
      for (const predicate of [
        "RowKey='r'",
        "PartitionKey='p',RowKey='r',RowKey='r'",
        "PartitionKey='p',PartitionKey='p'",
        "PartitionKey='p',RowKey=r",
        "PartitionKey='p',RowKey='r",
        "PartitionKey='p',RowKey='r'r'",
        "PartitionKey='p'RowKey='r'",
        "PartitionKey='p',RowKey='r',",
        "partitionkey='p',rowkey='r'",
        "Key='p'",
        "'p'",
        'p',
        ',',
      ]) {
        const response = await wire.send({ path: `/${table}(${predicate})` });
        assertRefused(response, 400, 'InvalidInput', querySyntax);
      }
      for (const path of [
        `/${table}(`,
        `/${table})`,
        `/${table}()()`,
        `/${table}(PartitionKey='p',RowKey='r')x`,
      ]) {
        const response = await wire.send({ path });
        assert.ok(response.status === 400 || response.status === 404, `${path} ${response.status}`);
      }
      for (const path of ["/Tables('a", '/Tables(a)', "/Tables('a','b')", "/Tables(TableName='a')"]) {
        assertRefused(await wire.send({ path }), 400, 'InvalidInput', querySyntax);
      }
    });

    it('refuses other forbidden characters in the key of a write, and does not find them by a read', async () => {
      const table = await wire.createTable();
      for (const character of ['#', '?', '\t', '\n', '\u0000', '\u001f', '\u007f', '\u0080', '\u009f']) {
        for (const path of [entityPath(table, `a${character}`, 'b'), entityPath(table, 'a', character)]) {
          assertRefused(await wire.send({ path }), 404, 'ResourceNotFound');
          for (const method of ['PUT', 'PATCH', 'MERGE', 'DELETE']) {
            assertRefused(
              await wire.send({ method, path, headers: { ...json, 'If-Match': '*' }, body: '{}' }),
              400,
              'OutOfRangeInput',
              'One of the request inputs is out of range.',
            );
          }
        }
      }
    });

    it('answers 404 for a path of more segments than any resource has', async () => {
      for (const path of ['/a/b', '/Tables/abc', '/a/b/c/d']) {
        assertRefused(await wire.send({ path }), 404, 'ResourceNotFound');
      }
    });
  });

  describe('verbs', () => {
    it('refuses a verb that the resource lacks', async () => {
      const table = await wire.createTable();
      for (const [method, path] of [
        ['PUT', '/Tables'],
        ['DELETE', '/Tables'],
        ['PATCH', `/Tables('${table}')`],
        ['POST', `/Tables('${table}')`],
        ['PUT', `/${table}`],
        ['DELETE', `/${table}`],
        ['POST', entityPath(table, 'p', 'r')],
        ['GET', '/$batch'],
        ['PUT', '/$batch'],
      ] as const) {
        const response = await wire.send({
          method,
          path,
          headers: json,
          ...(method === 'GET' ? {} : { body: '{}' }),
        });
        assertRefused(
          response,
          405,
          'MethodNotAllowed',
          'The requested method is not allowed on the specified resource.',
        );
      }
    });

    it('says of a component that the resource has not that the parameter is wrong', async () => {
      for (const path of [
        '/?comp=whatever',
        '/?comp=properties',
        '/Tables?comp=acl',
        '/t(PartitionKey=%27p%27)?comp=acl',
      ]) {
        assertRefused(
          await wire.send({ path }),
          400,
          'InvalidQueryParameterValue',
          'Value for one of the query parameters specified in the request URI is invalid.',
        );
      }
    });
  });

  describe('common headers', () => {
    it('takes a client id of 1,024 characters, and none of 1,025', async () => {
      const longest = 'x'.repeat(1024);
      const response = await wire.send({ path: '/Tables', headers: { 'x-ms-client-request-id': longest } });
      assert.equal(response.status, 200);
      assertRefused(
        await wire.send({ path: '/Tables', headers: { 'x-ms-client-request-id': `${longest}x` } }),
        400,
        'InvalidHeaderValue',
        'The value for one of the HTTP headers is not in the correct format.',
      );
    });

    it('takes no client id of other than visible ASCII', async () => {
      // A header goes out as Latin-1: a character a byte.
      const utf8 = Buffer.from('日本').toString('latin1');
      for (const id of ['\xe9', 'mine \xa0', 'a\tb', '\x80', '\xff', utf8]) {
        const refused = await wire.send({ path: '/Tables', headers: { 'x-ms-client-request-id': id } });
        assertRefused(
          refused,
          400,
          'InvalidHeaderValue',
          'The value for one of the HTTP headers is not in the correct format.',
        );
      }
      await wire.assertServes();
    });

    it('spells its own header names as the service does', async () => {
      const table = await wire.createTable();
      const response = await wire.send({
        method: 'POST',
        path: `/${table}`,
        headers: noContent,
        body: '{"PartitionKey":"p","RowKey":"r"}',
      });
      const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
      for (const name of [
        'Server',
        'x-ms-request-id',
        'x-ms-version',
        'Cache-Control',
        'X-Content-Type-Options',
        'Preference-Applied',
        'ETag',
        'Location',
        'DataServiceId',
        'Content-Length',
        'Date',
      ]) {
        assert.ok(names.includes(name), `${name} in ${names}`);
      }
      assert.equal(new Set(names).size, names.length);
    });

    it('answers several requests of one connection in their order', async () => {
      const { host } = new URL(await wire.base());
      const ask = (version: string, more = ''): string =>
        `GET /${account}/Tables HTTP/1.1\r\nHost: ${host}\r\nx-ms-client-request-id: ${version}\r\n${more}\r\n`;
      const response = await wire.sendBytes(
        `${ask('one')}${ask('two')}${ask('three', 'Connection: close\r\n')}`,
      );
      assert.deepEqual(
        [...response.matchAll(/x-ms-client-request-id: (\w+)/g)].map(([, id]) => id),
        ['one', 'two', 'three'],
      );
    });
  });

  describe('formats', () => {
    const levels = [
      ['application/json;odata=nometadata', 'nometadata'],
      ['application/json;odata=minimalmetadata', 'minimalmetadata'],
      ['application/json;odata=fullmetadata', 'fullmetadata'],
      ['application/json', 'minimalmetadata'],
      ['application/json; odata=nometadata', 'nometadata'],
      ['APPLICATION/JSON;ODATA=FULLMETADATA', 'fullmetadata'],
      ['application/json;odata=nometadata;streaming=true', 'nometadata'],
      ['application/atom+xml, application/json;odata=nometadata;q=0.5', 'nometadata'],
      ['text/html,application/json,*/*', 'minimalmetadata'],
    ] as const;
    for (const [accept, level] of levels) {
      it(`answers ${accept} with ${level}`, async () => {
        const type = `application/json;odata=${level};streaming=true;charset=utf-8`;
        const good = await wire.send({ path: '/Tables', headers: { Accept: accept } });
        assert.equal(good.status, 200);
        assert.equal(good.headers['content-type'], type);
        const bad = await wire.send({ path: '/missing', headers: { Accept: accept } });
        assertRefused(bad, 404, 'TableNotFound', 'The table specified does not exist.');
        assert.equal(bad.headers['content-type'], type);
      });
    }

    it('lets $format override Accept', async () => {
      for (const headers of [
        { Accept: 'application/atom+xml' },
        { Accept: 'application/json;odata=fullmetadata' },
      ]) {
        const response = await wire.send({
          path: '/Tables?$format=application%2Fjson%3Bodata%3Dnometadata',
          headers,
        });
        assert.equal(response.status, 200);
        assert.equal(
          response.headers['content-type'],
          'application/json;odata=nometadata;streaming=true;charset=utf-8',
        );
      }
    });

    it('refuses verbose JSON', async () => {
      const response = await wire.send({
        path: '/Tables',
        headers: { Accept: 'application/json;odata=verbose' },
      });
      assertRefused(response, 415, 'JsonVerboseFormatNotSupported', 'JSON verbose format is not supported.');
    });

    it('shows an error in compact JSON of three lines', async () => {
      const { body } = await wire.send({ path: '/missing()' });
      assert.match(
        body,
        /^\{"odata\.error":\{"code":"TableNotFound","message":\{"lang":"en-US","value":"The table specified does not exist\.\\nRequestId:[0-9a-f-]{36}\\nTime:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z"\}\}\}$/,
      );
    });

    it('escapes in XML what a client sent', async () => {
      const table = await wire.createTable();
      const path = `/${table}?$filter=${encodeURIComponent("<&> 'x'")}`;
      const response = await wire.send({ path, headers: { Accept: '*/*' } });
      assert.ok(!response.body.includes('<&>'));
    });
  });
});
