import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import { assertRefused, entityPath, json, useWire } from '../support/wire.ts';

describe('Get Entity on the wire', () => {
  const wire = useWire();
  let shared: Promise<string> | undefined;
  const makeTable = async (): Promise<string> => {
    const name = await wire.createTable();
    await wire.insert(
      name,
      '{"PartitionKey":"p","RowKey":"r","age":"39","age@odata.type":"Edm.Int64","ratio":3.0,"count":3,"text":"a \\"b\\" é","flag":true,"nan":"NaN","nan@odata.type":"Edm.Double"}',
    );
    return name;
  };
  const table = (): Promise<string> => {
    shared ??= makeTable();
    return shared;
  };
  const get = async (options = '', headers: Record<string, string> = {}): Promise<RawResponse> =>
    wire.send({ path: `${entityPath(await table(), 'p', 'r')}${options}`, headers });

  it('does not find keys by another case, a prefix or a space more', async () => {
    for (const [partitionKey, rowKey] of [
      ['P', 'r'],
      ['p', 'R'],
      ['p', ''],
      ['', 'r'],
      ['p ', 'r'],
      ['p', 'r '],
      ['pr', ''],
    ] as const) {
      assertRefused(
        await wire.send({ path: entityPath(await table(), partitionKey, rowKey) }),
        404,
        'ResourceNotFound',
      );
    }
  });

  it('does not find keys that are longer than any can be', async () => {
    for (const length of [1025, 4000, 4026, 20_000, 100_000]) {
      const key = 'k'.repeat(length);
      assertRefused(await wire.send({ path: entityPath(await table(), key, 'r') }), 404, 'ResourceNotFound');
      assertRefused(await wire.send({ path: entityPath(await table(), 'p', key) }), 404, 'ResourceNotFound');
    }
  });

  it('shows the selected properties in the order of the list', async () => {
    const response = await get('?$select=ratio,age,RowKey');
    assert.equal(
      response.body,
      `{"odata.metadata":"${await wire.base()}/$metadata#${await table()}/@Element&$select=ratio,age,RowKey","odata.etag":${JSON.stringify(response.headers.etag)},"ratio":3.0,"age@odata.type":"Edm.Int64","age":"39","RowKey":"r"}`,
    );
  });

  it('names the keys in id and edit link where they are not selected', async () => {
    const response = await get('?$select=age', { Accept: 'application/json;odata=fullmetadata' });
    const entity = response.json();
    assert.equal(entity['odata.editLink'], `${await table()}(PartitionKey='p',RowKey='r')`);
    assert.equal(entity.PartitionKey, undefined);
    assert.equal(entity.Timestamp, undefined);
  });

  it('shows all where the list is blank or a star', async () => {
    const whole = Object.keys((await get()).json()).length;
    for (const list of ['', '%20', '*', '+,+']) {
      assert.equal(Object.keys((await get(`?$select=${list}`)).json()).length, whole, list);
    }
    const blank = await get('?$select=%20');
    const element = `${await wire.base()}/$metadata#${await table()}/@Element`;
    assert.equal(blank.json()['odata.metadata'], `${element}&$select=`);
    assert.equal((await get('?$select=')).json()['odata.metadata'], element);
  });

  it('tolerates spaces, repetitions and annotations in the list', async () => {
    const response = await get('?$select=age,%20count,+age,odata.etag');
    const { 'odata.etag': etag, 'odata.metadata': metadata, ...rest } = response.json();
    assert.equal(etag, response.headers.etag);
    assert.ok((metadata as string).endsWith('/@Element&$select=age,%20count,%20age,odata.etag'));
    assert.deepEqual(rest, { 'age@odata.type': 'Edm.Int64', age: '39', count: 3 });
  });

  it('refuses a list of more names than an entity has', async () => {
    const list = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}`).join();
    assert.equal((await get(`?$select=${list(255)}`)).status, 200);
    assertRefused(await get(`?$select=${list(256)}`), 400, 'InvalidInput');
  });

  it('ignores $filter and $top', async () => {
    for (const options of ["?$filter=RowKey%20eq%20'x'", '?$filter=a%20b%20c', '?$top=0', '?$top=x']) {
      assert.equal((await get(options)).status, 200, options);
    }
  });

  it('ignores conditions', async () => {
    const etag = (await get()).headers.etag as string;
    for (const headers of [
      { 'If-None-Match': etag },
      { 'If-Match': 'W/"other"' },
      { 'If-None-Match': '*' },
    ]) {
      assert.equal((await get('', headers)).status, 200);
    }
  });

  it('sees a write as soon as it was answered', async () => {
    const path = entityPath(await table(), 'p', 'fresh');
    for (let n = 0; n < 20; n++) {
      const written = await wire.send({ method: 'PUT', path, headers: json, body: `{"n":${n}}` });
      const read = await wire.send({ path });
      assert.equal(read.headers.etag, written.headers.etag);
      assert.equal(read.json().n, n);
    }
  });
});
