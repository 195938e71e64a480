import { mutateTextOften } from '../mutate.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { filterText } from './filters.ts';
import { encode, partitionKey, rowKey, tableName } from './names.ts';

export type QueryOption = readonly [name: string, value: string];

/** Options of a query of entities or of tables, encoded as they are to be written. */
export function queryOptions(random: Random, world: World, isOfTables = false): QueryOption[] {
  const options: QueryOption[] = [];
  if (random.onceIn(2)) options.push(['$filter', encode(random, filterText(random, isOfTables))]);
  if (random.onceIn(3)) options.push(['$top', topText(random)]);
  if (random.onceIn(4)) options.push(['$select', encode(random, selectText(random))]);
  if (random.onceIn(5)) options.push(...continuation(random, world, isOfTables));
  if (random.oddOnceIn(10)) options.push(['$format', encode(random, formatText(random))]);
  if (random.oddOnceIn(15))
    options.push([random.pick(otherOptions), random.pick(['1', '', 'age desc', 'allpages'])]);
  return options.map(option => respelled(random, option));
}

const otherOptions = [
  '$orderby',
  '$skip',
  '$expand',
  '$inlinecount',
  '$count',
  'timeout',
  'api-version',
  'x',
  '',
];

/** Clients write `$` as it is or encoded; spaces as `+` or encoded. */
function respelled(random: Random, [name, value]: QueryOption): QueryOption {
  const spelledName = random.onceIn(4) ? name.replace('$', '%24') : name;
  const spelledValue = random.onceIn(4) ? value.replaceAll('%20', '+') : value;
  return random.onceIn(25) ? [spelledName.toUpperCase(), spelledValue] : [spelledName, spelledValue];
}

const oddTops = [
  '0',
  '1000',
  '1001',
  '-1',
  '',
  '1.5',
  '1e2',
  '0x5',
  '%201',
  '9999999999999999999',
  'x',
  '%00',
];

function topText(random: Random): string {
  if (random.oddOnceIn(5)) return random.pick(oddTops);
  return String(random.onceIn(8) ? random.between(1, 1000) : random.between(1, 5));
}

const selected = [
  'age',
  'name',
  'PartitionKey',
  'RowKey',
  'Timestamp',
  'odata.etag',
  'absent',
  ' age',
  '__proto__',
];
const oddSelections = [
  '',
  ' ',
  ',',
  ',,',
  '*',
  'a-b',
  '123',
  "'",
  'a'.repeat(300),
  '日本',
  '\0',
  'age desc',
  'a.b/c',
];

function selectText(random: Random): string {
  if (!random.oddOnceIn(5)) return random.repeat(random.size(6), () => random.pick(selected)).join(',');
  return random.choose<string>([
    [1, () => random.pick(oddSelections)],
    [1, () => random.repeat(random.size(2000), () => `p${random.below(400)}`).join(',')],
    [1, () => mutateTextOften(random, 'age,name,RowKey')],
  ]);
}

const oddFormats: readonly string[] = [
  ...['json', 'atom', 'application/json;odata=verbose', '', '*/*', 'application/atom+xml', 'application/xml'],
  ...['application/json;odata=x', ';;;', ',', 'application/json;q=0', 'application/json; odata = nometadata'],
];

/** A value of Accept or `$format`. */
export function formatText(random: Random): string {
  if (random.oddOnceIn(3)) return random.pick(oddFormats);
  const level = random.pick(['', ';odata=nometadata', ';odata=minimalmetadata', ';odata=fullmetadata']);
  return `application/json${level}`;
}

const oddTokens: readonly string[] = [
  ...[
    '',
    '1!',
    '1!0!',
    '1!4!YQ--',
    '1!4!YQ==',
    '1!8!YQ--',
    '2!4!YQ--',
    '1!-1!',
    '1!99999999999!x',
    '1!4!AAAA',
  ],
];

/** Tokens that an answer gave, that we make as the server does, or that nobody made. */
function continuation(random: Random, world: World, isOfTables: boolean): QueryOption[] {
  const isTableToken = random.oddOnceIn(10) ? !isOfTables : isOfTables;
  const pair = ['NextPartitionKey', 'NextRowKey'] as const;
  const names = isTableToken ? (['NextTableName'] as const) : random.onceIn(8) ? [random.pick(pair)] : pair;
  return names.map((name): QueryOption => {
    const texts = { NextPartitionKey: partitionKey, NextRowKey: rowKey, NextTableName: tableName };
    const own = token(texts[name](random));
    const text = random.oddOnceIn(3)
      ? random.pick([mutateTextOften(random, own), random.pick(oddTokens)])
      : (world.learned.recall(name, random.below(2000)) ?? own);
    return [random.onceIn(10) ? name.toLowerCase() : name, encode(random, text)];
  });
}

/** REST: Query Timeout and Pagination; the recorded form. */
function token(text: string): string {
  const base64 = Buffer.from(text).toString('base64');
  const encoded = base64.replaceAll('=', '-').replaceAll('+', '*').replaceAll('/', '_');
  return `1!${encoded.length}!${encoded}`;
}
