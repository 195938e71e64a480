import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { useBatches } from '../support/batch.ts';
import type { RawRequest, RawResponse } from '../support/raw-client.ts';
import { hoursFromNow, type SasParameters, tableToken, underToken, withSignature } from '../support/sas.ts';
import { freshTableName } from '../support/server.ts';
import { assertRefused, entityPath, json, noContent, useWire } from '../support/wire.ts';
import { assertError, type ExpectedError, refusals } from './answers.ts';
import { conforms } from './conforms.ts';

const noPermission: ExpectedError = {
  status: '403 Forbidden',
  code: 'AuthorizationPermissionMismatch',
  message: 'This request is not authorized to perform this operation using this permission.',
};
const notAuthorized: ExpectedError = {
  status: '403 Forbidden',
  code: 'AuthorizationFailure',
  message: 'This request is not authorized to perform this operation.',
};
const failed =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.';
const notAuthenticated: ExpectedError = {
  status: `403 ${failed}`,
  code: 'AuthenticationFailed',
  message: failed,
  shape: 'prefixed xml',
};

const inOneHour = { se: hoursFromNow(1) };
const all = { sp: 'raud', ...inOneHour };
const changes = ['PUT', 'MERGE', 'PATCH'] as const;

function insertion(table: string, partitionKey: string, rowKey: string): RawRequest {
  const body = JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey });
  return { method: 'POST', path: `/${table}`, headers: json, body };
}

function change(method: string, path: string, ifMatch?: string): RawRequest {
  return { method, path, headers: { ...json, ...(ifMatch && { 'If-Match': ifMatch }) }, body: '{"n":1}' };
}

function deletion(path: string): RawRequest {
  return { method: 'DELETE', path, headers: { 'If-Match': '*' } };
}

