import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseHttpPart, parseMultipart, readBoundary } from '../../src/http/multipart.ts';

function lines(...texts: string[]): Buffer {
  return Buffer.from(texts.join('\r\n'));
}

function contents(body: Buffer, boundary = 'b'): string[] | undefined {
  return parseMultipart(body, boundary)?.map(({ content }) => content.toString());
}

describe('the boundary of a multipart body', () => {
  for (const [type, boundary] of [
    ['multipart/mixed; boundary=batch_1', 'batch_1'],
    ['multipart/mixed;boundary=batch_1', 'batch_1'],
    ['Multipart/Mixed; Boundary=batch_1', 'batch_1'],
    ['multipart/mixed; boundary="batch_1"', 'batch_1'],
    ['multipart/mixed; charset="utf-8"; boundary=batch_1', 'batch_1'],
    ['multipart/mixed;charset="utf-8";boundary=changeset_a-b', 'changeset_a-b'],
    ['multipart/mixed; boundary=a=b', 'a=b'],
    ['multipart/mixed', undefined],
    ['multipart/mixed; boundary=', undefined],
    ['multipart/mixed; boundary=""', undefined],
    ['multipart/form-data; boundary=b', undefined],
    ['application/json', undefined],
    ['', undefined],
  ] as const) {
    it(`is ${boundary} in ${type}`, () => assert.equal(readBoundary(type), boundary));
  }

  it('is not there without a Content-Type', () => assert.equal(readBoundary(undefined), undefined));
});

