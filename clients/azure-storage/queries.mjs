import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import { batchOf, call, entity, freshTable, make, queryAll, refusal, service, TableQuery } from './sdk.mjs';

const guid = 'c9da6455-213d-42c9-9a79-3e9149a57833';
const born = new Date('2020-01-01T00:00:00.500Z');
const { combineFilters } = TableQuery;

async function tableOfPeople() {
  const table = await freshTable();
  const people = [
    entity('p', 'ann', { name: make.String('Ann'), age: make.Int32(39), active: make.Boolean(true) }),
    entity('p', 'bob', { name: make.String("O'Hara"), age: make.Int32(-5), active: make.Boolean(false) }),
    entity('p', 'cat', { name: make.String('ann'), height: make.Double(1.5), whole: make.Double(2) }),
    entity('p', 'dan', {
      born: make.DateTime(born),
      id: make.Guid(guid),
      bytes: make.Binary(Buffer.from([1, 2, 255])),
      count: make.Int64('9007199254740993'),
    }),
    entity('q', 'eve', { name: make.String(''), age: make.Int32(39) }),
  ];
  for (const person of people) await call(service, 'insertEntity', table, person);
  return table;
}

async function rowKeysOf(table, query) {
  return (await queryAll(table, query)).map(({ RowKey }) => RowKey._).join(' ');
}

async function fill(table, partitionKey, count) {
  for (let first = 0; first < count; first += 100) {
    const operations = Array.from({ length: Math.min(100, count - first) }, (_, index) => {
      const number = first + index;
      const properties = { number: make.Int32(number) };
      return ['insertEntity', entity(partitionKey, String(number).padStart(5, '0'), properties)];
    });
    await call(service, 'executeBatch', table, batchOf(...operations));
  }
}

const where = (condition, ...values) => new TableQuery().where(condition, ...values);

for (const [what, queries] of [
  [
    'all comparisons of numbers',
    [
      [where('age == ?', 39), 'ann eve'],
      [where('age != ?', 39), 'bob'],
      [where('age > ?', -5), 'ann eve'],
      [where('age >= ?', -5), 'ann bob eve'],
      [where('age < ?', 39), 'bob'],
      [where('age <= ?', 39), 'ann bob eve'],
    ],
  ],
  [
    'all comparisons of strings',
    [
      [where('name == ?', 'Ann'), 'ann'],
      [where('name != ?', 'Ann'), 'bob cat eve'],
      [where('name > ?', 'Ann'), 'bob cat'],
      [where('name >= ?', 'Ann'), 'ann bob cat'],
      [where('name < ?', 'Ann'), 'eve'],
      [where('name <= ?', 'Ann'), 'ann eve'],
    ],
  ],
  [
    'quotes in literals',
    [
      [where('name == ?', "O'Hara"), 'bob'],
      [where('name == ?', "''"), ''],
    ],
  ],
  [
    'a prefix range',
    [
      [where('name >= ?', 'A').and('name < ?', 'B'), 'ann'],
      [where('PartitionKey == ?', 'p').and('RowKey >= ?', 'b').and('RowKey < ?', 'd'), 'bob cat'],
    ],
  ],
  [
    'Booleans',
    [
      [where('active == ?', true), 'ann'],
      [where('active == ?bool?', false), 'bob'],
    ],
  ],
  [
    'Int64, exactly',
    [
      [where('count == ?int64?', '9007199254740993'), 'dan'],
      [where('count == ?int64?', '9007199254740992'), ''],
    ],
  ],
  [
    'Doubles',
    [
      [where('height == ?', 1.5), 'cat'],
      [where('height < ?double?', 2), 'cat'],
      [where('whole == ?', 2), 'cat'],
    ],
  ],
  [
    'DateTimes',
    [
      [where('born == ?', born), 'dan'],
      [where('born < ?date?', new Date('2020-01-01T00:00:00Z')), ''],
      [where('Timestamp > ?', new Date('2020-01-01T00:00:00Z')), 'ann bob cat dan eve'],
    ],
  ],
  ['Guids', [[where('id == ?guid?', guid), 'dan']]],
  ['Binaries', [[where('bytes == ?binary?', Buffer.from([1, 2, 255])), 'dan']]],
  [
    'and, or and not',
    [
      [where('age == ?', 39).and('name == ?', 'Ann'), 'ann'],
      [where('age == ?', -5).or('name == ?', 'ann'), 'bob cat'],
      [where('not (age == ?)', 39), 'bob cat dan'],
    ],
  ],
  [
    'filters that are made by parts',
    [
      [
        where(
          combineFilters(
            TableQuery.stringFilter('PartitionKey', 'eq', 'p'),
            'and',
            TableQuery.int32Filter('age', 'gt', 0),
          ),
        ),
        'ann',
      ],
      [where(TableQuery.int64Filter('count', 'ge', '9007199254740993')), 'dan'],
      [where(TableQuery.doubleFilter('height', 'gt', 1.25)), 'cat'],
      [where(TableQuery.booleanFilter('active', 'eq', false)), 'bob'],
      [where(TableQuery.dateFilter('born', 'le', born)), 'dan'],
      [where(TableQuery.guidFilter('id', 'eq', guid)), 'dan'],
      [where(TableQuery.binaryFilter('bytes', 'ne', Buffer.from([0]))), 'dan'],
    ],
  ],
]) {
  behaviour(`filters: ${what}`, async () => {
    const table = await tableOfPeople();
    for (const [query, expected] of queries) {
      assert.equal(await rowKeysOf(table, query), expected, query.toQueryObject().$filter);
    }
  });
}

