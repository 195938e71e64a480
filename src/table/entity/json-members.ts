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

const space = /[ \t\r\n]*/y;
const stringToken = /"((?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"/y;
const scalarToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Undefined where the text is not a JSON object, or a member is an object or an array. */
export function parseMembers(text: string): JsonMember[] | undefined {
  const members: JsonMember[] = [];
  let at = 0;

  const skipTo = (character: string): boolean => {
    space.lastIndex = at;
    space.test(text);
    at = space.lastIndex;
    if (text[at] !== character) return false;
    at++;
    return true;
  };
  const take = (token: RegExp): string | undefined => {
    space.lastIndex = at;
    space.test(text);
    token.lastIndex = space.lastIndex;
    const match = token.exec(text);
    if (match === null) return undefined;
    at = token.lastIndex;
    return match[0];
  };

  if (!skipTo('{')) return undefined;
  if (!skipTo('}')) {
    do {
      const name = take(stringToken);
      if (name === undefined || !skipTo(':')) return undefined;
      const string = take(stringToken);
      if (string !== undefined) {
        const value = decodeString(string);
        const json = string.includes('\\') ? JSON.stringify(value) : string;
        members.push({ name: decodeString(name), kind: 'string', value, json });
      } else {
        const scalar = take(scalarToken);
        if (scalar === undefined) return undefined;
        const kind =
          scalar === 'null' ? 'null' : scalar === 'true' || scalar === 'false' ? 'boolean' : 'number';
        members.push({ name: decodeString(name), kind, value: scalar, json: scalar });
      }
    } while (skipTo(','));
    if (!skipTo('}')) return undefined;
  }
  return text.slice(at).trim() === '' ? members : undefined;
}

function decodeString(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}
