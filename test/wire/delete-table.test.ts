import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import { assertRefused, entityPath, json, noContent, useWire } from '../support/wire.ts';

describe('Delete Table on the wire', () => {
  const wire = useWire();
  const drop = (name: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
    wire.send({ method: 'DELETE', path: `/Tables('${name}')`, headers });

  it('answers 204 without a body', async () => {
    const response = await drop(await wire.createTable());
    assert.equal(response.status, 204);
    assert.equal(response.body, '');
    assert.equal(response.headers['content-length'], '0');
    assert.equal(response.headers['content-type'], undefined);
    assert.equal(response.headers.etag, undefined);
  });

  it('takes any Accept, and the length of no body', async () => {
    for (const headers of [
      { Accept: '' },
      { Accept: '*/*' },
      { Accept: 'application/atom+xml', 'Content-Length': '0' },
    ]) {
      assert.equal((await drop(await wire.createTable(), headers)).status, 204);
    }
  });

  it('finds the table ignoring case', async () => {
    const table = await wire.createTable();
    assert.equal((await drop(table.toUpperCase())).status, 204);
    assert.equal((await wire.send({ path: `/Tables('${table}')` })).status, 404);
  });

  it('answers 404 where there is none, the second time too', async () => {
    const message = 'The specified resource does not exist.';
    assertRefused(await drop('missing'), 404, 'ResourceNotFound', message);
    const table = await wire.createTable();
    await drop(table);
    assertRefused(await drop(table), 404, 'ResourceNotFound', message);
  });

  it('shows its error in XML where no JSON is accepted', async () => {
    const response = await drop('missing', { Accept: '*/*' });
    assertRefused(response, 404, 'ResourceNotFound');
    assert.match(response.body, /^<\?xml version="1\.0" encoding="utf-8"\?><error xmlns=/);
  });

  it('takes the entities with it: their operations find no table', async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'r' });
    await drop(table);
    const path = entityPath(table, 'p', 'r');
    const message = 'The table specified does not exist.';
    const ifMatch = { ...json, 'If-Match': '*' };
    const body = '{"PartitionKey":"p","RowKey":"r"}';
    for (const request of [
      { path },
      { path: `/${table}()` },
      { method: 'POST', path: `/${table}`, headers: json, body },
      { method: 'PUT', path, headers: json, body },
      { method: 'PUT', path, headers: ifMatch, body },
      { method: 'MERGE', path, headers: json, body },
      { method: 'PATCH', path, headers: ifMatch, body },
      { method: 'DELETE', path, headers: ifMatch },
    ]) {
      assertRefused(await wire.send(request), 404, 'TableNotFound', message);
    }
  });

  it('frees the name at once for an empty table', async () => {
    const table = await wire.createTable();
    for (let round = 0; round < 3; round++) {
      await wire.insert(table, { PartitionKey: 'p', RowKey: 'r' });
      assert.equal((await drop(table)).status, 204);
      const body = JSON.stringify({ TableName: table });
      const created = await wire.send({ method: 'POST', path: '/Tables', headers: noContent, body });
      assert.equal(created.status, 204);
      assert.deepEqual(await wire.query(table), []);
      assert.equal((await wire.send({ path: entityPath(table, 'p', 'r') })).status, 404);
    }
  });

  it('leaves tables of similar names alone', async () => {
    const table = await wire.createTable();
    const body = JSON.stringify({ TableName: `${table}x` });
    await wire.send({ method: 'POST', path: '/Tables', headers: noContent, body });
    await wire.insert(`${table}x`, { PartitionKey: 'p', RowKey: 'r' });
    await drop(table);
    assert.equal((await wire.query(`${table}x`)).length, 1);
  });

  it('can be tunnelled through POST', async () => {
    const table = await wire.createTable();
    const response = await wire.send({
      method: 'POST',
      path: `/Tables('${table}')`,
      headers: { 'X-HTTP-Method': 'DELETE' },
    });
    assert.equal(response.status, 204);
  });

  it('lets exactly one of several racing deletions succeed', async () => {
    const table = await wire.createTable();
    const responses = await Promise.all([1, 2, 3].map(() => drop(table)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 404, 404]);
  });
});
