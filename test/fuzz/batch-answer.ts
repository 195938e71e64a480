export interface BatchAnswerPart {
  readonly status: number;
  readonly type: string;
  readonly content: Buffer;
}

/**
 * The parts of a transaction's answer, read as strictly as the strictest of the clients: lines end with CRLF
 * and none is bare, delimiters follow at once. A text tells what is wrong.
 */
export function readBatchAnswer(contentType: string, body: Buffer): BatchAnswerPart[] | string {
  const outer = /^multipart\/mixed; boundary=(batchresponse_[0-9a-f-]{36})$/.exec(contentType)?.[1];
  if (outer === undefined) return `a batch of type ${contentType}`;
  const text = body.toString('latin1');
  if (/(?:^|[^\r])\n|\r(?!\n)/.test(text)) return 'a batch with a bare CR or LF';
  const content = between(text, outer);
  if (content === undefined) return 'a batch without its delimiters';
  const inner = /^Content-Type: multipart\/mixed; boundary=(changesetresponse_[0-9a-f-]{36})\r\n\r\n/.exec(
    content,
  );
  if (inner === null) return readParts([content]);
  const changeset = between(content.slice(inner[0].length), inner[1] as string);
  if (changeset === undefined) return 'a change set without its delimiters';
  return readParts(changeset.split(`--${inner[1]}\r\n`));
}

/** What stands between the first delimiter and the last, which begins and ends the text. */
function between(text: string, boundary: string): string | undefined {
  const [start, end] = [`--${boundary}\r\n`, `--${boundary}--\r\n`];
  return text.startsWith(start) && text.endsWith(end) ? text.slice(start.length, -end.length) : undefined;
}

const mime = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';

function readParts(texts: readonly string[]): BatchAnswerPart[] | string {
  const parts: BatchAnswerPart[] = [];
  for (const text of texts) {
    const headEnd = text.indexOf('\r\n\r\n', mime.length);
    if (!text.startsWith(mime) || headEnd < 0)
      return `a part that is none: ${JSON.stringify(text.slice(0, 200))}`;
    const [statusLine = '', ...lines] = text.slice(mime.length, headEnd).split('\r\n');
    const match = /^HTTP\/1\.1 ([1-5]\d\d) \S/.exec(statusLine);
    if (match === null) return `a part whose status line is ${JSON.stringify(statusLine.slice(0, 200))}`;
    const broken = lines.find(line => !/^[\w-]+: ?[^\0]*$/.test(line));
    if (broken !== undefined) return `a part with the header ${JSON.stringify(broken.slice(0, 200))}`;
    const type = lines.find(line => line.startsWith('Content-Type: '))?.slice('Content-Type: '.length) ?? '';
    const content = text.slice(headEnd + 4).replace(/(?:\r\n)+$/, '');
    if (content.includes('\r\n')) return 'a part whose body is of several lines';
    parts.push({ status: Number(match[1]), type, content: Buffer.from(content, 'latin1') });
  }
  return parts;
}
