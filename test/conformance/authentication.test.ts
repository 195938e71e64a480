import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe } from 'node:test';
import { developmentAccount } from '../../src/auth/accounts.ts';
import { batchType, change, changesetBody, insert, readBatch } from '../support/batch.ts';
import { everyCall, withHeaders, withOption } from '../support/calls.ts';
import { type RawRequest, type RawResponse, rawClient } from '../support/raw-client.ts';
import { freshTableName } from '../support/server.ts';
import { json, noContent, useWire } from '../support/wire.ts';
import { assertError } from './answers.ts';
import { conforms } from './conforms.ts';

const account = developmentAccount.name;
const secondKey = Buffer.from('the second key of the account').toString('base64');
const otherKey = Buffer.from('a key of somebody else').toString('base64');
const notAuthenticated =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.';

const challenged =
  'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.';

/** An Authorization over a text that the test spells out. */
function authorize(scheme: 'SharedKey' | 'SharedKeyLite', text: string): string {
  const signature = createHmac('sha256', Buffer.from(developmentAccount.key, 'base64')).update(text);
  return `${scheme} ${account}:${signature.digest('base64')}`;
}

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toUTCString();
}

describe('Authentication', () => {
  const overTls = useWire({ tls: 'auto' });
  const overTlsWithIssuer = useWire({
    tls: 'auto',
    bearerIssuer: 'https://sts.windows.net/contoso/',
    bearerKeys: 'https://keys.invalid/jwks',
  });
  const wire = useWire({ accounts: [`${account}:${developmentAccount.key}:${secondKey}`] });

  const assertRefused = async (request: RawRequest): Promise<RawResponse> => {
    const response = await wire.send(request);
    const preference = request.headers?.Prefer;
    await assertError(wire, response, {
      // The status line repeats the message.
      status: `403 ${notAuthenticated}`,
      code: 'AuthenticationFailed',
      message: notAuthenticated,
      shape: 'prefixed xml',
      headers: preference === undefined ? [] : [`preference-applied: ${preference}`],
      version: request.headers?.['x-ms-version'],
    });
    return response;
  };
  const assertAccepted = async (request: RawRequest, status = 200): Promise<void> => {
    const response = await wire.send(request);
    assert.equal(response.status, status, `${request.method} ${request.path}: ${response.body}`);
  };
  /** Every operation signed with each key of the account, and refused with a key that is none of its own. */
  const acceptsBothKeys = async (sign: 'SharedKey' | 'SharedKeyLite'): Promise<void> => {
    for (const key of [developmentAccount.key, secondKey]) {
      for (const { request, status } of everyCall(freshTableName())) {
        await assertRefused({ ...request, sign, key: otherKey });
        await assertAccepted({ ...request, sign, key }, status);
      }
    }
  };
  /** A read of the tables under an Authorization over this text. */
  const readTables = (
    scheme: 'SharedKey' | 'SharedKeyLite',
    date: string,
    text: string,
    query = '',
  ): RawRequest => ({
    path: `/Tables${query}`,
    date,
    headers: { Authorization: authorize(scheme, text) },
  });

  conforms(16, () => acceptsBothKeys('SharedKey'));

  conforms(17, () => acceptsBothKeys('SharedKeyLite'));

  conforms(18, async () => {
    const table = await wire.createTable();
    const levels = ['nometadata', 'minimalmetadata', 'fullmetadata'].map(
      level => `application/json;odata=${level}`,
    );
    for (const Accept of [...levels, 'application/json', '*/*', 'application/atom+xml']) {
      for (const sign of ['SharedKey', 'SharedKeyLite'] as const) {
        for (const { request } of everyCall(table)) {
          await assertRefused({ ...withHeaders(request, { Accept }), sign, key: otherKey });
        }
      }
    }
    await assertRefused({ path: '/Tables?$format=application/json;odata=nometadata', key: otherKey });
    assert.deepEqual(await wire.query(table), []);
  });

  conforms(19, async () => {
    const date = new Date().toUTCString();
    const twice = `/${account}/${account}/Tables`;
    const once = `/${account}/Tables`;
    await assertAccepted(readTables('SharedKey', date, `GET\n\n\n${date}\n${twice}`));
    await assertAccepted(readTables('SharedKeyLite', date, `${date}\n${twice}`));
    await assertRefused(readTables('SharedKey', date, `GET\n\n\n${date}\n${once}`));
    await assertRefused(readTables('SharedKeyLite', date, `${date}\n${once}`));

    const type = 'application/json;odata=nometadata';
    await assertAccepted(
      {
        method: 'POST',
        path: '/Tables',
        date,
        headers: {
          'Content-Type': type,
          Authorization: authorize('SharedKey', `POST\n\n${type}\n${date}\n${twice}`),
        },
        body: JSON.stringify({ TableName: freshTableName() }),
      },
      201,
    );
  });

  conforms(20, async () => {
    const date = new Date().toUTCString();
    const resource = `/${account}/${account}/Tables`;
    const signed = (query: string, suffix = ''): RawRequest[] => [
      readTables('SharedKey', date, `GET\n\n\n${date}\n${resource}${suffix}`, query),
      readTables('SharedKeyLite', date, `${date}\n${resource}${suffix}`, query),
    ];
    const filter = "$filter=TableName%20ge%20'a'";
    for (const query of [
      `?${filter}`,
      '?timeout=30',
      '?restype=service',
      `?restype=x&${filter}&timeout=5&$top=1`,
    ]) {
      for (const request of signed(query)) await assertAccepted(request);
      for (const request of signed(query, query)) await assertRefused(request);
    }
    // A signature holds on every operation when such options are added to what was signed.
    for (const { request, status } of everyCall(freshTableName())) {
      const signedPath = `/${account}${request.path}`;
      const widened = ['timeout=30', 'restype=service', '$filter='].reduce(withOption, request);
      await assertAccepted({ ...widened, signedPath, sign: 'SharedKey' }, status);
    }
    // One over an address without comp does not hold with it, nor the other way round.
    for (const request of signed('?comp=list', '')) await assertRefused(request);
    for (const request of signed('', '?comp=list')) await assertRefused(request);
    for (const query of ['?comp=list', '?restype=service&comp=list', '?comp=list&timeout=30']) {
      for (const request of signed(query, '?comp=list')) {
        const { errorCode } = await wire.send(request);
        assert.notEqual(errorCode, 'AuthenticationFailed', query);
      }
    }
  });

  conforms(21, async () => {
    const now = new Date().toUTCString();
    const other = minutesAgo(3);
    const old = minutesAgo(600);
    const text = (scheme: string, date: string): string =>
      `${scheme === 'SharedKey' ? 'GET\n\n\n' : ''}${date}\n/${account}/${account}/Tables`;
    for (const scheme of ['SharedKey', 'SharedKeyLite'] as const) {
      const both = (signed: string, xMsDate: string, date: string): RawRequest =>
        withHeaders(readTables(scheme, xMsDate, text(scheme, signed)), { Date: date });
      await assertAccepted(both(now, now, other));
      await assertRefused(both(other, now, other));
      await assertAccepted(both(other, other, now));
      await assertRefused(both(now, other, now));
      // It is x-ms-date, too, that must be of now.
      await assertAccepted(both(now, now, old));
      await assertRefused(both(old, old, now));
    }
  });

  conforms(22, async () => {
    for (const sign of ['SharedKey', 'SharedKeyLite'] as const) {
      for (const { request, status } of everyCall(freshTableName())) {
        const dated = withHeaders(request, { Date: new Date().toUTCString() });
        await assertAccepted({ ...dated, date: '', sign }, status);
      }
      await assertRefused({ path: '/Tables', date: '', headers: { Date: minutesAgo(600) }, sign });
      await assertRefused({ path: '/Tables', date: '', sign });
    }
  });

  conforms(23, async () => {
    const date = new Date().toUTCString();
    const create = (type: string, signedType: string): RawRequest => ({
      method: 'POST',
      path: '/Tables',
      date,
      headers: {
        'Content-Type': type,
        Authorization: authorize(
          'SharedKey',
          `POST\n\n${signedType}\n${date}\n/${account}/${account}/Tables`,
        ),
      },
      body: JSON.stringify({ TableName: freshTableName() }),
    });
    for (const type of [
      'application/json;odata=nometadata',
      'application/json; odata=nometadata;  charset="UTF-8"',
      'Application/JSON;Charset=utf-8;type=entry',
    ]) {
      await assertAccepted(create(type, type), 201);
      for (const other of ['', 'application/json', type.toUpperCase(), type.replace(';', ' ;')]) {
        await assertRefused(create(type, other));
      }
    }
  });

  conforms(24, async () => {
    const table = await wire.createTable();
    for (const sign of ['SharedKey', 'SharedKeyLite'] as const) {
      for (const [index, minutes] of [14, -14].entries()) {
        const date = minutesAgo(minutes);
        await assertAccepted({ path: '/Tables', date, sign });
        await assertAccepted({ path: '/Tables', date: '', headers: { Date: date }, sign });
        const body = JSON.stringify({ PartitionKey: sign, RowKey: `${index}` });
        await assertAccepted({ method: 'POST', path: `/${table}`, headers: json, body, date, sign }, 201);
      }
      for (const minutes of [16, -16, 60 * 24 * 365]) {
        const date = minutesAgo(minutes);
        await assertRefused({ path: '/Tables', date, sign });
        await assertRefused({ path: '/Tables', date: '', headers: { Date: date }, sign });
        const body = JSON.stringify({ PartitionKey: sign, RowKey: 'old' });
        await assertRefused({ method: 'POST', path: `/${table}`, headers: json, body, date, sign });
      }
    }
    assert.equal((await wire.query(table)).length, 4);
  });

  conforms(25, async () => {
    const challenge = {
      status: `401 ${challenged}`,
      code: 'InvalidAuthenticationInfo',
      message: challenged,
      shape: 'prefixed xml',
    } as const;
    for (const [secured, tenant] of [
      [overTls, 'common'],
      [overTlsWithIssuer, 'contoso'],
    ] as const) {
      const authenticate = `www-authenticate: Bearer authorization_uri=https://login.microsoftonline.com/${tenant}/oauth2/authorize resource_id=https://storage.azure.com`;
      for (const version of ['2019-12-12', '2020-12-06', '2026-06-06']) {
        for (const { request } of everyCall('table')) {
          const preference = request.headers?.Prefer;
          const applied = preference === undefined ? [] : [`preference-applied: ${preference}`];
          const anonymous = withHeaders({ ...request, sign: false }, { 'x-ms-version': version });
          await assertError(secured, await secured.send(anonymous), {
            ...challenge,
            version,
            headers: [authenticate, ...applied],
          });
        }
      }
    }
    // It is for those without credentials, and only where a token could be sent.
    assert.equal((await overTls.send({ path: '/Tables' })).status, 200);
    const headers = { 'x-ms-version': '2020-12-06' };
    for (const [by, request] of [
      [overTls, { path: '/Tables', key: otherKey, headers }],
      [overTls, { path: '/Tables', sign: false, headers: { 'x-ms-version': '2019-10-10' } }],
      [wire, { path: '/Tables', sign: false, headers }],
    ] as const) {
      const response = await by.send(request);
      assert.equal(`${response.status} ${response.errorCode}`, '403 AuthenticationFailed');
      assert.equal(response.headers['www-authenticate'], undefined);
    }
  });

  conforms(26, async () => {
    const table = await wire.createTable();
    for (const version of ['2013-08-15', '2018-03-28', '2019-02-02', '2019-10-10']) {
      for (const { request } of everyCall(table)) {
        const response = await assertRefused({
          ...withHeaders(request, { 'x-ms-version': version }),
          sign: false,
        });
        assert.equal(response.headers['www-authenticate'], undefined);
      }
    }
    assert.deepEqual(await wire.query(table), []);
  });

  conforms(27, async () => {
    const table = await wire.createTable();
    const date = new Date().toUTCString();
    const type = batchType['Content-Type'];
    const send = (text: string, scheme: 'SharedKey' | 'SharedKeyLite', rowKey: string): RawRequest => ({
      method: 'POST',
      path: '/$batch',
      date,
      headers: { ...batchType, Authorization: authorize(scheme, text) },
      body: changesetBody([insert(table, rowKey), change('MERGE', table, `${rowKey}too`, '{}')]),
    });
    const resource = `/${account}/${account}/$batch`;
    for (const [scheme, text] of [
      ['SharedKey', `POST\n\n${type}\n${date}\n${resource}`],
      ['SharedKeyLite', `${date}\n${resource}`],
    ] as const) {
      const response = await wire.send(send(text, scheme, scheme));
      assert.equal(response.status, 202, response.body);
      assert.deepEqual(
        readBatch(response.body).map(({ status }) => status),
        [204, 204],
      );
    }
    for (const [scheme, text] of [
      ['SharedKey', `POST\n\nmultipart/mixed\n${date}\n${resource}`],
      ['SharedKey', `POST\n\n\n${date}\n${resource}`],
      ['SharedKey', `POST\n\napplication/json\n${date}\n${resource}`],
      ['SharedKey', `POST\n\n${type}\n${date}\n/${account}/${account}/${table}`],
      ['SharedKeyLite', `${date}\n/${account}/${account}/${table}`],
      ['SharedKeyLite', `${date}\n/${account}/${account}/`],
    ] as const) {
      await assertRefused(send(text, scheme, 'never'));
    }
    assert.equal((await wire.query(table)).length, 4);
  });

  conforms(28, async () => {
    const origin = new URL(await wire.base()).origin;
    const date = new Date().toUTCString();
    const onSecondary = rawClient(`${origin}/${account}-secondary`);
    const table = await wire.createTable();
    const key = `${table}(PartitionKey='a%20b',RowKey='c')`;
    await wire.insert(table, { PartitionKey: 'a b', RowKey: 'c' });
    for (const [path, signed] of [
      ['/?restype=service&comp=stats', '/?comp=stats'],
      ['/?comp=stats&restype=service&timeout=30', '/?comp=stats'],
      ['/Tables', '/Tables'],
      [`/${key}`, `/${key}`],
      [`/${table}?comp=acl`, `/${table}?comp=acl`],
    ] as const) {
      for (const scheme of ['SharedKey', 'SharedKeyLite'] as const) {
        const ask = (resource: string): Promise<RawResponse> => {
          const text = `${scheme === 'SharedKey' ? 'GET\n\n\n' : ''}${date}\n${resource}`;
          return onSecondary({ path, date, headers: { Authorization: authorize(scheme, text) } });
        };
        for (const named of [account, `${account}-secondary`]) {
          const response = await ask(`/${account}/${named}${signed}`);
          assert.equal(response.status, 200, response.body);
          if (!signed.endsWith('stats')) continue;
          assert.match(
            response.body,
            /^\ufeff<\?xml version="1\.0" encoding="utf-8"\?><StorageServiceStats><GeoReplication><Status>live<\/Status><LastSyncTime>\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT<\/LastSyncTime><\/GeoReplication><\/StorageServiceStats>$/,
          );
        }
        for (const other of [
          `/${account}-secondary/${account}-secondary${signed}`,
          `/${account}${signed}`,
          `/${account}/${account}-tertiary${signed}`,
          `/${account}/${account}`,
        ]) {
          const response = await ask(other);
          assert.equal(`${response.status} ${response.errorCode}`, '403 AuthenticationFailed', other);
        }
      }
    }
  });

  conforms(29, async () => {
    const table = await wire.createTable();
    const made = JSON.stringify({ PartitionKey: "a b'c", RowKey: 'ü 100%', n: 1 });
    await wire.insert(table, made);
    const paths = [
      `/${table}(PartitionKey='a%20b%27%27c',RowKey='%C3%BC%20100%25')`,
      `/${table}(PartitionKey='a%20b''c',RowKey='%c3%bc%20100%25')`,
      `/${table}(PartitionKey=%27a%20b%27%27c%27,RowKey=%27%C3%BC%20100%25%27)`,
      `/${table}%28PartitionKey=%27a%20b%27%27c%27%2CRowKey=%27%C3%BC%20100%25%27%29`,
    ];
    for (const path of paths) {
      const date = new Date().toUTCString();
      const resource = `/${account}/${account}${path}`;
      for (const [scheme, text] of [
        ['SharedKey', `GET\n\n\n${date}\n${resource}`],
        ['SharedKeyLite', `${date}\n${resource}`],
      ] as const) {
        const response = await wire.send({ path, date, headers: { Authorization: authorize(scheme, text) } });
        assert.equal(response.status, 200, response.body);
        assert.equal(response.json().RowKey, 'ü 100%');
        // It does not hold for another entity, nor does one over the decoded path.
        const other = path.replace('c%27,', 'd%27,').replace("c',", "d',").replace('c%27%2C', 'd%27%2C');
        assert.notEqual(other, path);
        await assertRefused({ path: other, date, headers: { Authorization: authorize(scheme, text) } });
        const decoded = authorize(scheme, decodeURIComponent(text));
        await assertRefused({ path, date, headers: { Authorization: decoded } });
      }
    }
    for (const path of paths) {
      for (const method of ['PUT', 'MERGE']) {
        await assertAccepted({ method, path, headers: noContent, body: '{"n":2}', sign: 'SharedKey' }, 204);
      }
    }
  });
});
