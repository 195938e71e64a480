import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Account, developmentAccount, parseAccount } from '../../src/auth/accounts.ts';
import { verifySharedKey } from '../../src/auth/shared-key.ts';
import { parseAddress } from '../../src/http/address.ts';

const keys = [developmentAccount.key, Buffer.from('the second key').toString('base64')] as const;
const date = 'Tue, 21 Sep 2021 00:49:27 GMT';
const nowMs = Date.parse(date);
const minuteMs = 60_000;

function signature(text: string, key: string = keys[0]): string {
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
}

interface Call {
  readonly method?: string;
  readonly target: string;
  readonly host?: string;
  readonly headers: Record<string, string>;
  readonly account?: string;
  readonly nowMs?: number;
}

function verify({ method = 'GET', target, host = '127.0.0.1:10002', headers, ...call }: Call) {
  const name = call.account ?? developmentAccount.name;
  const account: Account = parseAccount(`${name}:${keys[0]}:${keys[1]}`);
  const address = parseAddress(target, host, 'http', 'table', text => text === name);
  const request = { method, address, header: (header: string) => headers[header] };
  return verifySharedKey(request, account, call.nowMs ?? nowMs);
}

function lite(text: string, key?: string): Record<string, string> {
  return { authorization: `SharedKeyLite devstoreaccount1:${signature(text, key)}`, 'x-ms-date': date };
}

const refused = { code: 'AuthenticationFailed' };

describe('Shared Key', () => {
  it('signs verb, MD5, type, date and resource', () => {
    const text =
      'POST\n\napplication/json;odata=nometadata\nTue, 21 Sep 2021 00:49:27 GMT\n/devstoreaccount1/devstoreaccount1/Tables';
    const call = {
      method: 'POST',
      target: '/devstoreaccount1/Tables',
      headers: {
        authorization: `SharedKey devstoreaccount1:${signature(text)}`,
        'content-type': 'application/json;odata=nometadata',
        'x-ms-date': date,
      },
    };
    assert.deepEqual(verify(call), { by: 'account key' });
    assert.throws(() => verify({ ...call, method: 'PUT' }), refused);
    assert.throws(
      () => verify({ ...call, headers: { ...call.headers, 'content-type': 'application/json' } }),
      refused,
    );
    assert.throws(() => verify({ ...call, headers: { ...call.headers, 'content-md5': 'x' } }), refused);
  });

  it('signs Content-MD5 and Content-Type to the letter', () => {
    const type = 'multipart/mixed; boundary=batch_1';
    const text = `POST\nQ2hlY2sgSW50ZWdyaXR5IQ==\n${type}\n${date}\n/devstoreaccount1/devstoreaccount1/$batch`;
    verify({
      method: 'POST',
      target: '/devstoreaccount1/$batch',
      headers: {
        authorization: `SharedKey devstoreaccount1:${signature(text)}`,
        'content-md5': 'Q2hlY2sgSW50ZWdyaXR5IQ==',
        'content-type': type,
        'x-ms-date': date,
      },
    });
  });
});

describe('Shared Key Lite', () => {
  it('signs date and resource, with comp of the query', () => {
    const then = 'Mon, 25 Nov 2013 00:42:49 GMT';
    const text = `${then}\n/myaccount/mytable?comp=acl`;
    verify({
      target: '/mytable?comp=acl',
      host: 'myaccount.table.core.windows.net',
      account: 'myaccount',
      headers: { authorization: `SharedKeyLite myaccount:${signature(text)}`, 'x-ms-date': then },
      nowMs: Date.parse(then),
    });
  });

  it('does not sign the verb', () => {
    const headers = lite(`${date}\n/devstoreaccount1/devstoreaccount1/Tables`);
    for (const method of ['GET', 'POST']) verify({ method, target: '/devstoreaccount1/Tables', headers });
  });
});

