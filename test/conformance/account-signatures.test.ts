import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  type BatchOperation,
  batchType,
  change,
  changesetBody,
  insert,
  minimal,
  queryBody,
  remove,
} from '../support/batch.ts';
import type { RawRequest, RawResponse } from '../support/raw-client.ts';
import {
  accountToken,
  hoursFromNow,
  type SasParameters,
  tableToken,
  underToken,
  withSignature,
} from '../support/sas.ts';
import { freshTableName } from '../support/server.ts';
import { assertRefused, entityPath, json, useWire, type Wire } from '../support/wire.ts';
import { assertError, type ExpectedError } from './answers.ts';
import { assertBatch, changesetAnswer, errorPart, queryAnswer } from './batch-answers.ts';
import { conforms } from './conforms.ts';

const letters = 'rwdlacup';
const everything = { srt: 'sco', sp: letters };
const inOneHour = hoursFromNow(1);

const texts = {
  AuthorizationFailure: 'This request is not authorized to perform this operation.',
  AuthorizationPermissionMismatch:
    'This request is not authorized to perform this operation using this permission.',
  AuthorizationResourceTypeMismatch:
    'This request is not authorized to perform this operation using this resource type.',
  AuthorizationServiceMismatch:
    'This request is not authorized to perform this operation using this service.',
  AuthorizationProtocolMismatch:
    'This request is not authorized to perform this operation using this protocol.',
  AuthorizationSourceIPMismatch:
    'This request is not authorized to perform this operation using this source IP 127.0.0.1.',
  AuthenticationFailed:
    'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
} as const;
type Code = keyof typeof texts;

function createTable(name = freshTableName()): RawRequest {
  return { method: 'POST', path: '/Tables', headers: json, body: JSON.stringify({ TableName: name }) };
}

