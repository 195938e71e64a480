/**
 * Reads HTTP/1.1 answers from one connection, as cheaply as is right: it understands Content-Length and
 * chunked bodies, keeps a body only when asked to, and looks at nothing but the status and the lengths.
 */

export interface Answer {
  status: number;
  bodyBytes: number;
  /** Status line and headers. */
  head: string;
  /** Empty unless the parser was told to keep bodies; an error's is there always. */
  body: Buffer;
}

const headEnd = Buffer.from('\r\n\r\n');
const lineFeed = 0x0a;

type State = 'head' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer';

export class ResponseParser {
  keepBodies = false;
  readonly #onAnswer: (answer: Answer) => void;
  #state: State = 'head';
  /** Bytes of a head or of a line that has not ended yet. */
  #partial: Buffer = Buffer.alloc(0);
  #remaining = 0;
  #status = 0;
  #head = '';
  #bodyBytes = 0;
  #kept: Buffer[] = [];

  constructor(onAnswer: (answer: Answer) => void) {
    this.#onAnswer = onAnswer;
  }

  /** The chunk may be reused by the caller afterwards: whatever outlives this call is copied. */
  read(chunk: Buffer): void {
    let offset = 0;
    while (offset < chunk.length) {
      switch (this.#state) {
        case 'head':
          offset = this.#readHead(chunk, offset);
          break;
        case 'body':
        case 'chunk':
          offset = this.#readBytes(chunk, offset);
          break;
        default:
          offset = this.#readLine(chunk, offset);
      }
    }
  }

  #readHead(chunk: Buffer, offset: number): number {
    let bytes = offset === 0 ? chunk : chunk.subarray(offset);
    const partialBytes = this.#partial.length;
    if (partialBytes > 0) bytes = Buffer.concat([this.#partial, bytes]);
    const end = bytes.indexOf(headEnd);
    if (end < 0) {
      this.#partial = partialBytes > 0 ? bytes : Buffer.from(bytes);
      return chunk.length;
    }
    if (partialBytes > 0) this.#partial = Buffer.alloc(0);
    this.#begin(bytes.toString('latin1', 0, end));
    return offset + end + headEnd.length - partialBytes;
  }

  #begin(head: string): void {
    this.#head = head;
    this.#status = Number(head.slice(9, 12));
    this.#bodyBytes = 0;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    if (length !== null) {
      this.#remaining = Number(length[1]);
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.#state = 'chunk-size';
      return;
    } else if (this.#status === 204 || this.#status === 304) {
      this.#remaining = 0;
    } else {
      throw new Error(`an answer without a length: ${head}`);
    }
    if (this.#remaining > 0) this.#state = 'body';
    else this.#finish();
  }

  #readBytes(chunk: Buffer, offset: number): number {
    const count = Math.min(this.#remaining, chunk.length - offset);
    if (this.keepBodies || this.#status >= 400)
      this.#kept.push(Buffer.from(chunk.subarray(offset, offset + count)));
    this.#bodyBytes += count;
    this.#remaining -= count;
    if (this.#remaining === 0) {
      if (this.#state === 'body') this.#finish();
      else this.#state = 'chunk-end';
    }
    return offset + count;
  }

  #readLine(chunk: Buffer, offset: number): number {
    const end = chunk.indexOf(lineFeed, offset);
    const piece = Buffer.from(chunk.subarray(offset, end < 0 ? chunk.length : end));
    const line = this.#partial.length > 0 ? Buffer.concat([this.#partial, piece]) : piece;
    if (end < 0) {
      this.#partial = line;
      return chunk.length;
    }
    if (this.#partial.length > 0) this.#partial = Buffer.alloc(0);
    this.#takeLine(line.toString('latin1').trim());
    return end + 1;
  }

  #takeLine(line: string): void {
    if (this.#state === 'chunk-end') {
      this.#state = 'chunk-size';
    } else if (this.#state === 'trailer') {
      if (line === '') this.#finish();
    } else {
      this.#remaining = Number.parseInt(line, 16);
      if (Number.isNaN(this.#remaining)) throw new Error(`not the size of a chunk: ${line}`);
      this.#state = this.#remaining === 0 ? 'trailer' : 'chunk';
    }
  }

  #finish(): void {
    this.#state = 'head';
    const body = this.#kept.length > 0 ? Buffer.concat(this.#kept) : Buffer.alloc(0);
    if (this.#kept.length > 0) this.#kept = [];
    this.#onAnswer({ status: this.#status, bodyBytes: this.#bodyBytes, head: this.#head, body });
  }
}
