import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import { freshTableName } from '../support/server.ts';
import { entityPath, invalid, json, noContent, useWire } from '../support/wire.ts';
import { assertAnswer, assertError, jsonType, refusals } from './answers.ts';
import { conforms } from './conforms.ts';

const nextTable = 'x-ms-continuation-nexttablename';
const alreadyExists = {
  status: '409 Conflict',
  code: 'TableAlreadyExists',
  message: 'The table specified already exists.',
};

function namesIn(response: RawResponse): string[] {
  assert.equal(response.status, 200, response.body);
  return response.json<{ value: { TableName: string }[] }>().value.map(({ TableName }) => TableName);
}

describe('Tables', () => {
  const wire = useWire();
  const create = (name: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
    wire.send({
      method: 'POST',
      path: '/Tables',
      headers: { ...json, ...headers },
      body: JSON.stringify({ TableName: name }),
    });
  const drop = (name: string): Promise<RawResponse> =>
    wire.send({ method: 'DELETE', path: `/Tables('${name}')` });
  const assertCreated = async (name: string): Promise<void> => {
    const response = await create(name);
    assert.equal(response.status, 201, `${name}: ${response.body}`);
    assert.equal((await wire.send({ path: `/Tables('${name}')` })).json().TableName, name);
  };
  const assertNotCreated = async (
    name: string,
    code: string,
    message: string,
    status = '400 Bad Request',
  ): Promise<void> => {
    await assertError(wire, await create(name), { status, code, message });
    assert.equal(
      (await wire.send({ path: `/Tables('${encodeURIComponent(name.replaceAll("'", "''"))}')` })).status,
      404,
    );
  };

  conforms(58, async () => {
    const table = freshTableName('Mixed');
    await assertAnswer(wire, await create(table), {
      status: '201 Created',
      table,
      headers: ["location: <base>/Tables('<table>')"],
      body: '{"odata.metadata":"<base>/$metadata#Tables/@Element","TableName":"<table>"}',
    });
  });

  conforms(59, async () => {
    const table = freshTableName('Mixed');
    const response = await create(table, { Accept: 'application/json;odata=nometadata' });
    await assertAnswer(wire, response, {
      status: '201 Created',
      table,
      level: 'no',
      headers: ["location: <base>/Tables('<table>')"],
      body: '{"TableName":"<table>"}',
    });
  });

  conforms(60, async () => {
    const table = freshTableName('Mixed');
    const response = await create(table, { Accept: 'application/json;odata=fullmetadata' });
    await assertAnswer(wire, response, {
      status: '201 Created',
      table,
      level: 'full',
      headers: ["location: <base>/Tables('<table>')"],
      body: `{"odata.metadata":"<base>/$metadata#Tables/@Element","odata.type":"devstoreaccount1.Tables","odata.id":"<base>/Tables('<table>')","odata.editLink":"Tables('<table>')","TableName":"<table>"}`,
    });
  });

  conforms(61, async () => {
    for (const level of ['no', 'minimal', 'full']) {
      const table = freshTableName('Mixed');
      const Accept = `application/json;odata=${level}metadata`;
      await assertAnswer(wire, await create(table, { ...noContent, Accept }), {
        status: '204 No Content',
        table,
        headers: [
          "dataserviceid: <base>/Tables('<table>')",
          "location: <base>/Tables('<table>')",
          'preference-applied: return-no-content',
        ],
      });
      assert.equal((await wire.send({ path: `/Tables('${table}')` })).json().TableName, table);
    }
  });

  conforms(62, async () => {
    const table = freshTableName('Mixed');
    await assertAnswer(wire, await create(table, { Prefer: 'return-content' }), {
      status: '201 Created',
      table,
      headers: ["location: <base>/Tables('<table>')", 'preference-applied: return-content'],
      body: '{"odata.metadata":"<base>/$metadata#Tables/@Element","TableName":"<table>"}',
    });
  });

  conforms(63, async () => {
    const table = freshTableName('Mixed');
    await assertCreated(table);
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'r' });
    for (const name of [table, table.toUpperCase(), table.toLowerCase()]) {
      await assertError(wire, await create(name), alreadyExists);
      await assertError(wire, await create(name, noContent), {
        ...alreadyExists,
        headers: ['preference-applied: return-no-content'],
      });
    }
    assert.equal((await wire.send({ path: `/Tables('${table}')` })).json().TableName, table);
    assert.equal((await wire.query(table)).length, 1);
  });

  conforms(64, async () => {
    const message = 'The specified resource name length is not within the permissible limits.';
    for (const name of ['ab', 'a'.repeat(64)]) await assertNotCreated(name, 'OutOfRangeInput', message);
    for (const name of ['abc', 'a'.repeat(63)]) await assertCreated(name);
    // The length is told before the characters.
    for (const name of ['', '_', 'a_', '_'.repeat(64)])
      await assertNotCreated(name, 'OutOfRangeInput', message);
  });

  conforms(65, async () => {
    const message = 'The specifed resource name contains invalid characters.';
    for (const name of ['my_table', '1abc', 'a-b', 'a b', 'täble', 'ab.', '$abc', "o'hara"]) {
      await assertNotCreated(name, 'InvalidResourceName', message);
    }
    for (const name of ['mytable', 'abc1', 'aB1']) await assertCreated(name);
  });

  conforms(66, async () => {
    for (const name of ['tables', 'Tables', 'TABLES']) {
      await assertError(wire, await create(name), {
        status: '400 Bad Request',
        code: 'InvalidInput',
        message: invalid,
      });
    }
    for (const name of ['tables1', 'table', 'mytables']) await assertCreated(name);
  });

  conforms(67, async () => {
    const name = freshTableName('Whole');
    for (const other of [
      name,
      name.slice(0, -1),
      name.slice(1),
      name.slice(2, -2),
      `${name}More`,
      `x${name}`,
    ]) {
      await assertCreated(other);
    }
  });

  conforms(73, async () => {
    const table = freshTableName('Lonely');
    await create(table);
    const metadata = '"odata.metadata":"<base>/$metadata#Tables/@Element"';
    for (const name of [table, table.toUpperCase()]) {
      for (const [level, members] of [
        ['no', ''],
        ['minimal', `${metadata},`],
        [
          'full',
          `${metadata},"odata.type":"devstoreaccount1.Tables","odata.id":"<base>/Tables('<table>')","odata.editLink":"Tables('<table>')",`,
        ],
      ] as const) {
        const headers = { Accept: `application/json;odata=${level}metadata` };
        const response = await wire.send({ path: `/Tables('${name}')`, headers });
        await assertAnswer(wire, response, {
          status: '200 OK',
          table,
          level,
          body: `{${members}"TableName":"<table>"}`,
        });
      }
    }
    for (const name of ['missing', `${table}x`, table.slice(0, -1), '$MetricsHourPrimaryTransactionsTable']) {
      const response = await wire.send({ path: `/Tables('${name}')` });
      await assertError(wire, response, refusals.resourceNotFound);
    }
  });

  conforms(74, async () => {
    const table = await wire.createTable();
    const similar = `${table}x`;
    await create(similar);
    for (const name of [table, similar]) {
      for (const RowKey of ['1', '2', '3']) await wire.insert(name, { PartitionKey: 'p', RowKey });
    }
    const acl = `/${table}?comp=acl`;
    const policies =
      '<SignedIdentifiers><SignedIdentifier><Id>mine</Id></SignedIdentifier></SignedIdentifiers>';
    assert.equal((await wire.send({ method: 'PUT', path: acl, body: policies })).status, 204);
    assert.ok((await wire.send({ path: acl })).body.includes('<Id>mine</Id>'));
    await assertAnswer(wire, await drop(table), { status: '204 No Content' });

    const path = entityPath(table, 'p', '1');
    const ifMatch = { ...json, 'If-Match': '*' };
    const body = '{"PartitionKey":"p","RowKey":"1"}';
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
      await assertError(wire, await wire.send(request), refusals.tableNotFound);
    }
    for (const request of [{ path: acl }, { method: 'PUT', path: acl, body: policies }]) {
      const response = await wire.send(request);
      await assertError(wire, response, { ...refusals.tableNotFound, shape: 'prefixed xml' });
    }
    await assertError(wire, await wire.send({ path: `/Tables('${table}')` }), refusals.resourceNotFound);
    assert.ok(!namesIn(await wire.send({ path: '/Tables' })).includes(table));
    assert.equal((await wire.query(similar)).length, 3);
    // Nothing of them comes back with the name.
    await assertCreated(table);
    assert.deepEqual(await wire.query(table), []);
    assert.match((await wire.send({ path: acl })).body, /<SignedIdentifiers \/>$/);
  });

  conforms(75, async () => {
    await assertError(wire, await drop('missing'), refusals.resourceNotFound);
    const table = await wire.createTable();
    assert.equal((await drop(table)).status, 204);
    for (const name of [table, table.toUpperCase()]) {
      await assertError(wire, await drop(name), refusals.resourceNotFound);
    }
  });

  conforms(76, async () => {
    const table = freshTableName('Mixed');
    for (const name of [table, table, table.toUpperCase()]) {
      await assertCreated(name);
      assert.deepEqual(await wire.query(name), []);
      await assertError(
        wire,
        await wire.send({ path: entityPath(name, 'p', '1') }),
        refusals.resourceNotFound,
      );
      for (const RowKey of ['1', '2', '3']) await wire.insert(name, { PartitionKey: 'p', RowKey });
      await assertAnswer(wire, await drop(name), { status: '204 No Content' });
    }
  });
});

