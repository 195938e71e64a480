import fc from 'fast-check';
import * as limits from '../../src/limits.ts';
import type { Key } from '../../src/store/key.ts';
import type { EdmType, Property } from '../../src/table/entity/edm.ts';
import type { Value } from '../../src/table/filter/nodes.ts';

/** What random tests draw from: keys, property names, and values of the eight types with their JSON. */

/** Characters around which encodings and orders go wrong, among any others that keys may hold. */
const keyCharacter = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'B', '0', ' ', '!', "'", '%', '~', ',', '=', '(', ')') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\u00a0', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '😀', '\u{10ffff}'),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter(character => !/[/\\#?\u0000-\u001f\u007f-\u009f]/.test(character)),
  },
);

/** Any text that may be one of the keys of an entity; mostly short, so that two of them often share a prefix. */
export const keyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: keyCharacter, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: keyCharacter, maxLength: 60 }) },
);

/** As long as keys may be, and of random characters: no engine can shorten them. */
const longKey: fc.Arbitrary<Key> = fc
  .tuple(
    fc.string({ unit: keyCharacter, minLength: 400, maxLength: limits.keyUnitsMax / 2 }),
    fc.string({ unit: keyCharacter, minLength: 400, maxLength: limits.keyUnitsMax / 2 }),
  )
  .map(([partitionKey, rowKey]) => ({ partitionKey, rowKey }))
  .filter(
    ({ partitionKey, rowKey }) =>
      Buffer.byteLength(partitionKey) + Buffer.byteLength(rowKey) <= limits.keysUtf8BytesMax,
  );

/** A key, or the bound of a range, of two texts. */
export function keyOf(text: fc.Arbitrary<string>): fc.Arbitrary<Key> {
  return fc.tuple(text, text).map(([partitionKey, rowKey]) => ({ partitionKey, rowKey }));
}

export const anyKey: fc.Arbitrary<Key> = fc.oneof(
  { weight: 12, arbitrary: keyOf(keyText) },
  { weight: 1, arbitrary: longKey },
);

/** Any text at all that a filter's literal may hold: U+0000, and lengths that no key reaches. */
export const literalText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: keyText },
  {
    weight: 2,
    arbitrary: fc.tuple(keyText, fc.constantFrom('\0', '\0\0', '\u0001', '\0b')).map(pair => pair.join('')),
  },
  { weight: 1, arbitrary: fc.tuple(keyText, keyText).map(([left, right]) => `${left}\0${right}`) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 10 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(keyText, fc.constantFrom('a', '😀', '\u{10ffff}'))
      .map(([start, unit]) => start + unit.repeat(5000)),
  },
);

const identifierStart = fc.constantFrom(...'abcxyzABCXYZ_', 'é', 'ß', 'Ω', '名', 'ⅷ');
const identifierRest = fc.constantFrom(...'abcxyzABCXYZ_0123456789', 'é', '名', '\u0301', '\u203f');
const reserved = new Set([
  ...['PartitionKey', 'RowKey', 'Timestamp'],
  ...['and', 'or', 'not', 'eq', 'ne', 'gt', 'ge', 'lt', 'le', 'true', 'false', 'null', 'NaN', 'Infinity'],
]);

/** A name that a property may have, no word of the filter language. */
export const propertyName: fc.Arbitrary<string> = fc
  .tuple(identifierStart, fc.string({ unit: identifierRest, maxLength: 12 }))
  .map(([start, rest]) => start + rest)
  .filter(name => !reserved.has(name));

const ticksMin = 504_911_232_000_000_000n; // 1601-01-01T00:00:00Z
const ticksMax = 3_155_378_975_999_999_999n; // 9999-12-31T23:59:59.9999999Z
const int64Extremes = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n];
const doubleExtremes = [
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  -0,
  0,
  1,
  0.1,
  2 ** 53,
  1e21,
  1e-7,
  123456789012345680,
];

/** Values of one type, with the extremes often. Strings hold any UTF-16, lone surrogates included. */
export const valueOfType: Record<EdmType, fc.Arbitrary<Value>> = {
  'Edm.String': fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({
        unit: fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)),
        maxLength: 20,
      }),
      fc.constantFrom(
        '',
        '"',
        '\\',
        '\\"',
        "'",
        '}',
        '{"a":1}',
        '@odata.type',
        '\u2028',
        '\ud800',
        'true',
        '3',
      ),
    )
    .map(value => ({ type: 'Edm.String', value })),
  'Edm.Boolean': fc.boolean().map(value => ({ type: 'Edm.Boolean', value })),
  'Edm.Int32': fc
    .oneof(fc.integer(), fc.integer({ min: -3, max: 3 }))
    .map(value => ({ type: 'Edm.Int32', value })),
  'Edm.Int64': fc
    .oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.constantFrom(...int64Extremes))
    .map(value => ({ type: 'Edm.Int64', value })),
  'Edm.Double': fc
    .oneof(fc.double(), fc.constantFrom(...doubleExtremes, Number.NaN, Number.POSITIVE_INFINITY))
    .map(value => ({ type: 'Edm.Double', value })),
  'Edm.DateTime': fc
    .oneof(fc.bigInt({ min: ticksMin, max: ticksMax }), fc.constantFrom(ticksMin, ticksMin + 1n, ticksMax))
    .map(value => ({ type: 'Edm.DateTime', value })),
  'Edm.Guid': fc.uuid().map(value => ({ type: 'Edm.Guid', value })),
  'Edm.Binary': fc
    .uint8Array({ maxLength: 20 })
    .map(bytes => ({ type: 'Edm.Binary', value: Buffer.from(bytes) })),
};

export const anyValue: fc.Arbitrary<Value> = fc.oneof(...Object.values(valueOfType));

/** Whether a filter may hold it: one arrives as UTF-8, which has no lone surrogates. */
export function isLiteral({ type, value }: Value): boolean {
  return type !== 'Edm.String' || !/\p{Surrogate}/u.test(value);
}

/** Ticks as text with all seven digits, by another way than src/ticks.ts goes. */
export function isoOf(ticks: bigint): string {
  const secondTicks = 10_000_000n;
  const seconds = ticks / secondTicks;
  const unixSeconds = Number(seconds) - 62_135_596_800;
  const fraction = String(ticks % secondTicks).padStart(7, '0');
  return `${new Date(unixSeconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

/** The property that holds a value: JSON as section "Property values on the wire" of the protocol has it. */
export function propertyOf(name: string, value: Value): Property {
  switch (value.type) {
    case 'Edm.String':
      return { name, type: value.type, json: JSON.stringify(value.value) };
    case 'Edm.Guid':
      return { name, type: value.type, json: `"${value.value}"` };
    case 'Edm.Boolean':
    case 'Edm.Int32':
      return { name, type: value.type, json: String(value.value) };
    case 'Edm.Int64':
      return { name, type: value.type, json: `"${value.value}"` };
    case 'Edm.DateTime':
      return { name, type: value.type, json: `"${isoOf(value.value).replace(/\.?0*Z$/, 'Z')}"` };
    case 'Edm.Binary':
      return { name, type: value.type, json: `"${value.value.toString('base64')}"` };
    case 'Edm.Double':
      return { name, type: value.type, json: doubleJson(value.value) };
  }
}

function doubleJson(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  const text = Object.is(value, -0) ? '-0' : String(value).replace('e', 'E');
  return /[.E]/.test(text) ? text : `${text}.0`;
}
