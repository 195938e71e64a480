import { mutateTextOften } from '../mutate.ts';
import type { Random } from '../random.ts';
import { partitionKey, rowKey, tableName } from './names.ts';

/** The JSON of an entity, as text: what no serialiser would write is the point. */
export function entityJson(random: Random, keys?: { partitionKey: string; rowKey: string }): string {
  if (random.oddOnceIn(40)) return oddDocument(random);
  const members: string[] = [];
  if (!random.oddOnceIn(20)) {
    members.push(`"PartitionKey":${jsonText(random, keys?.partitionKey ?? partitionKey(random))}`);
  }
  if (!random.oddOnceIn(20)) {
    members.push(`"RowKey":${jsonText(random, keys?.rowKey ?? rowKey(random))}`);
  }
  const names = new Set(random.repeat(random.size(12), propertyName));
  for (const name of names) members.push(...property(random, name));
  if (random.oddOnceIn(100)) members.push(...manyProperties(random));
  if (random.oddOnceIn(15)) members.push(random.pick(systemMembers));
  if (random.oddOnceIn(30)) members.push(...random.repeat(1, () => random.pick(members)));
  return `{${members.join(random.onceIn(20) ? ' ,\r\n\t' : ',')}}`;
}

/** The body that creates a table. */
export function tableJson(random: Random): string {
  if (!random.oddOnceIn(8)) return `{"TableName":${jsonText(random, tableName(random))}}`;
  return random.choose<string>([
    [2, () => `{"odata.type":"a.Tables","TableName":${jsonText(random, tableName(random))},"x":[1,{}]}`],
    [1, () => `{"TableName":${oddValue(random)}}`],
    [1, () => oddDocument(random)],
  ]);
}

const systemMembers: readonly string[] = [
  '"Timestamp":"0001-01-01T00:00:00Z"',
  '"Timestamp@odata.type":"Edm.DateTime","Timestamp":"2020-01-01T00:00:00.1234567Z"',
  '"Timestamp":5',
  '"PartitionKey@odata.type":"Edm.String"',
  '"RowKey@odata.type":"Edm.Int32"',
  '"odata.etag":"W/\\"datetime\'2020\'\\""',
  '"odata.metadata":"x","odata.type":"y","odata.id":"z","odata.editLink":"w"',
  '"odata.etag":{"a":[1,2,{"b":null}]}',
  '"__proto__":{"polluted":true}',
  '"constructor":"x","toString":1,"hasOwnProperty":true',
];

function manyProperties(random: Random): string[] {
  const count = random.pick([200, 248, 252, 253, 300, 5000]);
  return Array.from({ length: count }, (_, index) => `"many${index}":${index}`);
}

const usualNames = ['age', 'Age', 'name', 'ratio', 'when', 'id', 'data', 'flag', 'big', 'Größe'];
const oddNames = ['123', 'a-b', 'a b', '', '.', '\\u0061ge', '\\"', 'ⅷ', '名', '\u200d', '\ue000', '\ud800'];
const reservedNames = ['__proto__', 'constructor', 'valueOf', 'PartitionKey', 'RowKey', 'Timestamp', 'ETag'];

function propertyName(random: Random): string {
  if (!random.oddOnceIn(25)) return random.onceIn(6) ? `p${random.below(300)}` : random.pick(usualNames);
  return random.choose<string>([
    [2, () => random.pick(oddNames)],
    [1, () => 'n'.repeat(random.pick([254, 255, 256, 3000]))],
    [1, () => random.pick(reservedNames)],
  ]);
}

function property(random: Random, name: string): string[] {
  if (random.oddOnceIn(20)) return [`"${name}":${oddValue(random)}`];
  if (random.onceIn(2)) return [`"${name}":${untypedValue(random)}`];
  const type = random.pick(typeNames);
  const annotation = `"${name}@odata.type":"${random.oddOnceIn(30) ? random.pick(oddTypes) : type}"`;
  const member = `"${name}":${random.oddOnceIn(6) ? oddTypedValue(random, type) : random.pick(typedTexts[type])}`;
  return random.onceIn(3) ? [member, annotation] : [annotation, member];
}