describe('a multipart body', () => {
  it('has its parts between delimiters, with their headers', () => {
    const body = lines(
      '--b',
      'Content-Type: application/http',
      'X-Odd:  a:b ',
      '',
      'one',
      '--b',
      '',
      'two',
      '--b--',
      '',
    );
    const parts = parseMultipart(body, 'b');
    assert.deepEqual(
      parts?.map(({ headers, content }) => [Object.fromEntries(headers), content.toString()]),
      [
        [{ 'content-type': 'application/http', 'x-odd': 'a:b' }, 'one'],
        [{}, 'two'],
      ],
    );
  });

  it('may end its lines with bare line feeds', () => {
    assert.deepEqual(contents(Buffer.from('--b\nA: b\n\none\n--b\nA: b\n\ntwo\n--b--\n')), ['one', 'two']);
  });

  it('may leave the dashes off the last delimiter, and the line end', () => {
    assert.deepEqual(contents(lines('--b', 'A: b', '', 'one', '--b')), ['one']);
    assert.deepEqual(contents(lines('--b', 'A: b', '', 'one', '--b', '')), ['one']);
    assert.deepEqual(contents(lines('--b', 'A: b', '', 'one', '--b--')), ['one']);
  });

  it('may have a preamble, an epilogue, and spaces behind a delimiter', () => {
    assert.deepEqual(contents(lines('before', '--b \t', 'A: b', '', 'one', '--b--', 'after')), ['one']);
  });

  it('may have an empty line before its last delimiter, which stays with the part', () => {
    assert.deepEqual(contents(lines('--b', 'A: b', '', 'one', '', '--b--')), ['one\r\n']);
  });

  it('counts delimiters at the start of a line alone, and only whole ones', () => {
    const one = '{"a":"--b","b":"\\r\\n--b--"} --b';
    assert.deepEqual(contents(lines('--b', '', one, '--bb', 'x--b', '--b--x', '--b--')), [
      `${one}\r\n--bb\r\nx--b\r\n--b--x`,
    ]);
  });

  it('takes a boundary literally, whatever its characters mean to a pattern', () => {
    const boundary = "b.*+?^$()|[]{}\\'/:=, é";
    assert.deepEqual(contents(Buffer.from(`--${boundary}\r\n\r\none\r\n--${boundary}--`), boundary), ['one']);
    assert.equal(contents(lines('--bx', '', 'one', '--bx--'), 'b.'), undefined);
  });

  it('nests, with the boundary of one not that of the other', () => {
    const inner = lines('--c', 'A: b', '', 'one', '--c--', '').toString();
    assert.deepEqual(contents(lines('--b', 'A: b', '', inner, '--b--')), [inner]);
    assert.deepEqual(contents(Buffer.from(inner), 'c'), ['one']);
  });

  it('is none without a delimiter, or with a part whose headers do not end', () => {
    assert.equal(contents(Buffer.from('')), undefined);
    assert.equal(contents(Buffer.from('one')), undefined);
    assert.equal(contents(lines('--b', 'A: b', '--b--')), undefined);
  });

  it('has no parts between its first and last delimiter where there is nothing', () => {
    assert.deepEqual(contents(lines('--b--')), []);
    assert.deepEqual(contents(lines('--b', '--b--')) ?? [], []);
  });

  it('gives every part back byte by byte', () => {
    const content = fc.uint8Array({ maxLength: 40 }).filter(bytes => !Buffer.from(bytes).includes('\n--b'));
    fc.assert(
      fc.property(
        fc.array(content, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('\n', '\r\n'),
        (parts, end) => {
          const body = Buffer.concat([
            ...parts.flatMap(part => [
              Buffer.from(`--b${end}A: b${end}${end}`),
              Buffer.from(part),
              Buffer.from(end),
            ]),
            Buffer.from(`--b--${end}`),
          ]);
          const read = parseMultipart(body, 'b')?.map(part => [...part.content]);
          // With bare line feeds, a carriage return at a part's end is taken for the delimiter's.
          const expected = parts.map(part => [...part]);
          if (end === '\n') for (const part of expected) if (part.at(-1) === 0x0d) part.pop();
          assert.deepEqual(read, expected);
        },
      ),
    );
  });
});

describe('a part of type application/http', () => {
  it('has a request line, headers and a body', () => {
    const part = parseHttpPart(
      lines('PATCH http://127.0.0.1/a/t?x=y HTTP/1.1', 'If-Match: *', 'Content-ID: 3', '', '{"a":1}'),
    );
    assert.equal(part?.method, 'PATCH');
    assert.equal(part?.target, 'http://127.0.0.1/a/t?x=y');
    assert.deepEqual(Object.fromEntries(part?.headers ?? []), { 'if-match': '*', 'content-id': '3' });
    assert.equal(part?.body.toString(), '{"a":1}');
  });

  it('loses the line ends that clients put around its body', () => {
    const part = parseHttpPart(lines('', 'POST /t HTTP/1.1', 'A: b', '', '', '', '{"a":"\\r\\n"}', '', ''));
    assert.equal(part?.body.toString(), '{"a":"\\r\\n"}');
  });

  it('may have no body, no headers, and no end to its headers', () => {
    for (const content of [
      lines('DELETE /t HTTP/1.1', 'If-Match: *', '', ''),
      lines('DELETE /t HTTP/1.1', 'If-Match: *', '', '', ''),
      lines('DELETE /t HTTP/1.1', 'If-Match: *'),
      Buffer.from('DELETE /t HTTP/1.1\nIf-Match: *\n\n'),
    ]) {
      const part = parseHttpPart(content);
      assert.equal(part?.method, 'DELETE');
      assert.equal(part?.headers.get('if-match'), '*');
      assert.equal(part?.body.length, 0);
    }
    assert.equal(parseHttpPart(lines('GET /t HTTP/1.0'))?.headers.size, 0);
  });

  it('reads its target as UTF-8, and with spaces in it', () => {
    const target = "/t(PartitionKey='é 😀', RowKey='b')";
    assert.equal(parseHttpPart(lines(`DELETE ${target} HTTP/1.1`, '', ''))?.target, target);
  });

  it('has its verb in upper case', () => {
    assert.equal(parseHttpPart(lines('merge /t HTTP/1.1', '', ''))?.method, 'MERGE');
  });

  it('keeps the bytes of its body', () => {
    assert.equal(parseHttpPart(lines('POST /t HTTP/1.1', '', '{"a":"é😀"}'))?.body.toString(), '{"a":"é😀"}');
  });

  it('is none with what HTTP allows in no head: its headers come back in the answer', () => {
    for (const control of ['\r', '\0', '\u0001', '\u001f', '\u007f', '\v']) {
      const head = `POST /t HTTP/1.1\r\nContent-ID: a${control}b\r\n\r\n{}`;
      assert.equal(parseHttpPart(Buffer.from(head)), undefined, JSON.stringify(control));
    }
    assert.equal(
      parseHttpPart(lines('POST /t HTTP/1.1', 'Content-ID: a\tb', '', ''))?.headers.get('content-id'),
      'a\tb',
    );
  });

  it('is none without a request line', () => {
    for (const text of [
      '',
      'POST /t',
      'POST HTTP/1.1',
      'HTTP/1.1 200 OK',
      '{"a":1}',
      'POST /t HTTP/2',
      ': x',
    ]) {
      assert.equal(parseHttpPart(Buffer.from(text)), undefined, text);
    }
  });
});
