import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import { entityPath, invalid, json, noContent, unreadable, useTable, useWire } from '../support/wire.ts';
import { assertAnswer, assertError, entityBody, levels, refusals, timestampOf } from './answers.ts';
import { conforms } from './conforms.ts';

const needed = 'The values are not specified for all properties in the entity.';
const twice = 'A property is specified more than one time.';
const tooMany =
  'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.';
const valueTooLarge =
  'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.';
const entityTooLarge = 'The entity is larger than the maximum allowed size (1MB).';
const etagHeader = `etag: W/"datetime'<time>'"`;

describe('Insert', () => {
  const wire = useWire();
  const { table, post } = useTable(wire);
  let rows = 0;
  const fresh = (): string => `r${String(++rows).padStart(3, '0')}`;

  const get = async (partitionKey: string, rowKey: string): Promise<RawResponse> =>
    wire.send({ path: entityPath(await table(), partitionKey, rowKey) });
  /** Inserts under a fresh key; that the answer and a later read show these members, to the byte. */
  const assertKept = async (members: string, shown: string = members): Promise<RawResponse> => {
    const rowKey = fresh();
    const inserted = await post(`{"PartitionKey":"p","RowKey":"${rowKey}"${members}}`);
    assert.equal(inserted.status, 201, inserted.body);
    const etag = inserted.headers.etag as string;
    const entity = { table: await table(), partitionKey: 'p', rowKey, etag };
    const expected = await entityBody(wire, entity, shown);
    assert.equal(inserted.body, expected);
    assert.equal((await get('p', rowKey)).body, expected);
    return inserted;
  };
  /** That the entity is refused with 400, whether an echo is wanted or not, and nothing stored under its key. */
  const assertNotKept = async (members: string, code: string, message: string): Promise<void> => {
    const rowKey = fresh();
    for (const [headers, repeated] of [
      [json, []],
      [noContent, ['preference-applied: return-no-content']],
    ] as const) {
      const response = await post(`{"PartitionKey":"p","RowKey":"${rowKey}"${members}}`, headers);
      await assertError(wire, response, { status: '400 Bad Request', code, message, headers: repeated });
    }
    await assertError(wire, await get('p', rowKey), refusals.resourceNotFound);
  };
  const assertRefused = async (body: string, code: string, message: string): Promise<void> =>
    assertError(wire, await post(body), { status: '400 Bad Request', code, message });

  conforms(98, async () => {
    for (const headers of [{}, { Prefer: 'return-something' }]) {
      const response = await post(
        '{"PartitionKey":"98","RowKey":"r","n":1}',
        headers as Record<string, string>,
      );
      await assertAnswer(wire, response, {
        status: '201 Created',
        table: await table(),
        headers: [etagHeader, "location: <base>/<table>(PartitionKey='98',RowKey='r')"],
        body: `{"odata.metadata":"<base>/$metadata#<table>/@Element","odata.etag":"W/\\"datetime'<time>'\\"","PartitionKey":"98","RowKey":"r","Timestamp":"<time>","n":1}`,
      });
      const path = entityPath(await table(), '98', 'r');
      assert.equal(response.headers.etag, (await wire.send({ path })).headers.etag);
      await wire.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } });
    }
    const echoed = await post('{"PartitionKey":"98","RowKey":"r"}', { Prefer: 'return-content' });
    await assertAnswer(wire, echoed, {
      status: '201 Created',
      table: await table(),
      headers: [
        etagHeader,
        "location: <base>/<table>(PartitionKey='98',RowKey='r')",
        'preference-applied: return-content',
      ],
      body: `{"odata.metadata":"<base>/$metadata#<table>/@Element","odata.etag":"W/\\"datetime'<time>'\\"","PartitionKey":"98","RowKey":"r","Timestamp":"<time>"}`,
    });
  });

  conforms(99, async () => {
    for (const [rowKey, Accept] of [
      ['minimal', 'application/json;odata=minimalmetadata'],
      ['none', 'application/json;odata=nometadata'],
      ['any', '*/*'],
      ['absent', ''],
    ] as const) {
      const response = await post({ PartitionKey: '99', RowKey: rowKey }, { ...noContent, Accept });
      const url = `<base>/<table>(PartitionKey='99',RowKey='${rowKey}')`;
      await assertAnswer(wire, response, {
        status: '204 No Content',
        table: await table(),
        headers: [
          etagHeader,
          `location: ${url}`,
          `dataserviceid: ${url}`,
          'preference-applied: return-no-content',
        ],
      });
      assert.equal((await get('99', rowKey)).headers.etag, response.headers.etag);
    }
  });

  conforms(100, async () => {
    for (const level of levels) {
      const rowKey = fresh();
      const response = await post(
        `{"zebra":"z","RowKey":"${rowKey}","age":"39","Alpha":3.0,"age@odata.type":"Edm.Int64","PartitionKey":"p","mid@odata.type":"Edm.Guid","mid":"c9da6455-213d-42c9-9a79-3e9149a57833","_":true}`,
        { Accept: `application/json;odata=${level}metadata` },
      );
      const typed = (type: string): string => (level === 'no' ? '' : `"${type}",`.replace(' ', '":"'));
      const members = `,"zebra":"z",${typed('age@odata.type Edm.Int64')}"age":"39","Alpha":3.0,${typed('mid@odata.type Edm.Guid')}"mid":"c9da6455-213d-42c9-9a79-3e9149a57833","_":true`;
      const entity = {
        table: await table(),
        partitionKey: 'p',
        rowKey,
        etag: response.headers.etag as string,
      };
      assert.equal(response.body, await entityBody(wire, entity, members, level));
    }
  });

  conforms(101, async () => {
    const entity = (n: number): string => `{"PartitionKey":"101","RowKey":"r","n":${n}}`;
    const first = await post(entity(1));
    assert.equal(first.status, 201);
    const conflict = {
      status: '409 Conflict',
      code: 'EntityAlreadyExists',
      message: 'The specified entity already exists.',
    };
    await assertError(wire, await post(entity(1)), conflict);
    await assertError(wire, await post(entity(2), noContent), {
      ...conflict,
      headers: ['preference-applied: return-no-content'],
    });
    for (const condition of ['If-Match', 'If-None-Match']) {
      for (const tag of ['*', first.headers.etag as string]) {
        await assertError(wire, await post(entity(3), { [condition]: tag }), conflict);
      }
    }
    const read = await get('101', 'r');
    assert.equal(read.headers.etag, first.headers.etag);
    assert.equal(read.json().n, 1);
    const unconditional = { 'If-Match': 'abc', 'If-None-Match': '*' };
    assert.equal((await post('{"PartitionKey":"101","RowKey":"new"}', unconditional)).status, 201);
    // Another in either key is another entity.
    for (const [PartitionKey, RowKey] of [
      ['101', 'R'],
      ['101', 'r '],
      ['101r', ''],
      ['10', '1r'],
    ]) {
      assert.equal((await post({ PartitionKey, RowKey })).status, 201);
    }
  });

  conforms(102, async () => {
    const body = '{"PartitionKey":"p","RowKey":"r"}';
    for (const path of ['/missing', '/missing()', '/my_table', '/ab', `/${await table()}x`]) {
      const response = await wire.send({ method: 'POST', path, headers: json, body });
      await assertError(wire, response, refusals.tableNotFound);
    }
    // What is wrong with a body is told first.
    const unfinished = await wire.send({ method: 'POST', path: '/missing', headers: json, body: '{' });
    await assertError(wire, unfinished, {
      status: '400 Bad Request',
      code: 'InvalidInput',
      message: unreadable,
    });
  });

  conforms(103, async () => {
    for (const body of [
      '{"PartitionKey":"103"}',
      '{"RowKey":"103"}',
      '{}',
      '',
      '{"n":1}',
      '{"PartitionKey":"103","RowKey":null}',
      '{"PartitionKey":null,"RowKey":"103"}',
      '{"partitionKey":"103","rowKey":"103"}',
    ]) {
      await assertRefused(body, 'PropertiesNeedValue', needed);
    }
    assert.deepEqual(await wire.query(await table(), "PartitionKey eq '103' or RowKey eq '103'"), []);
  });

  conforms(104, async () => {
    for (const value of ['1', '-1.5', '0', 'true', 'false']) {
      await assertRefused(`{"PartitionKey":${value},"RowKey":"104"}`, 'InvalidInput', invalid);
      await assertRefused(`{"PartitionKey":"104","RowKey":${value}}`, 'InvalidInput', invalid);
    }
    for (const type of ['Edm.Int64', 'Edm.Int32', 'Edm.Boolean', 'Edm.Guid']) {
      for (const key of ['PartitionKey', 'RowKey']) {
        const body = `{"PartitionKey":"104","RowKey":"104","${key}@odata.type":"${type}"}`;
        await assertRefused(body, 'InvalidInput', invalid);
      }
    }
    assert.deepEqual(await wire.query(await table(), "PartitionKey eq '104' or RowKey eq '104'"), []);
  });

  conforms(105, async () => {
    const name = await wire.createTable();
    for (const [partitionKey, rowKey] of [
      ['', ''],
      ['', 'r'],
      ['p', ''],
    ] as const) {
      const path = `/${name}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
      const body = JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey, n: 1 });
      const inserted = await wire.send({ method: 'POST', path: `/${name}`, headers: json, body });
      assert.equal(inserted.status, 201, inserted.body);
      assert.equal(inserted.headers.location, `${await wire.base()}${path}`);
      const read = await wire.send({ path });
      assert.equal(read.status, 200);
      const entity = { table: name, partitionKey, rowKey, etag: inserted.headers.etag as string };
      assert.equal(read.body, await entityBody(wire, entity, ',"n":1'));
    }
    assert.equal((await wire.query(name)).length, 3);
  });

  conforms(106, async () => {
    await assertKept(',"a":null', '');
    await assertKept(
      ',"a":null,"b":1,"c@odata.type":"Edm.Int64","c":null,"d":null,"d@odata.type":"Edm.String","e@odata.type":"Edm.DateTime","e":null,"f":2',
      ',"b":1,"f":2',
    );
    for (const type of ['Binary', 'Boolean', 'DateTime', 'Double', 'Guid', 'Int32', 'Int64', 'String']) {
      await assertKept(`,"a":null,"a@odata.type":"Edm.${type}"`, '');
    }
  });

  conforms(107, async () => {
    for (const timestamp of ['"0001-01-01T00:00:00Z"', '"2031-01-01T00:00:00Z"', '"no date"', 'null', '5']) {
      const before = Date.now() - 1000;
      const response = await assertKept(`,"Timestamp":${timestamp},"n":1`, ',"n":1');
      const written = Date.parse(timestampOf(response.headers.etag as string));
      assert.ok(written >= before && written <= Date.now() + 1000, response.body);
    }
    const typed = ',"Timestamp@odata.type":"Edm.DateTime","Timestamp":"0001-01-01T00:00:00Z","n":1';
    await assertKept(typed, ',"n":1');
    const etag = `W/\\"datetime'2001-01-01T00%3A00%3A00Z'\\"`;
    const response = await assertKept(`,"odata.etag":"${etag}","n":1`, ',"n":1');
    assert.ok(!(response.headers.etag as string).includes('2001-01-01'));
    await assertKept(',"odata.metadata":"m","odata.type":"t","odata.id":"i","odata.editLink":"e"', '');
  });

  conforms(108, async () => {
    for (const [partitionKey, rowKey, address] of [
      [`A'aaa"`, `''`, "(PartitionKey='A''aaa%22',RowKey='''''')"],
      ["O'Hara", 'ü%20 (=,)', "(PartitionKey='O''Hara',RowKey='%C3%BC%2520%20(%3D%2C)')"],
      ['日本', '😀@&+;:$', "(PartitionKey='%E6%97%A5%E6%9C%AC',RowKey='%F0%9F%98%80%40%26%2B%3B%3A%24')"],
    ] as const) {
      const url = `${await wire.base()}/${await table()}${address}`;
      const body = { PartitionKey: partitionKey, RowKey: rowKey };
      const response = await post(body, noContent);
      assert.equal(response.headers.location, url);
      assert.equal(response.headers.dataserviceid, url);
      const path = url.slice((await wire.base()).length);
      const headers = { Accept: 'application/json;odata=fullmetadata' };
      const read = (await wire.send({ path, headers })).json();
      assert.deepEqual([read.PartitionKey, read.RowKey], [partitionKey, rowKey]);
      assert.equal(read['odata.id'], url);
      assert.equal(read['odata.editLink'], path.slice(1));
      await wire.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } });
      assert.equal((await post(body)).headers.location, url);
    }
  });

  conforms(109, async () => {
    const characters = ['/', '\\', '#', '?', '\t', '\u0080', '\u0000', '\u001f', '\u007f', '\u009f'];
    for (const character of characters) {
      const value = `1${character}9`;
      for (const key of ['PartitionKey', 'RowKey']) {
        const body = JSON.stringify({ PartitionKey: '109', RowKey: '109', [key]: value });
        await assertRefused(
          body,
          'OutOfRangeInput',
          `The '${key}' parameter of value '${value}' is out of range.`,
        );
      }
    }
    assert.deepEqual(await wire.query(await table(), "PartitionKey eq '109' or RowKey eq '109'"), []);
    // The neighbours of what is forbidden.
    for (const character of [' ', '~', '\u00a0', '.', '"', '>', '@', '[', ']', '!', '$']) {
      assert.equal(
        (await post({ PartitionKey: `1${character}9`, RowKey: character })).status,
        201,
        character,
      );
    }
  });

  conforms(110, async () => {
    const members = (count: number): string =>
      Array.from({ length: count }, (_, index) => `,"p${index}":${index}`).join('');
    await assertKept(members(252));
    await assertKept(`${members(252)},"none":null`, members(252));
    await assertNotKept(members(253), 'TooManyProperties', tooMany);
  });

  conforms(111, async () => {
    for (const longest of ['n'.repeat(255), 'é'.repeat(255)]) {
      await assertKept(`,"${longest}":1`);
      await assertNotKept(
        `,"${longest}n":1`,
        'PropertyNameTooLong',
        'The property name exceeds the maximum allowed length (255).',
      );
    }
  });

  conforms(112, async () => {
    for (const name of ['123', '1a', 'a b', 'a.b', '']) {
      await assertNotKept(`,"${name}":1`, 'PropertyNameInvalid', 'The property name is invalid.');
    }
    for (const name of ['_123', 'a123', 'größe']) await assertKept(`,"${name}":1`);
  });

  conforms(113, async () => {
    for (const character of ['x', '日']) {
      const longest = character.repeat(32_768);
      await assertKept(`,"v":"${longest}"`);
      await assertNotKept(`,"v":"${longest}x"`, 'PropertyValueTooLarge', valueTooLarge);
    }
    const binary = (bytes: number): string =>
      `,"v@odata.type":"Edm.Binary","v":"${Buffer.alloc(bytes, 0xa5).toString('base64')}"`;
    await assertKept(binary(65_536));
    await assertNotKept(binary(65_537), 'PropertyValueTooLarge', valueTooLarge);
  });

  conforms(114, async () => {
    /** A binary of this many bytes; in the published estimate it takes 12 more and 2 for each unit of its name. */
    const binary = (name: string, bytes: number): string =>
      `,"${name}@odata.type":"Edm.Binary","${name}":"${Buffer.alloc(bytes, 7).toString('base64')}"`;
    const blocks = Array.from({ length: 15 }, (_, index) => binary(`p${index + 10}`, 65_536)).join('');
    // The partition key is of one unit, row keys here are of four.
    const keys = 4 + 2 * (1 + 4);
    const rest = 1024 * 1024 - keys - 15 * (12 + 2 * 3 + 65_536) - (12 + 2 * 'last'.length);
    assert.ok(rest > 0 && rest < 65_536);
    await assertKept(blocks + binary('last', rest));
    await assertNotKept(blocks + binary('last', rest + 1), 'EntityTooLarge', entityTooLarge);
    // It is the entity that is told to be too large, not its one value.
    await assertNotKept(binary('v', 1024 * 1024), 'EntityTooLarge', entityTooLarge);
    const strings = Array.from({ length: 17 }, (_, index) => `,"s${index}":"${'x'.repeat(32_768)}"`).join('');
    await assertNotKept(strings, 'EntityTooLarge', entityTooLarge);
  });

  conforms(115, async () => {
    const typed = (value: string): string => `,"n@odata.type":"Edm.Int64","n":"${value}"`;
    for (const value of ['9223372036854775807', '-9223372036854775808']) await assertKept(typed(value));
    for (const value of ['9223372036854775808', '-9223372036854775809', '99999999999999999999', '1e30']) {
      await assertNotKept(typed(value), 'InvalidInput', unreadable);
    }
  });

  conforms(116, async () => {
    const typed = (name: string, value: string): string =>
      `,"${name}@odata.type":"Edm.DateTime","${name}":"${value}"`;
    for (const [name, value, told] of [
      ['born', '0001-01-01T00:00:00Z', '01/01/0001 00:00:00'],
      ['since', '1600-12-31T23:59:59.9999999Z', '12/31/1600 23:59:59'],
    ] as const) {
      const message = `The '${name}' parameter of value '${told}' is out of range.`;
      await assertNotKept(typed(name, value), 'OutOfRangeInput', message);
      await assertNotKept(`,"n":1${typed(name, value)}`, 'OutOfRangeInput', message);
    }
    await assertKept(typed('first', '1601-01-01T00:00:00Z'));
    await assertKept(typed('last', '9999-12-31T23:59:59.9999999Z'));
  });

  conforms(117, async () => {
    for (const members of [
      ',"a":1,"a":1',
      ',"a":1,"b":2,"a":"x"',
      ',"a":null,"a":1',
      ',"\\u0061":1,"a":1',
      ',"RowKey":"r"',
      ',"PartitionKey":"p"',
    ]) {
      await assertNotKept(members, 'DuplicatePropertiesSpecified', twice);
    }
  });

  conforms(118, async () => {
    const entity = '"PartitionKey":"118","RowKey":"118"';
    for (const body of [
      '{',
      `{${entity}`,
      `{${entity},}`,
      `{${entity}}}`,
      `{${entity} "a":1}`,
      `{'PartitionKey':'118','RowKey':'118'}`,
      `{${entity},"a":01}`,
      `{${entity},"a":tru}`,
      `{${entity},"a":"\\x"}`,
      `[{${entity}}]`,
      '"text"',
      'null',
      'not JSON',
    ]) {
      await assertRefused(body, 'InvalidInput', unreadable);
    }
    assert.deepEqual(await wire.query(await table(), "PartitionKey eq '118'"), []);
  });

  conforms(119, async () => {
    await assertKept(',"age":1,"Age":"two","AGE":3.5');
    const name = await wire.createTable();
    await wire.insert(name, '{"PartitionKey":"p","RowKey":"lower","age":1}');
    await wire.insert(name, '{"PartitionKey":"p","RowKey":"upper","Age":1}');
    assert.deepEqual(
      (await wire.query(name, 'Age eq 1')).map(({ RowKey }) => RowKey),
      ['upper'],
    );
  });

  conforms(120, async () => {
    for (const [before, after] of [
      ['"PartitionKey@odata.type":"Edm.String","RowKey@odata.type":"Edm.String",', ''],
      ['', ',"PartitionKey@odata.type":"Edm.String","RowKey@odata.type":"Edm.String"'],
    ] as const) {
      const rowKey = fresh();
      const response = await post(`{${before}"PartitionKey":"p","RowKey":"${rowKey}","n":1${after}}`);
      const entity = {
        table: await table(),
        partitionKey: 'p',
        rowKey,
        etag: response.headers.etag as string,
      };
      assert.equal(response.status, 201, response.body);
      assert.equal(response.body, await entityBody(wire, entity, ',"n":1'));
    }
  });

  conforms(121, async () => {
    for (const type of [
      'application/json;odata=nometadata',
      'application/json;odata=minimalmetadata',
      'application/json;odata=fullmetadata;charset=utf-8',
      'application/json; charset=utf-8; odata=nometadata',
      'application/json;type=entry',
    ]) {
      const rowKey = fresh();
      const response = await post(`{"PartitionKey":"p","RowKey":"${rowKey}","n":3.0}`, {
        'Content-Type': type,
      });
      const entity = {
        table: await table(),
        partitionKey: 'p',
        rowKey,
        etag: response.headers.etag as string,
      };
      // The level of the answer is that of Accept.
      assert.equal(response.status, 201, response.body);
      assert.equal(response.body, await entityBody(wire, entity, ',"n":3.0'));
    }
  });
});
