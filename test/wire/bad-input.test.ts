import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { afterEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { batchType, queryBody, readBatch } from '../support/batch.ts';
import type { RawRequest, RawResponse } from '../support/raw-client.ts';
import {
  assertRefused,
  entityPath,
  invalid,
  json,
  querySyntax,
  unreadable,
  useWire,
} from '../support/wire.ts';

const mebibyte = 1024 * 1024;

describe('Bad input on the wire', () => {
  const logged: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const wire = useWire({}, { log: pino({ level: 'warn' }, destination) });
  let shared: Promise<string> | undefined;
  const makeTable = async (): Promise<string> => {
    const name = await wire.createTable();
    await wire.insert(name, { PartitionKey: 'p', RowKey: 'r' });
    return name;
  };
  const table = (): Promise<string> => {
    shared ??= makeTable();
    return shared;
  };
  const post = async (body: string | Buffer, headers: Record<string, string> = {}): Promise<RawResponse> =>
    wire.send({ method: 'POST', path: `/${await table()}`, headers: { ...json, ...headers }, body });
  const filter = async (text: string): Promise<RawResponse> =>
    wire.send({ path: `/${await table()}?$filter=${text}` });
  const postBatch = (body: string | Buffer, headers: Record<string, string> = {}): Promise<RawResponse> =>
    wire.send({ method: 'POST', path: '/$batch', headers: { ...batchType, ...headers }, body });

  afterEach(async () => {
    await wire.assertServes();
    assert.deepEqual(logged.splice(0), []);
  });

  describe('JSON', () => {
    const malformed: readonly [claim: string, body: string | Buffer][] = [
      ['no JSON at all', 'hello'],
      ['one brace', '{'],
      ['a truncated member', '{"PartitionKey":"p","RowKey":"r'],
      ['a truncated escape', '{"PartitionKey":"p\\'],
      ['a truncated code point', '{"PartitionKey":"\\u00"}'],
      ['a comma at the end', '{"PartitionKey":"p","RowKey":"r",}'],
      ['a comma at the start', '{,"PartitionKey":"p","RowKey":"r"}'],
      ['no comma', '{"PartitionKey":"p" "RowKey":"r"}'],
      ['no colon', '{"PartitionKey" "p"}'],
      ['single quotes', "{'PartitionKey':'p','RowKey':'r'}"],
      ['names without quotes', '{PartitionKey:"p",RowKey:"r"}'],
      ['a comment', '{"PartitionKey":"p",/* */"RowKey":"r"}'],
      ['an array', '[{"PartitionKey":"p","RowKey":"r"}]'],
      ['a string', '"PartitionKey"'],
      ['a number', '1'],
      ['null', 'null'],
      ['two objects', '{"PartitionKey":"p","RowKey":"r"}{}'],
      ['text behind the object', '{"PartitionKey":"p","RowKey":"r"} x'],
      ['a zero byte behind the object', '{"PartitionKey":"p","RowKey":"r"}\u0000'],
      ['an object inside', '{"PartitionKey":"p","RowKey":"r","v":{}}'],
      ['an array inside', '{"PartitionKey":"p","RowKey":"r","v":[1]}'],
      ['a raw tab in a string', '{"PartitionKey":"p","RowKey":"r","v":"a\tb"}'],
      ['a raw line end in a string', '{"PartitionKey":"p","RowKey":"r","v":"a\nb"}'],
      ['UTF-16', Buffer.from('{"PartitionKey":"p","RowKey":"r"}', 'utf16le')],
      ['invalid UTF-8 in a value', Buffer.from('{"PartitionKey":"p","RowKey":"r","v":"\xff\xfe"}', 'latin1')],
      ['invalid UTF-8 in a key', Buffer.from('{"PartitionKey":"\xc3(","RowKey":"r"}', 'latin1')],
      ['invalid UTF-8 in a name', Buffer.from('{"PartitionKey":"p","RowKey":"r","\x80":1}', 'latin1')],
      ['an encoded surrogate', Buffer.from('{"PartitionKey":"p","RowKey":"r","v":"\xed\xa0\x80"}', 'latin1')],
      ['an overlong encoding', Buffer.from('{"PartitionKey":"p","RowKey":"r","v":"\xc0\x80"}', 'latin1')],
      ['a truncated sequence', Buffer.from('{"PartitionKey":"p","RowKey":"r","v":"\xe6\x97"}', 'latin1')],
      ['deep nesting of arrays', '['.repeat(2 * mebibyte)],
      ['deep nesting of objects', '{"a":'.repeat(500_000)],
      ['deep nesting inside an entity', `{"PartitionKey":"p","RowKey":"r","v":${'['.repeat(mebibyte)}`],
      ['a long string without an end', `{"PartitionKey":"${'x'.repeat(3 * mebibyte)}`],
      ['a long row of escapes without an end', `{"PartitionKey":"${'\\"'.repeat(mebibyte)}`],
      ['a long number', `{"PartitionKey":"p","RowKey":"r","v":${'9'.repeat(mebibyte)}}`],
      ['a long number with a point', `{"PartitionKey":"p","RowKey":"r","v":${'9'.repeat(mebibyte)}.5}`],
      ['a long row of spaces', `{}${' '.repeat(3 * mebibyte)}x`],
      ['a type that is no string', '{"PartitionKey":"p","RowKey":"r","v":1,"v@odata.type":1}'],
      [
        'a type of no property that is none',
        '{"PartitionKey":"p","RowKey":"r","v@odata.type":"Edm.Nothing"}',
      ],
      ['XML', '<entry xmlns="http://www.w3.org/2005/Atom"/>'],
    ];
    for (const [claim, body] of malformed) {
      it(`with ${claim} is refused`, async () => {
        assertRefused(await post(body), 400, 'InvalidInput', unreadable);
        const path = entityPath(await table(), 'p', 'r');
        const put = await wire.send({ method: 'PUT', path, headers: json, body });
        assert.equal(put.status, 400);
      });
    }

    it('of one long string is told to be too large', async () => {
      const value = 'x'.repeat(4 * mebibyte - 60);
      assertRefused(await post(`{"PartitionKey":"p","RowKey":"l","v":"${value}"}`), 400, 'EntityTooLarge');
      assertRefused(await post(`{"PartitionKey":"${value}","RowKey":"l"}`), 400, 'PropertyValueTooLarge');
      assertRefused(await post(`{"PartitionKey":"p","RowKey":"l","${value}":1}`), 400, 'PropertyNameTooLong');
    });

    it('of very many members is told to have too many', async () => {
      const members = Array.from({ length: 100_000 }, (_, index) => `"p${index}":1`).join();
      assertRefused(await post(`{"PartitionKey":"p","RowKey":"m",${members}}`), 400, 'TooManyProperties');
    });

    it('with names that objects have of their own is an entity like others', async () => {
      const members = '"__proto__":1,"constructor":2,"toString":3,"hasOwnProperty":4';
      const response = await post(`{"PartitionKey":"p","RowKey":"proto",${members}}`);
      assert.equal(response.status, 201, response.body);
      const path = entityPath(await table(), 'p', 'proto');
      assert.ok((await wire.send({ path })).body.endsWith(`${members}}`));
      const selected = await wire.send({ path: `${path}?$select=__proto__,valueOf` });
      assert.ok(selected.body.endsWith('"__proto__":1,"valueOf":null}'), selected.body);
      assert.equal((await filter(encodeURIComponent('__proto__ eq 1 and constructor eq 2'))).status, 200);
    });
  });

  describe('the size of a body', () => {
    it('may be 4 MiB and no byte more, for every operation', async () => {
      const name = await table();
      const path = entityPath(name, 'p', 'size');
      for (const [method, target] of [
        ['PUT', path],
        ['MERGE', path],
        ['POST', `/${name}`],
        ['POST', '/Tables'],
        ['POST', '/$batch'],
      ] as const) {
        const response = await wire.send({
          method,
          path: target,
          headers: json,
          body: Buffer.alloc(4 * mebibyte + 1, 0x20),
        });
        assertRefused(
          response,
          413,
          'RequestBodyTooLarge',
          'The request body is too large and exceeds the maximum permissible limit.',
        );
      }
      const largest = Buffer.alloc(4 * mebibyte, 0x20);
      largest.write('{}', 2 * mebibyte);
      assert.equal((await wire.send({ method: 'PUT', path, headers: json, body: largest })).status, 204);
    });

    it('is known for a body in chunks, too', async () => {
      const response = await post(Buffer.alloc(5 * mebibyte, 0x20), {
        'Content-Length': '',
        'Transfer-Encoding': 'chunked',
      });
      assertRefused(response, 413, 'RequestBodyTooLarge');
    });

    it('is refused at once where it is endless', async () => {
      const head = await wire.signedBytes('POST', '/Tables', [
        'Accept: application/json',
        `Content-Length: ${1024 * mebibyte}`,
      ]);
      const block = Buffer.alloc(mebibyte, 0x20);
      const response = await wire.sendBytes([head, ...Array.from({ length: 66 }, () => block)]);
      assert.match(response, /^HTTP\/1\.1 413 /);
      assert.ok(response.includes('"code":"RequestBodyTooLarge"'), response);
    });
  });

  describe('a body that is cut off', () => {
    it('writes nothing', async () => {
      const body = '{"PartitionKey":"p","RowKey":"cut"}';
      for (const missing of [1, 10, 1000]) {
        const bytes = await wire.signedBytes(
          'POST',
          `/${await table()}`,
          ['Accept: application/json', `Content-Length: ${body.length + missing}`],
          body,
        );
        const { hostname, port } = new URL(await wire.base());
        await new Promise<void>((resolve, reject) => {
          const socket = connect(Number(port), hostname);
          socket.on('error', reject);
          socket.on('close', () => resolve());
          socket.on('data', () => {});
          socket.end(bytes);
        });
      }
      assert.equal((await wire.send({ path: entityPath(await table(), 'p', 'cut') })).status, 404);
    });

    it('in chunks that are none is refused', async () => {
      const bytes = await wire.signedBytes(
        'POST',
        `/${await table()}`,
        ['Accept: application/json', 'Transfer-Encoding: chunked'],
        'zz\r\n{"PartitionKey":"p"}\r\n',
      );
      assert.match(await wire.sendBytes(bytes), /^HTTP\/1\.1 400 /);
    });
  });

  describe('HTTP itself', () => {
    const requests: readonly [claim: string, bytes: string | Buffer, status: number][] = [
      ['no request', 'hello\r\n\r\n', 400],
      ['another protocol', Buffer.from([0x16, 3, 1, 0, 0xa5, 1, 0, 0, 0xa1, 3, 3]), 400],
      ['a verb that is none', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['no host', 'GET /devstoreaccount1/Tables HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['a zero byte in the address', 'GET /devstoreaccount1/a\u0000b HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      [
        'a control character in the address',
        'GET /devstoreaccount1/a\u0001b HTTP/1.1\r\nHost: x\r\n\r\n',
        400,
      ],
      ['a space in the address', 'GET /devstoreaccount1/a b HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n', 400],
      ['a header with a zero byte', 'GET / HTTP/1.1\r\nHost: x\r\na: \u0000\r\n\r\n', 400],
      ['no host', 'GET /devstoreaccount1/Tables HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['an empty host', 'GET /devstoreaccount1/Tables HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 400],
      ['a length that is none', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
      ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
      ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}', 400],
      [
        'a length and chunks',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        400,
      ],
      ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\na: ${'x'.repeat(200_000)}\r\n\r\n`, 431],
      ['an address without end', `GET /${'x'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ];
    for (const [claim, bytes, status] of requests) {
      it(`with ${claim} is answered ${status} and hung up on`, async () => {
        const response = await wire.sendBytes(bytes);
        assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `));
      });
    }

    it('takes two X-HTTP-Method headers for two', async () => {
      const path = entityPath(await table(), 'p', 'r');
      const lines = [
        'Accept: application/json',
        'X-HTTP-Method: MERGE',
        'X-HTTP-Method: PUT',
        'Content-Length: 2',
      ];
      const response = await wire.sendBytes(await wire.signedBytes('POST', path, lines, '{}'));
      assert.match(response, /^HTTP\/1\.1 400 /);
      assert.ok(response.includes('"code":"XMethodIncorrectCount"'), response);
    });

    it('may have raw UTF-8 in an address without a 500', async () => {
      const bytes = Buffer.from(await wire.signedBytes('GET', "/t(PartitionKey='ü',RowKey='日')"), 'utf8');
      assert.match(await wire.sendBytes(bytes), /^HTTP\/1\.1 4\d\d /);
    });
  });

  describe('addresses', () => {
    it('with broken percent-encoding are refused', async () => {
      const name = await table();
      for (const broken of [
        '%',
        '%2',
        '%zz',
        '%u0041',
        '%ff',
        '%c3%28',
        '%ed%a0%80',
        '%c0%80',
        '%f8%88%80%80%80',
      ]) {
        for (const path of [
          `/${name}(PartitionKey='${broken}',RowKey='r')`,
          `/${broken}`,
          `/Tables('${broken}')`,
          `/${name}?$filter=${broken}`,
          `/${name}?${broken}=1`,
          `/${name}?$select=${broken}`,
          `/${name}?NextPartitionKey=${broken}`,
        ]) {
          assertRefused(await wire.send({ path }), 400, 'InvalidInput', querySyntax);
        }
      }
    });

    it('of any shape are no bug of ours', async () => {
      const name = await table();
      const paths = [
        '//',
        '/..',
        '/../..',
        '/./Tables',
        '/Tables/',
        '/%2e%2e/%2e%2e/etc/passwd',
        `/${name}/../Tables`,
        '/$metadata',
        '/$batch(1)',
        '/()',
        "/('a')",
        "/''",
        '/%00',
        '/%0d%0aSet-Cookie:%20a=b',
        '/__proto__',
        '/constructor()',
        `/${'x'.repeat(50_000)}`,
        `/${'('.repeat(5000)}`,
        `/${name}${'()'.repeat(5000)}`,
        `/${name}(${"PartitionKey='',".repeat(2000)})`,
        `/${name}(PartitionKey='${"''".repeat(20_000)}',RowKey='${"'".repeat(20_001)})`,
        `/${name}?${'a=1&'.repeat(10_000)}`,
        `/${name}?${'='.repeat(20_000)}`,
        `/${name}?${'%26'.repeat(20_000)}`,
        `/${name}?__proto__=1&constructor=2`,
        '?$filter=a',
        '?',
      ];
      for (const path of paths) {
        for (const method of ['GET', 'PUT', 'DELETE', 'POST']) {
          const request: RawRequest = { method, path, headers: { ...json, 'If-Match': '*' } };
          const response = await wire.send(method === 'GET' ? request : { ...request, body: '{}' });
          const isExpected = response.status < 500 || response.errorCode === 'NotImplemented';
          assert.ok(isExpected, `${method} ${path.slice(0, 80)} ${response.status}`);
        }
      }
    });
  });

  describe('filters', () => {
    const refused = async (text: string): Promise<void> => {
      const response = await filter(text);
      assertRefused(response, 400, 'InvalidInput');
    };

    it('with very many parentheses, nots or operands are refused', async () => {
      await refused('('.repeat(50_000));
      await refused(`${'('.repeat(101)}a+eq+1${')'.repeat(101)}`);
      await refused(`${'not+'.repeat(20_000)}a`);
      await refused(`${'not('.repeat(101)}a${')'.repeat(101)}`);
      for (const joint of ['+or+', '+and+']) {
        await refused(Array.from({ length: 15_000 }, () => 'a').join(joint));
        await refused(Array.from({ length: 10_000 }, () => 'true').join(joint));
        await refused(Array.from({ length: 8000 }, () => 'a+eq+1').join(joint));
        await refused(Array.from({ length: 5000 }, () => '(not+a)').join(joint));
      }
    });

    it('of a hundred levels are taken', async () => {
      assert.equal((await filter(`${'('.repeat(90)}RowKey+eq+'r'${')'.repeat(90)}`)).status, 200);
      assert.equal((await filter(`${'not('.repeat(45)}RowKey+eq+'r'${')'.repeat(45)}`)).status, 200);
    });

    it('with a very long literal, name or number are read', async () => {
      assert.equal((await filter(`a+eq+'${'x'.repeat(100_000)}'`)).status, 200);
      assert.equal((await filter(`PartitionKey+gt+'${'x'.repeat(100_000)}'`)).status, 200);
      assert.equal((await filter(`PartitionKey+eq+'p'+and+RowKey+lt+'${'x'.repeat(100_000)}'`)).status, 200);
      assert.equal((await filter(`${'x'.repeat(100_000)}+eq+1`)).status, 200);
      await refused(`a+eq+${'9'.repeat(100_000)}`);
      await refused(`a+eq+'${'x'.repeat(100_000)}`);
      await refused(`a+eq+'${"''".repeat(50_000)}`);
    });

    it('of megabytes inside a batch are refused as soon as they are known to be too long', async () => {
      const name = await table();
      for (const text of [
        '('.repeat(3 * mebibyte),
        'not+'.repeat(700_000),
        `${'a+or+'.repeat(600_000)}a`,
        'a,'.repeat(mebibyte),
      ]) {
        const target = `/${name}?$filter=${text}`;
        const response = await postBatch(
          queryBody({ method: 'GET', target, headers: ['Accept: application/json'] }),
        );
        assert.equal(response.status, 202, response.body);
        const [part] = readBatch(response.body);
        assert.equal(part?.status, 400);
      }
    });

    it('with key ranges that multiply are answered', async () => {
      const terms = Array.from(
        { length: 400 },
        (_, index) => `(PartitionKey+ne+'${index}'+or+RowKey+ne+'${index}')`,
      );
      const response = await filter(terms.join('+and+'));
      assert.equal(response.status, 200, response.body.slice(0, 200));
      assert.ok(response.json<{ value: unknown[] }>().value.length > 0);
    });

    it('with characters of all kinds are no bug of ours', async () => {
      for (const text of [
        '%00',
        "a+eq+'%00'",
        "PartitionKey+eq+'%00'",
        "RowKey+ge+'p%00r'",
        '%e2%80%a8',
        "''''",
        "'",
        "X'",
        'datetime',
        "a+eq+datetime''",
        '%F0%9F%98%80+eq+1',
        '-',
        '--1',
        'a+eq+-',
        'a+eq+1e',
        'a.b.c+eq+1',
        ',',
        'a(',
        '.',
        'eq+eq+eq',
        'not+not',
        "a+eq+X'é'",
        'a+eq+0x10',
      ]) {
        const response = await filter(text);
        const isExpected = response.status < 500 || response.errorCode === 'NotImplemented';
        assert.ok(isExpected, `${text} ${response.status}`);
      }
    });
  });

  describe('multipart', () => {
    const part = (content: string): string =>
      `--batch_1\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${content}--batch_1--\r\n`;
    const bodies: readonly [claim: string, body: string | Buffer][] = [
      ['nothing but delimiters', '--batch_1\r\n'.repeat(300_000)],
      ['nothing but line ends', '\r\n'.repeat(mebibyte)],
      ['nothing but dashes', '-'.repeat(3 * mebibyte)],
      ['a part of headers without end', `--batch_1\r\n${'a: b\r\n'.repeat(300_000)}`],
      ['a header without end', `--batch_1\r\nContent-Type: ${'x'.repeat(3 * mebibyte)}\r\n\r\n`],
      ['a delimiter followed by tabs without end', `--batch_1${'\t'.repeat(3 * mebibyte)}x`],
      ['a part without a delimiter of its own', part('nothing')],
      ['parts that are empty', part('--c\r\n\r\n'.repeat(100_000))],
      ['delimiters without parts', part('--c\r\n'.repeat(300_000))],
      ['a request line without end', part(`--c\r\n\r\nPUT ${'x'.repeat(3 * mebibyte)}`)],
      [
        'a change set inside a change set',
        part(`--c\r\nContent-Type: multipart/mixed; boundary=d\r\n\r\n--d\r\n--c--\r\n`),
      ],
      ['bytes that are no text', Buffer.alloc(mebibyte, 0xff)],
      ['zero bytes', Buffer.alloc(mebibyte)],
    ];
    for (const [claim, body] of bodies) {
      it(`of ${claim} is refused`, async () => {
        assertRefused(await postBatch(body), 400, 'InvalidInput', invalid);
      });
    }

    it('of very many operations is refused as one of 101 is', async () => {
      const operation = "--c\r\n\r\nPUT /t(PartitionKey='p',RowKey='r') HTTP/1.1\r\n\r\n{}\r\n";
      const response = await postBatch(part(`${operation.repeat(50_000)}--c--\r\n`));
      assert.equal(response.status, 202);
      const [first, second] = readBatch(response.body);
      assert.equal(second, undefined);
      assert.equal(first?.status, 400);
    });

    it('with hostile boundaries is refused', async () => {
      for (const boundary of ['(a+)+$', '.*', '[', '\\', 'a|b', '^', '(?=x)', 'x'.repeat(20_000)]) {
        assertRefused(
          await postBatch('a'.repeat(10_000), { 'Content-Type': `multipart/mixed; boundary=${boundary}` }),
          400,
          'InvalidInput',
          invalid,
        );
      }
    });

    it('with very long targets inside is answered inside', async () => {
      for (const target of [
        `/${'x'.repeat(2 * mebibyte)}`,
        '/'.repeat(2 * mebibyte),
        `/t(PartitionKey='${'x'.repeat(2 * mebibyte)}',RowKey='r')`,
        `/t(PartitionKey='${"''".repeat(mebibyte)}`,
        `/t(${' '.repeat(2 * mebibyte)})`,
        `/t?${'a&'.repeat(mebibyte)}`,
        `/t?$select=${'a,'.repeat(mebibyte)}`,
      ]) {
        const response = await postBatch(
          queryBody({ method: 'GET', target, headers: ['Accept: application/json'] }),
        );
        assert.equal(response.status, 202, response.body.slice(0, 300));
        const [answer] = readBatch(response.body);
        assert.ok((answer?.status as number) >= 400 && (answer?.status as number) < 500, `${answer?.status}`);
      }
    });
  });
});
