import type { Random } from './random.ts';

/** Texts around which parsers go wrong, of all the languages that a request is written in. */
const spice: readonly string[] = [
  ...["'", "''", '"', '`', '(', ')', ',', '=', ';', ':', '&', '?', '#', '/', '\\', '..', '+', ' ', '\t'],
  ...['%', '%0', '%00', '%2F', '%5c', '%27', '%2527', '%ff', '%c0%80', '%ed%a0%80', '%u0041', '%0d%0a'],
  ...['\r', '\n', '\r\n', '\r\n\r\n', '\0', '\u0001', '\u007f', '\u0085', '\u00a0', 'é', 'ß', 'İ', '\u2028'],
  ...['\ufeff', '\ufffe', '\uffff', '\ud800', '\udc00', '😀', '\u{10ffff}', '\u202e', 'e\u0301'],
  ...['null', 'true', 'false', 'NaN', 'INF', '-Infinity', '__proto__', 'constructor', 'toString', 'then'],
  ...['{', '}', '[', ']', '{}', '[]', '":', '\\u0000', '\\ud800', '\\', '//', '/*', '@odata.type', 'odata.'],
  ...[
    '<',
    '>',
    '&amp;',
    '&#0;',
    '&#x110000;',
    '&x;',
    ']]>',
    '<![CDATA[',
    '<!--',
    '-->',
    '<?',
    '<!DOCTYPE a>',
  ],
  ...['--', '--changeset_1', '--batch_1--', 'HTTP/1.1', '$batch', '$', '*', '!', '|', '^', '~', '-secondary'],
  ...[' and ', ' or ', ' not ', ' eq ', "datetime'", "guid'", "X'", 'L', 'e400', 'W/"', '1!4!YQ--', '1!0!'],
];

const numbers: readonly string[] = [
  ...['0', '-0', '1', '-1', '00', '+1', '0x10', '1.', '.5', '1e5', '1e999', '-1e-999', '1001', '1000', '253'],
  ...['2147483647', '2147483648', '-2147483649', '4294967296', '9007199254740993', '9223372036854775807'],
  ...['9223372036854775808', '-9223372036854775809', '18446744073709551616', '1e308', '4.9e-324', '1_000'],
  ...['99999999999999999999999999999999999999', '٣', '１', '1 ', ' 1'],
];

/** Something a bit different from the text. */
export function mutateText(random: Random, text: string): string {
  const start = random.below(text.length + 1);
  const end = Math.min(text.length, start + random.size(24));
  const [before, slice, behind] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
  return random.choose<string>([
    [6, () => before + random.pick(spice) + text.slice(start)],
    [3, () => before + random.pick(spice) + behind],
    [4, () => before + behind],
    [2, () => before + slice + slice + behind],
    [1, () => before + slice.repeat(random.size(400)) + behind],
    [2, () => before],
    [1, () => text.slice(start)],
    [1, () => before + [...slice].toReversed().join('') + behind],
    [1, () => before + swapCase(slice) + behind],
    [1, () => before + percentEncode(slice) + behind],
    [2, () => text.replace(/\d+/, random.pick(numbers))],
    [1, () => random.pick(numbers)],
    [1, () => ''],
    [1, () => before + String.fromCharCode(random.below(random.onceIn(4) ? 0x10000 : 256)) + behind],
  ]);
}

/** As many small mutations as the draw says, often one. */
export function mutateTextOften(random: Random, text: string): string {
  let mutated = text;
  for (let rest = random.size(6); rest > 0; rest--) mutated = mutateText(random, mutated);
  return mutated;
}

function swapCase(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}

function percentEncode(text: string): string {
  return [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Something a bit different from the bytes, which need not be text any more. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  if (bytes.length === 0) return random.bytes(random.size(64));
  const start = random.below(bytes.length);
  const end = Math.min(bytes.length, start + random.size(64));
  const [before, slice, behind] = [bytes.subarray(0, start), bytes.subarray(start, end), bytes.subarray(end)];
  return random.choose<Buffer>([
    [4, () => Buffer.concat([before, flipBit(random, slice), behind])],
    [4, () => Buffer.concat([before, Buffer.from(random.pick(spice)), bytes.subarray(start)])],
    [3, () => Buffer.concat([before, behind])],
    [2, () => Buffer.concat([before, slice, slice, behind])],
    [1, () => Buffer.concat([before, ...Array<Buffer>(random.size(200)).fill(slice), behind])],
    [2, () => before],
    [1, () => Buffer.concat([before, random.bytes(random.size(64)), behind])],
    [1, () => Buffer.concat([behind, slice, before])],
  ]);
}

function flipBit(random: Random, bytes: Buffer): Buffer {
  const flipped = Buffer.from(bytes);
  const at = random.below(flipped.length);
  if (flipped.length > 0) flipped[at] = (flipped[at] as number) ^ (1 << random.below(8));
  return flipped;
}