const typedTexts = {
  'Edm.String': ['"x"', '""', '"\\ud800"', '"\\u0000"', 'null', '"日本"'],
  'Edm.Boolean': ['true', 'false', '"True"', 'null'],
  'Edm.Int32': ['5', '"-5"', '-2147483648', '2147483647', 'null'],
  'Edm.Int64': ['"5"', '"9223372036854775807"', '"-9223372036854775808"'],
  'Edm.Double': ['1', '1.5', '"NaN"', '"Infinity"', '"-Infinity"', '-0.0', '1E-300'],
  'Edm.DateTime': [
    ...['"2020-01-01T00:00:00Z"', '"1601-01-01T00:00:00Z"', '"9999-12-31T23:59:59.9999999Z"'],
    ...['"2020-01-01T00:00:00.12"', '"2020-01-01T00:00:00+05:30"'],
  ],
  'Edm.Guid': ['"c9da6455-213d-42c9-9a79-3e9149a57833"', '"C9DA6455-213D-42C9-9A79-3E9149A57833"'],
  'Edm.Binary': ['"AQID"', '""', '"AQ=="'],
} as const;
const typeNames = Object.keys(typedTexts) as (keyof typeof typedTexts)[];
const oddTypes = ['Edm.Decimal', 'Edm.Single', 'edm.int64', '', 'Edm.', '__proto__', 'Edm.Binary '];

const oddTypedTexts: readonly string[] = [
  ...[
    '2147483648',
    '1.0',
    '1e2',
    '" 5"',
    '"5x"',
    '"9223372036854775808"',
    '"+5"',
    '"1e3"',
    '""',
    '"yes"',
    '1',
  ],
  ...[
    '1e999',
    '"1e400"',
    '"0x1"',
    '"INF"',
    '"1600-12-31T23:59:59Z"',
    '"2020-02-30T00:00:00Z"',
    '"0001-01-01"',
  ],
  ...['"2020-01-01T00:00:00.12345678Z"', '"2020-01-01T24:00:00+14:00"', '"10000-01-01T00:00:00Z"', '"x"'],
  ...['"2020-01-01"', '"2020-01-01T00:00:00-99:99"', '"{C9DA6455-213D-42C9-9A79-3E9149A57833}"', '"AQI"'],
  ...['"AQI=="', '"****"', '"A Q I D"', '[]', '{}'],
];

function oddTypedValue(random: Random, type: string): string {
  if (type !== 'Edm.Binary' || !random.onceIn(10)) return random.pick(oddTypedTexts);
  return `"${random.bytes(random.pick([65_535, 65_536, 65_537])).toString('base64')}"`;
}

const usualTexts = ['x', '', 'Infinity', "O'Hara", '日本', '😀', '\u2028', '<&>', '3', 'a\tb', '"', '}'];
const usualNumbers = ['0', '1', '-1', '3.0', '2.5', '1e3', '-0', '2147483647', '1E-7', '123456.789E+300'];

function untypedValue(random: Random): string {
  return random.choose<string>([
    [10, () => jsonText(random, random.pick(usualTexts))],
    [8, () => random.pick(usualNumbers)],
    [4, () => random.pick(['true', 'false', 'null'])],
    [1, () => longText(random)],
  ]);
}

function oddValue(random: Random): string {
  return random.choose<string>([
    [2, () => random.pick(['2147483648', '1e400', '01', '1.', '.5', '+1', '0x1', 'NaN', '-', '1e', '--1'])],
    [1, () => random.pick(['True', 'undefined', "'x'", '"\\x41"', '"\\u12"', '"\n"', '"', '{', '[1,2'])],
    [1, () => random.pick(['[]', '{}', '[1,"a",null]', '{"a":{"b":[{}]}}', '{"a":}', '5 5', '"a" "b"'])],
    [1, () => nested(random)],
  ]);
}

/** Now and then of a size at which limits stand, 1 MiB at most: the rest of the time these would be all we do. */
function longText(random: Random): string {
  const length = random.oddOnceIn(20)
    ? random.pick([32_768, 32_769, 65_536, 400_000, 1_048_576])
    : random.size(5000);
  return `"${random.pick(['a', 'é', '日', '\\u0041', '\\n', '\\"']).repeat(length)}"`;
}

function nested(random: Random): string {
  const depth = random.size(random.onceIn(20) ? 200_000 : 300);
  const [opening, closing] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"b":', '}]'],
  ] as const);
  const center = random.onceIn(2) ? '1' : '';
  return opening.repeat(depth) + center + closing.repeat(random.onceIn(4) ? depth - 1 : depth);
}

/** A string literal, with escapes where none are needed at times. */
function jsonText(random: Random, text: string): string {
  if (!random.onceIn(12)) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

const oddDocuments: readonly string[] = [
  ...['', ' ', '{}', '[]', 'null', '"text"', '5', '{', '}', '{}{}', '\ufeff{}', '{"a":1}x', '\0', '{"a":1,}'],
];

function oddDocument(random: Random): string {
  return random.choose<string>([
    [2, () => random.pick(oddDocuments)],
    [1, () => nested(random)],
    [
      1,
      () => mutateTextOften(random, '{"PartitionKey":"p","RowKey":"r","n@odata.type":"Edm.Int64","n":"5"}'),
    ],
    [1, () => `${' '.repeat(random.size(20_000))}{}${'\n'.repeat(random.size(2000))}`],
  ]);
}
