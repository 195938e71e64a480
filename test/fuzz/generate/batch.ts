import { mutateText, mutateTextOften } from '../mutate.ts';
import type { Random } from '../random.ts';
import type { FuzzAccount, World } from '../world.ts';
import { entityJson } from './entity-json.ts';
import { etagText } from './headers.ts';
import { encode, entityPath, keyPredicate, partitionKey, rowKey, tableName } from './names.ts';
import { formatText, queryOptions } from './queries.ts';

export interface BatchBody {
  readonly contentType: string;
  readonly body: Buffer;
}

/** The body of a transaction in the dialect of one client or another, right mostly; then less so. */
export function batchBody(random: Random, account: FuzzAccount, world: World): BatchBody {
  const outer = boundary(random, 'batch');
  const inner = random.oddOnceIn(40) ? outer : boundary(random, 'changeset');
  const parts = random.onceIn(5)
    ? [part(random, queryOperation(random, account, world))]
    : changesets(random, inner, account);
  if (random.oddOnceIn(40)) parts.push(part(random, queryOperation(random, account, world)));
  let text = joinParts(random, outer, parts);
  if (random.oddOnceIn(6)) text = text.replaceAll('\r\n', random.pick(['\n', '\r', '\r\n\r\n', '\n\r']));
  if (random.oddOnceIn(5)) text = mutateTextOften(random, text);
  if (random.oddOnceIn(40)) text = text.replaceAll(inner, mutateText(random, inner));
  return {
    contentType: multipartType(random, outer),
    body: Buffer.from(text, random.oddOnceIn(20) ? 'latin1' : 'utf8'),
  };
}

const oddBoundaries: readonly string[] = [
  ...['-', '--', 'a b', 'a+b(c)[d]', '$&', '.*', "'()+_,-./:=?", 'x'.repeat(500), 'é', '\\', 'HTTP/1.1'],
];

function boundary(random: Random, prefix: string): string {
  return random.oddOnceIn(12) ? random.pick(oddBoundaries) : `${prefix}_${random.below(1e9)}`;
}

const oddTypes = [
  'multipart/mixed',
  'multipart/form-data',
  'multipart/mixed; boundary=',
  'multipart/mixed; boundary="',
];

function multipartType(random: Random, name: string): string {
  const usual = `multipart/mixed; boundary=${name}`;
  if (random.oddOnceIn(12)) return random.onceIn(2) ? random.pick(oddTypes) : mutateTextOften(random, usual);
  return random.choose<string>([
    [12, () => usual],
    [1, () => `multipart/mixed; charset="utf-8"; boundary="${name}"`],
    [1, () => `multipart/mixed;boundary=${name};x=y`],
  ]);
}

function changesets(random: Random, inner: string, account: FuzzAccount): string[] {
  const count = random.oddOnceIn(30) ? random.between(0, 3) : 1;
  return random.repeat(count, () => {
    const operations = changeset(random, account).map(operation => part(random, operation));
    const text = joinParts(random, inner, operations);
    return `Content-Type: ${multipartType(random, inner)}\r\n\r\n${text}`;
  });
}

/** Operations of one partition mostly: so a good one is found among them. */
function changeset(random: Random, account: FuzzAccount): string[] {
  const shared = { table: tableName(random), partition: partitionKey(random) };
  const count = random.oddOnceIn(60) ? random.pick([0, 99, 100, 101, 150]) : random.size(8);
  return Array.from({ length: count }, (_, index) => {
    const table = random.oddOnceIn(40) ? tableName(random) : shared.table;
    const partition = random.oddOnceIn(40) ? partitionKey(random) : shared.partition;
    return write(
      random,
      account,
      table,
      partition,
      random.oddOnceIn(20) ? rowKey(random) : `${index}-${random.below(500)}`,
    );
  });
}

const upserts = ['PUT', 'PATCH', 'MERGE'];
const contentIds = ['0', '1', '-1', 'x y', '"', 'é', ''];

function write(random: Random, account: FuzzAccount, table: string, partition: string, row: string): string {
  const method = random.choose<string>([
    [6, () => random.pick(upserts)],
    [1, () => 'DELETE'],
    [2, () => 'POST'],
  ]);
  const headers = [`Accept: ${formatText(random)}`, 'DataServiceVersion: 3.0;'];
  if (random.onceIn(2)) headers.push(`Prefer: ${random.pick(['return-no-content', 'return-content', 'x'])}`);
  if (random.onceIn(3)) headers.push(`Content-ID: ${random.oddOnceIn(8) ? 'a\rb' : random.pick(contentIds)}`);
  if (method === 'DELETE' || random.onceIn(6)) headers.push(`If-Match: ${etagText(random)}`);
  if (method !== 'DELETE') headers.push('Content-Type: application/json');
  if (random.oddOnceIn(20)) headers.push(mutateTextOften(random, random.pick(oddHeaders)));
  const path = `/${encode(random, table)}${method === 'POST' ? '' : keyPredicate(random, partition, row)}`;
  const body = method === 'DELETE' ? '' : entityJson(random, { partitionKey: partition, rowKey: row });
  if (random.oddOnceIn(10)) headers.push(`Content-Length: ${random.pick(['0', '-5', '1e9', '3'])}`);
  const verb = random.oddOnceIn(40) ? random.pick(['GET', 'HEAD', 'FROB', 'post', '']) : method;
  return `${verb} ${innerTarget(random, account, path)} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

const oddHeaders = [
  'X-HTTP-Method: MERGE',
  'If-None-Match: *',
  'Content-Type: text/plain',
  'Authorization: x',
];

function queryOperation(random: Random, account: FuzzAccount, world: World): string {
  const isPoint = random.onceIn(2);
  const options = queryOptions(random, world).map(option => option.join('='));
  const path = isPoint ? entityPath(random) : `/${encode(random, tableName(random))}()`;
  const target = innerTarget(random, account, options.length === 0 ? path : `${path}?${options.join('&')}`);
  return `GET ${target} HTTP/1.1\r\nAccept: ${formatText(random)}\r\n\r\n`;
}

function innerTarget(random: Random, { name }: FuzzAccount, path: string): string {
  if (random.oddOnceIn(15)) return mutateTextOften(random, `/${name}${path}`);
  return random.choose<string>([
    [6, () => `http://127.0.0.1:10002/${name}${path}`],
    [3, () => `/${name}${path}`],
    [3, () => path],
    [1, () => `https://${name}.table.core.windows.net${path}`],
  ]);
}

function part(random: Random, operation: string): string {
  const headers = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary'];
  if (random.onceIn(5)) headers.push(`Content-ID: ${random.below(5)}`);
  if (random.oddOnceIn(60))
    headers.push(mutateTextOften(random, 'Content-Type: multipart/mixed; boundary=x'));
  if (random.oddOnceIn(40)) headers.splice(0, random.between(1, 2));
  return `${headers.join('\r\n')}\r\n\r\n${operation}`;
}

function joinParts(random: Random, name: string, parts: readonly string[]): string {
  const preamble = random.oddOnceIn(40) ? 'This is the preamble.\r\n' : '';
  const text = parts.map(part => `--${name}\r\n${part}\r\n`).join('');
  if (!random.oddOnceIn(12)) return `${preamble}${text}--${name}--\r\n`;
  const ending = random.choose<string>([
    [1, () => `--${name}\r\n`],
    [1, () => ''],
    [1, () => `\r\n--${name}--\r\n\r\nepilogue --${name}\r\n`],
  ]);
  return preamble + text + ending;
}
