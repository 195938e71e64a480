import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { RawRequest, RawResponse } from '../support/raw-client.ts';
import { freshTableName } from '../support/server.ts';
import { entityPath, json, useTable, useWire } from '../support/wire.ts';
import {
  assertAnswer,
  assertError,
  entityBody,
  type Level,
  levels,
  refusals,
  timestampOf,
} from './answers.ts';
import { conforms } from './conforms.ts';

const etagHeader = `etag: W/"datetime'<time>'"`;
const tag = `"odata.etag":"W/\\"datetime'<time>'\\""`;
const atomRefused = {
  status: '415 Unsupported Media Type',
  code: 'AtomFormatNotSupported',
  message: 'Atom format is not supported.',
  shape: 'xml',
} as const;

/** One member of each type, as JSON of an entity. */
const eightTypes = [
  '"binary@odata.type":"Edm.Binary","binary":"AAEC/w=="',
  '"boolean":false',
  '"date@odata.type":"Edm.DateTime","date":"2013-08-22T01:12:06.2608595Z"',
  '"double":1.5',
  '"guid@odata.type":"Edm.Guid","guid":"c9da6455-213d-42c9-9a79-3e9149a57833"',
  '"int32":-7',
  '"int64@odata.type":"Edm.Int64","int64":"9223372036854775807"',
  '"string":"text \\"ü\\" 日"',
].join();

