/**
 * A JSON object of plain members, read without loss: JSON.parse would turn `3.0` into 3, round an Int64 and
 * keep the last of two members of one name.
 */
export interface JsonMember {
  readonly name: string;
  readonly kind: 'string' | 'number' | 'boolean' | 'null';
  /** A string decoded; a number as it was written; `true` or `false`. */
  readonly value: string;
  /** The value in JSON that a canonical row may hold as it is. */
  readonly json: string;
}

const plainString = /"[^"\\\u0000-\u001f]*"/y;
const escapedString = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Undefined where the text is not a JSON object, or a member is an object or an array. */
export function parseMembers(text: string): JsonMember[] | undefined {
  return new MemberParser(text).parse();
}

class MemberParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
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
    const name = this.#takeString();
    if (name === undefined || !this.#takeSign(':')) return undefined;
    const string = this.#takeString();
    if (string !== undefined) {
      const value = decodeString(string);
      const json = string.includes('\\') ? JSON.stringify(value) : string;
      return { name: decodeString(name), kind: 'string', value, json };
    }
    const value = this.#take(scalar);
    if (value === undefined) return undefined;
    return { name: decodeString(name), kind: kindOf(value), value, json: value };
  }

  #takeSign(sign: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #takeString(): string | undefined {
    this.#skipSpace();
    return this.#take(plainString) ?? this.#take(escapedString);
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

function kindOf(scalar: string): JsonMember['kind'] {
  if (scalar === 'null') return 'null';
  return scalar === 'true' || scalar === 'false' ? 'boolean' : 'number';
}

function decodeString(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}
