/**
 * A JSON object of plain members, read without loss: JSON.parse would turn `3.0` into 3, round an Int64 and
 * keep the last of two members of one name.
 */
export interface JsonMember extends JsonValue {
  readonly name: string;
  /** Where the text has `"name":json`, to the letter; -1 where it is written in another way. */
  readonly start: number;
  readonly end: number;
}

export interface JsonValue {
  readonly kind: 'string' | 'number' | 'boolean' | 'null';
  /** A string decoded; a number as it was written; `true` or `false`. */
  readonly value: string;
  /** The value in JSON that a canonical row may hold as it is. */
  readonly json: string;
}

/** Where a text has none of these, its strings end at the next quote. */
const needsCare = /[\\\u0000-\u001f]/;
const carefulString = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

const quote = 0x22;

/** Undefined where the text is not a JSON object, or a member is an object or an array. */
export function parseMembers(text: string): JsonMember[] | undefined {
  return new MemberParser(text).parse();
}

class MemberParser {
  readonly #text: string;
  readonly #needsCare: boolean;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#needsCare = needsCare.test(text);
  }

  parse(): JsonMember[] | undefined {
    const members: JsonMember[] = [];
    if (!this.#takeSign('{')) return undefined;
    if (!this.#takeSign('}')) {
      do {
        const member = this.#takeMember();
        if (member === undefined) return undefined;
        members.push(member);
      } while (this.#takeSign(','));
      if (!this.#takeSign('}')) return undefined;
    }
    this.#skipSpace();
    return this.#at === this.#text.length ? members : undefined;
  }

  #takeMember(): JsonMember | undefined {
    this.#skipSpace();
    const start = this.#at;
    const nameToken = this.#takeString();
    const colon = this.#at;
    if (nameToken === undefined || !this.#takeSign(':')) return undefined;
    this.#skipSpace();
    const valueStart = this.#at;
    const token = this.#takeString() ?? this.#take(scalar);
    if (token === undefined) return undefined;
    const name = decodeString(nameToken);
    const kind = kindOf(token);
    const value = kind === 'string' ? decodeString(token) : token;
    const json = this.#needsCare && kind === 'string' ? JSON.stringify(value) : token;
    const isVerbatim = valueStart === colon + 1 && name.length + 2 === nameToken.length && json === token;
    return { name, kind, value, json, start: isVerbatim ? start : -1, end: this.#at };
  }

  #takeSign(sign: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #takeString(): string | undefined {
    if (this.#needsCare) return this.#take(carefulString);
    const start = this.#at;
    const end = this.#text.charCodeAt(start) === quote ? this.#text.indexOf('"', start + 1) : -1;
    if (end < 0) return undefined;
    this.#at = end + 1;
    return this.#text.slice(start, this.#at);
  }

  #take(token: RegExp): string | undefined {
    token.lastIndex = this.#at;
    if (!token.test(this.#text)) return undefined;
    const start = this.#at;
    this.#at = token.lastIndex;
    return this.#text.slice(start, this.#at);
  }

  #skipSpace(): void {
    let unit = this.#text.charCodeAt(this.#at);
    while (unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d) {
      this.#at++;
      unit = this.#text.charCodeAt(this.#at);
    }
  }
}

function kindOf(token: string): JsonMember['kind'] {
  switch (token.charCodeAt(0)) {
    case quote:
      return 'string';
    case 0x74: // t
    case 0x66: // f
      return 'boolean';
    case 0x6e: // n
      return 'null';
    default:
      return 'number';
  }
}

function decodeString(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}
