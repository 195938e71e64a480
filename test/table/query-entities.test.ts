import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Grant } from '../../src/auth/grant.ts';
import { bodyBytes, bodyText } from '../../src/http/answer.ts';
import { Query } from '../../src/http/query.ts';
import type { QueryCost } from '../../src/query-cost.ts';
import { compareKeys, type Key, type KeyRange } from '../../src/store/key.ts';
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.ts';
import { ModelStore } from '../../src/store/model.ts';
import type { Store } from '../../src/store/store.ts';
import { formatProperties } from '../../src/table/entity/row.ts';
import type { FilterNode, Value } from '../../src/table/filter/nodes.ts';
import { planQuery } from '../../src/table/filter/plan.ts';
import { insertEntity } from '../../src/table/insert-entity.ts';
import { queryEntities } from '../../src/table/query-entities.ts';
import type { TableRequest } from '../../src/table/request.ts';
import { decideIntents, type Intent } from '../../src/table/transition.ts';
import { single } from '../../src/table/write-entity.ts';
import { anyValue, isLiteral, keyOf, keyText, propertyOf } from '../support/arbitraries.ts';
import { bareOf, comparisonOf, constant, filterTree, type Pick, printFilter } from '../support/filters.ts';
import { naiveMatches } from '../support/naive-filter.ts';

const account = 'acme';

/** A call of an operation as the server makes it. */
function request(table: string, query: ReadonlyMap<string, string>, grant: Grant, body = ''): TableRequest {
  return {
    id: 'test',
    nowMs: 0,
    grant,
    method: body === '' ? 'GET' : 'POST',
    account,
    isSecondary: false,
    base: 'http://127.0.0.1/acme',
    accountSegment: account,
    resource: { kind: 'entities', table, partitionKey: undefined },
    query: new Query(query),
    format: 'minimal',
    version: '2019-02-02',
    body: Buffer.from(body),
    isAbandoned: () => false,
    header: name => (name === 'prefer' ? 'return-no-content' : undefined),
  };
}

const owner: Grant = { by: 'account key' };

interface Entity {
  readonly key: Key;
  readonly properties: ReadonlyMap<string, Value>;
}

const closeText = fc.constantFrom('', 'a', 'a ', 'ab', 'b', 'B', "'", '~', '\uffff', '\u{10000}', 'é');
const someText = fc.oneof({ weight: 5, arbitrary: closeText }, { weight: 1, arbitrary: keyText });
const closeValue: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom(0, 1, 2).map((value): Value => ({ type: 'Edm.Int32', value })),
  fc.constantFrom(0n, 1n, 2n ** 60n).map((value): Value => ({ type: 'Edm.Int64', value })),
  fc.constantFrom(0, 1, 1.5, Number.NaN).map((value): Value => ({ type: 'Edm.Double', value })),
  fc.constantFrom('', 'a', '1', 'é').map((value): Value => ({ type: 'Edm.String', value })),
  fc.boolean().map((value): Value => ({ type: 'Edm.Boolean', value })),
);
const someValue = fc.oneof({ weight: 3, arbitrary: closeValue }, { weight: 1, arbitrary: anyValue });

const someEntities: fc.Arbitrary<Entity[]> = fc.uniqueArray(
  fc
    .tuple(keyOf(someText), fc.dictionary(fc.constantFrom('a', 'b'), someValue, { noNullPrototype: true }))
    .map(([key, properties]) => ({ key, properties: new Map(Object.entries(properties)) })),
  { selector: ({ key }) => JSON.stringify(key), minLength: 4, maxLength: 24 },
);

const keyLiteral = fc
  .tuple(someText, fc.constantFrom('', '', '', '\0', '\u0001'))
  .map((pair): Value => ({ type: 'Edm.String', value: pair.join('') }));
const someFilter = filterTree(
  fc.oneof(
    { weight: 8, arbitrary: comparisonOf(fc.constantFrom('PartitionKey', 'RowKey'), keyLiteral) },
    { weight: 3, arbitrary: comparisonOf(fc.constantFrom('a', 'b', 'c'), someValue.filter(isLiteral)) },
    {
      weight: 1,
      arbitrary: comparisonOf(fc.constantFrom('PartitionKey', 'RowKey'), someValue.filter(isLiteral)),
    },
    { weight: 1, arbitrary: bareOf(fc.constantFrom('a', 'RowKey')) },
    { weight: 1, arbitrary: constant },
  ),
);

