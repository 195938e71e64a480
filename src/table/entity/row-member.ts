import { valueEnd } from './row-members.ts';

const quote = 0x22;
const at = 0x40;
const annotationEnding = '@odata.type":"';
/** `Edm.DateTime`, the longest type that rows name. */
const typeBytesMax = 12;

/**
 * Finds the member of one name in stored rows, without walking those before it: in canonical JSON the bytes
 * `,"name":` stand at the member and nowhere else, since a quote inside a string has a backslash before it.
 * Positions are those of the last row in which it was found.
 */
export class RowMember {
  /** Of the quote before the name; `start` is that of its annotation, where it has one. */
  nameStart = 0;
  start = 0;
  /** The value's JSON is at [valueStart, valueEnd). */
  valueStart = 0;
  valueEnd = 0;
  readonly #needle: Buffer;
  readonly #annotation: Buffer;

  constructor(name: string) {
    this.#needle = Buffer.from(`,"${name}":`);
    this.#annotation = Buffer.from(`,"${name}${annotationEnding}`);
  }

  find(row: Buffer): boolean {
    const comma = row.indexOf(this.#needle);
    if (comma < 0) return false;
    this.nameStart = comma + 1;
    this.valueStart = comma + this.#needle.length;
    this.valueEnd = valueEnd(row, this.valueStart);
    this.start = comma + 1;
    // Types that are named belong to values in quotes, and stand right before them, in quotes, too.
    if (row[this.valueStart] === quote && row[comma - 1] === quote) this.#findAnnotation(row, comma);
    return true;
  }

  #findAnnotation(row: Buffer, comma: number): void {
    let open = comma - 2;
    while (row[open] !== quote && comma - open <= typeBytesMax + 2) open--;
    const start = open + 1 - this.#annotation.length;
    // A glance at one byte settles most cases: names of properties have no '@'.
    if (row[open + 1 - annotationEnding.length] !== at) return;
    if (row.compare(this.#annotation, 0, this.#annotation.length, start, open + 1) === 0)
      this.start = start + 1;
  }

  /** The name of the type that the row gives it, if any. */
  typeOf(row: Buffer): string | undefined {
    if (this.start === this.nameStart) return undefined;
    return row.toString('latin1', this.start - 1 + this.#annotation.length, this.nameStart - 2);
  }
}

/** Whether rows may have a member of the name: without escapes in JSON, and no annotation or ETag. */
export function isMemberName(name: string): boolean {
  return JSON.stringify(name).length === name.length + 2 && !name.includes('@') && !name.startsWith('odata.');
}
