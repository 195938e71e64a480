import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Answer } from '../http/answer.ts';

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

const constantHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache' };

function formatPart({ answer, dataServiceVersion, contentId }: BatchPart): string {
  const { 'Content-Type': contentType, Location, DataServiceId, ETag, ...others } = answer.headers;
  const version = { DataServiceVersion: dataServiceVersion };
  const type = contentType === undefined ? {} : { 'Content-Type': contentType };
  const isEntity = answer.body !== undefined && answer.status < 400;
  const headers: Record<string, string | undefined> = {
    ...(isEntity ? { ...version, ...type } : {}),
    'Content-ID': contentId,
    ...constantHeaders,
    ...others,
    ...(isEntity ? {} : version),
    Location,
    DataServiceId,
    ETag,
    ...(isEntity ? {} : type),
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const head = [
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    '',
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    ...lines,
  ];
  return `${head.join('\r\n')}\r\n\r\n${answer.body?.toString() ?? ''}\r\n`;
}