/** With bounds on either side, on row keys where there is one on partition keys, or none at all. */
const someGrant: fc.Arbitrary<Grant> = fc
  .tuple(
    fc.option(fc.tuple(someText, fc.option(someText, { nil: undefined })), { nil: undefined }),
    fc.option(fc.tuple(someText, fc.option(someText, { nil: undefined })), { nil: undefined }),
  )
  .map(([start, end]) =>
    start === undefined && end === undefined
      ? owner
      : {
          by: 'service SAS',
          permissions: 'r',
          table: 'any',
          startPartitionKey: start?.[0],
          startRowKey: start?.[1],
          endPartitionKey: end?.[0],
          endRowKey: end?.[1],
        },
  );

function isGranted(grant: Grant, key: Key): boolean {
  if (grant.by !== 'service SAS') return true;
  const { startPartitionKey, startRowKey = '', endPartitionKey, endRowKey } = grant;
  const isBehindStart =
    startPartitionKey === undefined ||
    compareKeys(key, { partitionKey: startPartitionKey, rowKey: startRowKey }) >= 0;
  if (endPartitionKey === undefined) return isBehindStart;
  const end = { partitionKey: endPartitionKey, rowKey: endRowKey ?? key.rowKey };
  return isBehindStart && compareKeys(key, end) <= 0;
}

function isIn(ranges: readonly KeyRange[], key: Key): boolean {
  return ranges.some(
    ({ from, to }) => compareKeys(from, key) <= 0 && (to === undefined || compareKeys(key, to) < 0),
  );
}

function matches(filter: FilterNode, { key, properties }: Entity): boolean {
  return naiveMatches(
    filter,
    new Map<string, Value>([
      ['PartitionKey', { type: 'Edm.String', value: key.partitionKey }],
      ['RowKey', { type: 'Edm.String', value: key.rowKey }],
      ...properties,
    ]),
  );
}

interface PageOfKeys {
  readonly keys: readonly Key[];
  readonly cost: QueryCost;
  readonly hasToken: boolean;
}

/** Page by page, with the tokens of the answers, to the end. */
async function readPages(
  store: Store<Intent>,
  table: string,
  grant: Grant,
  options: ReadonlyMap<string, string>,
): Promise<PageOfKeys[]> {
  const pages: PageOfKeys[] = [];
  const query = new Map(options);
  for (;;) {
    const { body, headers, cost } = await queryEntities.run(request(table, query, grant), store);
    const { value } = JSON.parse(bodyText(body)) as { value: { PartitionKey: string; RowKey: string }[] };
    const partitionToken = headers['x-ms-continuation-NextPartitionKey'];
    pages.push({
      keys: value.map(({ PartitionKey, RowKey }) => ({ partitionKey: PartitionKey, rowKey: RowKey })),
      cost: cost as QueryCost,
      hasToken: partitionToken !== undefined,
    });
    if (partitionToken === undefined) return pages;
    query.set('nextpartitionkey', partitionToken);
    query.set('nextrowkey', headers['x-ms-continuation-NextRowKey'] as string);
  }
}

let lastTable = 0;

async function fill(store: Store<Intent>, entities: readonly Entity[]): Promise<string> {
  lastTable++;
  const table = `random${lastTable}`;
  await store.createTable(account, table);
  for (const { key, properties } of entities) {
    const { partitionKey: PartitionKey, rowKey: RowKey } = key;
    const members = formatProperties([...properties].map(([name, value]) => propertyOf(name, value)));
    const body = `${JSON.stringify({ PartitionKey, RowKey }).slice(0, -1)}${members}}`;
    await single(insertEntity).run(request(table, new Map(), owner, body), store);
  }
  return table;
}