describe('Shared access signatures of a table', () => {
  const wire = useWire();
  const { rowKeysIn } = useBatches(wire);
  const allows = async (token: string, request: RawRequest, status: number): Promise<RawResponse> => {
    const response = await wire.send(underToken(request, token));
    assert.equal(response.status, status, `${request.method} ${request.path} ${token}: ${response.body}`);
    return response;
  };
  const refuses = async (token: string, request: RawRequest, refusal: ExpectedError): Promise<void> =>
    assertError(wire, await wire.send(underToken(request, token)), refusal);
  /** `partition/row` of each entity that a query under the token finds. */
  const keysUnder = async (token: string, table: string, options = ''): Promise<string[]> => {
    const response = await allows(token, { path: `/${table}()${options}` }, 200);
    const { value } = response.json<{ value: Record<string, string>[] }>();
    return value.map(({ PartitionKey, RowKey }) => `${PartitionKey}/${RowKey}`);
  };
  const fill = async (...keys: readonly string[]): Promise<string> => {
    const table = await wire.createTable();
    for (const key of keys) {
      const [PartitionKey, RowKey] = key.split('/');
      await wire.insert(table, { PartitionKey, RowKey });
    }
    return table;
  };
  const setPolicies = async (table: string, policies: Readonly<Record<string, string>>): Promise<void> => {
    const identifiers = Object.entries(policies).map(
      ([id, members]) =>
        `<SignedIdentifier><Id>${id}</Id><AccessPolicy>${members}</AccessPolicy></SignedIdentifier>`,
    );
    const body = `<SignedIdentifiers>${identifiers.join('')}</SignedIdentifiers>`;
    const { status } = await wire.send({ method: 'PUT', path: `/${table}?comp=acl`, body });
    assert.equal(status, 204);
  };

  conforms(30, async () => {
    const table = await fill('p/r');
    const reads = [
      `/${table}`,
      `/${table}()?$filter=RowKey%20eq%20'r'&$select=RowKey`,
      entityPath(table, 'p', 'r'),
    ];
    for (const path of reads) {
      for (const sp of ['r', 'ra', 'raud'])
        await allows(tableToken(table, { ...inOneHour, sp }), { path }, 200);
      for (const sp of ['a', 'u', 'd', 'aud']) {
        await refuses(tableToken(table, { ...inOneHour, sp }), { path }, noPermission);
      }
    }
    assert.deepEqual(await keysUnder(tableToken(table, { ...inOneHour, sp: 'r' }), table), ['p/r']);
  });

  conforms(31, async () => {
    const table = await wire.createTable();
    for (const sp of ['r', 'u', 'd', 'rud']) {
      await refuses(tableToken(table, { ...inOneHour, sp }), insertion(table, 'p', sp), noPermission);
    }
    assert.deepEqual(await rowKeysIn(table), []);
    for (const sp of ['a', 'au', 'raud']) {
      const token = tableToken(table, { ...inOneHour, sp });
      await allows(token, insertion(table, 'p', sp), 201);
      await allows(token, { ...insertion(table, 'p', `${sp}-`), headers: noContent }, 204);
    }
    assert.deepEqual(await rowKeysIn(table), ['a', 'a-', 'au', 'au-', 'raud', 'raud-']);
  });

  conforms(32, async () => {
    const table = await fill('p/there');
    const before = await wire.query(table);
    for (const method of changes) {
      for (const rowKey of ['there', 'new']) {
        const request = change(method, entityPath(table, 'p', rowKey));
        for (const sp of ['a', 'u', 'ra', 'ud', 'rad', 'rud']) {
          await refuses(tableToken(table, { ...inOneHour, sp }), request, noPermission);
        }
      }
    }
    assert.deepEqual(await wire.query(table), before);
    for (const method of changes) {
      for (const sp of ['au', 'raud']) {
        const token = tableToken(table, { ...inOneHour, sp });
        await allows(token, change(method, entityPath(table, 'p', 'there')), 204);
        await allows(token, change(method, entityPath(table, 'p', `${method}${sp}`)), 204);
      }
    }
    assert.equal((await rowKeysIn(table)).length, 7);
  });

  conforms(33, async () => {
    const table = await fill('p/r');
    const path = entityPath(table, 'p', 'r');
    const before = await wire.query(table);
    for (const method of changes) {
      for (const sp of ['a', 'r', 'd', 'rad']) {
        await refuses(tableToken(table, { ...inOneHour, sp }), change(method, path, '*'), noPermission);
      }
    }
    assert.deepEqual(await wire.query(table), before);
    const token = tableToken(table, { ...inOneHour, sp: 'u' });
    for (const method of changes) {
      const { headers } = await allows(token, change(method, path, '*'), 204);
      await allows(token, change(method, path, headers.etag as string), 204);
      await allows(token, change(method, path, headers.etag as string), 412);
    }
  });

  conforms(34, async () => {
    const table = await fill('p/1', 'p/2');
    for (const sp of ['r', 'a', 'u', 'rau']) {
      const token = tableToken(table, { ...inOneHour, sp });
      await refuses(token, deletion(entityPath(table, 'p', '1')), noPermission);
    }
    assert.deepEqual(await rowKeysIn(table), ['1', '2']);
    await allows(tableToken(table, { ...inOneHour, sp: 'd' }), deletion(entityPath(table, 'p', '1')), 204);
    await allows(tableToken(table, all), deletion(entityPath(table, 'p', '2')), 204);
    assert.deepEqual(await rowKeysIn(table), []);
  });

  conforms(35, async () => {
    const table = await fill('p/r');
    const token = tableToken(table, all);
    const other = freshTableName();
    const body = (name: string): string => JSON.stringify({ TableName: name });
    const acl = '<SignedIdentifiers><SignedIdentifier><Id>1</Id></SignedIdentifier></SignedIdentifiers>';
    const cors = '<StorageServiceProperties><Cors /></StorageServiceProperties>';
    const tables: readonly RawRequest[] = [
      { method: 'POST', path: '/Tables', headers: json, body: body(other) },
      { method: 'POST', path: '/Tables', headers: json, body: body(table) },
      { method: 'DELETE', path: `/Tables('${table}')` },
      { path: '/Tables' },
      { path: `/Tables('${table}')` },
    ];
    for (const request of tables) await refuses(token, request, notAuthorized);
    const inXml: readonly RawRequest[] = [
      { path: `/${table}?comp=acl` },
      { method: 'PUT', path: `/${table}?comp=acl`, body: acl },
      { path: '/?restype=service&comp=properties' },
      { method: 'PUT', path: '/?restype=service&comp=properties', body: cors },
    ];
    for (const request of inXml) {
      const response = await wire.send(underToken(request, token));
      assertRefused(response, 403, notAuthorized.code, notAuthorized.message);
      assert.match(response.body, /^<\?xml .*<m:code>AuthorizationFailure</);
    }
    assert.deepEqual(await rowKeysIn(table), ['r']);
    assert.equal((await wire.send({ path: `/Tables('${other}')` })).status, 404);
    assert.match((await wire.send({ path: `/${table}?comp=acl` })).body, /<SignedIdentifiers \/>$/);
  });

  conforms(36, async () => {
    const table = await fill('p/r');
    const upper = table.toUpperCase();
    const { se } = inOneHour;
    const parameters = { sv: '2019-02-02', tn: upper, sp: 'r', se };
    const text = (name: string): string =>
      `r\n\n${se}\n/table/devstoreaccount1/${name}\n\n\n\n2019-02-02\n\n\n\n`;
    const signed = withSignature(parameters, text(table.toLowerCase()));
    assert.equal(tableToken(upper, { sp: 'r', se }), signed);
    for (const name of [table, upper]) {
      assert.deepEqual(await keysUnder(signed, name), ['p/r']);
      await allows(signed, { path: entityPath(name, 'p', 'r') }, 200);
    }
    await refuses(withSignature(parameters, text(upper)), { path: `/${upper}()` }, notAuthenticated);
  });

  conforms(37, async () => {
    const [table, other] = [await fill('p/r'), await fill('p/r')];
    const before = await wire.query(other);
    const token = tableToken(table, all);
    const path = entityPath(other, 'p', 'r');
    for (const request of [
      { path: `/${other}()` },
      { path },
      insertion(other, 'p', 's'),
      change('PUT', path),
      change('MERGE', path, '*'),
      deletion(path),
      { path: '/missing()' },
    ]) {
      await refuses(token, request, notAuthorized);
    }
    const prefix = tableToken(other.slice(0, -1), all);
    await refuses(prefix, { path: `/${other}()` }, notAuthorized);
    assert.deepEqual(await wire.query(other), before);
    await allows(token, { path: `/${table}()` }, 200);
  });

  conforms(38, async () => {
    const table = await fill('p/r');
    const request = { path: `/${table}()` };
    const hours = (count: number): string => new Date(Date.now() + count * 3_600_000).toISOString();
    const refusedOrNot = async (times: SasParameters, isGood: boolean): Promise<void> => {
      const token = tableToken(table, { sp: 'r', ...times });
      if (isGood) await allows(token, request, 200);
      else await refuses(token, request, notAuthenticated);
    };
    const forms = [
      (text: string) => text.slice(0, 10),
      (text: string) => `${text.slice(0, 16)}Z`,
      (text: string) => `${text.slice(0, 19)}Z`,
      (text: string) => `${text.slice(0, 23)}4567Z`,
    ];
    for (const form of forms) {
      await refusedOrNot({ se: form(hours(48)) }, true);
      await refusedOrNot({ se: form(hours(-48)) }, false);
      await refusedOrNot({ st: form(hours(-48)), ...inOneHour }, true);
      await refusedOrNot({ st: form(hours(48)), se: hoursFromNow(72) }, false);
    }
    await refusedOrNot({ se: hoursFromNow(30 / 3600) }, true);
    await refusedOrNot({ se: hoursFromNow(-2 / 3600) }, false);
    await refusedOrNot({ st: hoursFromNow(-2 / 3600), ...inOneHour }, true);
    await refusedOrNot({ st: hoursFromNow(30 / 3600), ...inOneHour }, false);
    await refusedOrNot({}, false);
    await refusedOrNot({ se: 'tomorrow' }, false);
  });

  conforms(39, async () => {
    const table = await fill('p/r', 'q/r');
    const request = { path: `/${table}()` };
    const token = tableToken(table, { sp: 'a', ...inOneHour, spk: 'p', epk: 'p' });
    const tampered = (name: string, value: string): string => {
      const parameters = new URLSearchParams(token);
      parameters.set(name, value);
      return parameters.toString();
    };
    await refuses(tampered('sp', 'r'), request, notAuthenticated);
    await refuses(tampered('sp', 'ra'), request, notAuthenticated);
    for (const [name, value] of [
      ['se', hoursFromNow(2)],
      ['st', hoursFromNow(-1)],
      ['spk', ''],
      ['epk', 'q'],
      ['srk', 'a'],
      ['erk', 'z'],
      ['tn', 'another'],
      ['sv', '2018-11-09'],
      ['si', 'policy'],
      ['sip', '127.0.0.1'],
      ['spr', 'https,http'],
    ] as const) {
      await refuses(tampered(name, value), insertion(table, 'p', 'new'), notAuthenticated);
    }
    await refuses(tampered('sig', 'AAAA'), insertion(table, 'p', 'new'), notAuthenticated);
    const otherKey = Buffer.from('a key of somebody else').toString('base64');
    await refuses(tableToken(table, all, otherKey), request, notAuthenticated);
    await allows(token, insertion(table, 'p', 'new'), 201);
  });

  conforms(40, async () => {
    const keys = ['a/1', 'a/2', 'b/1', 'b/2', 'c/1', 'c/2'];
    const table = await fill(...keys);
    const ranges: readonly (readonly [range: SasParameters, expected: readonly string[]])[] = [
      [{}, keys],
      [{ spk: 'b' }, keys.slice(2)],
      [{ epk: 'b' }, keys.slice(0, 4)],
      [{ spk: 'b', epk: 'b' }, keys.slice(2, 4)],
      [{ spk: 'a', epk: 'c' }, keys],
      [{ spk: 'b', srk: '2', epk: 'c', erk: '1' }, keys.slice(3, 5)],
      [{ spk: 'aa', epk: 'az' }, []],
      [{ spk: 'c', epk: 'a' }, []],
      [{ spk: 'd' }, []],
    ];
    for (const [range, expected] of ranges) {
      const token = tableToken(table, { sp: 'r', ...inOneHour, ...range });
      assert.deepEqual(await keysUnder(token, table), expected, JSON.stringify(range));
      const filter = encodeURIComponent("RowKey eq '2' or PartitionKey eq 'a'");
      const filtered = expected.filter(key => key.endsWith('2') || key.startsWith('a'));
      assert.deepEqual(await keysUnder(token, table, `?$filter=${filter}`), filtered, JSON.stringify(range));
      const seen: string[] = [];
      for (let more: string | undefined = ''; more !== undefined; ) {
        const response = await allows(token, { path: `/${table}()?$top=1${more}` }, 200);
        const [entity] = response.json<{ value: Record<string, string>[] }>().value;
        if (entity !== undefined) seen.push(`${entity.PartitionKey}/${entity.RowKey}`);
        const partition = response.headers['x-ms-continuation-nextpartitionkey'] as string | undefined;
        const row = response.headers['x-ms-continuation-nextrowkey'] as string;
        more =
          partition &&
          `&NextPartitionKey=${encodeURIComponent(partition)}&NextRowKey=${encodeURIComponent(row)}`;
      }
      assert.deepEqual(seen, expected, JSON.stringify(range));
    }
    const narrow = tableToken(table, { sp: 'r', ...inOneHour, spk: 'b', epk: 'b' });
    const { headers } = await wire.send({ path: `/${table}()?$top=1` });
    const outside = encodeURIComponent(headers['x-ms-continuation-nextpartitionkey'] as string);
    assert.deepEqual(await keysUnder(narrow, table, `?NextPartitionKey=${outside}`), ['b/1', 'b/2']);
    assert.deepEqual(await keysUnder(narrow, table, "?$filter=PartitionKey%20eq%20'a'"), []);
  });

  conforms(41, async () => {
    const table = await fill('a/9', 'b/1', 'b/2', 'b/3', 'c/1');
    const token = tableToken(table, { sp: 'r', ...inOneHour, spk: 'b', srk: '2', epk: 'b', erk: '2' });
    for (const [partitionKey, rowKey] of ['a/9', 'b/1', 'b/3', 'c/1', 'x/x'].map(key => key.split('/'))) {
      const path = entityPath(table, partitionKey as string, rowKey as string);
      await refuses(token, { path }, refusals.resourceNotFound);
    }
    await allows(token, { path: entityPath(table, 'b', '2') }, 200);
  });

  conforms(42, async () => {
    const table = await wire.createTable();
    const token = tableToken(table, { sp: 'a', ...inOneHour, spk: 'b', srk: '2', epk: 'd', erk: '5' });
    for (const [partitionKey, rowKey] of ['a/3', 'b/1', 'd/6', 'e/3', '/'].map(key => key.split('/'))) {
      const request = insertion(table, partitionKey as string, rowKey as string);
      await refuses(token, request, notAuthorized);
      const noMetadata = { ...json, Accept: 'application/json;odata=nometadata' };
      await refuses(token, { ...request, headers: noMetadata }, { ...notAuthorized, level: 'no' });
      await refuses(
        token,
        { ...request, headers: noContent },
        {
          ...notAuthorized,
          headers: ['preference-applied: return-no-content'],
        },
      );
    }
    assert.deepEqual(await wire.query(table), []);
    for (const key of ['b/2', 'b/9', 'c/0', 'd/', 'd/5']) {
      const [partitionKey, rowKey] = key.split('/') as [string, string];
      await allows(token, insertion(table, partitionKey, rowKey), 201);
    }
  });

  conforms(43, async () => {
    const table = await fill('a/1', 'b/1', 'c/1');
    const before = await wire.query(table);
    const token = tableToken(table, { ...all, spk: 'b', epk: 'b' });
    for (const partitionKey of ['a', 'c']) {
      const path = entityPath(table, partitionKey, '1');
      for (const method of changes) {
        await refuses(token, change(method, path, '*'), notAuthorized);
        await refuses(token, change(method, path), notAuthorized);
        await refuses(token, change(method, entityPath(table, partitionKey, 'new')), notAuthorized);
      }
      await refuses(token, deletion(path), notAuthorized);
      await refuses(token, deletion(entityPath(table, partitionKey, 'missing')), notAuthorized);
    }
    assert.deepEqual(await wire.query(table), before);
    const path = entityPath(table, 'b', '1');
    for (const method of changes) await allows(token, change(method, path, '*'), 204);
    await allows(token, deletion(path), 204);
  });

  conforms(44, async () => {
    const table = await fill('a/1', 'a/9', 'b/1', 'b/5', 'b/9', 'c/1', 'c/9', 'd/1', 'd/5', 'd/9', 'e/1');
    const from = tableToken(table, { sp: 'r', ...inOneHour, spk: 'b', srk: '5' });
    const after = ['b/5', 'b/9', 'c/1', 'c/9', 'd/1', 'd/5', 'd/9', 'e/1'];
    assert.deepEqual(await keysUnder(from, table), after);
    const to = tableToken(table, { sp: 'r', ...inOneHour, epk: 'd', erk: '5' });
    const until = ['a/1', 'a/9', 'b/1', 'b/5', 'b/9', 'c/1', 'c/9', 'd/1', 'd/5'];
    assert.deepEqual(await keysUnder(to, table), until);
    const both = tableToken(table, { ...all, spk: 'b', srk: '5', epk: 'd', erk: '5' });
    const between = after.filter(key => until.includes(key));
    assert.deepEqual(await keysUnder(both, table), between);
    for (const key of new Set([...after, ...until])) {
      const path = entityPath(table, ...(key.split('/') as [string, string]));
      await allows(both, { path }, between.includes(key) ? 200 : 404);
      await allows(both, change('MERGE', path, '*'), between.includes(key) ? 204 : 403);
    }
    for (const parameters of [{ srk: '5' }, { erk: '5' }]) {
      const token = tableToken(table, { sp: 'r', ...inOneHour, ...parameters });
      await refuses(token, { path: `/${table}()` }, notAuthenticated);
    }
  });

  conforms(45, async () => {
    const table = await fill('p/r');
    const [past, soon] = [hoursFromNow(-1), hoursFromNow(1)];
    await setPolicies(table, {
      whole: `<Start>${past}</Start><Expiry>${soon}</Expiry><Permission>r</Permission>`,
      permission: '<Permission>a</Permission>',
      times: `<Start>${past}</Start><Expiry>${soon}</Expiry>`,
      expired: `<Expiry>${past}</Expiry><Permission>r</Permission>`,
      early: `<Start>${soon}</Start><Expiry>${hoursFromNow(2)}</Expiry><Permission>r</Permission>`,
    });
    const request = { path: `/${table}()` };
    const token = (si: string, parameters: SasParameters = {}): string =>
      tableToken(table, { si, ...parameters });
    await allows(token('whole'), request, 200);
    await refuses(token('whole'), insertion(table, 'p', 's'), noPermission);
    await allows(token('permission', { se: soon }), insertion(table, 'p', 's'), 201);
    await refuses(token('permission', { se: soon }), request, noPermission);
    await allows(token('times', { sp: 'r' }), request, 200);
    for (const refused of [
      token('expired'),
      token('early'),
      token('permission', { se: past }),
      token('permission', { se: soon, st: soon }),
      // A field that stands in neither place, or in both.
      token('permission'),
      token('times'),
      token('whole', { sp: 'r' }),
      token('whole', { se: soon }),
      token('whole', { st: past }),
      token('times', { sp: 'r', se: soon }),
      tableToken(table, {}),
    ]) {
      await refuses(refused, request, notAuthenticated);
    }
  });

  conforms(46, async () => {
    const table = await fill('p/r');
    const request = { path: `/${table}()` };
    const policy = `<Expiry>${hoursFromNow(1)}</Expiry><Permission>r</Permission>`;
    const token = tableToken(table, { si: 'policy' });
    await refuses(token, request, notAuthenticated);
    await setPolicies(table, { policy, other: policy });
    await allows(token, request, 200);
    await setPolicies(table, { other: policy });
    await refuses(token, request, notAuthenticated);
    await setPolicies(table, { policy });
    await allows(token, request, 200);
    await setPolicies(table, { policy: policy.replace('>r<', '>a<') });
    await refuses(token, request, noPermission);
    await setPolicies(table, { Policy: policy });
    await refuses(token, request, notAuthenticated);
    await setPolicies(table, {});
    await refuses(token, request, notAuthenticated);
    await setPolicies(await fill('p/r'), { policy });
    await refuses(token, request, notAuthenticated);
    // Of a policy that says nothing, the name alone is needed.
    const complete = tableToken(table, { si: 'bare', sp: 'r', ...inOneHour });
    await refuses(complete, request, notAuthenticated);
    await setPolicies(table, { bare: '' });
    await allows(complete, request, 200);
    await setPolicies(table, { other: policy });
    await refuses(complete, request, notAuthenticated);
  });

  conforms(47, async () => {
    const table = await fill('p/r');
    const { se } = inOneHour;
    const request = { path: `/${table}()` };
    const short = (sv: string, resource: string): string => `r\n\n${se}\n${resource}\n\n${sv}\n\n\n\n`;
    const long = (sv: string, resource: string): string => `r\n\n${se}\n${resource}\n\n\n\n${sv}\n\n\n\n`;
    const old = `/devstoreaccount1/${table}`;
    const current = `/table${old}`;
    for (const [sv, right] of [
      ['2012-02-12', short('2012-02-12', old)],
      ['2013-08-15', short('2013-08-15', old)],
      ['2014-02-14', short('2014-02-14', old)],
      ['2015-02-21', short('2015-02-21', current)],
      ['2015-04-05', long('2015-04-05', current)],
      ['2019-02-02', long('2019-02-02', current)],
      ['2020-12-06', long('2020-12-06', current)],
      ['2026-06-06', long('2026-06-06', current)],
    ] as const) {
      const parameters = { sv, tn: table, sp: 'r', se };
      for (const text of [short(sv, old), short(sv, current), long(sv, old), long(sv, current)]) {
        const token = withSignature(parameters, text);
        if (text === right) await allows(token, request, 200);
        else await refuses(token, request, notAuthenticated);
      }
      await allows(tableToken(table, { sv, sp: 'r', se }), request, 200);
    }
    const ranged = { sv: '2012-02-12', sp: 'raud', se, spk: 'p', srk: 'a', epk: 'p', erk: 'z' };
    const text = `raud\n\n${se}\n${old}\n\n2012-02-12\np\na\np\nz`;
    const token = withSignature({ ...ranged, tn: table }, text);
    assert.deepEqual(await keysUnder(token, table), ['p/r']);
    await refuses(token, insertion(table, 'q', 'r'), notAuthorized);
  });
});
