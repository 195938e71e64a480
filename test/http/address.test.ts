import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAddress, splitTarget } from '../../src/http/address.ts';

const accounts = new Set(['devstoreaccount1', 'myaccount']);

function parse(target: string, host = '127.0.0.1:10002') {
  return parseAddress(target, host, 'http', 'table', name => accounts.has(name));
}

describe('an address in path style', () => {
  it('has the account as its first segment', () => {
    const address = parse('/devstoreaccount1/mytable');
    assert.equal(address.account, 'devstoreaccount1');
    assert.equal(address.path, '/mytable');
    assert.equal(address.accountSegment, 'devstoreaccount1');
    assert.equal(address.base, 'http://127.0.0.1:10002/devstoreaccount1');
    assert.equal(address.isSecondary, false);
  });

  it('names the service with and without a slash behind the account', () => {
    for (const target of ['/devstoreaccount1', '/devstoreaccount1/', '/devstoreaccount1?comp=list']) {
      assert.equal(parse(target).path, '/', target);
    }
  });

  it('keeps the path as it was sent, for the signature, and decodes it once for the rest', () => {
    const target = "/devstoreaccount1/t(PartitionKey='a%20b%2520',RowKey='%27%27')?x=1";
    const address = parse(target);
    assert.equal(address.encodedPath, "/devstoreaccount1/t(PartitionKey='a%20b%2520',RowKey='%27%27')");
    assert.equal(address.path, "/t(PartitionKey='a b%20',RowKey='''')");
    assert.equal(address.query.get('x'), '1');
  });

  it('takes a plus in the path for a plus', () => {
    assert.equal(parse('/devstoreaccount1/a+b').path, '/a+b');
  });

  it('is the secondary with its suffix, which is not part of the account', () => {
    const address = parse('/devstoreaccount1-secondary/mytable');
    assert.equal(address.account, 'devstoreaccount1');
    assert.equal(address.isSecondary, true);
    assert.equal(address.accountSegment, 'devstoreaccount1-secondary');
    assert.equal(address.base, 'http://127.0.0.1:10002/devstoreaccount1-secondary');
  });

  it('is that also where the host has dots and no service in it', () => {
    assert.equal(parse('/myaccount/t', 'tables.example.com').path, '/t');
    assert.equal(parse('/myaccount/t', 'host.docker.internal:10002').account, 'myaccount');
  });

  it('is refused with ResourceNotFound for an account that is not there', () => {
    for (const target of ['/other/Tables', '/', '/Tables', '/devstoreaccount1x/Tables', '/-secondary/t']) {
      assert.throws(() => parse(target), { code: 'ResourceNotFound' }, target);
    }
  });

  it('is refused with InvalidInput for an encoding that is none', () => {
    for (const target of ['/myaccount/%', '/myaccount/%zz', '/myaccount/%ff', '/myaccount/t?x=%e2%28']) {
      assert.throws(() => parse(target), { code: 'InvalidInput' }, target);
    }
  });
});

describe('an address in host style', () => {
  it('has the account before the first dot and the resource as its whole path', () => {
    const address = parse('/Tables', 'myaccount.table.localhost:10002');
    assert.equal(address.account, 'myaccount');
    assert.equal(address.path, '/Tables');
    assert.equal(address.accountSegment, undefined);
    assert.equal(address.base, 'http://myaccount.table.localhost:10002');
  });

  it('ignores the case of the host', () => {
    assert.equal(parse('/Tables', 'MyAccount.Table.core.windows.net').account, 'myaccount');
  });

  it('is the secondary with its suffix', () => {
    const address = parse('/t', 'myaccount-secondary.table.localhost');
    assert.equal(address.account, 'myaccount');
    assert.equal(address.isSecondary, true);
  });

  it('falls back to path style for a host of another service or account', () => {
    assert.equal(parse('/myaccount/t', 'other.table.localhost').path, '/t');
    assert.equal(parse('/myaccount/t', 'myaccount.queue.localhost').path, '/t');
  });
});

describe('splitTarget', () => {
  it('parts the path from the query', () => {
    assert.deepEqual(splitTarget('/a/b?c=d?e'), { path: '/a/b', query: 'c=d?e' });
    assert.deepEqual(splitTarget('/a'), { path: '/a', query: '' });
  });

  it('leaves the origin of an absolute target away, whatever it is', () => {
    for (const origin of ['http://127.0.0.1:10002', 'https://myaccount.table.core.windows.net', 'HTTP://x']) {
      assert.deepEqual(splitTarget(`${origin}/a(b='http://c')?d=e`), {
        path: "/a(b='http://c')",
        query: 'd=e',
      });
    }
    assert.deepEqual(splitTarget('http://host?x'), { path: '/', query: 'x' });
    assert.deepEqual(splitTarget('http://host'), { path: '/', query: '' });
  });

  it('takes a relative target as from the root', () => {
    assert.deepEqual(splitTarget('mytable'), { path: '/mytable', query: '' });
  });

  it('needs a host: of the header, or of an absolute target', () => {
    const parse = (target: string, host: string) =>
      parseAddress(target, host, 'http', 'table', name => name === 'account1');
    assert.throws(() => parse('/account1/Tables', ''), { code: 'HostInformationNotPresent', status: 400 });
    const { account, base, path } = parse('http://account1.table.localhost:1/Tables', '');
    assert.deepEqual([account, base, path], ['account1', 'http://account1.table.localhost:1', '/Tables']);
  });
});
