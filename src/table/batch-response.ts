import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { type Answer, bodyText } from '../http/answer.ts';

/** The answer of one operation inside a batch. */
export interface BatchPart {
  readonly answer: Answer;
  readonly dataServiceVersion: '1.0;' | '3.0;';
  readonly contentId: string | undefined;
}

/**
 * Batch answers, to the byte that the parsers of the clients need: CRLF everywhere, boundaries bare and in
 * this spelling, a reason phrase always, headers in the service's order, one further empty line behind a
 * part without a body, no Content-ID among the MIME headers (REST: Performing Entity Group Transactions;
 * recorded).
 */
export function formatBatch(parts: readonly (BatchPart | Changeset)[]): Answer {
  const boundary = `batchresponse_${randomUUID()}`;
  const body = parts.map(part => {
    const content = 'boundary' in part ? part.text : formatPart(part);
    return `--${boundary}\r\n${content}`;
  });
  return {
    status: 202,
    headers: { 'Content-Type': `multipart/mixed; boundary=${boundary}` },
    body: `${body.join('')}--${boundary}--\r\n`,
  };
}

export interface Changeset {
  readonly boundary: string;
  readonly text: string;
}

export function formatChangeset(parts: readonly BatchPart[]): Changeset {
  const boundary = `changesetresponse_${randomUUID()}`;
  const body = parts.map(part => `--${boundary}\r\n${formatPart(part)}`).join('');
  return {
    boundary,
    text: `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${body}--${boundary}--\r\n`,
  };
}

const partHead = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
const constantLines = 'X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n';
/** Headers that have a place of their own among the lines of a part. */
const placed = new Set(['Content-Type', 'Location', 'DataServiceId', 'ETag']);

function formatPart({ answer, dataServiceVersion, contentId }: BatchPart): string {
  const { status, headers, body } = answer;
  const isEntity = body !== undefined && status < 400;
  const version = line('DataServiceVersion', dataServiceVersion);
  const type = line('Content-Type', headers['Content-Type']);
  let others = '';
  for (const name in headers) if (!placed.has(name)) others += line(name, headers[name]);
  return (
    `${partHead}HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${isEntity ? version + type : ''}` +
    `${line('Content-ID', contentId)}${constantLines}${others}${isEntity ? '' : version}` +
    line('Location', headers.Location) +
    line('DataServiceId', headers.DataServiceId) +
    line('ETag', headers.ETag) +
    `${isEntity ? '' : type}\r\n${bodyText(body)}\r\n`
  );
}

function line(name: string, value: string | undefined): string {
  return value === undefined ? '' : `${name}: ${value}\r\n`;
}
