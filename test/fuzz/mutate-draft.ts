import type { Draft, Header } from './draft.ts';
import { entityJson } from './generate/entity-json.ts';
import { crowdOfHeaders, oddHeader } from './generate/headers.ts';
import { entityPath, tableName } from './generate/names.ts';
import { type QueryOption, queryOptions } from './generate/queries.ts';
import { mutateBytes, mutateTextOften } from './mutate.ts';
import type { Random, Weighted } from './random.ts';
import type { World } from './world.ts';

/** The request with one thing changed. What comes of it is signed afterwards. */
export function mutateDraft(random: Random, world: World, draft: Draft): Draft {
  const ways = mutations.map(
    ([weight, mutate]): Weighted<Partial<Draft>> => [weight, () => mutate(random, draft, world)],
  );
  return { ...draft, ...random.choose(ways) };
}

type Mutation = (random: Random, draft: Draft, world: World) => Partial<Draft>;

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'MERGE', 'PATCH', 'HEAD', 'OPTIONS'];
const oddMethods = ['TRACE', 'PROPFIND', 'M-SEARCH', 'QUERY', 'CONNECT', 'get', 'FROB', '', 'PRI', 'SOURCE'];

const mutations: readonly (readonly [weight: number, Mutation])[] = [
  [3, random => ({ method: random.pick(random.onceIn(4) ? oddMethods : methods) })],
  [4, (random, { path }) => ({ path: mutateTextOften(random, path) })],
  [1, random => ({ path: random.pick([entityPath(random), `/${tableName(random)}`, ...oddPaths]) })],
  [4, (random, { query }, world) => ({ query: mutateQuery(random, query, world) })],
  [8, (random, { headers }) => ({ headers: mutateHeaders(random, headers) })],
  [4, (random, { body }) => ({ body: mutateBytes(random, body) })],
  [2, (random, { body }) => ({ body: Buffer.from(mutateTextOften(random, body.toString())) })],
  [1, random => ({ body: Buffer.from(entityJson(random)) })],
  [1, random => ({ framing: random.pick(['length', 'chunked', 'none']) })],
  [1, (random, { body }) => ({ body: random.onceIn(60) ? grown(random, body) : body })],
  [1, (random, _, world) => ({ account: random.pick(world.accounts) })],
  [1, (_, { account }) => ({ account: { ...account, name: 'nobody' } })],
];

const oddPaths: readonly string[] = [
  ...[
    '',
    '/',
    '//',
    '/..',
    '/../Tables',
    '/./Tables',
    '/Tables/',
    '/$metadata',
    '/$batch',
    '/()',
    "/('a')",
    '/%00',
  ],
  ...[
    '/%',
    '/%ff',
    '/a/b',
    '/a%2Fb',
    '/-/healthy',
    '/-/metrics',
    '/-/ready',
    '/-/x',
    '*',
    '/__proto__',
    '/Tables(',
    '/t)',
  ],
];

const extraOptions: readonly QueryOption[] = [
  ['comp', 'acl'],
  ['comp', 'list'],
  ['restype', 'service'],
  ['comp', 'properties'],
  ['timeout', '0'],
];

function mutateQuery(random: Random, query: readonly QueryOption[], world: World): QueryOption[] {
  const at = random.below(query.length);
  const [name, value] = query[at] ?? ['', ''];
  return random.choose<QueryOption[]>([
    [3, () => [...query, ...queryOptions(random, world)]],
    [2, () => [...query, random.pick(extraOptions)]],
    [3, () => query.toSpliced(at, 1, [name, mutateTextOften(random, value)])],
    [1, () => query.toSpliced(at, 1, [mutateTextOften(random, name), value])],
    [1, () => query.toSpliced(at, 0, [name, value])],
    [1, () => query.toSpliced(at, 1)],
  ]);
}

function mutateHeaders(random: Random, headers: readonly Header[]): Header[] {
  const at = random.below(headers.length);
  const [name, value] = headers[at] ?? ['x', ''];
  return random.choose<Header[]>([
    [8, () => [...headers, oddHeader(random)]],
    [4, () => headers.toSpliced(at, 1, [name, mutateTextOften(random, value)])],
    [1, () => headers.toSpliced(at, 1, [mutateTextOften(random, name), value])],
    [2, () => headers.toSpliced(at, 0, [name, value])],
    [2, () => headers.toSpliced(at, 1)],
    [1, () => (random.onceIn(20) ? [...headers, ...crowdOfHeaders(random)] : [...headers])],
  ]);
}

/** Around the 4 MiB that are the most; seldom, since each costs as much as a thousand others. */
function grown(random: Random, body: Buffer): Buffer {
  const bytes = 4 * 1024 * 1024 + random.pick([-1, 0, 1, 1_000_000]);
  return Buffer.concat([body, Buffer.alloc(Math.max(0, bytes - body.length), 0x20)]);
}
