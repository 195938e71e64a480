import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { developmentAccount } from '../../src/auth/accounts.ts';
import { newestVersion } from '../../src/http/version.ts';
import type { RawRequest, RawResponse } from '../support/raw-client.ts';
import { assertRefused, json, noContent, useWire } from '../support/wire.ts';

const refusal =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.';
const secondKey = Buffer.from('the second key of the account').toString('base64');
const otherKey = Buffer.from('a key of somebody else').toString('base64');

describe('Authentication on the wire', () => {
  const wire = useWire({
    accounts: [`${developmentAccount.name}:${developmentAccount.key}:${secondKey}`, `other1:${otherKey}`],
  });
  const account = developmentAccount.name;
  const assertForbidden = (response: RawResponse): void => {
    assertRefused(response, 403, 'AuthenticationFailed', refusal);
    assert.equal(response.headers['content-type'], 'application/xml');
    assert.match(
      response.body,
      /^<\?xml version="1\.0" encoding="utf-8"\?><m:error xmlns:m="http:\/\/schemas\.microsoft\.com\/ado\/2007\/08\/dataservices\/metadata"><m:code>AuthenticationFailed<\/m:code><m:message xml:lang="en-US">Server failed [^<]*<\/m:message><\/m:error>$/,
    );
  };
  /** A signature made by hand over a text. */
  const authorize = (scheme: string, text: string, key: string = developmentAccount.key): string =>
    `${scheme} ${account}:${createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')}`;

  describe('a good signature', () => {
    it('covers Content-MD5 and Content-Type verbatim in Shared Key alone', async () => {
      const headers = {
        'Content-Type': 'application/json; odata=nometadata;  charset=UTF-8',
        'Content-MD5': 'bm90IGNoZWNrZWQgaGVyZQ==',
        Prefer: 'return-no-content',
      };
      const request = (sign: 'SharedKey' | 'SharedKeyLite', name: string): RawRequest => ({
        method: 'POST',
        path: '/Tables',
        sign,
        headers,
        body: JSON.stringify({ TableName: name }),
      });
      assert.equal((await wire.send(request('SharedKey', 'coveredOne'))).status, 204);
      assert.equal((await wire.send(request('SharedKeyLite', 'coveredTwo'))).status, 204);
    });

    it('covers comp', async () => {
      const path = '/Tables?comp=something';
      // Authenticated, it comes as far as the component that there is not.
      assertRefused(await wire.send({ path }), 400, 'InvalidQueryParameterValue');
      assertForbidden(await wire.send({ path, signedPath: `/${account}/Tables` }));
    });

    it('covers the key path as it is encoded', async () => {
      const table = await wire.createTable();
      await wire.insert(table, { PartitionKey: "a b'c", RowKey: 'ü(),=' });
      for (const path of [
        `/${table}(PartitionKey='a%20b''c',RowKey='%C3%BC(),=')`,
        `/${table}(PartitionKey='a%20b%27%27c',RowKey='%c3%bc%28%29%2C%3D')`,
        `/${table}%28PartitionKey=%27a%20b%27%27c%27,RowKey=%27%C3%BC%28%29%2c%3d%27%29`,
      ]) {
        for (const sign of ['SharedKey', 'SharedKeyLite'] as const) {
          const response = await wire.send({ path, sign });
          assert.equal(response.status, 200, `${path} ${response.body}`);
        }
      }
    });

    it('may be over the path as an HTTP stack wrote it anew', async () => {
      const table = await wire.createTable();
      await wire.insert(table, { PartitionKey: "a b'c", RowKey: 'r' });
      const raw = `/${table}(PartitionKey='a%20b''c',RowKey='r')`;
      const encoded = raw.replaceAll("'", '%27');
      for (const [path, signed] of [
        [raw, encoded],
        [encoded, raw],
      ] as const) {
        const response = await wire.send({ path, signedPath: `/${account}${signed}` });
        assert.equal(response.status, 200, response.body);
      }
    });
  });

  describe('the date', () => {
    it('may not be missing or unreadable', async () => {
      assertForbidden(await wire.send({ path: '/Tables', date: '' }));
      for (const date of ['yesterday', '0', 'Mon, 99 Foo 2020 00:00:00 GMT']) {
        assertForbidden(await wire.send({ path: '/Tables', date }));
      }
    });
  });

  describe('a bad signature', () => {
    it('is refused where the path, the verb or the type is another than was signed', async () => {
      const table = await wire.createTable();
      assertForbidden(await wire.send({ path: `/${table}`, signedPath: `/${account}/Tables` }));
      const date = new Date().toUTCString();
      const path = `/${account}/${account}/Tables`;
      for (const text of [`DELETE\n\n\n${date}\n${path}`, `GET\n\ntext/plain\n${date}\n${path}`]) {
        const Authorization = authorize('SharedKey', text);
        assertForbidden(await wire.send({ path: '/Tables', date, headers: { Authorization } }));
      }
    });

    it('is refused in every malformed shape', async () => {
      const date = new Date().toUTCString();
      const good = authorize('SharedKeyLite', `${date}\n/${account}/${account}/Tables`);
      const signature = good.split(':')[1] as string;
      for (const Authorization of [
        `SharedKey ${account}:${signature}`,
        `SharedKeyLite ${account}:`,
        `SharedKeyLite ${account}`,
        `SharedKeyLite :${signature}`,
        'SharedKeyLite',
        `SharedKeyLite ${account}:${signature.slice(0, -4)}`,

        `SharedKeyLite ${account}:!!!!`,
        `SharedKeyLite ${account}:${'A'.repeat(10_000)}`,
        `SharedKeyLiter ${account}:${signature}`,
      ]) {
        assertForbidden(await wire.send({ path: '/Tables', date, headers: { Authorization } }));
      }
      assert.equal(
        (await wire.send({ path: '/Tables', date, headers: { Authorization: good } })).status,
        200,
      );
    });

    it('is refused where it is of another account than the address', async () => {
      const date = new Date().toUTCString();
      const text = `${date}\n/other1/${account}/Tables`;
      const signature = createHmac('sha256', Buffer.from(otherKey, 'base64')).update(text).digest('base64');
      const Authorization = `SharedKeyLite other1:${signature}`;
      assertForbidden(await wire.send({ path: '/Tables', date, headers: { Authorization } }));
    });

    it('is refused where there is none, with an old version and with a new one', async () => {
      for (const version of ['2018-03-28', '2019-02-02', '2021-12-02']) {
        const headers = { 'x-ms-version': version };
        assertForbidden(await wire.send({ path: '/Tables', sign: false, headers }));
      }
    });

    it('is refused in the version of the request, and in the newest where that is none', async () => {
      const newest = newestVersion as string;
      for (const [version, echoed] of [
        ['2018-03-28', '2018-03-28'],
        ['2016-01-01', '2016-01-01'],
        ['2099-12-31', '2099-12-31'],
        ['bogus', newest],
        ['2019-2-2', newest],
        ['2019-13-01', newest],
        ['2008-01-01', newest],
        ['', newest],
      ] as const) {
        const headers = { 'x-ms-version': version };
        for (const credentials of [{ sign: false }, { key: otherKey }] as const) {
          const response = await wire.send({ path: '/Tables', headers, ...credentials });
          assertForbidden(response);
          assert.equal(response.headers['x-ms-version'], echoed, version);
        }
      }
    });

    it('says of a scheme it does not know that the information is not in the format', async () => {
      for (const Authorization of ['Basic YTpi', 'Digest x', 'nonsense']) {
        assertRefused(
          await wire.send({ path: '/Tables', headers: { Authorization } }),
          400,
          'InvalidAuthenticationInfo',
          'Authentication information is not given in the correct format. Check the value of Authorization header.',
        );
      }
    });

    it('is found out before anything else of the request', async () => {
      for (const request of [
        { path: '/missing()' },
        { path: '/Tables', headers: { 'x-ms-version': 'bogus' } },
        { path: '/Tables', headers: { Accept: '' } },
        { path: '/Tables?$filter=a%20b%20c' },
        { method: 'POST', path: '/$batch', body: 'no batch' },
        { method: 'PUT', path: "/t(PartitionKey='a%2Fb',RowKey='c')", body: '{' },
      ] satisfies RawRequest[]) {
        assertForbidden(await wire.send({ ...request, key: otherKey }));
      }
    });

    it('changes nothing', async () => {
      const table = await wire.createTable();
      const body = '{"PartitionKey":"p","RowKey":"r"}';
      assertForbidden(
        await wire.send({ method: 'POST', path: `/${table}`, headers: noContent, body, key: otherKey }),
      );
      assertForbidden(await wire.send({ method: 'DELETE', path: `/Tables('${table}')`, key: otherKey }));
      assert.equal((await wire.query(table)).length, 0);
    });

    it('is answered before a large body was read', async () => {
      const body = Buffer.alloc(3 * 1024 * 1024, 0x20);
      for (let round = 0; round < 10; round++) {
        assertForbidden(
          await wire.send({ method: 'POST', path: '/Tables', headers: json, body, key: otherKey }),
        );
      }
      await wire.assertServes();
    });
  });

  it('knows each account by its own keys', async () => {
    const origin = new URL(await wire.base()).origin;
    const date = new Date().toUTCString();
    const text = `${date}\n/other1/other1/Tables`;
    const signature = createHmac('sha256', Buffer.from(otherKey, 'base64')).update(text).digest('base64');
    const response = await fetch(`${origin}/other1/Tables`, {
      headers: {
        Accept: 'application/json',
        'x-ms-date': date,
        Authorization: `SharedKeyLite other1:${signature}`,
      },
    });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), {
      'odata.metadata': `${origin}/other1/$metadata#Tables`,
      value: [],
    });
  });
});
