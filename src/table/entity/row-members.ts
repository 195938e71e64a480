const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const closingBrace = 0x7d;
const annotationSuffix = Buffer.from('@odata.type');

/**
 * Walks the members of a stored row in its bytes, without parsing it: rows are canonical JSON, written by
 * formatRow alone. Positions of the current member are valid until the next call of `next`.
 */
export class RowMembers {
  /** The member's name, without its quotes, is at [nameStart, nameEnd); its value at [valueStart, valueEnd). */
  nameStart = 0;
  nameEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  readonly #row: Buffer;
  #at = 1; // past the opening brace

  constructor(row: Buffer) {
    this.#row = row;
  }

  next(): boolean {
    const row = this.#row;
    if (this.#at >= row.length - 1) return false;
    this.nameStart = this.#at + 1;
    this.nameEnd = endOfString(row, this.nameStart);
    this.valueStart = this.nameEnd + 2;
    this.valueEnd = valueEnd(row, this.valueStart);
    this.#at = this.valueEnd + 1;
    return true;
  }

  /** Whether this member is the `name@odata.type` of the next one. */
  get isAnnotation(): boolean {
    const start = this.nameEnd - annotationSuffix.length;
    if (start <= this.nameStart) return false;
    // An '@' cannot be in a property's name, so its place decides.
    return this.#row[start] === annotationSuffix[0];
  }

  nameIs(name: Buffer): boolean {
    return (
      this.nameEnd - this.nameStart === name.length &&
      this.#row.compare(name, 0, name.length, this.nameStart, this.nameEnd) === 0
    );
  }

  get name(): string {
    return this.#row.toString('utf8', this.nameStart, this.nameEnd);
  }

  /** The value's JSON. */
  get json(): string {
    return this.#row.toString('utf8', this.valueStart, this.valueEnd);
  }

  /** What is between the quotes of a value that holds no escapes, such as a type's name. */
  get text(): string {
    return this.#row.toString('utf8', this.valueStart + 1, this.valueEnd - 1);
  }
}

/** Where the value that begins at `start` ends. */
export function valueEnd(row: Buffer, start: number): number {
  if (row[start] === quote) return endOfString(row, start + 1) + 1;
  let end = start;
  while (row[end] !== comma && row[end] !== closingBrace) end++;
  return end;
}

function endOfString(row: Buffer, start: number): number {
  let at = start;
  while (row[at] !== quote) at += row[at] === backslash ? 2 : 1;
  return at;
}
