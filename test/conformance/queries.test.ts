import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import { entityPath, invalid, useWire } from '../support/wire.ts';
import { assertAnswer, assertError, type Level, refusals } from './answers.ts';
import { conforms } from './conforms.ts';

const nextPartition = 'x-ms-continuation-nextpartitionkey';
const nextRow = 'x-ms-continuation-nextrowkey';
const notImplemented = 'The requested operation is not implemented on the specified resource.';
const etag = `"odata.etag":"W/\\"datetime'<time>'\\""`;

/** The token of a key in the recorded form, with none of the characters that its Base64 would have to replace. */
function token(key: string): string {
  const base64 = Buffer.from(key).toString('base64').replaceAll('=', '-');
  return `1!${base64.length}!${base64}`;
}

describe('Queries: order, pages and options', () => {
  const wire = useWire();
  const ask = (table: string, options = '', headers: Record<string, string> = {}): Promise<RawResponse> =>
    wire.send({ path: `/${table}()${options}`, headers });
  const keysOf = (response: RawResponse): string[] => {
    assert.equal(response.status, 200, response.body);
    const { value } = response.json<{ value: Record<string, string>[] }>();
    return value.map(({ PartitionKey, RowKey }) => `${PartitionKey}|${RowKey}`);
  };
  const fill = async (keys: readonly (readonly [string, string])[], members = {}): Promise<string> => {
    const table = await wire.createTable();
    for (const [PartitionKey, RowKey] of keys) await wire.insert(table, { PartitionKey, RowKey, ...members });
    return table;
  };
  const follow = ({ headers }: RawResponse): string =>
    `&NextPartitionKey=${encodeURIComponent(headers[nextPartition] as string)}&NextRowKey=${encodeURIComponent(headers[nextRow] as string)}`;
  const assertLast = ({ headers }: RawResponse): void => {
    assert.deepEqual([headers[nextPartition], headers[nextRow]], [undefined, undefined]);
  };

  conforms(157, async () => {
    const sorted = [
      ['', ''],
      ['', 'z'],
      ['1', '10'],
      ['1', '2'],
      ['10', 'a'],
      ['2', 'a'],
      ['A', '9'],
      ['AB', '1'],
      ['B', ''],
      ['a', 'A'],
      ['a', 'B'],
      ['a', 'a'],
      ['a', 'a '],
      ['a', 'a-b'],
      ['a', 'aB'],
      ['a', 'aa'],
      ['a', 'z'],
      ['a', 'ä'],
      ['a b', ''],
      ['b', ''],
      ['ä', ''],
    ] as const;
    const table = await fill(sorted.toReversed());
    const expected = sorted.map(key => key.join('|'));
    assert.deepEqual(keysOf(await ask(table)), expected);
    const first = await ask(table, '?$top=10');
    assert.deepEqual([...keysOf(first), ...keysOf(await ask(table, `?$top=11${follow(first)}`))], expected);
  });

  conforms(158, async () => {
    const table = await fill([
      ['p', '1'],
      ['p', '2'],
    ]);
    const entity = (rowKey: string): string =>
      `{${etag},"PartitionKey":"p","RowKey":"${rowKey}","Timestamp":"<time>"}`;
    const feed = (...rows: string[]): string =>
      `{"odata.metadata":"<base>/$metadata#<table>","value":[${rows.join()}]}`;
    const tokens = [`${nextPartition}: ${token('p')}`, `${nextRow}: ${token('2')}`];
    for (const path of [`/${table}`, `/${table}()`]) {
      const answers: readonly [options: string, body: string, headers: readonly string[]][] = [
        ['', feed(entity('1'), entity('2')), []],
        ['?$filter=RowKey%20gt%20%271%27', feed(entity('2')), []],
        ['?$top=1', feed(entity('1')), tokens],
      ];
      for (const [options, body, headers] of answers) {
        const response = await wire.send({ path: `${path}${options}` });
        await assertAnswer(wire, response, { status: '200 OK', headers, body, table });
      }
    }
    const [one, other] = [await wire.send({ path: `/${table}` }), await ask(table)];
    assert.equal(one.body, other.body);
  });

  conforms(174, async () => {
    const table = await fill([
      ['p', '1'],
      ['p', '2'],
    ]);
    const rows = ['1', '2'].map(
      rowKey => `{${etag},"PartitionKey":"p","RowKey":"${rowKey}","Timestamp":"<time>"}`,
    );
    for (const [options, suffix] of [
      ['$filter=', ''],
      ['$filter=%20', ''],
      ['$select=', ''],
      ['$select=%20', '&$select='],
      ['$filter=&$select=', ''],
      ['%24filter=&%24select=%20%20', '&$select='],
    ] as const) {
      const body = `{"odata.metadata":"<base>/$metadata#<table>${suffix}","value":[${rows.join()}]}`;
      await assertAnswer(wire, await ask(table, `?${options}`), { status: '200 OK', body, table });
    }
  });

  conforms(177, async () => {
    const table = await wire.createTable();
    await wire.insert(
      table,
      '{"PartitionKey":"p","RowKey":"1","age":"7","age@odata.type":"Edm.Int64","d":2.0}',
    );
    await wire.insert(table, '{"PartitionKey":"p","RowKey":"2","x":1}');
    const full = (rowKey: string): string => {
      const path = `<table>(PartitionKey='p',RowKey='${rowKey}')`;
      return `"odata.type":"devstoreaccount1.<table>","odata.id":"<base>/${path}",${etag},"odata.editLink":"${path}"`;
    };
    const age = '"age@odata.type":"Edm.Int64","age":"7"';
    const timestamp = '"Timestamp@odata.type":"Edm.DateTime","Timestamp":"<time>"';
    const cases: readonly [level: Level, select: string, ...rows: string[]][] = [
      ['minimal', 'd', `${etag},"d":2.0`, `${etag},"d":null`],
      ['minimal', 'age,d', `${etag},${age},"d":2.0`, `${etag},"age":null,"d":null`],
      ['minimal', 'RowKey', `${etag},"RowKey":"1"`, `${etag},"RowKey":"2"`],
      ['minimal', 'PartitionKey', `${etag},"PartitionKey":"p"`, `${etag},"PartitionKey":"p"`],
      ['minimal', 'Timestamp', `${etag},"Timestamp":"<time>"`, `${etag},"Timestamp":"<time>"`],
      [
        'minimal',
        'd,RowKey,missing',
        `${etag},"d":2.0,"RowKey":"1","missing":null`,
        `${etag},"d":null,"RowKey":"2","missing":null`,
      ],
      ['minimal', 'D', `${etag},"D":null`, `${etag},"D":null`],
      ['no', 'age', '"age":"7"', '"age":null'],
      ['no', 'age,missing', '"age":"7","missing":null', '"age":null,"missing":null'],
      ['no', 'RowKey,x', '"RowKey":"1","x":null', '"RowKey":"2","x":1'],
      ['full', 'age', `${full('1')},${age}`, `${full('2')},"age":null`],
      ['full', 'Timestamp', `${full('1')},${timestamp}`, `${full('2')},${timestamp}`],
    ];
    for (const [level, select, ...rows] of cases) {
      const metadata = level === 'no' ? '' : `"odata.metadata":"<base>/$metadata#<table>&$select=${select}",`;
      const headers = { Accept: `application/json;odata=${level}metadata` };
      const response = await ask(table, `?$select=${select}`, headers);
      const body = `{${metadata}"value":[{${rows.join('},{')}}]}`;
      await assertAnswer(wire, response, { status: '200 OK', body, level, table });
    }
    const filter = encodeURIComponent('d eq 2.0');
    const { value } = (await ask(table, `?$select=RowKey&$filter=${filter}`)).json<{ value: object[] }>();
    assert.deepEqual(value.map(Object.keys), [['odata.etag', 'RowKey']]);
  });

  conforms(178, async () => {
    const table = await fill([['p', 'r']], { age: 1, sex: 'f' });
    const base = await wire.base();
    for (const [list, shown] of [
      ['age', 'age'],
      ['age,sex', 'age,sex'],
      ['sex,age,missing', 'sex,age,missing'],
      ['age,%20sex', 'age,%20sex'],
      ['age,+sex', 'age,%20sex'],
      ['PartitionKey%2CRowKey', 'PartitionKey,RowKey'],
    ]) {
      for (const level of ['minimalmetadata', 'fullmetadata']) {
        const headers = { Accept: `application/json;odata=${level}` };
        const feed = await ask(table, `?$select=${list}`, headers);
        assert.ok(
          feed.body.startsWith(`{"odata.metadata":"${base}/$metadata#${table}&$select=${shown}","value":[{`),
          feed.body,
        );
        const path = `${entityPath(table, 'p', 'r')}?$select=${list}`;
        const entity = await wire.send({ path, headers });
        assert.ok(
          entity.body.startsWith(`{"odata.metadata":"${base}/$metadata#${table}/@Element&$select=${shown}",`),
          entity.body,
        );
      }
    }
    assert.equal((await ask(table)).json()['odata.metadata'], `${base}/$metadata#${table}`);
  });

  conforms(179, async () => {
    const table = await fill([
      ['p', '1'],
      ['p', '2'],
    ]);
    const body = '{"odata.metadata":"<base>/$metadata#<table>","value":[]}';
    await assertAnswer(wire, await ask(table, '?$top=0'), { status: '200 OK', body, table });
    const refusal = { status: '400 Bad Request', code: 'InvalidInput', message: invalid };
    for (const top of ['-1', '1001', 'x']) {
      await assertError(wire, await ask(table, `?$top=${top}`), refusal);
    }
    assert.deepEqual(keysOf(await ask(table, '?$top=1')), ['p|1']);
    assert.deepEqual(keysOf(await ask(table, '?$top=1000')), ['p|1', 'p|2']);
  });

  conforms(180, async () => {
    const table = await wire.createTable();
    const rowKeys = Array.from({ length: 1000 }, (_, index) => String(index).padStart(4, '0'));
    for (let start = 0; start < 1000; start += 50) {
      const some = rowKeys.slice(start, start + 50);
      await Promise.all(some.map(RowKey => wire.insert(table, { PartitionKey: 'p', RowKey })));
    }
    const whole = await ask(table);
    assert.equal(keysOf(whole).length, 1000);
    assertLast(whole);
    await wire.insert(table, { PartitionKey: 'p', RowKey: '1000' });
    const first = await ask(table);
    assert.deepEqual(
      keysOf(first),
      rowKeys.map(rowKey => `p|${rowKey}`),
    );
    assert.deepEqual([first.headers[nextPartition], first.headers[nextRow]], [token('p'), token('1000')]);
    const second = await ask(table, `?${follow(first).slice(1)}`);
    assert.deepEqual(keysOf(second), ['p|1000']);
    assertLast(second);
    const left = await ask(table, `?$filter=${encodeURIComponent("RowKey ne '0500'")}`);
    assert.equal(keysOf(left).length, 1000);
    assertLast(left);
  });

  conforms(181, async () => {
    const partitionKeys = ['', "''", "O'Hara", 'a b', '日本', '\u{1f600}'];
    const rowKeys = ['', ' ', '%2F', "x''y", '~', 'ü'];
    const table = await fill(
      partitionKeys.flatMap(partitionKey => rowKeys.map(rowKey => [partitionKey, rowKey] as const)),
      { n: 1 },
    );
    const keysWith = (isWanted: (rowKey: string) => boolean): string[] =>
      partitionKeys.flatMap(partitionKey =>
        rowKeys.filter(isWanted).map(rowKey => `${partitionKey}|${rowKey}`),
      );
    const some = encodeURIComponent("n eq 1 and (RowKey eq '' or RowKey ge 'x')");
    for (const [options, expected] of [
      ['', keysWith(() => true)],
      [`&$filter=${some}&$select=RowKey,PartitionKey`, keysWith(rowKey => rowKey === '' || rowKey >= 'x')],
    ] as const) {
      const count = expected.length;
      for (const top of [1, 2, 5, 7, count - 1, count, count + 1]) {
        const seen: string[] = [];
        let more = '';
        while (seen.length < count) {
          const response = await ask(table, `?$top=${top}${options}${more}`);
          const page = keysOf(response);
          assert.equal(page.length, Math.min(top, count - seen.length));
          seen.push(...page);
          if (seen.length === count) assertLast(response);
          else more = follow(response);
        }
        assert.deepEqual(seen, expected, `$top=${top}${options}`);
      }
    }
  });

  conforms(182, async () => {
    const table = await fill([
      ['a', '1'],
      ['b', ''],
      ['b', '1'],
      ['b', '2'],
      ['c', '1'],
    ]);
    const middle = await ask(table, '?$top=2');
    assert.deepEqual([middle.headers[nextPartition], middle.headers[nextRow]], [token('b'), token('1')]);
    const only = `NextPartitionKey=${encodeURIComponent(middle.headers[nextPartition] as string)}`;
    for (const more of [only, `${only}&NextRowKey=`, `${only}&nextrowkey=`]) {
      const first = await ask(table, `?$top=2&${more}`);
      assert.deepEqual(keysOf(first), ['b|', 'b|1'], more);
      assert.deepEqual(keysOf(await ask(table, `?$top=2${follow(first)}`)), ['b|2', 'c|1']);
      assert.deepEqual(keysOf(await ask(table, `?${more}`)), ['b|', 'b|1', 'b|2', 'c|1'], more);
    }
  });

  conforms(183, async () => {
    const table = await fill([
      ['a', '1'],
      ['a', '2'],
      ['a', '3'],
      ['b', '1'],
      ['c', '1'],
    ]);
    const remove = async (partitionKey: string, rowKey: string): Promise<void> => {
      const path = entityPath(table, partitionKey, rowKey);
      const { status } = await wire.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } });
      assert.equal(status, 204);
    };
    const first = await ask(table, '?$top=1');
    assert.deepEqual([first.headers[nextPartition], first.headers[nextRow]], [token('a'), token('2')]);
    await remove('a', '2');
    assert.deepEqual(keysOf(await ask(table, `?$top=1${follow(first)}`)), ['a|3']);
    const second = await ask(table, '?$top=2');
    assert.deepEqual([second.headers[nextPartition], second.headers[nextRow]], [token('b'), token('1')]);
    await remove('b', '1');
    assert.deepEqual(keysOf(await ask(table, `?$top=2${follow(second)}`)), ['c|1']);
    await remove('c', '1');
    const last = await ask(table, `?$top=2${follow(second)}`);
    assert.deepEqual(keysOf(last), []);
    assertLast(last);
  });

  conforms(184, async () => {
    const keys = [
      ['', ''],
      ['', 'x'],
      [' ', ' '],
      ['  ', ''],
      ['>>>>', 'ÿÿÿ'],
      ['a b', 'ü b'],
      ['~~~', '\u{10ffff} \u00a0'],
    ] as const;
    const table = await fill(keys);
    const seen = new Set<string>();
    let response = await ask(table, '?$top=1');
    for (let page = 1; page < keys.length; page++) {
      for (const key of keysOf(response)) seen.add(key);
      for (const name of [nextPartition, nextRow]) {
        assert.match(response.headers[name] as string, /^[!-~]+$/, `${name} behind ${[...seen].at(-1)}`);
      }
      response = await ask(table, `?$top=1${follow(response)}`);
    }
    for (const key of keysOf(response)) seen.add(key);
    assert.equal(seen.size, keys.length);
    assertLast(response);
  });

  conforms(185, async () => {
    for (const path of ['/missing', '/missing()', '/missing()?$filter=n%20eq%201&$top=5&$select=n']) {
      await assertError(wire, await wire.send({ path }), refusals.tableNotFound);
    }
    for (const level of ['no', 'full'] as const) {
      const response = await ask('missing', '', { Accept: `application/json;odata=${level}metadata` });
      await assertError(wire, response, { ...refusals.tableNotFound, level });
    }
  });

  conforms(187, async () => {
    const table = await fill([['p', 'r']]);
    const refusal = { status: '501 Not Implemented', code: 'NotImplemented', message: notImplemented };
    for (const option of [
      '$orderby=RowKey',
      '%24orderby=RowKey%20desc',
      '$skip=1',
      '$expand=x',
      '$inlinecount=allpages',
      '$count=true',
    ]) {
      await assertError(wire, await ask(table, `?${option}`), refusal);
    }
  });
});