describe('Get entity', () => {
  const wire = useWire();
  const { table } = useTable(wire);
  let rows = 0;

  /** Inserts an entity with these members and reads it at a level, or as the headers say. */
  const insertAndGet = async (
    members: string,
    level: Level = 'minimal',
    headers: Record<string, string> = { Accept: `application/json;odata=${level}metadata` },
  ): Promise<{ response: RawResponse; expected(shown: string): Promise<string> }> => {
    const rowKey = `r${++rows}`;
    const name = await table();
    const etag = await wire.insert(name, `{"PartitionKey":"p","RowKey":"${rowKey}",${members}}`);
    const response = await wire.send({ path: entityPath(name, 'p', rowKey), headers });
    assert.equal(response.status, 200, response.body);
    const entity = { table: name, partitionKey: 'p', rowKey, etag };
    return { response, expected: shown => entityBody(wire, entity, `,${shown}`, level) };
  };
  const assertShown = async (members: string, shown: string = members, level?: Level): Promise<void> => {
    const { response, expected } = await insertAndGet(members, level);
    assert.equal(response.body, await expected(shown));
  };
  const withoutTypes = (members: string): string => members.replaceAll(/"\w+@odata\.type":"[^"]*",/g, '');

  conforms(122, async () => {
    await assertShown(eightTypes);
    // Annotations that JSON does not need are taken, and not given back.
    const annotated = ['Boolean', 'Double', 'Int32', 'String'].reduce(
      (text, type) => `${text},"${type.toLowerCase()}@odata.type":"Edm.${type}"`,
      eightTypes,
    );
    await assertShown(annotated, eightTypes);
  });

  conforms(123, async () => {
    await assertShown('"double":3.0,"int":3');
    await assertShown('"a":-3.0,"b":-3,"c":0.0,"d":0,"e":100.0');
    await assertShown('"typed@odata.type":"Edm.Double","typed":3', '"typed":3.0');
    await assertShown(
      '"a":1e3,"b":1.23456789012346E+24,"c":1e0',
      '"a":1000.0,"b":1.23456789012346E+24,"c":1.0',
    );
    for (const level of levels) await assertShown('"double":3.0,"int":3', undefined, level);
  });

  conforms(124, async () => {
    const members = ['NaN', 'Infinity', '-Infinity'].map(
      (value, index) => `"d${index}@odata.type":"Edm.Double","d${index}":"${value}"`,
    );
    await assertShown(members.join());
    await assertShown(members.join(), members.join(), 'full');
    await assertShown(members.join(), withoutTypes(members.join()), 'no');
    // Without a type they are text, and stay it.
    await assertShown('"a":"NaN","b":"Infinity","c":"-Infinity"');
  });

  conforms(125, async () => {
    for (const level of levels) {
      await assertShown('"n@odata.type":"Edm.Int32","n":"12345"', '"n":12345', level);
      await assertShown('"n":"-2147483648","n@odata.type":"Edm.Int32"', '"n":-2147483648', level);
    }
  });

  conforms(126, async () => {
    for (const [sent, shown] of [
      ['1973-10-04T00:00:00.0000000Z', '1973-10-04T00:00:00Z'],
      ['1973-10-04T00:00:00Z', '1973-10-04T00:00:00Z'],
      ['2012-11-10T03:04:05.2000000Z', '2012-11-10T03:04:05.2Z'],
      ['2012-11-10T03:04:05.120Z', '2012-11-10T03:04:05.12Z'],
      ['2012-11-10T03:04:05.1234567Z', '2012-11-10T03:04:05.1234567Z'],
      ['2012-11-10T03:04:05.0000001Z', '2012-11-10T03:04:05.0000001Z'],
      ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.9999999Z'],
    ] as const) {
      const members = (value: string): string => `"at@odata.type":"Edm.DateTime","at":"${value}"`;
      await assertShown(members(sent), members(shown));
    }
  });

  conforms(127, async () => {
    const { response, expected } = await insertAndGet(eightTypes, 'no');
    assert.equal(response.body, await expected(withoutTypes(eightTypes)));
    await assertAnswer(
      wire,
      (await insertAndGet('"a":"1","a@odata.type":"Edm.Int64","b":1.0', 'no')).response,
      {
        status: '200 OK',
        level: 'no',
        headers: [etagHeader],
        body: `{"PartitionKey":"p","RowKey":"r${rows}","Timestamp":"<time>","a":"1","b":1.0}`,
      },
    );
  });

  conforms(128, async () => {
    const { response, expected } = await insertAndGet(eightTypes, 'full');
    assert.equal(response.body, await expected(eightTypes));
    const plain = await insertAndGet('"a":"1","a@odata.type":"Edm.Int64","b":1.0,"c":"x"', 'full');
    await assertAnswer(wire, plain.response, {
      status: '200 OK',
      level: 'full',
      table: await table(),
      headers: [etagHeader],
      body: `{"odata.metadata":"<base>/$metadata#<table>/@Element","odata.type":"devstoreaccount1.<table>","odata.id":"<base>/<table>(PartitionKey='p',RowKey='r${rows}')",${tag},"odata.editLink":"<table>(PartitionKey='p',RowKey='r${rows}')","PartitionKey":"p","RowKey":"r${rows}","Timestamp@odata.type":"Edm.DateTime","Timestamp":"<time>","a@odata.type":"Edm.Int64","a":"1","b":1.0,"c":"x"}`,
    });
  });

  conforms(129, async () => {
    // A Timestamp's fraction loses its zeros: of so many writes, some have fewer than seven digits.
    for (let write = 0; write < 30; write++) {
      const path = entityPath(await table(), '129', 'r');
      const written = await wire.send({ method: 'PUT', path, headers: json, body: '{}' });
      const etag = written.headers.etag as string;
      for (const level of levels) {
        const headers = { Accept: `application/json;odata=${level}metadata` };
        const read = await wire.send({ path, headers });
        assert.equal(read.headers.etag, etag);
        const body = read.json();
        assert.equal(body['odata.etag'], level === 'no' ? undefined : etag);
        assert.equal(body.Timestamp, timestampOf(etag));
        assert.ok(etag.includes('%3A') && !etag.includes(':'), etag);
      }
    }
  });

  conforms(130, async () => {
    const name = await table();
    await wire.insert(name, { PartitionKey: '130', RowKey: 'r' });
    for (const [partitionKey, rowKey] of [
      ['130', 'missing'],
      ['missing', 'r'],
      ['130', 'R'],
      ['130', ''],
      ['', ''],
      ['130', 'r '],
    ] as const) {
      const response = await wire.send({ path: entityPath(name, partitionKey, rowKey) });
      await assertError(wire, response, refusals.resourceNotFound);
    }
    for (const missing of ['missing', 'my_table', 'ab', `${name}x`]) {
      const response = await wire.send({ path: entityPath(missing, '130', 'r') });
      await assertError(wire, response, refusals.tableNotFound);
    }
    for (const level of levels) {
      const headers = { Accept: `application/json;odata=${level}metadata` };
      const noEntity = await wire.send({ path: entityPath(name, '130', 'missing'), headers });
      await assertError(wire, noEntity, { ...refusals.resourceNotFound, level });
      const noTable = await wire.send({ path: entityPath('missing', '130', 'r'), headers });
      await assertError(wire, noTable, { ...refusals.tableNotFound, level });
    }
  });

  conforms(131, async () => {
    const name = await table();
    await wire.insert(name, '{"PartitionKey":"131","RowKey":"r","age":"39","age@odata.type":"Edm.Int64"}');
    const path = entityPath(name, '131', 'r');
    const url = `<table>(PartitionKey='131',RowKey='r')`;
    const annotations = (select: string) => ({
      no: '',
      minimal: `"odata.metadata":"<base>/$metadata#<table>/@Element&$select=${select}",${tag},`,
      full: `"odata.metadata":"<base>/$metadata#<table>/@Element&$select=${select}","odata.type":"devstoreaccount1.<table>","odata.id":"<base>/${url}",${tag},"odata.editLink":"${url}",`,
    });
    for (const level of levels) {
      const type = level === 'no' ? '' : '"age@odata.type":"Edm.Int64",';
      for (const [select, members] of [
        ['missing', '"missing":null'],
        ['age,missing', `${type}"age":"39","missing":null`],
        ['missing,age', `"missing":null,${type}"age":"39"`],
        ['Age,RowKey', '"Age":null,"RowKey":"r"'],
      ] as const) {
        const headers = { Accept: `application/json;odata=${level}metadata` };
        const response = await wire.send({ path: `${path}?$select=${select}`, headers });
        await assertAnswer(wire, response, {
          status: '200 OK',
          table: name,
          level,
          headers: [etagHeader],
          body: `{${annotations(select)[level]}${members}}`,
        });
      }
    }
  });

  conforms(132, async () => {
    const name = await table();
    for (const key of [
      "O'Hara",
      "''",
      "'",
      '100%',
      '%20',
      '%2520',
      '%27',
      'a b',
      ' lead',
      'trail ',
      'München',
      '日本語',
      '😀',
      'a\u0301',
      "a',RowKey='b",
      'a,b=c(d)e"@*$!&',
    ]) {
      await wire.insert(name, { PartitionKey: key, RowKey: key, key });
      const path = entityPath(name, key, key);
      const raw = encodeURI(
        `/${name}(PartitionKey='${key.replaceAll("'", "''")}',RowKey='${key.replaceAll("'", "''")}')`,
      );
      for (const form of [
        path,
        raw,
        path.replaceAll("'", '%27').replaceAll('(', '%28').replaceAll(')', '%29'),
      ]) {
        const response = await wire.send({ path: form });
        assert.equal(response.status, 200, `${form}: ${response.body}`);
        const { PartitionKey, RowKey, key: stored } = response.json();
        assert.deepEqual([PartitionKey, RowKey, stored], [key, key, key]);
      }
    }
    // Decoded once: the text %20 is a key of its own.
    await wire.insert(name, { PartitionKey: '132', RowKey: 'a b', n: 'space' });
    await wire.insert(name, { PartitionKey: '132', RowKey: 'a%20b', n: 'escape' });
    for (const [rowKey, n] of [
      ['a%20b', 'space'],
      ['a%2520b', 'escape'],
    ]) {
      const response = await wire.send({ path: `/${name}(PartitionKey='132',RowKey='${rowKey}')` });
      assert.equal(response.json().n, n);
    }
  });

  conforms(133, async () => {
    for (const accept of ['application/json', 'Application/JSON', 'application/json;charset=utf-8']) {
      const { response, expected } = await insertAndGet(eightTypes, 'minimal', { Accept: accept });
      assert.equal(response.body, await expected(eightTypes));
      const plain = await insertAndGet('"n":1', 'minimal', { Accept: accept });
      await assertAnswer(wire, plain.response, {
        status: '200 OK',
        table: await table(),
        headers: [etagHeader],
        body: `{"odata.metadata":"<base>/$metadata#<table>/@Element",${tag},"PartitionKey":"p","RowKey":"r${rows}","Timestamp":"<time>","n":1}`,
      });
    }
  });

  conforms(134, async () => {
    const name = await table();
    await wire.insert(name, { PartitionKey: '134', RowKey: 'r' });
    const never = freshTableName('never');
    const requests: RawRequest[] = [
      { path: `/${name}()` },
      { path: `/${name}()?$filter=PartitionKey%20eq%20'134'&$top=1` },
      { path: entityPath(name, '134', 'r') },
      { path: entityPath(name, '134', 'missing') },
      { path: '/Tables' },
      { path: `/Tables('${name}')` },
      { method: 'POST', path: `/${name}`, headers: json, body: '{"PartitionKey":"134","RowKey":"never"}' },
      { method: 'POST', path: '/Tables', headers: json, body: JSON.stringify({ TableName: never }) },
    ];
    for (const version of ['2014-02-14', '2015-12-11', '2019-02-02', '2020-12-06', '2026-06-06']) {
      for (const Accept of [
        '',
        '*/*',
        'application/atom+xml',
        'application/atom+xml,application/xml',
        'application/xml',
      ]) {
        for (const request of requests) {
          const headers = { ...request.headers, Accept, 'x-ms-version': version };
          await assertError(wire, await wire.send({ ...request, headers }), { ...atomRefused, version });
        }
      }
    }
    assert.equal((await wire.query(name, "PartitionKey eq '134'")).length, 1);
    await assertError(wire, await wire.send({ path: `/Tables('${never}')` }), refusals.resourceNotFound);
  });

  conforms(135, async () => {
    const name = await table();
    const etag = await wire.insert(
      name,
      '{"PartitionKey":"135","RowKey":"r","n":"1","n@odata.type":"Edm.Int64"}',
    );
    const entity = { table: name, partitionKey: '135', rowKey: 'r', etag };
    const path = entityPath(name, '135', 'r');
    const accepts = [
      '',
      '*/*',
      'application/atom+xml',
      'application/json',
      ...levels.map(level => `application/json;odata=${level}metadata`),
    ];
    for (const Accept of accepts) {
      for (const level of levels) {
        const members = level === 'no' ? ',"n":"1"' : ',"n@odata.type":"Edm.Int64","n":"1"';
        const format = `application/json;odata=${level}metadata`;
        for (const option of [`$format=${format}`, `%24format=${encodeURIComponent(format)}`]) {
          const response = await wire.send({ path: `${path}?${option}`, headers: { Accept } });
          assert.equal(response.status, 200, response.body);
          assert.equal(response.headers['content-type'], `${format};streaming=true;charset=utf-8`);
          assert.equal(response.body, await entityBody(wire, entity, members, level));
        }
      }
      const atom = await wire.send({ path: `${path}?$format=application/atom%2Bxml`, headers: { Accept } });
      await assertError(wire, atom, atomRefused);
    }
    // The format of an error is chosen the same way.
    const missing = `${entityPath(name, '135', 'missing')}?$format=application/json;odata=nometadata`;
    const response = await wire.send({
      path: missing,
      headers: { Accept: 'application/json;odata=fullmetadata' },
    });
    await assertError(wire, response, { ...refusals.resourceNotFound, level: 'no' });
  });
});
