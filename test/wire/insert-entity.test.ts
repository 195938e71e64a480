import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import {
  assertRefused,
  entityPath,
  json,
  noContent,
  unreadable,
  useTable,
  useWire,
} from '../support/wire.ts';

const valueTooLarge =
  'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.';

describe('Insert Entity on the wire', () => {
  const wire = useWire();
  const { table, post } = useTable(wire);

  describe('the answer', () => {
    it('says that it applied a preference for content', async () => {
      const response = await post('{"PartitionKey":"answer","RowKey":"3"}', { Prefer: ' return-content ' });
      assert.equal(response.status, 201);
      assert.equal(response.headers['preference-applied'], 'return-content');
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
  });

  describe('what is there already', () => {
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
