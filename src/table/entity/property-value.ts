import { trimTicks } from '../../ticks.ts';
import { type EdmType, formatDouble } from './edm.ts';
import type { JsonValue } from './json-members.ts';

const integer = /^-?\d+$/;
const number = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const int32Min = -(2 ** 31);
const int32Max = 2 ** 31 - 1;

/**
 * What an untyped value is: of numbers, an Int32 where it can be one, else a Double. The official clients for
 * JavaScript and Go write `1e10`, and the time in milliseconds, as integers without a type.
 */
export function inferType(member: JsonValue): EdmType {
  if (member.kind === 'string') return 'Edm.String';
  if (member.kind === 'boolean') return 'Edm.Boolean';
  return readInt32(member.value) === undefined ? 'Edm.Double' : 'Edm.Int32';
}

/** The value as canonical JSON, or undefined where it does not parse under its type. */
export function readValue(type: EdmType, member: JsonValue): string | undefined {
  const { kind, value } = member;
  switch (type) {
    case 'Edm.String':
      return kind === 'string' ? member.json : undefined;
    case 'Edm.Boolean':
      return kind === 'number' ? undefined : readBoolean(value);
    case 'Edm.Int32':
      return kind === 'boolean' ? undefined : readInt32(value);
    case 'Edm.Int64':
      return kind === 'boolean' ? undefined : readInt64(value);
    case 'Edm.Double':
      return kind === 'boolean' ? undefined : readDouble(kind, value);
    case 'Edm.DateTime': {
      const trimmed = kind === 'string' ? trimTicks(value) : undefined;
      if (trimmed === undefined) return undefined;
      return trimmed === value ? member.json : `"${trimmed}"`;
    }
    case 'Edm.Guid':
      return kind === 'string' && guid.test(value) ? `"${value.toLowerCase()}"` : undefined;
    case 'Edm.Binary':
      return kind === 'string' && isBase64(value) ? member.json : undefined;
  }
}

function readBoolean(text: string): string | undefined {
  const lower = text.toLowerCase();
  return lower === 'true' || lower === 'false' ? lower : undefined;
}

function readInt32(text: string): string | undefined {
  if (!integer.test(text)) return undefined;
  const value = Number(text);
  return value >= int32Min && value <= int32Max ? String(value + 0) : undefined;
}

const plainInt64 = /^-?[1-9]\d{0,17}$/;

function readInt64(text: string): string | undefined {
  if (plainInt64.test(text)) return `"${text}"`;
  if (!integer.test(text) || text.length > 20) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? `"${value}"` : undefined;
}

function readDouble(kind: JsonValue['kind'], text: string): string | undefined {
  if (kind === 'string' && /^(?:NaN|-?Infinity)$/.test(text)) return formatDouble(Number(text));
  if (!number.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? formatDouble(value) : undefined;
}

/** Standard alphabet with padding, and no bits set beyond the last byte: what decodes to itself. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && Buffer.from(text, 'base64').toString('base64') === text;
}
