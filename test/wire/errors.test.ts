import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogue, type ErrorCode } from '../../src/errors.ts';
import * as limits from '../../src/limits.ts';
import { batchType, changesetBody, insert, readBatch } from '../support/batch.ts';
import { type RawRequest, type RawResponse, rawClient } from '../support/raw-client.ts';
import { accountToken, hoursFromNow, tableToken, underToken } from '../support/sas.ts';
import { freshTableName } from '../support/server.ts';
import { entityPath, json, noContent, unreadable, useWire } from '../support/wire.ts';

/**
 * How a code comes to be answered. `odata` errors take the format that was asked for, those of `service` are XML
 * whatever Accept says, and those of one format alone are asked for in that.
 */
interface Case {
  readonly shape: 'odata' | 'odata in XML' | 'service';
  /** In a table that holds the entity `('p', 'r')`. */
  request(table: string): RawRequest;
  /** Where it is not the catalogue's. */
  readonly message?: string;
}

/** The rest need a fault of the server: test/server.test.ts and the tests of the store have them. */
type Provoked = Exclude<
  ErrorCode,
  'InternalError' | 'InsufficientStorage' | 'OperationTimedOut' | 'ServerBusy'
>;

const inOneHour = hoursFromNow(1);
const entity = (table: string, rowKey = 'r'): string => entityPath(table, 'p', rowKey);

/** An insertion that returns no content, so that its answer may be asked for in any format. */
function insertion(table: string, body: string | Buffer, headers: Record<string, string> = {}): RawRequest {
  return { method: 'POST', path: `/${table}`, headers: { ...noContent, ...headers }, body };
}

function inserting(members: string, message?: string): Case {
  return {
    shape: 'odata',
    request: table => insertion(table, `{"PartitionKey":"p","RowKey":"new"${members}}`),
    ...(message === undefined ? {} : { message }),
  };
}

function creating(name: string): Case {
  return {
    shape: 'odata',
    request: () => ({ method: 'POST', path: '/Tables', headers: noContent, body: `{"TableName":"${name}"}` }),
  };
}

function change(method: string, path: string, headers: Record<string, string>): RawRequest {
  return { method, path, headers: { ...json, ...headers }, body: '{}' };
}

