import type { Draft, Header } from '../draft.ts';
import type { Random, Weighted } from '../random.ts';
import type { FuzzAccount, World } from '../world.ts';
import { batchBody } from './batch.ts';
import { entityJson, tableJson } from './entity-json.ts';
import { etagText, usualHeaders } from './headers.ts';
import { encode, entityPath, tableName } from './names.ts';
import { type QueryOption, queryOptions } from './queries.ts';
import { sasOptions } from './sas.ts';
import { accessPolicies, serviceProperties } from './xml.ts';

/** What distinguishes one operation from another; the rest is the same for all. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: QueryOption[];
  readonly headers?: Header[];
  readonly body?: string | Buffer;
}

type CallMaker = (random: Random, world: World, account: FuzzAccount) => Call;

/** A request of the REST API, valid but for the data that it carries. */
export function validDraft(random: Random, world: World): Draft {
  const account = random.pick(world.accounts);
  const make = random.choose(calls.map(([weight, maker]): Weighted<CallMaker> => [weight, () => maker]));
  const { method, path, query = [], headers = [], body } = make(random, world, account);
  const draft: Draft = {
    method,
    account,
    isSecondary: method === 'GET' ? random.onceIn(12) : random.oddOnceIn(60),
    style: random.onceIn(8) ? 'host' : random.onceIn(30) ? 'absolute' : 'path',
    path,
    query,
    headers: [...usualHeaders(random, world), ...headers],
    body: Buffer.from(body ?? ''),
    framing:
      body === undefined ? (random.onceIn(20) ? 'length' : 'none') : random.onceIn(15) ? 'chunked' : 'length',
    credentials: { kind: 'none' },
  };
  return { ...draft, ...credentials(random, world, draft) };
}

function credentials(random: Random, world: World, { account, path, query }: Draft): Partial<Draft> {
  const key = random.pick(account.keys);
  if (random.oddOnceIn(25)) {
    return random.choose<Partial<Draft>>([
      [1, () => ({ credentials: { kind: 'SharedKey', key: 'AAAA' } })],
      [1, () => ({})],
      [2, () => ({ credentials: { kind: 'forged', authorization: forgedAuthorization(random, account) } })],
    ]);
  }
  return random.choose<Partial<Draft>>([
    [30, () => ({ credentials: { kind: 'SharedKeyLite', key } })],
    [15, () => ({ credentials: { kind: 'SharedKey', key } })],
    [
      12,
      () => ({
        query: [...query, ...sasOptions(random, account, tableIn(path) ?? tableName(random), world)],
      }),
    ],
  ]);
}

/** The table of a path, where it is one of those that cases share. */
function tableIn(path: string): string | undefined {
  return /^\/(\w+)/.exec(path)?.[1];
}

function forgedAuthorization(random: Random, { name }: FuzzAccount): string {
  const claims = Buffer.from(
    '{"aud":"https://storage.azure.com","iss":"https://sts.windows.net/x","exp":99999999999}',
  );
  return random.pick([
    ...[
      'SharedKey',
      'SharedKeyLite ',
      `SharedKey ${name}`,
      `SharedKeyLite ${name}:`,
      `SharedKey ${name}:${'A'.repeat(60_000)}`,
    ],
    ...[
      `sharedkeylite ${name}:AAAA`,
      'SharedKey :',
      'Bearer',
      'Bearer a.b.c',
      'Basic YTpi',
      'é',
      `SharedKey ${name}:é`,
    ],
    ...[
      `Bearer eyJhbGciOiJub25lIn0.${claims.toString('base64url')}.`,
      `Bearer ${'.'.repeat(10_000)}`,
      'Negotiate x',
      ' ',
    ],
  ]);
}

const json: Header = ['Content-Type', 'application/json'];
const xml: Header = ['Content-Type', 'application/xml'];

function prefer(random: Random): Header[] {
  return random.onceIn(2) ? [['Prefer', random.pick(['return-no-content', 'return-content'])]] : [];
}

function ifMatch(random: Random, world: World): Header[] {
  return [['If-Match', etagText(random, world)]];
}

const entityWrite: CallMaker = (random, world) => {
  const method = random.pick(['PUT', 'PATCH', 'MERGE']);
  const conditions = random.onceIn(2) ? ifMatch(random, world) : [];
  const isTunnelled = random.onceIn(10);
  return {
    method: isTunnelled ? 'POST' : method,
    path: entityPath(random),
    headers: [json, ...conditions, ...(isTunnelled ? [['X-HTTP-Method', method] satisfies Header] : [])],
    body: entityJson(random),
  };
};

const calls: readonly (readonly [weight: number, maker: CallMaker])[] = [
  [
    6,
    random => ({
      method: 'POST',
      path: '/Tables',
      headers: [json, ...prefer(random)],
      body: tableJson(random),
    }),
  ],
  [
    4,
    (random, world) => ({
      method: 'GET',
      path: random.pick(['/Tables', '/Tables()']),
      query: queryOptions(random, world),
    }),
  ],
  [1, random => ({ method: 'GET', path: `/Tables('${encode(random, tableName(random))}')` })],
  [1, random => ({ method: 'DELETE', path: `/Tables('${encode(random, tableName(random))}')` })],
  [
    20,
    random => ({
      method: 'POST',
      path: `/${encode(random, tableName(random))}${random.onceIn(8) ? '()' : ''}`,
      headers: [json, ...prefer(random)],
      body: entityJson(random),
    }),
  ],
  [15, entityWrite],
  [4, (random, world) => ({ method: 'DELETE', path: entityPath(random), headers: ifMatch(random, world) })],
  [
    8,
    (random, world) => ({
      method: 'GET',
      path: entityPath(random),
      query: random.onceIn(3) ? queryOptions(random, world) : [],
    }),
  ],
  [
    20,
    (random, world) => ({
      method: 'GET',
      path: `/${encode(random, tableName(random))}${random.pick(['', '()'])}`,
      query: queryOptions(random, world),
    }),
  ],
  [
    14,
    (random, world, account) => {
      const { contentType, body } = batchBody(random, account, world);
      return { method: 'POST', path: '/$batch', headers: [['Content-Type', contentType]], body };
    },
  ],
  [
    5,
    random => ({
      method: 'PUT',
      path: `/${encode(random, tableName(random))}`,
      query: [['comp', 'acl']],
      headers: [xml],
      body: accessPolicies(random),
    }),
  ],
  [2, random => ({ method: 'GET', path: `/${encode(random, tableName(random))}`, query: [['comp', 'acl']] })],
  [
    5,
    random => ({
      method: 'PUT',
      path: '/',
      query: [
        ['restype', 'service'],
        ['comp', 'properties'],
      ],
      headers: [xml],
      body: serviceProperties(random),
    }),
  ],
  [
    2,
    () => ({
      method: 'GET',
      path: '/',
      query: [
        ['comp', 'properties'],
        ['restype', 'service'],
      ],
    }),
  ],
  [
    1,
    () => ({
      method: 'GET',
      path: '/',
      query: [
        ['restype', 'service'],
        ['comp', 'stats'],
      ],
    }),
  ],
  [
    2,
    random => ({
      method: 'OPTIONS',
      path: random.onceIn(2) ? '/' : `/${encode(random, tableName(random))}`,
      headers: [
        ['Origin', random.pick(['http://www.contoso.com', 'http://a', 'null'])],
        ['Access-Control-Request-Method', random.pick(['PUT', 'GET', 'MERGE'])],
        ['Access-Control-Request-Headers', random.pick(['x-ms-date', 'content-type,x-ms-meta-data-foo', ''])],
      ],
    }),
  ],
];