describe('Query Entities', () => {
  const stores: readonly [name: string, store: Store<Intent>][] = [
    ['the model', new ModelStore(decideIntents)],
    ['the embedded store', openLmdbStore({ folder: undefined, decide: decideIntents })],
  ];
  after(() => Promise.all(stores.map(([, store]) => store.close())));

  for (const [name, store] of stores) {
    it(`on ${name} answers page by page what the naive evaluation does, and looks at no entity outside its ranges`, async () => {
      await fc.assert(
        fc.asyncProperty(
          someEntities,
          fc.array(
            fc.tuple(someFilter, someGrant, fc.integer({ min: 1, max: 6 }), fc.infiniteStream(fc.nat())),
            {
              minLength: 4,
              maxLength: 4,
            },
          ),
          async (entities, queries) => {
            const table = await fill(store, entities);
            const sorted = entities.toSorted((a, b) => compareKeys(a.key, b.key));
            for (const [filter, grant, top, choices] of queries) {
              const pick: Pick = count => Number(choices.next().value) % count;
              const options = new Map([
                ['$filter', printFilter(filter, pick)],
                ['$top', String(top)],
              ]);
              const pages = await readPages(store, table, grant, options);
              const reached = sorted.filter(({ key }) => isGranted(grant, key));
              assert.deepEqual(
                pages.flatMap(({ keys }) => keys),
                reached.filter(entity => matches(filter, entity)).map(({ key }) => key),
              );
              const plan = planQuery(filter);
              let examined = 0;
              for (const { keys, cost, hasToken } of pages) {
                assert.ok(keys.length <= top);
                assert.equal(cost.returned, keys.length);
                assert.equal(cost.class, plan.class);
                assert.equal(cost.end, hasToken ? 'entities' : 'range end');
                if (hasToken) assert.equal(keys.length, top);
                examined += cost.examined;
              }
              assert.equal(examined, reached.filter(({ key }) => isIn(plan.ranges, key)).length);
            }
          },
        ),
        { numRuns: 150 },
      );
    });
  }

  it('puts a page of many megabytes together from pieces, whatever their sizes, and tells its length', async () => {
    const [, store] = stores[1] as [string, Store<Intent>];
    const sizes = [1, 1000, 30_000, 40_000, 5, 32_767, 32_768, 200_000, 100, 1].map(size => size % 32_001);
    const entities = Array.from({ length: 120 }, (_, index) => ({
      key: { partitionKey: 'p', rowKey: String(index).padStart(4, '0') },
      properties: new Map<string, Value>([
        ['a', { type: 'Edm.String', value: 'x'.repeat(sizes[index % sizes.length] as number) }],
        ['b', { type: 'Edm.String', value: ',"é😀'.repeat(index % 7) }],
      ]),
    }));
    const table = await fill(store, entities);
    const { body } = await queryEntities.run(request(table, new Map(), owner), store);
    const { value } = JSON.parse(bodyText(body)) as { value: { RowKey: string; a: string; b: string }[] };
    assert.equal(Array.isArray(body), true);
    assert.equal(bodyBytes(body), Buffer.byteLength(bodyText(body)));
    assert.deepEqual(
      value.map(({ RowKey, a, b }) => [RowKey, a, b]),
      entities.map(({ key, properties }) => [
        key.rowKey,
        properties.get('a')?.value,
        properties.get('b')?.value,
      ]),
    );
  });

  it('tells of the first page of a search that it is one', async () => {
    const [, store] = stores[1] as [string, Store<Intent>];
    const keys = ['a', 'b', 'c'].map(rowKey => ({ partitionKey: 'p', rowKey }));
    const table = await fill(
      store,
      keys.map(key => ({ key, properties: new Map([['a', { type: 'Edm.Int32', value: 1 }]]) })),
    );
    const searched = async (filter: string): Promise<(string | undefined)[]> => {
      const options = new Map([
        ['$filter', filter],
        ['$top', '2'],
      ]);
      return (await readPages(store, table, owner, options)).map(({ cost }) => cost.searchedTable);
    };
    assert.deepEqual(await searched('a eq 1'), [table, undefined]);
    assert.deepEqual(await searched("PartitionKey eq 'p' and a eq 1"), [table, undefined]);
    assert.deepEqual(await searched("PartitionKey eq 'p'"), [undefined, undefined]);
  });
});