const cases: Record<Provoked, Case> = {
  AtomFormatNotSupported: {
    shape: 'odata',
    request: table => insertion(table, '<entry/>', { 'Content-Type': 'application/atom+xml' }),
  },
  AuthenticationFailed: { shape: 'service', request: () => ({ path: '/Tables', key: 'AAAA' }) },
  AuthorizationFailure: {
    shape: 'odata',
    request: table =>
      underToken(
        insertion(table, '{"PartitionKey":"o","RowKey":"r"}'),
        tableToken(table, { sp: 'a', se: inOneHour, spk: 'p' }),
      ),
  },
  AuthorizationPermissionMismatch: {
    shape: 'odata',
    request: table => underToken(insertion(table, '{}'), tableToken(table, { sp: 'r', se: inOneHour })),
  },
  AuthorizationProtocolMismatch: {
    shape: 'service',
    request: table =>
      underToken({ path: `/${table}` }, tableToken(table, { sp: 'r', se: inOneHour, spr: 'https' })),
  },
  AuthorizationResourceTypeMismatch: {
    shape: 'odata',
    request: table => underToken(insertion(table, '{}'), accountToken({ sp: 'a', srt: 'sc' })),
  },
  AuthorizationServiceMismatch: {
    shape: 'service',
    request: table => underToken({ path: `/${table}` }, accountToken({ sp: 'r', srt: 'o', ss: 'bq' })),
  },
  AuthorizationSourceIPMismatch: {
    shape: 'service',
    request: table =>
      underToken({ path: `/${table}` }, tableToken(table, { sp: 'r', se: inOneHour, sip: '10.0.0.1' })),
    message: 'This request is not authorized to perform this operation using this source IP 127.0.0.1.',
  },
  CommandsInBatchActOnDifferentPartitions: {
    shape: 'odata',
    request: table => ({
      method: 'POST',
      path: '/$batch',
      headers: batchType,
      body: changesetBody([
        insert(table, '1'),
        { ...insert(table, '2'), body: '{"PartitionKey":"q","RowKey":"2"}' },
      ]),
    }),
    message: '1:All commands in a batch must operate on same entity group.',
  },
  CorsPreflightFailure: {
    shape: 'service',
    request: table => ({
      method: 'OPTIONS',
      path: `/${table}`,
      headers: { Origin: 'http://a.com', 'Access-Control-Request-Method': 'GET' },
      sign: false,
    }),
  },
  DuplicatePropertiesSpecified: inserting(',"a":1,"a":2'),
  EntityAlreadyExists: {
    shape: 'odata',
    request: table => insertion(table, '{"PartitionKey":"p","RowKey":"r"}'),
  },
  EntityTooLarge: inserting(
    `,"a@odata.type":"Edm.Binary","a":"${Buffer.alloc(1024 * 1024).toString('base64')}"`,
  ),
  HostInformationNotPresent: {
    shape: 'service',
    request: table => ({ path: `/${table}`, headers: { Host: ' ' } }),
  },
  InvalidAuthenticationInfo: {
    shape: 'service',
    request: () => ({ path: '/Tables', headers: { Authorization: 'Basic abc' } }),
  },
  InvalidDuplicateRow: {
    shape: 'odata',
    request: table => ({
      method: 'POST',
      path: '/$batch',
      headers: batchType,
      body: changesetBody([insert(table, '1'), insert(table, '1')]),
    }),
    message:
      '1:The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
  },
  InvalidHeaderValue: {
    shape: 'odata',
    request: table => insertion(table, '{}', { 'x-ms-version': 'yesterday' }),
  },
  InvalidInput: { shape: 'odata', request: table => insertion(table, '{'), message: unreadable },
  InvalidQueryParameterValue: { shape: 'service', request: () => ({ path: '/?restype=service&comp=stats' }) },
  InvalidResourceName: creating('my_table'),
  InvalidXmlDocument: {
    shape: 'service',
    request: table => ({ method: 'PUT', path: `/${table}?comp=acl`, body: '<SignedIdentifiers>' }),
  },
  JsonFormatNotSupported: {
    shape: 'odata',
    request: table => insertion(table, '{}', { 'x-ms-version': '2012-02-12' }),
  },
  JsonVerboseFormatNotSupported: {
    shape: 'odata in XML',
    request: () => ({ path: '/Tables', headers: { Accept: 'application/json;odata=verbose' } }),
  },
  KeyValueTooLarge: {
    shape: 'odata',
    request: table =>
      insertion(table, JSON.stringify({ PartitionKey: '\u4e00'.repeat(500), RowKey: '\u4e00'.repeat(500) })),
    message: `The PartitionKey and the RowKey together exceed the maximum allowed size (${limits.keysUtf8BytesMax} bytes of UTF-8).`,
  },
  MediaTypeNotSupported: {
    shape: 'odata',
    request: table => insertion(table, 'text', { 'Content-Type': 'text/plain' }),
  },
  MethodNotAllowed: {
    shape: 'odata',
    request: table => ({ method: 'POST', path: entity(table), headers: json, body: '{}' }),
  },
  MissingRequiredHeader: { shape: 'odata', request: table => ({ method: 'DELETE', path: entity(table) }) },
  NotImplemented: { shape: 'odata', request: () => ({ path: '/' }) },
  OutOfRangeInput: {
    shape: 'odata',
    request: table => insertion(table, '{"PartitionKey":"a/b","RowKey":"r"}'),
    message: "The 'PartitionKey' parameter of value 'a/b' is out of range.",
  },
  PropertiesNeedValue: { shape: 'odata', request: table => insertion(table, '{"RowKey":"r"}') },
  PropertyNameInvalid: inserting(',"123":1'),
  PropertyNameTooLong: inserting(`,"${'n'.repeat(limits.propertyNameUnitsMax + 1)}":1`),
  PropertyValueTooLarge: inserting(`,"a":"${'x'.repeat(limits.stringValueUnitsMax + 1)}"`),
  RequestBodyTooLarge: {
    shape: 'odata',
    request: table => insertion(table, Buffer.alloc(limits.requestBodyBytesMax + 1, ' ')),
  },
  ResourceNotFound: {
    shape: 'odata',
    request: table => change('PUT', entity(table, 'missing'), { 'If-Match': '*' }),
  },
  TableAlreadyExists: {
    shape: 'odata',
    request: table => ({
      method: 'POST',
      path: '/Tables',
      headers: noContent,
      body: `{"TableName":"${table.toUpperCase()}"}`,
    }),
  },
  TableBeingDeleted: creating('deletedLately'),
  TableNotFound: {
    shape: 'odata',
    request: () => insertion(freshTableName('missing'), '{"PartitionKey":"p","RowKey":"r"}'),
  },
  TooManyProperties: inserting(
    Array.from({ length: limits.customPropertiesMax + 1 }, (_, index) => `,"p${index}":1`).join(''),
  ),
  UpdateConditionNotSatisfied: {
    shape: 'odata',
    request: table => change('MERGE', entity(table), { 'If-Match': 'W/"wrong"' }),
  },
  WriteOperationNotSupportedOnSecondary: {
    shape: 'odata',
    request: table => insertion(table, '{"PartitionKey":"p","RowKey":"r"}'),
  },
  XMethodIncorrectCount: {
    shape: 'odata',
    request: table => ({ method: 'POST', path: entity(table), headers: { 'X-HTTP-Method': 'MERGE, PUT' } }),
  },
  XMethodIncorrectValue: {
    shape: 'odata',
    request: table => ({ method: 'POST', path: entity(table), headers: { 'X-HTTP-Method': 'HEAD' } }),
  },
  XMethodNotUsingPost: {
    shape: 'odata',
    request: table => ({ method: 'PUT', path: entity(table), headers: { 'X-HTTP-Method': 'MERGE' } }),
  },
};

