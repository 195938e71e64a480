import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import {
  assertRefused,
  entityPath,
  invalid,
  json,
  noContent,
  unreadable,
  useTable,
  useWire,
} from '../support/wire.ts';

const weakTag = /^W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(?:\.\d{1,7})?Z'"$/;
const valueTooLarge =
  'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.';

describe('Insert Entity on the wire', () => {
  const wire = useWire();
  const { table, post } = useTable(wire);

  describe('the answer', () => {
    it('is 201 with the entity, in the order of the request', async () => {
      const response = await post(
        '{"name":"Ann","PartitionKey":"answer","age":"39","RowKey":"1","age@odata.type":"Edm.Int64","ratio":3.0,"married":true}',
      );
      const base = await wire.base();
      assert.equal(response.status, 201);
      assert.match(response.headers.etag as string, weakTag);
      assert.equal(response.headers.location, `${base}/${await table()}(PartitionKey='answer',RowKey='1')`);
      assert.equal(response.headers.dataserviceid, undefined);
      assert.equal(response.headers['preference-applied'], undefined);
      const timestamp = response.json().Timestamp as string;
      assert.equal(response.headers.etag, `W/"datetime'${timestamp.replaceAll(':', '%3A')}'"`);
      assert.equal(
        response.body,
        `{"odata.metadata":"${base}/$metadata#${await table()}/@Element","odata.etag":${JSON.stringify(response.headers.etag)},"PartitionKey":"answer","RowKey":"1","Timestamp":"${timestamp}","name":"Ann","age@odata.type":"Edm.Int64","age":"39","ratio":3.0,"married":true}`,
      );
    });

    it('is 204 where no content is preferred', async () => {
      const response = await post('{"PartitionKey":"answer","RowKey":"2"}', noContent);
      const location = `${await wire.base()}/${await table()}(PartitionKey='answer',RowKey='2')`;
      assert.equal(response.status, 204);
      assert.equal(response.body, '');
      assert.match(response.headers.etag as string, weakTag);
      assert.equal(response.headers.location, location);
      assert.equal(response.headers.dataserviceid, location);
      assert.equal(response.headers['preference-applied'], 'return-no-content');
      assert.equal(response.headers['content-length'], '0');
    });

    it('says that it applied a preference for content', async () => {
      const response = await post('{"PartitionKey":"answer","RowKey":"3"}', { Prefer: ' return-content ' });
      assert.equal(response.status, 201);
      assert.equal(response.headers['preference-applied'], 'return-content');
    });

    it('has no odata members without metadata', async () => {
      const headers = { Accept: 'application/json;odata=nometadata' };
      const response = await post(
        '{"PartitionKey":"answer","RowKey":"4","n":"1","n@odata.type":"Edm.Int64"}',
        headers,
      );
      const { Timestamp } = response.json();
      assert.equal(
        response.body,
        `{"PartitionKey":"answer","RowKey":"4","Timestamp":"${Timestamp}","n":"1"}`,
      );
    });

    it('has them all at full metadata', async () => {
      const headers = { Accept: 'application/json;odata=fullmetadata' };
      const response = await post(
        '{"PartitionKey":"a b","RowKey":"O\'Hara","n":"1","n@odata.type":"Edm.Int64","s":"x","d":1.5}',
        headers,
      );
      const base = await wire.base();
      const name = await table();
      const path = `${name}(PartitionKey='a%20b',RowKey='O''Hara')`;
      const { Timestamp } = response.json();
      assert.equal(
        response.body,
        `{"odata.metadata":"${base}/$metadata#${name}/@Element","odata.type":"devstoreaccount1.${name}","odata.id":"${base}/${path}","odata.etag":${JSON.stringify(response.headers.etag)},"odata.editLink":"${path}","PartitionKey":"a b","RowKey":"O'Hara","Timestamp@odata.type":"Edm.DateTime","Timestamp":"${Timestamp}","n@odata.type":"Edm.Int64","n":"1","s":"x","d":1.5}`,
      );
      assert.equal(response.headers.location, `${base}/${path}`);
    });

    it('doubles quotes in Location and percent-encodes all else', async () => {
      const response = await post({ PartitionKey: 'A\'aaa"', RowKey: 'ü%20 (=,)' });
      assert.equal(
        response.headers.location,
        `${await wire.base()}/${await table()}(PartitionKey='A''aaa%22',RowKey='%C3%BC%2520%20(%3D%2C)')`,
      );
      const path = (response.headers.location as string).slice((await wire.base()).length);
      assert.equal((await wire.send({ path })).status, 200);
    });

    it('ignores conditions', async () => {
      const response = await post('{"PartitionKey":"answer","RowKey":"5"}', {
        'If-Match': '*',
        'If-None-Match': '*',
      });
      assert.equal(response.status, 201);
    });

    it('is refused in Atom, and then nothing is stored', async () => {
      const response = await post('{"PartitionKey":"answer","RowKey":"6"}', { Accept: '*/*' });
      assertRefused(response, 415, 'AtomFormatNotSupported');
      assert.equal((await wire.send({ path: entityPath(await table(), 'answer', '6') })).status, 404);
    });

    it('needs no Accept where no content is preferred', async () => {
      const response = await post('{"PartitionKey":"answer","RowKey":"7"}', { ...noContent, Accept: '' });
      assert.equal(response.status, 204);
    });
  });

  describe('what is there already', () => {
    it('answers 409 and leaves it as it was', async () => {
      const first = await post('{"PartitionKey":"twice","RowKey":"r","n":1}');
      const second = await post('{"PartitionKey":"twice","RowKey":"r","n":2}');
      assertRefused(second, 409, 'EntityAlreadyExists', 'The specified entity already exists.');
      const read = await wire.send({ path: entityPath(await table(), 'twice', 'r') });
      assert.equal(read.headers.etag, first.headers.etag);
      assert.equal(read.json().n, 1);
    });

    it('lets exactly one of several racing insertions succeed', async () => {
      const responses = await Promise.all(
        [1, 2, 3, 4].map(n => post({ PartitionKey: 'race', RowKey: 'r', n })),
      );
      assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    });

    it('answers 405 at the address of one partition, and inserts nothing', async () => {
      const name = await wire.createTable();
      for (const path of [
        `/${name}(PartitionKey='a')`,
        `/${name}(PartitionKey=%27a%27)`,
        `/${name}(PartitionKey='')`,
        "/missing(PartitionKey='a')",
      ]) {
        for (const PartitionKey of ['a', 'b']) {
          const body = JSON.stringify({ PartitionKey, RowKey: 'r' });
          assertRefused(
            await wire.send({ method: 'POST', path, headers: noContent, body }),
            405,
            'MethodNotAllowed',
            'The requested method is not allowed on the specified resource.',
          );
        }
      }
      assert.deepEqual(await wire.query(name), []);
    });

    it('answers 404 where the table is not there', async () => {
      const body = '{"PartitionKey":"p","RowKey":"r"}';
      const message = 'The table specified does not exist.';
      for (const path of ['/missing', '/missing()', '/x', '/my_table', `/${'x'.repeat(300)}`]) {
        assertRefused(
          await wire.send({ method: 'POST', path, headers: json, body }),
          404,
          'TableNotFound',
          message,
        );
      }
    });

    it('reports what is wrong with the body even where the table is not there', async () => {
      const send = (body: string): Promise<RawResponse> =>
        wire.send({ method: 'POST', path: '/missing', headers: json, body });
      assertRefused(await send('{'), 400, 'InvalidInput', unreadable);
      assertRefused(await send('{"PartitionKey":"p"}'), 400, 'PropertiesNeedValue');
    });
  });

  describe('keys', () => {
    const needed = 'The values are not specified for all properties in the entity.';

    it('are both needed', async () => {
      for (const body of [
        '{}',
        '',
        '{"PartitionKey":"p"}',
        '{"RowKey":"r"}',
        '{"PartitionKey":null,"RowKey":"r"}',
        '{"PartitionKey":"p","RowKey":null}',
        '{"partitionKey":"p","rowKey":"r"}',
      ]) {
        assertRefused(await post(body), 400, 'PropertiesNeedValue', needed);
      }
    });

    it('must be strings', async () => {
      for (const value of ['1', 'true', '1.5']) {
        assertRefused(await post(`{"PartitionKey":${value},"RowKey":"r"}`), 400, 'InvalidInput', invalid);
        assertRefused(await post(`{"PartitionKey":"p","RowKey":${value}}`), 400, 'InvalidInput', invalid);
      }
      assertRefused(
        await post('{"PartitionKey":"p","RowKey":"1","RowKey@odata.type":"Edm.Int64"}'),
        400,
        'InvalidInput',
        invalid,
      );
    });

    it('may be said to be strings', async () => {
      const response = await post(
        '{"PartitionKey@odata.type":"Edm.String","PartitionKey":"typed","RowKey":"r","RowKey@odata.type":"Edm.String"}',
      );
      assert.equal(response.status, 201);
      assert.ok(!response.body.includes('PartitionKey@odata.type'));
    });

    it('may be empty', async () => {
      const response = await post({ PartitionKey: '', RowKey: '' });
      assert.equal(response.status, 201);
      const location = response.headers.location as string;
      assert.ok(location.endsWith("(PartitionKey='',RowKey='')"));
      assert.equal((await wire.send({ path: entityPath(await table(), '', '') })).status, 200);
    });

    it('hold none of the forbidden characters', async () => {
      for (const character of ['/', '\\', '#', '?', '\t', '\r', '\u0001', '\u007f', '\u0080', '\u009f']) {
        const value = `a${character}b`;
        const message = (name: string): string =>
          `The '${name}' parameter of value '${value}' is out of range.`;
        assertRefused(
          await post({ PartitionKey: value, RowKey: 'r' }),
          400,
          'OutOfRangeInput',
          message('PartitionKey'),
        );
        assertRefused(
          await post({ PartitionKey: 'p', RowKey: value }),
          400,
          'OutOfRangeInput',
          message('RowKey'),
        );
      }
      assertRefused(await post('{"PartitionKey":"a\\u0000","RowKey":"r"}'), 400, 'OutOfRangeInput');
      assertRefused(await post('{"PartitionKey":"a\\ud800","RowKey":"r"}'), 400, 'OutOfRangeInput');
    });

    it('show a forbidden character in an error as XML can hold it', async () => {
      const response = await post(
        { PartitionKey: 'a\u0001<&>', RowKey: 'r' },
        { ...noContent, Accept: '*/*' },
      );
      assertRefused(
        response,
        400,
        'OutOfRangeInput',
        "The 'PartitionKey' parameter of value 'a\ufffd&lt;&amp;&gt;' is out of range.",
      );
    });

    it('are at most 1,024 units each', async () => {
      const longest = 'k'.repeat(1024);
      assert.equal((await post({ PartitionKey: longest, RowKey: longest })).status, 201);
      assert.equal((await wire.send({ path: entityPath(await table(), longest, longest) })).status, 200);
      for (const entity of [
        { PartitionKey: `${longest}k`, RowKey: 'r' },
        { PartitionKey: 'p', RowKey: `${longest}k` },
      ]) {
        assertRefused(await post(entity), 400, 'PropertyValueTooLarge', valueTooLarge);
      }
    });

    it('are at most 2,600 bytes of UTF-8 together', async () => {
      const partitionKey = 'é'.repeat(1024);
      const rowKey = `${'日'.repeat(184)}`;
      assert.equal((await post({ PartitionKey: partitionKey, RowKey: rowKey })).status, 201);
      assert.equal((await wire.send({ path: entityPath(await table(), partitionKey, rowKey) })).status, 200);
      assertRefused(
        await post({ PartitionKey: partitionKey, RowKey: `${rowKey}k` }),
        400,
        'KeyValueTooLarge',
        'The PartitionKey and the RowKey together exceed the maximum allowed size (2600 bytes of UTF-8).',
      );
    });
  });

  describe('the body', () => {
    it('may have a byte order mark and any white space', async () => {
      assert.equal((await post('\ufeff{"PartitionKey":"body","RowKey":"bom"}')).status, 201);
      assert.equal((await post(' \r\n\t{ "PartitionKey" : "body" ,\n"RowKey":"space" } \n')).status, 201);
    });

    it('may have a type with parameters, or none', async () => {
      for (const [index, type] of [
        'application/json;odata=nometadata',
        'application/json;type=entry',
        'Application/JSON; charset=utf-8',
        '',
      ].entries()) {
        const response = await post({ PartitionKey: 'type', RowKey: `${index}` }, { 'Content-Type': type });
        assert.equal(response.status, 201, type);
      }
    });

    it('may not be of another type', async () => {
      const body = '{"PartitionKey":"p","RowKey":"never"}';
      assertRefused(
        await post(body, { 'Content-Type': 'application/atom+xml' }),
        415,
        'AtomFormatNotSupported',
      );
      assertRefused(await post(body, { 'Content-Type': 'text/plain' }), 415, 'MediaTypeNotSupported');
    });

    it('may come in chunks of its own encoding', async () => {
      const name = await table();
      const response = await wire.send({
        method: 'POST',
        path: `/${name}`,
        headers: { ...json, 'Content-Length': '', 'Transfer-Encoding': 'chunked' },
        body: '{"PartitionKey":"body","RowKey":"chunked"}',
      });
      assert.equal(response.status, 201);
    });
  });

  it('gives every write a greater timestamp', async () => {
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => post({ PartitionKey: 'tick', RowKey: `${index}` })),
    );
    const tags = new Set(responses.map(({ headers }) => headers.etag));
    assert.equal(tags.size, 40);
  });
});
