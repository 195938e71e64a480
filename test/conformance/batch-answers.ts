import assert from 'node:assert/strict';
import { crlf } from '../support/batch.ts';
import { golden } from '../support/golden.ts';
import type { RawResponse } from '../support/raw-client.ts';
import type { Wire } from '../support/wire.ts';
import { jsonType, type Level } from './answers.ts';

/** Answers of entity group transactions, line by line as `golden` shows them. */

const partHead = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary', ''];
const ofEvery = ['X-Content-Type-Options: nosniff', 'Cache-Control: no-cache'];
export const etagLine = `ETag: W/"datetime'<time>'"`;
export const etagMember = `"odata.etag":"W/\\"datetime'<time>'\\""`;
export const appliedNoContent = 'Preference-Applied: return-no-content';

/** A part of 204: these headers behind the status line. */
function noContentPart(before: readonly string[], behind: readonly string[]): readonly string[] {
  return [...partHead, 'HTTP/1.1 204 No Content', ...before, ...ofEvery, ...behind, '', ''];
}

/** A part with an entity: an echo, or the answer to a query. */
export function entityPart(
  status: string,
  before: readonly string[],
  behind: readonly string[],
  body: string,
  level?: Level,
): readonly string[] {
  const type = `Content-Type: ${jsonType(level)}`;
  const headers = ['DataServiceVersion: 3.0;', type, ...before, ...ofEvery, ...behind];
  return [...partHead, `HTTP/1.1 ${status}`, ...headers, '', body];
}

/** An insertion into the partition `p` without an echo. */
export function insertedPart(rowKey: string, before: readonly string[] = []): readonly string[] {
  const address = `<base>/<table>(PartitionKey='p',RowKey='${rowKey}')`;
  return noContentPart(before, [
    appliedNoContent,
    'DataServiceVersion: 3.0;',
    `Location: ${address}`,
    `DataServiceId: ${address}`,
    etagLine,
  ]);
}

/** An insertion into the partition `p` with its echo; `members` is JSON that begins with a comma. */
export function echoedPart(
  rowKey: string,
  members = '',
  before: readonly string[] = [],
  preference: readonly string[] = [],
): readonly string[] {
  const location = `Location: <base>/<table>(PartitionKey='p',RowKey='${rowKey}')`;
  const behind = [...preference, location, etagLine];
  return entityPart('201 Created', before, behind, maskedEntity(rowKey, members));
}

/** An update, merge or upsert. */
export function changedPart(before: readonly string[] = []): readonly string[] {
  return noContentPart(before, ['DataServiceVersion: 1.0;', etagLine]);
}

export function removedPart(before: readonly string[] = []): readonly string[] {
  return noContentPart(before, ['DataServiceVersion: 1.0;']);
}

/** An entity of the partition `p` at minimal metadata. */
export function maskedEntity(rowKey: string, members = ''): string {
  return `{"odata.metadata":"<base>/$metadata#<table>/@Element",${etagMember},"PartitionKey":"p","RowKey":"${rowKey}","Timestamp":"<time>"${members}}`;
}

/** A part that refuses its operation; `message` begins with the index. */
export function errorPart(
  status: string,
  code: string,
  message: string,
  preference: readonly string[] = [],
): readonly string[] {
  const value = `${message}\nRequestId:<guid>\nTime:<time>`;
  const body = JSON.stringify({ 'odata.error': { code, message: { lang: 'en-US', value } } });
  const headers = [...ofEvery, ...preference, 'DataServiceVersion: 3.0;', `Content-Type: ${jsonType()}`];
  return [...partHead, `HTTP/1.1 ${status}`, ...headers, '', body];
}

/** The body around the parts of a change set. */
export function changesetAnswer(...parts: readonly (readonly string[])[]): string {
  return crlf([
    '--batchresponse_<guid>',
    'Content-Type: multipart/mixed; boundary=changesetresponse_<guid>',
    '',
    ...parts.flatMap(part => ['--changesetresponse_<guid>', ...part]),
    '--changesetresponse_<guid>--',
    '--batchresponse_<guid>--',
  ]);
}

/** The body around the answer to a query. */
export function queryAnswer(part: readonly string[]): string {
  return crlf(['--batchresponse_<guid>', ...part, '--batchresponse_<guid>--']);
}

/** That the answer is 202 with this body and nothing beside it, delimited by the boundaries that it names. */
export async function assertBatch(
  wire: Wire,
  response: RawResponse,
  body: string,
  table?: string,
): Promise<void> {
  const head = [
    '202 Accepted',
    'cache-control: no-cache',
    `content-length: ${response.bytes.length}`,
    'content-type: multipart/mixed; boundary=batchresponse_<guid>',
    'server: Windows-Azure-Table/1.0 Tabularium/<version>',
    'x-content-type-options: nosniff',
    'x-ms-request-id: <guid>',
    'x-ms-version: 2019-02-02',
  ];
  assert.equal(golden(response, await wire.base(), table), [...head, '', body].join('\n'));
  const outer = boundaryOf(response.headers['content-type'] as string);
  const inner = response.body.split('\r\n', 2)[1]?.startsWith('Content-Type: multipart/')
    ? boundaryOf(response.body.split('\r\n', 2)[1] as string)
    : undefined;
  for (const [, delimiter] of response.body.matchAll(/^--(batchresponse_\S+?)(?:--)?\r$/gm)) {
    assert.equal(delimiter, outer);
  }
  for (const [, delimiter] of response.body.matchAll(/^--(changesetresponse_\S+?)(?:--)?\r$/gm)) {
    assert.equal(delimiter, inner);
  }
}

function boundaryOf(contentType: string): string | undefined {
  return contentType.split('boundary=')[1];
}