/** Bodies as the service writes them, with their two further lines at the end of the message. */
const ending = /RequestId:[0-9a-f-]{36}\nTime:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z/;

function assertJson(body: string, code: string, message: string): void {
  const parsed = JSON.parse(body);
  const { value } = parsed['odata.error'].message;
  assert.deepEqual(parsed, { 'odata.error': { code, message: { lang: 'en-US', value } } });
  assert.equal(value.slice(0, message.length + 1), `${message}\n`);
  assert.match(value.slice(message.length + 1), ending);
}

function assertXml(body: string, prefix: 'm:' | '', code: string, message: string): void {
  const declaration = prefix === '' ? 'xmlns' : 'xmlns:m';
  const opening = `<?xml version="1.0" encoding="utf-8"?><${prefix}error ${declaration}="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><${prefix}code>${code}</${prefix}code><${prefix}message xml:lang="en-US">${message}\n`;
  assert.equal(body.slice(0, opening.length), opening);
  assert.match(
    body.slice(opening.length),
    new RegExp(`^${ending.source}</${prefix}message></${prefix}error>$`),
  );
}

describe('Errors on the wire', () => {
  const wire = useWire({ simulateTableDeleting: 3_600_000 });
  let table: string | undefined;
  const prepare = async (): Promise<string> => {
    if (table !== undefined) return table;
    table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'r' });
    await wire.send({
      method: 'POST',
      path: '/Tables',
      headers: noContent,
      body: '{"TableName":"deletedLately"}',
    });
    const dropped = await wire.send({ method: 'DELETE', path: "/Tables('deletedLately')" });
    assert.equal(dropped.status, 204);
    return table;
  };
  const send = async (code: ErrorCode, request: RawRequest, accept: string): Promise<RawResponse> => {
    const suffix = code === 'WriteOperationNotSupportedOnSecondary' ? '-secondary' : '';
    const client = rawClient(`${await wire.base()}${suffix}`);
    return client({ ...request, headers: { Accept: accept, ...request.headers } });
  };

  for (const [name, { shape, request, message: particular }] of Object.entries(cases)) {
    const code = name as Provoked;
    const [status, usual] = catalogue[code];
    const message = particular ?? usual;

    it(`have ${code} as ${status}, with its message, in the shape of the request`, async () => {
      const asked = request(await prepare());
      if (asked.path === '/$batch') {
        const response = await send(code, asked, 'application/json;odata=minimalmetadata');
        assert.equal(response.status, 202);
        const [part] = readBatch(response.body);
        assert.equal(part?.status, status);
        assertJson(part?.body ?? '', code, message);
        return;
      }
      const accepts =
        shape === 'odata'
          ? ['application/json', 'application/json;odata=nometadata', '*/*']
          : ['application/json'];
      for (const accept of accepts) {
        const response = await send(code, asked, accept);
        assert.equal(response.status, status, response.body);
        assert.equal(response.headers['x-ms-error-code'], code);
        const type = response.headers['content-type'];
        if (shape === 'service') {
          assert.equal(type, 'application/xml');
          assertXml(response.body, 'm:', code, message);
        } else if (accept === '*/*' || shape === 'odata in XML') {
          assert.equal(type, 'application/xml;charset=utf-8');
          assertXml(response.body, '', code, message);
        } else {
          const level = accept.endsWith('nometadata') ? 'nometadata' : 'minimalmetadata';
          assert.equal(type, `application/json;odata=${level};streaming=true;charset=utf-8`);
          assertJson(response.body, code, message);
        }
      }
    });
  }
});
