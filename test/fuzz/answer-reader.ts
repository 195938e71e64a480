/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case; of two of one name both, with a comma between them. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** What the server sent is not HTTP. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly bodyStart: number;
}

/**
 * Reads answers off a connection, strictly: what no rule of HTTP allows is told as BadAnswer, since the
 * parsers of clients differ in what they forgive.
 */
export class AnswerReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Head | undefined;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Whether there is the beginning of an answer that is not whole. */
  get isAmidAnswer(): boolean {
    return this.#bytes > 0;
  }

  /** The next whole answer; interim ones are skipped. */
  take(isHead: boolean): WireAnswer | undefined {
    for (;;) {
      this.#head ??= this.#readHead();
      if (this.#head === undefined) return undefined;
      const { status, headers, bodyStart } = this.#head;
      const hasNoBody = isHead || status < 200 || status === 204 || status === 304;
      const body = hasNoBody
        ? { content: Buffer.alloc(0), end: bodyStart }
        : this.#readBody(headers, bodyStart);
      if (body === undefined) return undefined;
      this.#head = undefined;
      this.#drop(body.end);
      if (status >= 200) return { status, headers, body: body.content };
    }
  }

  #whole(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #drop(end: number): void {
    const rest = this.#whole().subarray(end);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }

  #readHead(): Head | undefined {
    const bytes = this.#whole();
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
    const match = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e\x80-\xff]*$/.exec(statusLine);
    if (match === null)
      throw new BadAnswer(`a status line that is none: ${JSON.stringify(statusLine.slice(0, 200))}`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name = '', value = ''] =
        /^([!#$%&'*+.^_`|~\w-]+): ?([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
      if (name === '') throw new BadAnswer(`a header that is none: ${JSON.stringify(line.slice(0, 200))}`);
      const key = name.toLowerCase();
      const before = headers.get(key);
      if (before !== undefined && key === 'content-length') throw new BadAnswer('two Content-Length headers');
      headers.set(key, before === undefined ? value : `${before}, ${value}`);
    }
    return { status: Number(match[1]), headers, bodyStart: end + 4 };
  }

  #readBody(
    headers: ReadonlyMap<string, string>,
    start: number,
  ): { content: Buffer; end: number } | undefined {
    const length = headers.get('content-length');
    if (length !== undefined) {
      if (!/^\d+$/.test(length) || headers.has('transfer-encoding'))
        throw new BadAnswer(`Content-Length: ${length}`);
      const end = start + Number(length);
      return this.#bytes < end ? undefined : { content: this.#whole().subarray(start, end), end };
    }
    if (headers.get('transfer-encoding') === 'chunked') return this.#readChunks(start);
    // It would end where the connection does; of ours none does so, but that of a front end's refusal.
    if (headers.get('connection') === 'close')
      return { content: this.#whole().subarray(start), end: this.#bytes };
    throw new BadAnswer('an answer without an end');
  }

  #readChunks(start: number): { content: Buffer; end: number } | undefined {
    const bytes = this.#whole();
    const chunks: Buffer[] = [];
    for (let at = start; ; ) {
      const lineEnd = bytes.indexOf('\r\n', at);
      if (lineEnd < 0) return undefined;
      const line = bytes.toString('latin1', at, lineEnd);
      if (!/^[0-9a-f]+$/i.test(line))
        throw new BadAnswer(`a chunk of size ${JSON.stringify(line.slice(0, 50))}`);
      const size = Number.parseInt(line, 16);
      const end = lineEnd + 2 + size;
      if (bytes.length < end + 2) return undefined;
      if (size === 0) return { content: Buffer.concat(chunks), end: end + 2 };
      chunks.push(bytes.subarray(lineEnd + 2, end));
      at = end + 2;
    }
  }
}