for (const [filter, status, code] of [
  ['aaa bbb ccc', 400, 'InvalidInput'],
  ["startswith(name,'A')", 501, 'NotImplemented'],
]) {
  behaviour(`filters: ${filter} is refused with ${code}`, async () => {
    const table = await freshTable();
    await assert.rejects(queryAll(table, where(filter)), refusal(status, code));
  });
}

behaviour('projection: shows what is selected, and null where it is missing', async () => {
  const table = await tableOfPeople();
  const [ann, , cat] = await queryAll(table, new TableQuery().select('RowKey', 'age'));
  assert.deepEqual([ann.RowKey._, ann.age._, 'name' in ann], ['ann', 39, false]);
  assert.deepEqual([cat.RowKey._, cat.age._], ['cat', null]);
  assert.ok(ann['.metadata'].etag);
});

behaviour('projection: shows keys only', async () => {
  const table = await tableOfPeople();
  for (const found of await queryAll(table, new TableQuery().select('PartitionKey', 'RowKey'))) {
    assert.deepEqual(Object.keys(found).sort(), ['.metadata', 'PartitionKey', 'RowKey']);
  }
});

behaviour('paging: more than a thousand entities come in pages, each once and in order', async () => {
  const table = await freshTable();
  await fill(table, 'p', 1200);
  const first = await call(service, 'queryEntities', table, new TableQuery(), null);
  assert.equal(first.entries.length, 1000);
  const numbers = (await queryAll(table)).map(({ number }) => number._);
  assert.deepEqual(
    numbers,
    Array.from({ length: 1200 }, (_, number) => number),
  );
});

behaviour('paging: pages are as small as asked for, and a token outlives its way through JSON', async () => {
  const table = await freshTable();
  await fill(table, "it's", 10);
  const sizes = [];
  let token = null;
  do {
    const page = await call(service, 'queryEntities', table, new TableQuery().top(4), token);
    sizes.push(page.entries.length);
    token = page.continuationToken && JSON.parse(JSON.stringify(page.continuationToken));
  } while (token);
  assert.deepEqual(sizes, [4, 4, 2]);
});

behaviour('paging: filter and selection hold on each page', async () => {
  const table = await freshTable();
  await fill(table, 'p', 30);
  const query = where('number >= ?', 10).select('number').top(7);
  const found = await queryAll(table, query);
  assert.deepEqual(
    found.map(({ number }) => number._),
    Array.from({ length: 20 }, (_, index) => index + 10),
  );
});

behaviour('paging: an empty table has no token', async () => {
  const page = await call(service, 'queryEntities', await freshTable(), new TableQuery(), null);
  assert.deepEqual([page.entries, page.continuationToken], [[], null]);
});