describe('Shared access signatures of the account', () => {
  const wire = useWire();
  const allows = async (
    token: string,
    request: RawRequest,
    status: number,
    on: Wire = wire,
  ): Promise<RawResponse> => {
    const response = await on.send(underToken(request, token));
    assert.equal(response.status, status, `${request.method} ${request.path} ${token}: ${response.body}`);
    return response;
  };
  const refuses = async (token: string, request: RawRequest, code: Code, on: Wire = wire): Promise<void> =>
    assertRefused(await on.send(underToken(request, token)), 403, code, texts[code]);
  /** Refused as OData, in the format that the request asks for. */
  const refusesInJson = async (token: string, request: RawRequest, code: Code): Promise<void> => {
    const refusal: ExpectedError = { status: '403 Forbidden', code, message: texts[code] };
    await assertError(wire, await wire.send(underToken(request, token)), refusal);
  };
  /** That one of these letters is needed and enough, on this type of resource alone. */
  const needs = async (
    srt: string,
    enough: string,
    request: () => RawRequest,
    status: number,
    refused: (token: string, request: RawRequest, code: Code) => Promise<void> = refusesInJson,
  ): Promise<void> => {
    for (const sp of [...enough, letters]) {
      for (const types of [srt, 'sco']) await allows(accountToken({ srt: types, sp }), request(), status);
    }
    const others = [...letters].filter(letter => !enough.includes(letter));
    for (const sp of [...others, others.join('')]) {
      await refused(accountToken({ srt: 'sco', sp }), request(), 'AuthorizationPermissionMismatch');
    }
    const types = [...'sco'].filter(letter => letter !== srt);
    for (const other of [...types, types.join('')]) {
      const token = accountToken({ srt: other, sp: letters });
      await refused(token, request(), 'AuthorizationResourceTypeMismatch');
    }
  };

  conforms(48, async () => {
    const request = { path: '/Tables' };
    const account = 'devstoreaccount1';
    const short = (sv: string): string => `${account}\nl\nt\nc\n\n${inOneHour}\n\n\n${sv}\n`;
    const long = (sv: string): string => `${short(sv)}\n`;
    for (const [sv, right] of [
      ['2015-04-05', short('2015-04-05')],
      ['2019-02-02', short('2019-02-02')],
      ['2020-10-02', short('2020-10-02')],
      ['2020-12-06', long('2020-12-06')],
      ['2026-06-06', long('2026-06-06')],
    ] as const) {
      const parameters = { sv, ss: 't', srt: 'c', sp: 'l', se: inOneHour };
      for (const text of [short(sv), long(sv), short(sv).slice(0, -1)]) {
        const token = withSignature(parameters, text);
        if (text === right) await allows(token, request, 200);
        else await refuses(token, request, 'AuthenticationFailed');
      }
      await allows(accountToken({ ...parameters, sv }), request, 200);
    }
    const [st, sip, spr, sv] = [hoursFromNow(-1), '127.0.0.1', 'https,http', '2020-12-06'];
    const whole = { sv, ss: 'bt', srt: 'sc', sp: 'rl', st, se: inOneHour, sip, spr };
    const text = `${account}\nrl\nbt\nsc\n${st}\n${inOneHour}\n${sip}\n${spr}\n${sv}\n\n`;
    await allows(withSignature(whole, text), request, 200);
  });

  conforms(49, async () => {
    await needs('c', 'cw', createTable, 201);
    const refused = createTable();
    await refusesInJson(accountToken({ srt: 'c', sp: 'r' }), refused, 'AuthorizationPermissionMismatch');
    await allows(accountToken({ srt: 'c', sp: 'w' }), refused, 201);
  });

  conforms(50, async () => {
    const table = await wire.createTable();
    await needs('c', 'l', () => ({ path: '/Tables' }), 200);
    await needs('c', 'l', () => ({ path: `/Tables('${table}')` }), 200);
    const { body } = await allows(accountToken({ srt: 'c', sp: 'l' }), { path: '/Tables' }, 200);
    assert.ok(body.includes(`{"TableName":"${table}"}`), body);
  });

  conforms(51, async () => {
    const path = '/?restype=service&comp=properties';
    const body = '<StorageServiceProperties><Cors /></StorageServiceProperties>';
    const inXml = async (token: string, request: RawRequest, code: Code): Promise<void> => {
      const response = await wire.send(underToken(request, token));
      assertRefused(response, 403, code, texts[code]);
      assert.match(response.body, /^<\?xml .*<m:code>/);
    };
    await needs('s', 'r', () => ({ path }), 200, inXml);
    await needs('s', 'w', () => ({ method: 'PUT', path, body }), 202, inXml);
  });

  conforms(52, async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'r' });
    await needs('o', 'r', () => ({ path: `/${table}()` }), 200);
    await needs('o', 'r', () => ({ path: entityPath(table, 'p', 'r') }), 200);
    const { body } = await allows(accountToken({ srt: 'o', sp: 'r' }), { path: `/${table}()` }, 200);
    assert.ok(body.includes('"RowKey":"r"'), body);
  });

  conforms(53, async () => {
    const request = { path: '/Tables' };
    for (const ss of ['b', 'q', 'f', 'bqf']) {
      await refuses(accountToken({ ...everything, ss }), request, 'AuthorizationServiceMismatch');
      await refuses(accountToken({ ...everything, ss }), createTable(), 'AuthorizationServiceMismatch');
    }
    for (const ss of ['t', 'bt', 'bqtf']) await allows(accountToken({ ...everything, ss }), request, 200);
  });

  describe('over TLS, too', () => {
    const secure = useWire({ tls: 'auto', bearerInsecureClaimsOnly: true });

    /** The same request under a token of each kind. */
    const ofEachKind = async (
      on: Wire,
      parameters: SasParameters,
    ): Promise<readonly (readonly [token: string, request: RawRequest])[]> => {
      const table = await on.createTable();
      const request = { path: `/${table}()` };
      return [
        [tableToken(table, { sp: 'r', se: inOneHour, ...parameters }), request],
        [accountToken({ srt: 'o', sp: 'r', ...parameters }), request],
      ];
    };

    conforms(54, async () => {
      for (const spr of ['https', 'https,http']) {
        for (const [token, request] of await ofEachKind(secure, { spr })) {
          await allows(token, request, 200, secure);
        }
      }
      for (const [token, request] of await ofEachKind(wire, { spr: 'https' })) {
        await refuses(token, request, 'AuthorizationProtocolMismatch');
      }
      for (const parameters of [{ spr: 'https,http' }, {}]) {
        for (const [token, request] of await ofEachKind(wire, parameters)) await allows(token, request, 200);
      }
    });

    conforms(55, async () => {
      for (const sip of ['10.0.0.1', '127.0.0.2', '127.0.0.2-127.0.0.255', '126.0.0.0-127.0.0.0']) {
        for (const [token, request] of await ofEachKind(wire, { sip })) {
          await refuses(token, request, 'AuthorizationSourceIPMismatch');
        }
      }
      for (const sip of ['127.0.0.1', '127.0.0.1-127.0.0.2', '9.0.0.0-127.0.0.1', '127.0.0.1-127.0.0.1']) {
        for (const [token, request] of await ofEachKind(wire, { sip })) await allows(token, request, 200);
      }
    });

    conforms(56, async () => {
      const table = await secure.createTable();
      const path = `/${table}?comp=acl`;
      const identifiers =
        '<SignedIdentifiers><SignedIdentifier><Id>1</Id></SignedIdentifier></SignedIdentifiers>';
      const get: RawRequest = { path };
      const set: RawRequest = { method: 'PUT', path, body: identifiers };
      for (const request of [get, set]) {
        for (const token of [accountToken(everything), tableToken(table, { sp: 'raud', se: inOneHour })]) {
          await refuses(token, request, 'AuthorizationFailure', secure);
        }
      }
      const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
      const claims = {
        iss: 'https://sts.windows.net/tenant/',
        aud: 'https://storage.azure.com',
        exp: Math.floor(Date.now() / 1000) + 3600,
      };
      const Authorization = `Bearer ${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`;
      const bearing = (request: RawRequest): Promise<RawResponse> =>
        secure.send({
          ...request,
          sign: false,
          headers: { ...request.headers, Authorization, 'x-ms-version': '2020-12-06' },
        });
      assert.equal((await bearing({ path: `/${table}()` })).status, 200);
      for (const request of [get, set]) {
        const message = 'The specified resource does not exist.';
        assertRefused(await bearing(request), 404, 'ResourceNotFound', message);
      }
      assert.match((await secure.send(get)).body, /<SignedIdentifiers \/>$/);
      assert.equal((await secure.send(set)).status, 204);
    });
  });

  conforms(57, async () => {
    const table = await wire.createTable();
    for (const RowKey of ['0', '1', '2']) await wire.insert(table, { PartitionKey: 'p', RowKey });
    const before = await wire.query(table);
    const runUnder = (token: string, body: string): Promise<RawResponse> =>
      wire.send(underToken({ method: 'POST', path: '/$batch', headers: batchType, body }, token));
    const tokensOf = (sp: string): readonly string[] => [
      tableToken(table, { sp, se: inOneHour }),
      accountToken({ srt: 'o', sp }),
    ];
    const refusal = (index: number, code: Code, isInsertion = false): readonly string[] =>
      errorPart(
        '403 Forbidden',
        code,
        `${index}:${texts[code]}`,
        isInsertion ? ['Preference-Applied: return-no-content'] : [],
      );
    const good = [
      insert(table, 'new'),
      change('PUT', table, '0', '{}', '*'),
      change('MERGE', table, 'upsert', '{}'),
      remove(table, '1'),
    ] as const;
    const [insertion, update, upsert, deletion] = good;
    const cases: readonly (readonly [sp: string, operations: readonly BatchOperation[], index: number])[] = [
      ['ru', good, 0],
      ['rad', good, 1],
      ['ra', [insertion, upsert], 1],
      ['ud', [update, upsert], 1],
      ['rau', good, 3],
      ['a', [insertion, { ...insertion, body: '{"PartitionKey":"p","RowKey":"more"}' }, deletion], 2],
      ['d', [deletion, remove(table, '2'), update], 2],
      ['r', [deletion], 0],
    ];
    for (const [sp, operations, index] of cases) {
      for (const token of tokensOf(sp)) {
        const part = refusal(index, 'AuthorizationPermissionMismatch', operations[index] === insertion);
        await assertBatch(wire, await runUnder(token, changesetBody(operations)), changesetAnswer(part));
      }
    }
    const otherTable = tableToken('another', { sp: 'raud', se: inOneHour });
    const elsewhere = changesetAnswer(refusal(0, 'AuthorizationFailure', true));
    await assertBatch(wire, await runUnder(otherTable, changesetBody(good)), elsewhere);
    const ranged = tableToken(table, { sp: 'raud', se: inOneHour, spk: 'p', srk: '0', epk: 'p', erk: '0' });
    const outside = changesetAnswer(refusal(1, 'AuthorizationFailure'));
    await assertBatch(wire, await runUnder(ranged, changesetBody([update, deletion])), outside);
    const ofService = accountToken({ srt: 'sc', sp: letters });
    const wrongType = await runUnder(ofService, changesetBody([insertion]));
    assert.ok(wrongType.body.includes('AuthorizationResourceTypeMismatch'), wrongType.body);
    assert.deepEqual(await wire.query(table), before);

    const query = queryBody({ method: 'GET', target: entityPath(table, 'p', '0'), headers: [minimal] });
    for (const token of tokensOf('aud')) {
      const part = queryAnswer(refusal(0, 'AuthorizationPermissionMismatch'));
      await assertBatch(wire, await runUnder(token, query), part);
    }
    for (const token of tokensOf('r')) {
      assert.match((await runUnder(token, query)).body, /\r\nHTTP\/1\.1 200 OK\r\n/);
    }
    const response = await runUnder(tokensOf('aud')[0] as string, changesetBody(good));
    assert.equal(response.body.split('HTTP/1.1 204 No Content').length, 1 + good.length, response.body);
    assert.deepEqual(
      (await wire.query(table)).map(({ RowKey }) => RowKey),
      ['0', '2', 'new', 'upsert'],
    );
  });
});
