import { mutateTextOften } from '../mutate.ts';
import type { Random } from '../random.ts';
import { tableNames } from '../world.ts';

/** Names of tables and keys of entities: few mostly, so that cases meet each other's data. */
const partitionKeys = ['p', 'P', 'q', '', "O'Hara", 'a b', '%20', 'ü', '日本', '1,2', "(x='y')"];
const rowKeys = ['r', '1', '2', '10', '', "'", "''", 'a+b', '😀', 'é', 'x=y', '\u00a0', '~'];
const oddKeys = ['/', '\\', '#', '?', '\t', '\u0000', '\u0080', '\u009f', '\ud800', '\u{10ffff}', '.', '..'];
const oddTables = ['Tables', 'tables', '$batch', '$MetricsHourPrimaryTransactionsTable', '$metadata', 'ab'];

export function tableName(random: Random): string {
  if (!random.oddOnceIn(8)) return random.pick(tableNames);
  return random.choose<string>([
    [2, () => `t${random.below(50)}absent`],
    [1, () => random.pick(oddTables)],
    [1, () => 'x'.repeat(random.pick([1, 2, 3, 63, 64, 65, 300]))],
    [1, () => mutateTextOften(random, random.pick(tableNames))],
  ]);
}

export function partitionKey(random: Random): string {
  return key(random, partitionKeys);
}

export function rowKey(random: Random): string {
  return key(random, rowKeys);
}

function key(random: Random, pool: readonly string[]): string {
  if (!random.oddOnceIn(10)) return random.onceIn(6) ? String(random.below(40)) : random.pick(pool);
  return random.choose<string>([
    [1, () => random.pick(oddKeys)],
    [1, () => random.pick(pool) + random.pick(oddKeys)],
    [
      1,
      () => random.pick(['k', 'é', '日', '😀']).repeat(random.pick([255, 512, 900, 1023, 1024, 1025, 3000])),
    ],
    [1, () => mutateTextOften(random, random.pick(pool))],
  ]);
}

/** Percent-encoding as one client or another does it. */
export function encode(random: Random, text: string): string {
  const encoded = encodeURIComponent(Buffer.from(text).toString());
  return random.choose<string>([
    [6, () => encoded],
    [1, () => encoded.replaceAll("'", '%27').replaceAll('(', '%28').replaceAll(')', '%29')],
    [1, () => encoded.replaceAll('%2C', ',').replaceAll('%3D', '=')],
    [1, () => encoded.replace(/%[0-9A-F]{2}/g, triple => triple.toLowerCase())],
  ]);
}

/** `(PartitionKey='p',RowKey='r')` */
export function keyPredicate(random: Random, partition: string, row: string): string {
  const [first, second] = [partition, row].map(text => encode(random, text.replaceAll("'", "''")));
  const space = random.oddOnceIn(12) ? random.pick(['%20', '%09', '%20%20']) : '';
  if (!random.oddOnceIn(10)) return `(PartitionKey='${first}',${space}RowKey='${second}')`;
  return random.choose<string>([
    [1, () => `(RowKey='${second}',PartitionKey='${first}')`],
    [1, () => `(PartitionKey='${first}')`],
    [1, () => `%28PartitionKey%3D%27${first}%27%2CRowKey%3D%27${second}%27%29`],
  ]);
}

export function entityPath(random: Random): string {
  return `/${encode(random, tableName(random))}${keyPredicate(random, partitionKey(random), rowKey(random))}`;
}
