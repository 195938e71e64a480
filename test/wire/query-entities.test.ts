import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeToken } from '../../src/table/continuation.ts';
import type { RawResponse } from '../support/raw-client.ts';
import { assertRefused, invalid, useWire } from '../support/wire.ts';

const nextPartition = 'x-ms-continuation-nextpartitionkey';
const nextRow = 'x-ms-continuation-nextrowkey';
const notImplemented = 'The requested operation is not implemented on the specified resource.';

interface Feed {
  readonly value: Record<string, unknown>[];
}

describe('Query Entities on the wire', () => {
  const wire = useWire();
  const ask = (table: string, options = '', headers: Record<string, string> = {}): Promise<RawResponse> =>
    wire.send({ path: `/${table}()${options}`, headers });
  const keysOf = (response: RawResponse): string[] => {
    assert.equal(response.status, 200, response.body);
    return response.json<Feed>().value.map(({ PartitionKey, RowKey }) => `${PartitionKey}/${RowKey}`);
  };
  const filtered = async (table: string, filter: string): Promise<string[]> =>
    (await wire.query(table, filter)).map(({ RowKey }) => RowKey as string);
  /** Follows the tokens to the end: the keys of each page. */
  const pages = async (table: string, options: string): Promise<string[][]> => {
    const found: string[][] = [];
    let more = '';
    for (let page = 0; page < 100; page++) {
      const response = await ask(table, `?${options}${more}`);
      found.push(keysOf(response));
      const partition = response.headers[nextPartition] as string | undefined;
      const row = response.headers[nextRow] as string | undefined;
      if (partition === undefined) {
        assert.equal(row, undefined);
        return found;
      }
      for (const token of [partition, row]) assert.match(token as string, /^1!\d+![A-Za-z0-9*_-]*$/);
      more = `&NextPartitionKey=${encodeURIComponent(partition)}&NextRowKey=${encodeURIComponent(row as string)}`;
    }
    throw new Error('the tokens do not end');
  };
  const lazily = (make: () => Promise<string>): (() => Promise<string>) => {
    let made: Promise<string> | undefined;
    return () => {
      made ??= make();
      return made;
    };
  };

  describe('the feed', () => {
    const table = lazily(async () => {
      const name = await wire.createTable();
      await wire.insert(name, '{"PartitionKey":"p","RowKey":"1","n":"7","n@odata.type":"Edm.Int64","d":2.0}');
      await wire.insert(name, '{"PartitionKey":"p","RowKey":"2"}');
      return name;
    });

    it('shows entities at minimal metadata to the byte', async () => {
      const response = await ask(await table());
      const [first, second] = response.json<Feed>().value;
      assert.equal(
        response.body,
        `{"odata.metadata":"${await wire.base()}/$metadata#${await table()}","value":[{"odata.etag":${JSON.stringify(first?.['odata.etag'])},"PartitionKey":"p","RowKey":"1","Timestamp":"${first?.Timestamp}","n@odata.type":"Edm.Int64","n":"7","d":2.0},{"odata.etag":${JSON.stringify(second?.['odata.etag'])},"PartitionKey":"p","RowKey":"2","Timestamp":"${second?.Timestamp}"}]}`,
      );
      assert.equal(response.headers.etag, undefined);
    });

    it('shows them without metadata', async () => {
      const response = await ask(await table(), '?$top=1', { Accept: 'application/json;odata=nometadata' });
      const [first] = response.json<Feed>().value;
      assert.equal(
        response.body,
        `{"value":[{"PartitionKey":"p","RowKey":"1","Timestamp":"${first?.Timestamp}","n":"7","d":2.0}]}`,
      );
    });

    it('shows them at full metadata', async () => {
      const response = await ask(await table(), '?$top=1', { Accept: 'application/json;odata=fullmetadata' });
      const [first] = response.json<Feed>().value;
      const base = await wire.base();
      const path = `${await table()}(PartitionKey='p',RowKey='1')`;
      assert.equal(
        response.body,
        `{"odata.metadata":"${base}/$metadata#${await table()}","value":[{"odata.type":"devstoreaccount1.${await table()}","odata.id":"${base}/${path}","odata.etag":${JSON.stringify(first?.['odata.etag'])},"odata.editLink":"${path}","PartitionKey":"p","RowKey":"1","Timestamp@odata.type":"Edm.DateTime","Timestamp":"${first?.Timestamp}","n@odata.type":"Edm.Int64","n":"7","d":2.0}]}`,
      );
    });

    it('is the same with parentheses and without', async () => {
      const name = await table();
      for (const path of [`/${name}`, `/${name}()`, `/${name}(%20)`, `/${name}/`]) {
        assert.deepEqual(keysOf(await wire.send({ path })), ['p/1', 'p/2'], path);
      }
    });

    it('is empty for an empty table', async () => {
      const name = await wire.createTable();
      assert.equal(
        (await ask(name)).body,
        `{"odata.metadata":"${await wire.base()}/$metadata#${name}","value":[]}`,
      );
    });

    it('is refused where the table is not there', async () => {
      for (const name of ['missing', 'my_table', 'x']) {
        assertRefused(await ask(name), 404, 'TableNotFound', 'The table specified does not exist.');
      }
    });

    it('is refused in Atom', async () => {
      for (const accept of ['', '*/*', 'application/atom+xml,application/xml']) {
        assertRefused(await ask(await table(), '', { Accept: accept }), 415, 'AtomFormatNotSupported');
      }
    });
  });

  describe('order', () => {
    it('is by partition key and then row key, by code point', async () => {
      const table = await wire.createTable();
      const keys = [
        ['', ''],
        ['', 'z'],
        ['10', ''],
        ['2', ''],
        ['A', 'b'],
        ['A', 'c'],
        ['AB', 'a'],
        ['a', 'A'],
        ['a', 'a'],
        ['a!', ''],
        ['b', '\u00e9'],
        ['b', '\ufffd'],
        ['b', '\u{1f600}'],
      ] as const;
      for (const [PartitionKey, RowKey] of [...keys].reverse())
        await wire.insert(table, { PartitionKey, RowKey });
      assert.deepEqual(
        keysOf(await ask(table)),
        keys.map(key => key.join('/')),
      );
    });
  });

  describe('paging', () => {
    const table = lazily(async () => {
      const name = await wire.createTable();
      for (const PartitionKey of ['', "O'Hara", 'a b', 'ü']) {
        for (const RowKey of ['', '1', "x''y", '日本']) await wire.insert(name, { PartitionKey, RowKey });
      }
      return name;
    });

    it('names in its tokens the next entity, in the form of the service', async () => {
      const name = await wire.createTable();
      await wire.insert(name, { PartitionKey: 'a', RowKey: '1' });
      await wire.insert(name, { PartitionKey: 'pk801016e8', RowKey: 'rk' });
      const { headers } = await ask(name, '?$top=1');
      assert.equal(headers[nextPartition], '1!16!cGs4MDEwMTZlOA--');
      assert.equal(headers[nextRow], '1!4!cms-');
    });

    it('never gives an empty token', async () => {
      const name = await wire.createTable();
      await wire.insert(name, { PartitionKey: '', RowKey: '' });
      await wire.insert(name, { PartitionKey: 'p', RowKey: '' });
      const { headers } = await ask(name, '?$top=1');
      assert.equal(headers[nextPartition], '1!4!cA--');
      assert.equal(headers[nextRow], '1!0!');
    });

    it('takes the names of its tokens in any case', async () => {
      const response = await ask(
        await table(),
        `?nextpartitionkey=${encodeToken('ü')}&NEXTROWKEY=${encodeToken('1')}`,
      );
      assert.deepEqual(keysOf(response), ['ü/1', "ü/x''y", 'ü/日本']);
    });

    it('is over where the token is behind all', async () => {
      const response = await ask(await table(), `?NextPartitionKey=${encodeToken('\u{10ffff}')}`);
      assert.deepEqual(keysOf(response), []);
      assert.equal(response.headers[nextPartition], undefined);
    });

    it('holds a token to the ranges of the filter', async () => {
      const filter = encodeURIComponent("PartitionKey eq 'a b'");
      const before = await ask(await table(), `?$filter=${filter}&NextPartitionKey=${encodeToken('A')}`);
      assert.equal(keysOf(before).length, 4);
      const behind = await ask(await table(), `?$filter=${filter}&NextPartitionKey=${encodeToken('b')}`);
      assert.equal(keysOf(behind).length, 0);
    });

    it('refuses a token that it did not make', async () => {
      for (const token of [
        'x',
        '1!4!YWI',
        '1!2!!!',
        '2!4!YWI-',
        '1!0',
        '!',
        '%00',
        '1!4!gICA',
        encodeToken('a').slice(1),
      ]) {
        for (const options of [
          `?NextPartitionKey=${token}`,
          `?NextPartitionKey=${encodeToken('a')}&NextRowKey=${token}`,
        ]) {
          assertRefused(await ask(await table(), options), 400, 'InvalidInput', invalid);
        }
      }
    });

    it('refuses a $top out of range', async () => {
      for (const top of ['-1', '1001', 'x', '', '1.5', '1e2', '4294967297', '-0']) {
        assertRefused(await ask(await table(), `?$top=${top}`), 400, 'InvalidInput', invalid);
      }
      assert.equal((await ask(await table(), '?$top=1000')).status, 200);
    });
  });

  it('ends a page before it grows without bound', async () => {
    const table = await wire.createTable();
    const value = 'x'.repeat(32_000);
    const body = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`p${index}`, value]));
    for (let row = 0; row < 12; row++)
      await wire.insert(table, { PartitionKey: 'p', RowKey: `${row}`, ...body });
    const found = await pages(table, '');
    assert.equal(found.flat().length, 12);
    assert.ok(found.length > 1);
  });

  describe('filters', () => {
    const typed = lazily(async () => {
      const name = await wire.createTable();
      for (const members of [
        '"RowKey":"1","binary":"AQ==","boolean":false,"date":"2020-01-01T00:00:00Z","double":1.5,"guid":"00000000-0000-0000-0000-000000000001","int32":1,"int64":"5000000000","string":"B"',
        '"RowKey":"2","binary":"AQI=","boolean":true,"date":"2020-01-01T00:00:00.0000001Z","double":2.0,"guid":"10000000-0000-0000-0000-000000000000","int32":2,"int64":"5000000001","string":"b"',
        '"RowKey":"3","binary":"/w==","boolean":true,"date":"2021-06-15T12:30:00Z","double":-1.5E+10,"guid":"c9da6455-213d-42c9-9a79-3e9149a57833","int32":-3,"int64":"-3","string":"bB"',
        '"RowKey":"4"',
      ]) {
        await wire.insert(
          name,
          `{"PartitionKey":"p",${members},"binary@odata.type":"Edm.Binary","date@odata.type":"Edm.DateTime","guid@odata.type":"Edm.Guid","int64@odata.type":"Edm.Int64"}`,
        );
      }
      return name;
    });

    /** For each type a literal equal to that of row 2, and the rows below and above it. */
    const literals: readonly [property: string, literals: readonly string[], below: string, above: string][] =
      [
        ['binary', ["X'0102'", "x'0102'", "binary'0102'"], '1', '3'],
        ['boolean', ['true'], '1', ''],
        [
          'date',
          ["datetime'2020-01-01T00:00:00.0000001Z'", "datetime'2020-01-01T01:00:00.0000001+01:00'"],
          '1',
          '3',
        ],
        ['double', ['2.0', '2', '2D', '2d', '2L', '0.2E+1', '2e0'], '13', ''],
        ['guid', ["guid'10000000-0000-0000-0000-000000000000'"], '1', '3'],
        ['int32', ['2'], '13', ''],
        ['int64', ['5000000001L', '5000000001l', '5000000001'], '13', ''],
        ['string', ["'b'"], '1', '3'],
      ];
    for (const [property, forms, below, above] of literals) {
      it(`compare ${property} by all six operators, the literal on either side`, async () => {
        const name = await typed();
        const equal = property === 'boolean' ? '23' : '2';
        const expected = {
          eq: equal,
          ne: below + above,
          lt: below,
          le: [...(below + equal)].sort().join(''),
          gt: above,
          ge: [...(equal + above)].sort().join(''),
        };
        const mirrored = { eq: 'eq', ne: 'ne', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' } as const;
        for (const literal of forms) {
          for (const operator of ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const) {
            const filter = `${property} ${operator} ${literal}`;
            assert.equal((await filtered(name, filter)).join(''), expected[operator], filter);
            const turned = `${literal} ${mirrored[operator]} ${property}`;
            assert.equal((await filtered(name, turned)).join(''), expected[operator], turned);
          }
        }
      });
    }

    const cases: readonly [claim: string, filter: string, rows: string][] = [
      ['not inverts a comparison', 'not int32 eq 2', '134'],
      ['parentheses nest', "((((RowKey) eq ('2'))))", '2'],
      ['true matches all', 'true', '1234'],
      ['false matches nothing', 'false', ''],
      ['a Double literal does not equal an Int32', 'int32 eq 2.0', ''],
      ['a Double literal does not equal an Int64', 'int64 eq -3.0', ''],
      ['a number literal equals no string', 'string eq 2', ''],
      ['a mismatch is less', "int32 lt '2' and int32 le '2'", '123'],
      ['a mismatch is not greater', "int32 gt '2' or int32 ge '2'", ''],
      ['property names are case-sensitive', 'Int32 eq 2', ''],
      ['spaces do not count', "  RowKey   eq   '2'  ", '2'],
      ['no space is needed about parentheses', "(RowKey eq '2')or(RowKey eq '3')", '23'],
      ['a forbidden character in a key literal matches nothing', "RowKey eq 'a/b\\c#d?e\u0001'", ''],
      ['a control character bounds a range as any other', "RowKey gt '2\u0001'", '34'],
      ['the ETag is not a property', "ETag ne ''", ''],
      ['the empty key is below all', "RowKey gt ''", '1234'],
      ['NaN equals nothing', 'double eq NaN', ''],
      ['infinities bound doubles', 'double gt -Infinity and double lt Infinity', '123'],
    ];
    for (const [claim, filter, rows] of cases) {
      it(`say that ${claim}`, async () => {
        assert.equal((await filtered(await typed(), filter)).join(''), rows);
      });
    }

    const wrong: readonly [filter: string, position: number][] = [
      ['a eq', 4],
      ['eq 1', 2],
      ['a eq 1 b', 8],
      ['a eq 1)', 7],
      ['(a eq 1', 7],
      ['a EQ 1', 4],
      ['a eq 1 AND b eq 2', 10],
      ["a eq 'open", 10],
      ['a eq "x"', 8],
      ["a eq guid'123'", 14],
      ["a eq X'123'", 11],
      ["a eq X'zz'", 10],
      ["a eq datetime'2020-02-30T00:00:00Z'", 35],
      ['a eq 99999999999999999999L', 26],
      ['a and', 5],
      ['not', 3],
      ['1', 1],
      ["'text'", 6],
      ['a eq 1,', 7],
      ['()', 2],
      ['a == 1', 4],
      ['$a eq 1', 2],
    ];
    for (const [filter, position] of wrong) {
      it(`may not be ${filter}`, async () => {
        assertRefused(
          await ask(await typed(), `?$filter=${encodeURIComponent(filter)}`),
          400,
          'InvalidInput',
          `Syntax error at position ${position} in '${filter}'.`,
        );
      });
    }

    for (const filter of [
      "startswith(string,'b')",
      "substringof('b',string)",
      'string eq null',
      'null ne string',
    ]) {
      it(`do not implement ${filter}`, async () => {
        assertRefused(
          await ask(await typed(), `?$filter=${encodeURIComponent(filter)}`),
          501,
          'NotImplemented',
          notImplemented,
        );
      });
    }

    it('are refused before the table is looked for, or after: never with a 500', async () => {
      const response = await ask('missing', '?$filter=a%20b%20c');
      assert.ok(response.status === 400 || response.status === 404);
    });
  });
});
