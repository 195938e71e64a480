import { ServiceError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import { parseTicks } from '../../ticks.ts';
import type { Value } from './nodes.ts';

export interface Token {
  readonly kind: 'open' | 'close' | 'comma' | 'word' | 'literal' | 'end';
  readonly text: string;
  /** Offset just behind the token in the filter, which is how the service names the place of an error. */
  readonly end: number;
  /** Of a literal. */
  readonly value: Value | undefined;
}

const typedLiteral = /^(datetime|guid|binary|[Xx])'([^']*)'$/;
const numeric = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[LlDd]?$/;
const asciiWord = /^[A-Za-z_][A-Za-z0-9_.]*$/;
const word = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}.]*$/u;

/** Throws InvalidInput with the position, zero-based, just behind the offending token. */
export function syntaxError(position: number, filter: string): ServiceError {
  return new ServiceError('InvalidInput', `Syntax error at position ${position} in '${filter}'.`);
}

export function tokenize(filter: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    if (tokens.length >= limits.filterTokensMax) throw new ServiceError('InvalidInput');
    while (isSpace(filter.charCodeAt(at))) at++;
    if (at >= filter.length) {
      tokens.push(plainToken('end', '', filter.length));
      return tokens;
    }
    const sign = signs[filter[at] as string];
    if (sign !== undefined) {
      at++;
      tokens.push(plainToken(sign, filter[at - 1] as string, at));
      continue;
    }
    // Up to the next space, comma or parenthesis outside quotes: `1'invalid'` is one wrong token, not two.
    const end = endOfToken(filter, at);
    const token = readToken(filter.slice(at, end), end);
    if (token === undefined) throw syntaxError(end, filter);
    tokens.push(token);
    at = end;
  }
}

const signs: Readonly<Record<string, 'open' | 'close' | 'comma'>> = {
  '(': 'open',
  ')': 'close',
  ',': 'comma',
};

function endOfToken(filter: string, start: number): number {
  let isQuoted = false;
  for (let at = start; at < filter.length; at++) {
    const unit = filter.charCodeAt(at);
    if (unit === quote) isQuoted = !isQuoted;
    else if (!isQuoted && (isSpace(unit) || isSign(unit))) return at;
  }
  return filter.length;
}

const quote = 0x27;

function isSign(unit: number): boolean {
  return unit === 0x28 || unit === 0x29 || unit === 0x2c;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0;
}

function readToken(text: string, end: number): Token | undefined {
  const value = readLiteral(text);
  if (value !== undefined) return { kind: 'literal', text, end, value };
  return asciiWord.test(text) || word.test(text) ? plainToken('word', text, end) : undefined;
}

/** All tokens have the same members in the same order: engines tell objects apart by that. */
function plainToken(kind: Token['kind'], text: string, end: number): Token {
  return { kind, text, end, value: undefined };
}

function readLiteral(text: string): Value | undefined {
  const first = text.charCodeAt(0);
  if (first === quote) {
    const value = readString(text);
    return value === undefined ? undefined : { type: 'Edm.String', value };
  }
  if (text === 'true' || text === 'false') return { type: 'Edm.Boolean', value: text === 'true' };
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return double(text);
  if (text.charCodeAt(text.length - 1) === quote) return readTyped(text);
  return numeric.test(text) ? readNumber(text) : undefined;
}

/** What is between the quotes, doubled ones undone; undefined where the quotes do not pair up. */
function readString(text: string): string | undefined {
  if (text.length < 2 || text.charCodeAt(text.length - 1) !== quote) return undefined;
  const inner = text.slice(1, -1);
  if (!inner.includes("'")) return inner;
  const undoubled = inner.replaceAll("''", '');
  return undoubled.includes("'") ? undefined : inner.replaceAll("''", "'");
}

function readTyped(token: string): Value | undefined {
  const match = typedLiteral.exec(token);
  if (match === null) return undefined;
  const prefix = (match[1] as string).toLowerCase();
  const text = match[2] as string;
  if (prefix === 'datetime') {
    const ticks = parseTicks(text);
    return ticks === undefined ? undefined : { type: 'Edm.DateTime', value: ticks };
  }
  if (prefix === 'guid') {
    const isGuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
    return isGuid ? { type: 'Edm.Guid', value: text.toLowerCase() } : undefined;
  }
  const isHex = text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text);
  return isHex ? { type: 'Edm.Binary', value: Buffer.from(text, 'hex') } : undefined;
}

/** An integer too large for Int32 is read as Int64, as clients write them without the suffix. */
function readNumber(text: string): Value | undefined {
  const suffix = text.at(-1)?.toLowerCase();
  const digits = suffix === 'l' || suffix === 'd' ? text.slice(0, -1) : text;
  if (suffix === 'd' || (suffix !== 'l' && /[.eE]/.test(text))) return double(digits);
  if (!/^-?\d+$/.test(digits)) return undefined;
  const value = BigInt(digits);
  if (suffix !== 'l' && BigInt.asIntN(32, value) === value)
    return { type: 'Edm.Int32', value: Number(value) };
  return BigInt.asIntN(64, value) === value ? { type: 'Edm.Int64', value } : undefined;
}

function double(text: string): Value {
  return { type: 'Edm.Double', value: Number(text) };
}
