/** A text that is not JSON, or ends before it should. Its message says where. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

const quote = 0x22;
const comma = 0x2c;
const openingBracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/**
 * Reads a JSON text of any length piece by piece, in the memory of the values that are asked for. The caller
 * walks: `members` and `elements` stop before each value, and the caller passes it, by one of the methods,
 * before it goes on. All of them throw JsonError.
 */
export class JsonPullReader {
  readonly #chunks: Iterator<Buffer>;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Length of the chunks before this one. */
  #passedBytes = 0;

  /** Each chunk has to be valid only until the next one is asked for. */
  constructor(chunks: Iterable<Buffer>) {
    this.#chunks = chunks[Symbol.iterator]();
  }

  /** Bytes read so far. */
  get position(): number {
    return this.#passedBytes + this.#at;
  }

  /** Walks an object: the name of each member, standing before its value. */
  *members(): Generator<string> {
    this.#expect('{');
    if (this.#take('}')) return;
    do {
      const first = this.#peek();
      if (first !== undefined && first !== quote) throw this.#broken('the name of a member is expected');
      const name = this.value() as string;
      this.#expect(':');
      yield name;
    } while (this.#take(','));
    this.#expect('}');
  }

  /** Walks an array, standing before each element. */
  *elements(): Generator<undefined> {
    this.#expect('[');
    if (this.#take(']')) return;
    do yield undefined;
    while (this.#take(','));
    this.#expect(']');
  }

  /** The next value, whole, as JSON.parse gives it. */
  value(): unknown {
    let text = '';
    this.#passValue(piece => {
      text += this.#decode(piece);
    });
    text += this.#decode(undefined);
    try {
      return JSON.parse(text);
    } catch {
      throw this.#broken('a value ends that is not JSON');
    }
  }

  /** Passes the next value; looks no closer at it than its end demands. */
  skip(): void {
    this.#passValue(() => {});
  }

  /** Throws where anything but white space follows. */
  end(): void {
    if (this.#peek() !== undefined) throw this.#broken('the text goes on after its end');
  }

  /** Tells the bytes of the next value, in as many pieces as there are chunks. */
  #passValue(tell: (piece: Buffer) => void): void {
    if (this.#peek() === undefined) throw this.#endsEarly();
    let depth = 0;
    let isInString = false;
    let isEscaped = false;
    for (;;) {
      const chunk = this.#chunk;
      let at = this.#at;
      let isPassed = false;
      for (; at < chunk.length && !isPassed; at++) {
        const byte = chunk[at] as number;
        if (isInString) {
          if (isEscaped) isEscaped = false;
          else if (byte === backslash) isEscaped = true;
          else if (byte === quote) {
            isInString = false;
            isPassed = depth === 0;
          }
        } else if (byte === quote) isInString = true;
        else if (byte === openingBrace || byte === openingBracket) depth++;
        else if (depth > 0) {
          if (byte === closingBrace || byte === closingBracket) isPassed = --depth === 0;
        } else if (byte === comma || byte === closingBrace || byte === closingBracket || isSpace(byte)) {
          isPassed = true; // a number or a word ends before this byte, which is not its own
          at--;
        }
      }
      tell(chunk.subarray(this.#at, at));
      this.#at = at;
      if (isPassed) return;
      if (!this.#refill()) throw this.#endsEarly();
    }
  }

  /** `undefined` ends the value. A character may lie across two chunks. */
  #decode(piece: Buffer | undefined): string {
    try {
      return this.#decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw this.#broken('a value is not UTF-8');
    }
  }

  #expect(sign: string): void {
    if (this.#take(sign)) return;
    throw this.#peek() === undefined ? this.#endsEarly() : this.#broken(`'${sign}' is expected`);
  }

  #take(sign: string): boolean {
    if (this.#peek() !== sign.charCodeAt(0)) return false;
    this.#at++;
    return true;
  }

  /** The next byte that is no white space; undefined at the end. */
  #peek(): number | undefined {
    do {
      for (; this.#at < this.#chunk.length; this.#at++) {
        const byte = this.#chunk[this.#at] as number;
        if (!isSpace(byte)) return byte;
      }
    } while (this.#refill());
    return undefined;
  }

  #refill(): boolean {
    const { value, done } = this.#chunks.next();
    if (done === true) return false;
    this.#passedBytes += this.#chunk.length;
    this.#chunk = value;
    this.#at = 0;
    return true;
  }

  #broken(what: string): JsonError {
    return new JsonError(`not JSON: ${what} at byte ${this.position}`);
  }

  #endsEarly(): JsonError {
    return new JsonError(`the JSON is cut off: it ends at byte ${this.position}, in the middle`);
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
