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

/**
 * Splits a body at its delimiters, which count at the start of a line only. Undefined where there is no
 * delimiter, or a part has no end to its headers.
 */
export function parseMultipart(body: Buffer, boundary: string): Part[] | undefined {
  // In latin1 a character is a byte, so that positions in the text are positions in the body.
  const text = body.toString('latin1');
  const escaped = Buffer.from(boundary)
    .toString('latin1')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const delimiters = [
    ...text.matchAll(new RegExp(`(?:^|\\r?\\n)--${escaped}(--)?[ \\t]*(?=\\r?\\n|$)`, 'g')),
  ];
  if (delimiters.length === 0) return undefined;
  const parts: Part[] = [];
  for (const [index, delimiter] of delimiters.entries()) {
    if (delimiter[1] === '--') break;
    const start = delimiter.index + delimiter[0].length;
    const end = delimiters[index + 1]?.index ?? body.length;
    // Some clients leave the closing dashes off: then nothing follows the last delimiter.
    if (delimiters[index + 1] === undefined && text.slice(start).trim() === '') break;
    const part = parsePart(body.subarray(start, end));
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

function parsePart(bytes: Buffer): Part | undefined {
  // The line end behind the delimiter belongs to it: a part without headers begins with an empty line.
  const text = bytes.toString('latin1');
  const lineEnd = /^\r?\n/.exec(text)?.[0].length ?? 0;
  const split = splitHead(text, lineEnd);
  if (split === undefined) return undefined;
  return { headers: parseHeaders(split.head.split(/\r?\n/)), content: bytes.subarray(split.bodyStart) };
}

/** What HTTP allows in no head; some of it would come back in the answer's. */
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/;

/** A part of type application/http. Undefined where it does not begin with a request line, or is not text. */
export function parseHttpPart(content: Buffer): HttpPart | undefined {
  const text = content.toString('latin1');
  const start = /^[\r\n]*/.exec(text)?.[0].length ?? 0;
  const split = splitHead(text, start) ?? { head: text.slice(start).trimEnd(), bodyStart: text.length };
  const [requestLine, ...lines] = split.head.split(/\r?\n/);
  const match = /^([A-Za-z]+) (\S.*) HTTP\/1\.[01]\s*$/.exec(requestLine ?? '');
  if (match === null || controls.test(split.head)) return undefined;
  // Clients put extra line ends before and after a body; JSON does not mind losing them.
  let bodyStart = split.bodyStart;
  let bodyEnd = content.length;
  while (bodyStart < bodyEnd && isLineEnd(content[bodyStart])) bodyStart++;
  while (bodyStart < bodyEnd && isLineEnd(content[bodyEnd - 1])) bodyEnd--;
  return {
    method: (match[1] as string).toUpperCase(),
    target: Buffer.from(match[2] as string, 'latin1').toString('utf8'),
    headers: parseHeaders(lines),
    body: content.subarray(bodyStart, bodyEnd),
  };
}

function splitHead(text: string, start: number): { head: string; bodyStart: number } | undefined {
  const emptyLine = /\r?\n\r?\n/g;
  emptyLine.lastIndex = start;
  const first = /^\r?\n/.exec(text.slice(start, start + 2));
  if (first !== null) return { head: '', bodyStart: start + first[0].length };
  const match = emptyLine.exec(text);
  if (match === null) return undefined;
  return { head: text.slice(start, match.index), bodyStart: match.index + match[0].length };
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0d || byte === 0x0a;
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}
