/** Multipart bodies, of the shapes that clients send: bare line feeds, no closing dashes, epilogues. */
export interface Part {
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly content: Buffer;
}

export interface HttpPart {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The boundary that a Content-Type of `multipart/mixed` names, quoted or not. */
export function readBoundary(contentType: string | undefined): string | undefined {
  const [type, ...parameters] = (contentType ?? '').split(';').map(part => part.trim());
  if (type?.toLowerCase() !== 'multipart/mixed') return undefined;
  const parameter = parameters.find(text => /^boundary\s*=/i.test(text));
  const boundary = parameter
    ?.slice(parameter.indexOf('=') + 1)
    .trim()
    .replace(/^"(.*)"$/, '$1');
  return boundary === '' ? undefined : boundary;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;
const dash = 0x2d;

/**
 * Splits a body at its delimiters, which count at the start of a line only. Undefined where there is no
 * delimiter, or a part has no end to its headers.
 */
export function parseMultipart(body: Buffer, boundary: string): Part[] | undefined {
  const marker = Buffer.from(`--${boundary}`);
  let delimiter = findDelimiter(body, marker, 0);
  if (delimiter === undefined) return undefined;
  const parts: Part[] = [];
  while (!delimiter.isLast) {
    const { end: start } = delimiter;
    const next = findDelimiter(body, marker, start);
    // Some clients leave the closing dashes off: then nothing follows the last delimiter.
    if (next === undefined && body.toString('latin1', start).trim() === '') break;
    const part = parsePart(body, start, next?.start ?? body.length);
    if (part === undefined) return undefined;
    parts.push(part);
    if (next === undefined) break;
    delimiter = next;
  }
  return parts;
}

interface Delimiter {
  /** With the line end before it. */
  readonly start: number;
  /** Behind its spaces; the line end is not in it. */
  readonly end: number;
  readonly isLast: boolean;
}

function findDelimiter(body: Buffer, marker: Buffer, from: number): Delimiter | undefined {
  for (let at = body.indexOf(marker, from); at >= 0; at = body.indexOf(marker, at + 1)) {
    if (at > 0 && body[at - 1] !== lineFeed) continue;
    let end = at + marker.length;
    const isLast = body[end] === dash && body[end + 1] === dash;
    if (isLast) end += 2;
    while (body[end] === space || body[end] === tab) end++;
    if (end < body.length && !isLineEnd(body, end)) continue;
    return { start: at === 0 ? 0 : beforeLineEnd(body, at), end, isLast };
  }
  return undefined;
}

function isLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === lineFeed || (bytes[at] === carriageReturn && bytes[at + 1] === lineFeed);
}

/** Where the line end begins that the line at `at` follows. */
function beforeLineEnd(bytes: Buffer, at: number): number {
  return at > 1 && bytes[at - 2] === carriageReturn ? at - 2 : at - 1;
}

function parsePart(body: Buffer, start: number, end: number): Part | undefined {
  // The line end behind the delimiter belongs to it: a part without headers begins with an empty line.
  const headStart = isLineEnd(body, start) ? body.indexOf(lineFeed, start) + 1 : start;
  const split = splitHead(body, headStart, end);
  return split && { headers: parseHeaders(split.head), content: body.subarray(split.bodyStart, end) };
}

/** What HTTP allows in no head; some of it would come back in the answer's. */
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/;
const requestLine = /^([A-Za-z]+) (\S.*) HTTP\/1\.[01]\s*$/;
const beyondAscii = /[\x80-\xff]/;

/** A part of type application/http. Undefined where it does not begin with a request line, or is not text. */
export function parseHttpPart(content: Buffer): HttpPart | undefined {
  let start = 0;
  while (isLineSign(content[start])) start++;
  const split = splitHead(content, start, content.length) ?? {
    head: content.toString('latin1', start).trimEnd(),
    bodyStart: content.length,
  };
  const { head } = split;
  const lineEnd = head.indexOf('\n');
  const match = requestLine.exec(lineEnd < 0 ? head : head.slice(0, lineEnd));
  if (match === null || controls.test(head)) return undefined;
  // Clients put extra line ends before and after a body; JSON does not mind losing them.
  let { bodyStart } = split;
  let bodyEnd = content.length;
  while (bodyStart < bodyEnd && isLineSign(content[bodyStart])) bodyStart++;
  while (bodyStart < bodyEnd && isLineSign(content[bodyEnd - 1])) bodyEnd--;
  const target = match[2] as string;
  return {
    method: (match[1] as string).toUpperCase(),
    target: beyondAscii.test(target) ? Buffer.from(target, 'latin1').toString('utf8') : target,
    headers: parseHeaders(lineEnd < 0 ? '' : head.slice(lineEnd + 1)),
    body: content.subarray(bodyStart, bodyEnd),
  };
}

function isLineSign(byte: number | undefined): boolean {
  return byte === carriageReturn || byte === lineFeed;
}

/** The lines up to the first empty one, in latin1: a character is a byte. Undefined where no line is empty. */
function splitHead(
  bytes: Buffer,
  start: number,
  end: number,
): { head: string; bodyStart: number } | undefined {
  for (let line = start; ; ) {
    const lineEnd = bytes.indexOf(lineFeed, line);
    if (lineEnd < 0 || lineEnd >= end) return undefined;
    const isEmpty = lineEnd === line || (lineEnd === line + 1 && bytes[line] === carriageReturn);
    if (isEmpty) {
      const headEnd = line === start ? start : beforeLineEnd(bytes, line);
      return { head: bytes.toString('latin1', start, headEnd), bodyStart: lineEnd + 1 };
    }
    line = lineEnd + 1;
  }
}

let lastHead = '';
let lastHeaders: ReadonlyMap<string, string> = new Map();

/** The parts of a batch have mostly the same headers: those of the last one are kept. */
function parseHeaders(head: string): ReadonlyMap<string, string> {
  if (head !== lastHead) {
    lastHead = head;
    lastHeaders = new Map(
      head
        .split('\n')
        .map(line => [line, line.indexOf(':')] as const)
        .filter(([, colon]) => colon > 0)
        .map(([line, colon]) => [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]),
    );
  }
  return lastHeaders;
}
