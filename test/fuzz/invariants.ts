import { DOMParser, type Element } from '@xmldom/xmldom';
import { catalogue } from '../../src/errors.ts';
import type { WireAnswer } from './answer-reader.ts';
import { readBatchAnswer } from './batch-answer.ts';

/** What every answer must be, whatever was asked: undefined, or what is wrong with this one. */
export function judge(answer: WireAnswer, isHead: boolean): string | undefined {
  const { status, headers, body } = answer;
  if (status === 500) return 'a 500: a bug of the server';
  if (status >= 300 && status < 400) return `a ${status}, which no operation answers with`;
  if (!headers.has('x-ms-request-id')) return judgeFrontEnd(answer);
  if (isHead) return body.length > 0 ? 'an answer to HEAD with a body' : undefined;
  if (status >= 400) return judgeError(status, headers.get('content-type') ?? '', body, headers);
  if (status === 204)
    return headers.get('content-length') !== '0' ? 'a 204 that does not say it is empty' : undefined;
  return judgeContent(headers.get('content-type') ?? '', body);
}

/** What HTTP itself refuses, before there is a request: an empty answer; and what operators are told. */
const frontEndStatuses = [400, 408, 413, 417, 431];

function judgeFrontEnd({ status, headers, body }: WireAnswer): string | undefined {
  const isOperator = /^text\/plain/.test(headers.get('content-type') ?? '') && [200, 404].includes(status);
  if (isOperator) return undefined;
  if (!frontEndStatuses.includes(status)) return `a ${status} without x-ms-request-id`;
  return body.length > 0 ? `a ${status} without x-ms-request-id, but with a body` : undefined;
}

/** A code of the catalogue with its status, in a body of the documented shape. */
function judgeError(
  status: number,
  type: string,
  body: Buffer,
  headers: ReadonlyMap<string, string> | undefined,
): string | undefined {
  const error = readErrorBody(type, body);
  if (typeof error === 'string') return error;
  const { code, message } = error;
  if (!Object.hasOwn(catalogue, code)) return `a code that is not in the catalogue: ${code}`;
  const [expected] = catalogue[code as keyof typeof catalogue];
  if (expected !== status) return `${code} with status ${status}, not ${expected}`;
  if (status >= 500 && !deliberate.has(code)) return `a ${status} ${code}, which is not deliberate`;
  const named = headers?.get('x-ms-error-code');
  if (named !== undefined && named !== code) return `${code}, but x-ms-error-code is ${named}`;
  if (!/\nRequestId:[0-9a-f-]{36}\nTime:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/.test(message)) {
    return `a message without request id and time: ${JSON.stringify(message.slice(0, 200))}`;
  }
  return undefined;
}

/** The only errors of 500 and above that the server may mean. */
const deliberate = new Set(['NotImplemented', 'ServerBusy', 'InsufficientStorage']);

function readErrorBody(type: string, body: Buffer): { code: string; message: string } | string {
  const text = decode(body);
  if (text === undefined) return 'an error whose body is not UTF-8';
  if (type.startsWith('application/json')) {
    const document = parseJson(text) as
      | { 'odata.error'?: { code?: unknown; message?: { lang?: unknown; value?: unknown } } }
      | undefined;
    const { code, message } = document?.['odata.error'] ?? {};
    if (typeof code === 'string' && typeof message?.value === 'string' && message.lang === 'en-US') {
      return { code, message: message.value };
    }
    return `an error whose JSON is not of the documented shape: ${text.slice(0, 200)}`;
  }
  if (!type.startsWith('application/xml')) return `an error of type '${type}'`;
  const root = parseXml(text);
  const [code, message] = ['code', 'message'].map(
    name => root?.getElementsByTagNameNS('*', name).item(0)?.textContent,
  );
  if (root?.localName !== 'error' || !code || !message) {
    return `an error whose XML is not of the documented shape: ${text.slice(0, 200)}`;
  }
  return { code, message };
}

/** What goes well is well-formed, too. */
function judgeContent(type: string, body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  if (type.startsWith('multipart/mixed')) return judgeBatch(type, body);
  const text = decode(body);
  if (text === undefined) return `an answer of type ${type} that is not UTF-8`;
  if (type.startsWith('application/json'))
    return parseJson(text) === undefined ? 'an answer that is not JSON' : undefined;
  if (type.startsWith('application/xml'))
    return parseXml(text) === undefined ? 'an answer that is not XML' : undefined;
  return `an answer of type '${type}'`;
}

function judgeBatch(contentType: string, body: Buffer): string | undefined {
  const parts = readBatchAnswer(contentType, body);
  if (typeof parts === 'string') return parts;
  for (const { status, type, content } of parts) {
    const problem =
      status >= 400
        ? judgeError(status, type, content, undefined)
        : content.length > 0
          ? judgeContent(type, content)
          : undefined;
    if (problem !== undefined) return `inside a batch: ${problem}`;
  }
  return undefined;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function decode(body: Buffer): string | undefined {
  try {
    return strictUtf8.decode(body);
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseXml(text: string): Element | undefined {
  let isGood = true;
  try {
    const onError = (level: string): void => {
      isGood &&= level === 'warning';
    };
    const document = new DOMParser({ onError }).parseFromString(text, 'application/xml');
    return isGood ? (document.documentElement ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}
