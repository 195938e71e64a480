import { mutateTextOften } from '../mutate.ts';
import type { Random } from '../random.ts';
import { partitionKey, rowKey, tableName } from './names.ts';

/** The text of a `$filter`: of the grammar mostly, then broken, then far outside of it. */
export function filterText(random: Random, isOfTables = false): string {
  const subject = isOfTables ? tableComparison : comparison;
  if (!random.oddOnceIn(3)) return disjunction(random, 4, subject);
  return random.choose<string>([
    [4, () => mutateTextOften(random, disjunction(random, 3, subject))],
    [2, () => disjunction(random, 3, comparison)],
    [2, () => random.pick(unsupported)],
    [2, () => shuffled(random)],
    [1, () => large(random)],
  ]);
}

const unsupported: readonly string[] = [
  ...["startswith(name,'a')", "substringof('a',name) eq true", 'age add 1 eq 2', 'age eq null', 'null'],
  ...['age eq Age', '1 eq 1', "'a' eq 'a'", 'length(name) gt 5', 'name/first eq 1', 'not', 'and', '()'],
  ...['', ' ', "''", '-', "datetime''", 'true', 'not flag', 'flag', 'not (not (flag))', '(age) eq (5)'],
  ...["((('a')) eq ((name)))", 'not age eq 1', 'age EQ 1', 'True', "age eq 'a", 'age eq 5 and', 'age eq'],
];

type Comparison = (random: Random) => string;

function disjunction(random: Random, depth: number, subject: Comparison): string {
  const text = conjunction(random, depth, subject);
  return random.onceIn(3) ? `${text} or ${conjunction(random, depth, subject)}` : text;
}

function conjunction(random: Random, depth: number, subject: Comparison): string {
  const text = unary(random, depth, subject);
  return random.onceIn(3) ? `${text} and ${unary(random, depth, subject)}` : text;
}

function unary(random: Random, depth: number, subject: Comparison): string {
  if (depth > 0 && random.onceIn(5)) return `not (${disjunction(random, depth - 1, subject)})`;
  if (depth > 0 && random.onceIn(4)) return `(${disjunction(random, depth - 1, subject)})`;
  return subject(random);
}

function tableComparison(random: Random): string {
  return written(random, 'TableName', quoted(tableName(random)));
}

function comparison(random: Random): string {
  if (random.onceIn(15)) return random.pick(['flag', 'true', 'false', 'name', 'Timestamp']);
  const property = propertyName(random);
  if (random.oddOnceIn(8)) return written(random, property, oddLiteral(random));
  if (property === 'PartitionKey') return written(random, property, quoted(partitionKey(random)));
  if (property === 'RowKey') return written(random, property, quoted(rowKey(random)));
  return written(random, property, random.pick(literals));
}

function written(random: Random, property: string, literal: string): string {
  const operator = random.pick(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
  return random.onceIn(6) ? `${literal} ${operator} ${property}` : `${property} ${operator} ${literal}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const properties = ['age', 'Age', 'name', 'ratio', 'when', 'id', 'data', 'flag', 'big', 'Größe', '__proto__'];

function propertyName(random: Random): string {
  return random.choose<string>([
    [4, () => random.pick(['PartitionKey', 'RowKey'])],
    [1, () => 'Timestamp'],
    [6, () => random.pick(properties)],
    [1, () => `p${random.below(300)}`],
  ]);
}

const literals: readonly string[] = [
  ...[
    "'x'",
    "''",
    "'O''Hara'",
    "'日本'",
    "'\uffff'",
    "'a/b\\c#d?e'",
    "'Infinity'",
    "'True'",
    'true',
    'false',
  ],
  ...[
    '0',
    '1',
    '-1',
    '5',
    '2147483647',
    '2147483648',
    '1e5',
    '5L',
    '-5l',
    '9223372036854775807L',
    '1.5',
    '3D',
  ],
  ...['-1.5E+10', "datetime'2020-01-01T00:00:00Z'", "datetime'2020-01-01T00:00:00.1234567Z'", "X'0A1B'"],
  ...["guid'c9da6455-213d-42c9-9a79-3e9149a57833'", "x'0a1b'", "binary'0a1b'", "X''"],
];

const oddLiterals: readonly string[] = [
  ...[
    "'\0'",
    '-2147483649',
    '9223372036854775808',
    '00',
    '+1',
    '9223372036854775808L',
    '3d',
    '1e999',
    '1.5L',
  ],
  ...[
    'NaN',
    'Infinity',
    '-Infinity',
    'INF',
    'True',
    'null',
    "datetime'2020-13-01'",
    "datetime''",
    "time'PT1S'",
  ],
  ...["datetime'1600-01-01T00:00:00Z'", "datetime'2020-01-01T00:00:00+05:30'", "datetimeoffset'2020-01-01'"],
  ...["guid'{c9da6455-213d-42c9-9a79-3e9149a57833}'", "guid'x'", "X'0'", "X'zz'", "duration'P1D'", "'a' 'b'"],
  ...["'unclosed", '--1', '1.', '.5', "''''", "'"],
];

function oddLiteral(random: Random): string {
  if (random.onceIn(10)) return `'${random.pick(['a', '日', "''"]).repeat(random.size(9000))}'`;
  return random.pick(oddLiterals);
}

const words: readonly string[] = [
  ...['(', ')', 'and', 'or', 'not', 'eq', 'ne', 'gt', 'ge', 'lt', 'le', 'age', 'PartitionKey', 'RowKey', ','],
  ...[
    'true',
    'null',
    "'p'",
    '5',
    '5L',
    "datetime'2020-01-01T00:00:00Z'",
    "X'00'",
    '-',
    '/',
    '.',
    'startswith(',
  ],
];

function shuffled(random: Random): string {
  const count = random.size(60);
  return random.repeat(count, () => random.pick(words)).join(random.pick([' ', '  ', '', '\t']));
}

/** What bounds of depth, of operands and of length are for; as long as an address may be. */
function large(random: Random): string {
  const count = random.size(1200);
  const fewer = Math.min(count, 300);
  const digit = (): number => random.below(9);
  return random.choose<string>([
    [1, () => `${'('.repeat(count)}age eq 1${')'.repeat(count)}`],
    [1, () => `${'not '.repeat(count)}flag`],
    [1, () => `${'not('.repeat(count)}flag${')'.repeat(count)}`],
    [1, () => random.repeat(count, () => `RowKey eq '${random.below(50)}'`).join(' or ')],
    [1, () => random.repeat(fewer, () => `(${conjunction(random, 1, comparison)})`).join(' or ')],
    [
      1,
      () =>
        random.repeat(fewer, () => `(PartitionKey gt '${digit()}' or RowKey lt '${digit()}')`).join(' and '),
    ],
    [1, () => ' '.repeat(count * 10)],
  ]);
}