describe('the signature of a request', () => {
  const resource = '/devstoreaccount1/devstoreaccount1/mytable';
  const target = '/devstoreaccount1/mytable';

  it('may be of either key', () => {
    for (const key of keys) verify({ target, headers: lite(`${date}\n${resource}`, key) });
    const strange = Buffer.from('a third key').toString('base64');
    assert.throws(() => verify({ target, headers: lite(`${date}\n${resource}`, strange) }), refused);
  });

  it('has only comp of the query in it', () => {
    const headers = lite(`${date}\n${resource}`);
    verify({ target: `${target}?$filter=a%20eq%201&timeout=30&restype=service`, headers });
    const service = lite(`${date}\n/devstoreaccount1/devstoreaccount1/?comp=properties`);
    verify({ target: '/devstoreaccount1/?restype=service&comp=properties', headers: service });
    verify({ target: '/devstoreaccount1/?comp=properties&restype=service', headers: service });
    assert.throws(() => verify({ target: `${target}?comp=acl`, headers }), refused);
  });

  it('has the service of path style with its slash', () => {
    verify({ target: '/devstoreaccount1/', headers: lite(`${date}\n/devstoreaccount1/devstoreaccount1/`) });
  });

  it('covers the path as it was sent, however its characters are encoded', () => {
    const paths = [
      "/devstoreaccount1/t(PartitionKey='a%20b',RowKey='c')",
      '/devstoreaccount1/t(PartitionKey=%27a%20b%27,RowKey=%27c%27%27%27)',
      '/devstoreaccount1/t%28PartitionKey%3D%27a%27%2CRowKey%3D%27c%27%29',
      "/devstoreaccount1/t(PartitionKey='%e2%82%ac',RowKey='%E2%82%AC')",
      '/devstoreaccount1/$batch',
      '/devstoreaccount1/%24batch',
    ];
    for (const path of paths) {
      verify({ target: path, headers: lite(`${date}\n/devstoreaccount1${path}`) });
    }
  });

  it('may be of the path as it was before an HTTP stack wrote it anew', () => {
    const sent = '/devstoreaccount1/t%28PartitionKey%3D%27a%20b%27%2CRowKey%3D%27c%27%29';
    for (const signed of [
      "/devstoreaccount1/t(PartitionKey='a%20b',RowKey='c')",
      '/devstoreaccount1/t(PartitionKey=%27a%20b%27,RowKey=%27c%27)',
    ]) {
      verify({ target: sent, headers: lite(`${date}\n/devstoreaccount1${signed}`) });
    }
  });

  it('may have the suffix of a secondary address in it or not', () => {
    const secondary = '/devstoreaccount1-secondary/mytable';
    verify({ target: secondary, headers: lite(`${date}\n/devstoreaccount1${secondary}`) });
    verify({ target: secondary, headers: lite(`${date}\n${resource}`) });
    assert.throws(() => verify({ target, headers: lite(`${date}\n/devstoreaccount1${secondary}`) }), refused);
  });

  it('does not cover another path', () => {
    const headers = lite(`${date}\n${resource}`);
    for (const other of [`${target}2`, `${target}/`, '/devstoreaccount1/Mytable', '/devstoreaccount1/']) {
      assert.throws(() => verify({ target: other, headers }), refused, other);
    }
  });

  it('has x-ms-date in it before Date, and Date where the other is missing or empty', () => {
    const { authorization } = lite(`${date}\n${resource}`) as { authorization: string };
    verify({ target, headers: { authorization, 'x-ms-date': date, date: 'Tue, 21 Sep 2021 00:50:00 GMT' } });
    verify({ target, headers: { authorization, date } });
    verify({ target, headers: { authorization, 'x-ms-date': '', date } });
    assert.throws(
      () =>
        verify({ target, headers: { authorization, date, 'x-ms-date': 'Tue, 21 Sep 2021 00:50:00 GMT' } }),
      refused,
    );
  });

  it('is good for a quarter of an hour around its date', () => {
    const headers = lite(`${date}\n${resource}`);
    for (const minutes of [-15, -14, 0, 14, 15])
      verify({ target, headers, nowMs: nowMs + minutes * minuteMs });
    for (const minutes of [-16, -15.001, 15.001, 16, 600_000]) {
      assert.throws(
        () => verify({ target, headers, nowMs: nowMs + minutes * minuteMs }),
        refused,
        `${minutes}`,
      );
    }
  });

  it('needs a date, and one that is one', () => {
    assert.throws(() => {
      const headers = { authorization: `SharedKeyLite devstoreaccount1:${signature(`\n${resource}`)}` };
      verify({ target, headers });
    }, refused);
    const authorization = `SharedKeyLite devstoreaccount1:${signature(`soon\n${resource}`)}`;
    assert.throws(() => verify({ target, headers: { authorization, 'x-ms-date': 'soon' } }), refused);
  });

  it('is of the account that the address names', () => {
    const authorization = `SharedKeyLite other:${signature(`${date}\n${resource}`)}`;
    assert.throws(() => verify({ target, headers: { authorization, 'x-ms-date': date } }), refused);
  });

  it('is refused where it is missing or malformed', () => {
    const correct = signature(`${date}\n${resource}`);
    const bad = [
      'SharedKeyLite',
      'SharedKeyLite devstoreaccount1',
      'SharedKeyLite devstoreaccount1:',
      'SharedKey devstoreaccount1:x',
      `SharedKeyLite devstoreaccount1:${correct.slice(0, -4)}`,
      `SharedKeyLite devstoreaccount1:AAAA${correct}`,
      `SharedKeyLite :${correct}`,
    ];
    for (const authorization of bad) {
      assert.throws(
        () => verify({ target, headers: { authorization, 'x-ms-date': date } }),
        refused,
        authorization,
      );
    }
  });

  it('is refused with InvalidAuthenticationInfo where the scheme is another', () => {
    for (const authorization of ['Basic abc', 'Bearer abc', '', 'devstoreaccount1:abc']) {
      assert.throws(
        () => verify({ target, headers: { authorization, 'x-ms-date': date } }),
        { code: 'InvalidAuthenticationInfo' },
        authorization,
      );
    }
  });
});
