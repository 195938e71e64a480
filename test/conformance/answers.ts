import assert from 'node:assert/strict';
import { golden, mask } from '../support/golden.ts';
import type { RawResponse } from '../support/raw-client.ts';
import { assertRefused, type Wire } from '../support/wire.ts';

/** Of the metadata: `odata=nometadata` and so on. */
export type Level = 'no' | 'minimal' | 'full';
export const levels: readonly Level[] = ['no', 'minimal', 'full'];

/** Whole answers, compared to the byte: what a test says of one, and what all answers of its kind have. */
export interface ExpectedAnswer {
  /** `201 Created` */
  readonly status: string;
  /** The headers beside those of every answer, each `name: value` with the name in lower case. */
  readonly headers?: readonly string[];
  /** As `golden` shows it; absent for none. */
  readonly body?: string;
  /** Metadata level of the body's media type. */
  readonly level?: Level;
  /** Stands as `<table>` in what is compared. */
  readonly table?: string | undefined;
  /** Where it is not the one that the tests' client sends. */
  readonly version?: string | undefined;
}

const namespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';
const ofEvery = ['server: Windows-Azure-Table/1.0 Tabularium/<version>', 'x-ms-request-id: <guid>'];
const ofOData = ['cache-control: no-cache', 'x-content-type-options: nosniff'];

export function jsonType(level: Level = 'minimal'): string {
  return `application/json;odata=${level}metadata;streaming=true;charset=utf-8`;
}

function assertWhole(
  base: string,
  response: RawResponse,
  { status, headers = [], body = '', table, version = '2019-02-02' }: ExpectedAnswer,
): void {
  // How long a body is depends on what differs from run to run; what it says does not.
  const length = `content-length: ${response.bytes.length}`;
  const lines = [...headers, ...ofEvery, length, `x-ms-version: ${version}`];
  assert.equal(golden(response, base, table), [status, ...lines.sort(), '', body].join('\n'));
}

/** That the answer is this one and nothing beside it, in the way of the operations that speak OData. */
export async function assertAnswer(
  wire: Wire,
  response: RawResponse,
  expected: ExpectedAnswer,
): Promise<void> {
  const { headers = [], body, level } = expected;
  const type = body === undefined ? [] : [`content-type: ${jsonType(level)}`];
  assertWhole(await wire.base(), response, { ...expected, headers: [...headers, ...type, ...ofOData] });
}

/** That the answer is this one, in the way of the operations that speak XML; `body` is to the byte, not masked. */
export async function assertXmlAnswer(
  wire: Wire,
  response: RawResponse,
  { headers = [], body, ...expected }: ExpectedAnswer,
): Promise<void> {
  assert.equal(response.bytes.toString(), body ?? '');
  const base = await wire.base();
  const type = body === undefined ? [] : ['content-type: application/xml'];
  const masked = body === undefined ? {} : { body: mask(body, base) };
  assertWhole(base, response, { ...expected, ...masked, headers: [...headers, ...type] });
}

/** What a refusal of a kind looks like: media type, and body around code and message. */
const shapes = {
  json: (code: string, message: string, level?: Level) => ({
    headers: [`content-type: ${jsonType(level)}`, ...ofOData],
    body: JSON.stringify({ 'odata.error': { code, message: { lang: 'en-US', value: message } } }),
  }),
  xml: (code: string, message: string) => ({
    headers: ['content-type: application/xml;charset=utf-8', ...ofOData],
    body: `<?xml version="1.0" encoding="utf-8"?><error xmlns="${namespace}"><code>${code}</code><message xml:lang="en-US">${message}</message></error>`,
  }),
  'prefixed xml': (code: string, message: string) => ({
    headers: ['content-type: application/xml'],
    body: `<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="${namespace}"><m:code>${code}</m:code><m:message xml:lang="en-US">${message}</m:message></m:error>`,
  }),
} as const;

export interface ExpectedError {
  /** `404 Not Found` */
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly shape?: keyof typeof shapes;
  readonly headers?: readonly string[];
  readonly level?: Level;
  readonly version?: string | undefined;
}

/** That the answer is this error to the byte, with the request's id and a time of seven digits in its text. */
export async function assertError(wire: Wire, response: RawResponse, expected: ExpectedError): Promise<void> {
  const { status, code, message, shape = 'json', level, headers = [], version } = expected;
  assertRefused(response, Number.parseInt(status, 10), code, message);
  assert.ok(response.body.includes(`RequestId:${response.headers['x-ms-request-id']}`), response.body);
  const base = await wire.base();
  const whole = shapes[shape](code, `${mask(message, base)}\nRequestId:<guid>\nTime:<time>`, level);
  assertWhole(base, response, {
    status,
    headers: [...headers, ...whole.headers, `x-ms-error-code: ${code}`],
    body: whole.body,
    version,
  });
}

/** An entity of the tests' own table: all that an answer shows of it beside its properties. */
export interface ShownEntity {
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly etag: string;
}

/** The Timestamp that an ETag is made of, in its form for bodies. */
export function timestampOf(etag: string): string {
  const time = /^W\/"datetime'(\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(?:\.\d{0,6}[1-9])?Z)'"$/.exec(etag)?.[1];
  assert.ok(time, etag);
  return time.replaceAll('%3A', ':');
}

/**
 * The body that shows one entity, not masked: keys as plain text that needs no encoding; `members` is the JSON
 * of its properties, with a comma before each.
 */
export async function entityBody(
  wire: Wire,
  { table, partitionKey, rowKey, etag }: ShownEntity,
  members: string,
  level: Level = 'minimal',
): Promise<string> {
  const base = await wire.base();
  const path = `${table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
  const metadata = `"odata.metadata":"${base}/$metadata#${table}/@Element"`;
  const tag = `"odata.etag":${JSON.stringify(etag)}`;
  const annotations = {
    no: '',
    minimal: `${metadata},${tag},`,
    full: `${metadata},"odata.type":"devstoreaccount1.${table}","odata.id":"${base}/${path}",${tag},"odata.editLink":"${path}",`,
  }[level];
  const type = level === 'full' ? '"Timestamp@odata.type":"Edm.DateTime",' : '';
  const timestamp = `${type}"Timestamp":"${timestampOf(etag)}"`;
  return `{${annotations}"PartitionKey":"${partitionKey}","RowKey":"${rowKey}",${timestamp}${members}}`;
}

/** The refusals that many operations share. */
export const refusals = {
  resourceNotFound: {
    status: '404 Not Found',
    code: 'ResourceNotFound',
    message: 'The specified resource does not exist.',
  },
  tableNotFound: {
    status: '404 Not Found',
    code: 'TableNotFound',
    message: 'The table specified does not exist.',
  },
  notSatisfied: {
    status: '412 Precondition Failed',
    code: 'UpdateConditionNotSatisfied',
    message: 'The update condition specified in the request was not satisfied.',
  },
} as const satisfies Record<string, ExpectedError>;
