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
  readonly value?: Value;
}

const separator = /\s+/y;
const string = /'(?:[^']|'')*'/y;
const typed = /(datetime|guid|binary|[Xx])'([^']*)'/y;
const numeric = /-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[LlDd]?/y;
const word = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}.]*/uy;
/** What an unreadable token extends to: up to the next space, comma or parenthesis. */
const rest = /[^\s(),]+/y;

/** Throws InvalidInput with the position, zero-based, just behind the offending token. */
export function syntaxError(position: number, filter: string): ServiceError {
  return new ServiceError('InvalidInput', `Syntax error at position ${position} in '${filter}'.`);
}

export function tokenize(filter: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(filter);
  };
  for (;;) {
    if (tokens.length >= limits.filterTokensMax) throw new ServiceError('InvalidInput');
    at += match(separator)?.[0].length ?? 0;
    if (at >= filter.length) {
      tokens.push({ kind: 'end', text: '', end: filter.length });
      return tokens;
    }
    const start = at;
    const token = readToken(filter[at] as string, match);
    if (token === undefined) {
      throw syntaxError(at + (match(rest)?.[0].length ?? 1), filter);
    }
    at += token.text.length;
    // A word or literal ends at a space, a comma or a parenthesis: `1'invalid'` is one wrong token, not two.
    const glued = token.kind === 'word' || token.kind === 'literal' ? match(rest) : null;
    if (glued !== null) throw syntaxError(at + glued[0].length, filter);
    tokens.push({ ...token, end: start + token.text.length });
  }
}

function readToken(
  first: string,
  match: (pattern: RegExp) => RegExpExecArray | null,
): Omit<Token, 'end'> | undefined {
  if (first === '(') return { kind: 'open', text: '(' };
  if (first === ')') return { kind: 'close', text: ')' };
  if (first === ',') return { kind: 'comma', text: ',' };
  let found = match(string);
  if (found !== null) {
    const value = found[0].slice(1, -1).replaceAll("''", "'");
    return { kind: 'literal', text: found[0], value: { type: 'Edm.String', value } };
  }
  found = match(typed);
  if (found !== null) {
    const value = readTyped((found[1] as string).toLowerCase(), found[2] as string);
    return value && { kind: 'literal', text: found[0], value };
  }
  found = match(numeric);
  if (found !== null) {
    const value = readNumber(found[0]);
    return value && { kind: 'literal', text: found[0], value };
  }
  found = match(/-Infinity/y);
  if (found !== null) return { kind: 'literal', text: found[0], value: double(found[0]) };
  found = match(word);
  return found === null ? undefined : readWord(found[0]);
}

function readWord(text: string): Omit<Token, 'end'> {
  if (text === 'true' || text === 'false') {
    return { kind: 'literal', text, value: { type: 'Edm.Boolean', value: text === 'true' } };
  }
  if (text === 'NaN' || text === 'Infinity') return { kind: 'literal', text, value: double(text) };
  return { kind: 'word', text };
}

function readTyped(prefix: string, text: string): Value | undefined {
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