describe('Listing tables', () => {
  const wire = useWire();
  /** As they are made: out of order, in both cases. Ordinal order would have the upper-case ones first. */
  const names = ['delta', 'Alpha', 'echo', 'bravo', 'Charlie', 'alphabet', 'B2', 'b10'].map(
    name => `${name}x`,
  );
  const sorted = ['alphabetx', 'Alphax', 'b10x', 'B2x', 'bravox', 'Charliex', 'deltax', 'echox'];
  let made: Promise<void> | undefined;
  const makeTables = async (): Promise<void> => {
    for (const TableName of names) {
      const body = JSON.stringify({ TableName });
      const response = await wire.send({ method: 'POST', path: '/Tables', headers: noContent, body });
      assert.equal(response.status, 204, response.body);
    }
  };
  const list = async (query = '', headers: Record<string, string> = {}): Promise<RawResponse> => {
    made ??= makeTables();
    await made;
    return wire.send({ path: `/Tables${query}`, headers });
  };
  /** Follows tokens from the first page to the last: the names on each page. */
  const pages = async (options: string): Promise<string[][]> => {
    const found: string[][] = [];
    for (let token = ''; found.length < 20; ) {
      const response = await list(`?${options}${token}`);
      found.push(namesIn(response));
      const next = response.headers[nextTable] as string | undefined;
      if (next === undefined) return found;
      assert.match(next, /^1!\d+![\w*-]+$/);
      token = `&NextTableName=${encodeURIComponent(next)}`;
    }
    throw new Error('tokens without end');
  };

  // The first of all: the account is as empty as at its beginning.
  conforms(72, async () => {
    const metadata = '"odata.metadata":"<base>/$metadata#Tables",';
    for (const [level, members] of [
      ['no', ''],
      ['minimal', metadata],
      ['full', metadata],
    ] as const) {
      const headers = { Accept: `application/json;odata=${level}metadata` };
      for (const path of ['/Tables', '/Tables()', '/Tables?$top=5', "/Tables?$filter=TableName%20ge%20'a'"]) {
        const response = await wire.send({ path, headers });
        await assertAnswer(wire, response, { status: '200 OK', level, body: `{${members}"value":[]}` });
      }
    }
  });

  conforms(68, async () => {
    const members = sorted.map(name => `{"TableName":"${name}"}`).join();
    for (const path of ['', '()']) {
      await assertAnswer(wire, await list(path), {
        status: '200 OK',
        body: `{"odata.metadata":"<base>/$metadata#Tables","value":[${members}]}`,
      });
    }
    const none = await list('', { Accept: 'application/json;odata=nometadata' });
    await assertAnswer(wire, none, { status: '200 OK', level: 'no', body: `{"value":[${members}]}` });
    const full = sorted.map(
      name =>
        `{"odata.type":"devstoreaccount1.Tables","odata.id":"<base>/Tables('${name}')","odata.editLink":"Tables('${name}')","TableName":"${name}"}`,
    );
    await assertAnswer(wire, await list('', { Accept: 'application/json;odata=fullmetadata' }), {
      status: '200 OK',
      level: 'full',
      body: `{"odata.metadata":"<base>/$metadata#Tables","value":[${full.join()}]}`,
    });
  });

  conforms(69, async () => {
    for (const [filter, expected] of [
      ["TableName eq 'bravox'", ['bravox']],
      ["TableName eq 'missing'", []],
      ["TableName ge 'charliex'", ['Charliex', 'deltax', 'echox']],
      ["TableName lt 'b2x'", ['alphabetx', 'Alphax', 'b10x']],
      ["TableName gt 'charliex'", ['deltax', 'echox']],
      ["TableName le 'alphax'", ['alphabetx', 'Alphax']],
      ["TableName ge 'b' and TableName lt 'c'", ['b10x', 'B2x', 'bravox']],
      ["TableName eq 'echox' or TableName eq 'deltax'", ['deltax', 'echox']],
      ["TableName lt 'b' or TableName ge 'd' and TableName lt 'e'", ['alphabetx', 'Alphax', 'deltax']],
      ["(TableName lt 'b' or TableName ge 'd') and TableName lt 'e'", ['alphabetx', 'Alphax', 'deltax']],
      ["TableName eq 'CHARLIEX'", ['Charliex']],
      ["TableName ge 'D'", ['deltax', 'echox']],
    ] as const) {
      const response = await list(`?$filter=${encodeURIComponent(filter)}`);
      assert.deepEqual(namesIn(response), expected, filter);
      assert.equal(response.headers['content-type'], jsonType());
    }
    await assertError(wire, await list(`?$filter=${encodeURIComponent("PartitionKey eq 'a'")}`), {
      status: '400 Bad Request',
      code: 'InvalidInput',
      message: invalid,
    });
  });

  conforms(70, async () => {
    for (const top of [1, 2, 3, 5, 7]) {
      const found = await pages(`$top=${top}`);
      assert.deepEqual(found.flat(), sorted);
      for (const page of found.slice(0, -1)) assert.equal(page.length, top);
    }
    const filter = `$filter=${encodeURIComponent("TableName ge 'b' and TableName lt 'd'")}`;
    assert.deepEqual(await pages(`$top=3&${filter}`), [['b10x', 'B2x', 'bravox'], ['Charliex']]);

    // A token is sent back as it came, whatever the case of its name, and denotes the first of the next page.
    const first = await list('?$top=3');
    const token = encodeURIComponent(first.headers[nextTable] as string);
    for (const name of ['NextTableName', 'nexttablename']) {
      assert.deepEqual(namesIn(await list(`?$top=3&${name}=${token}`)), sorted.slice(3, 6));
    }
    const names = first.rawHeaders.filter((_, index) => index % 2 === 0);
    assert.ok(names.includes('x-ms-continuation-NextTableName'), names.join());
  });

  conforms(71, async () => {
    for (const options of [
      '',
      '?$top=8',
      '?$top=9',
      '?$top=1000',
      "?$top=3&$filter=TableName%20ge%20'charliex'",
      "?$top=1&$filter=TableName%20eq%20'alphax'",
      "?$top=1&$filter=TableName%20eq%20'missing'",
    ]) {
      assert.equal((await list(options)).headers[nextTable], undefined, options);
    }
    assert.notEqual((await list('?$top=7')).headers[nextTable], undefined);
    assert.deepEqual(
      (await pages('$top=4')).map(page => page.length),
      [4, 4],
    );
  });
});
