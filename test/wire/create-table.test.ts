import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import { freshTableName } from '../support/server.ts';
import { assertRefused, invalid, json, noContent, unreadable, useWire } from '../support/wire.ts';

describe('Create Table on the wire', () => {
  const wire = useWire();
  const create = (
    body: string | Buffer | object,
    headers: Record<string, string> = {},
  ): Promise<RawResponse> =>
    wire.send({
      method: 'POST',
      path: '/Tables',
      headers: { ...json, ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });

  it('ignores a preference it does not know', async () => {
    const response = await create({ TableName: freshTableName() }, { Prefer: 'respond-async' });
    assert.equal(response.status, 201);
    assert.equal(response.headers['preference-applied'], undefined);
  });

  it('refuses characters that no table name has', async () => {
    for (const name of [
      'my_table',
      '1abc',
      'a-b',
      'täble',
      'a b',
      "o'hara",
      'abc/def',
      'abc\u0000',
      '$Metrics',
    ]) {
      assertRefused(
        await create({ TableName: name }),
        400,
        'InvalidResourceName',
        'The specifed resource name contains invalid characters.',
      );
    }
  });

  it('wants a TableName', async () => {
    for (const body of [{}, { TableName: null }, { tablename: 'abc' }]) {
      assertRefused(
        await create(body),
        400,
        'PropertiesNeedValue',
        'The values are not specified for all properties in the entity.',
      );
    }
  });

  it('wants a TableName that is a string', async () => {
    for (const value of [1, true]) {
      assertRefused(await create({ TableName: value }), 400, 'InvalidInput', invalid);
    }
  });

  it('ignores other members', async () => {
    const body = { 'odata.type': 'account.Tables', TableName: freshTableName(), extra: 1 };
    assert.equal((await create(body)).status, 201);
  });

  it('refuses a body that is not a JSON object', async () => {
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '"abc"',
      '{"TableName":"abc"',
      "{'TableName':'abc'}",
      '{}{}',
    ]) {
      assertRefused(await create(body), 400, 'InvalidInput', unreadable);
    }
    await wire.assertServes();
  });

  it('takes a byte order mark', async () => {
    const name = freshTableName();
    const response = await create(`\ufeff{"TableName":"${name}"}`);
    assert.equal(response.status, 201, response.body);
    assert.equal(response.json().TableName, name);
  });

  it('refuses a body that is not UTF-8', async () => {
    const name = freshTableName();
    for (const text of [
      `{"TableName":"${name}","extra":"\xff"}`,
      `{"TableName":"${name}\xc3("}`,
      `{"TableName":"${name}","\x80":1}`,
      `{"TableName":"${name}","extra":"\xed\xa0\x80"}`,
    ]) {
      assertRefused(await create(Buffer.from(text, 'latin1')), 400, 'InvalidInput', unreadable);
    }
    assertRefused(await create(Buffer.from(`{"TableName":"${name}"}`, 'utf16le')), 400, 'InvalidInput');
    assert.equal((await wire.send({ path: `/Tables('${name}')` })).status, 404);
  });

  it('refuses a member that is given twice', async () => {
    const name = freshTableName();
    for (const body of [
      `{"TableName":"${name}","TableName":"${name}"}`,
      `{"TableName":"${name}","TableName":"${name}Other"}`,
      `{"TableName":"${name}","\\u0054ableName":"${name}Other"}`,
      `{"TableName":null,"TableName":"${name}"}`,
    ]) {
      const message = 'A property is specified more than one time.';
      assertRefused(await create(body), 400, 'DuplicatePropertiesSpecified', message);
    }
    for (const refused of [name, `${name}Other`]) {
      assert.equal((await wire.send({ path: `/Tables('${refused}')` })).status, 404);
    }
  });

  it('refuses a body in another media type', async () => {
    const name = freshTableName();
    assertRefused(
      await create({ TableName: name }, { 'Content-Type': 'application/atom+xml' }),
      415,
      'AtomFormatNotSupported',
      'Atom format is not supported.',
    );
    assertRefused(
      await create({ TableName: name }, { 'Content-Type': 'text/plain' }),
      415,
      'MediaTypeNotSupported',
      'None of the provided media types are supported',
    );
  });

  it('takes a body whose media type has parameters, or is not told', async () => {
    for (const type of ['application/json;odata=nometadata', 'application/json; charset=utf-8', '']) {
      const response = await create({ TableName: freshTableName() }, { 'Content-Type': type });
      assert.equal(response.status, 201, type);
    }
  });

  it('refuses to answer in Atom, and makes no table then', async () => {
    const name = freshTableName();
    const response = await create({ TableName: name }, { Accept: 'application/atom+xml' });
    assertRefused(response, 415, 'AtomFormatNotSupported', 'Atom format is not supported.');
    assert.equal(response.headers['content-type'], 'application/xml;charset=utf-8');
    assert.equal((await wire.send({ path: `/Tables('${name}')` })).status, 404);
  });

  it('needs no Accept where no content is preferred', async () => {
    const response = await create({ TableName: freshTableName() }, { ...noContent, Accept: '' });
    assert.equal(response.status, 204);
  });

  it('is also reached as Tables()', async () => {
    const body = JSON.stringify({ TableName: freshTableName() });
    const response = await wire.send({ method: 'POST', path: '/Tables()', headers: json, body });
    assert.equal(response.status, 201);
  });

  it('lets exactly one of several racing creations succeed', async () => {
    const name = freshTableName();
    const responses = await Promise.all([1, 2, 3, 4].map(() => create({ TableName: name })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  });
});
