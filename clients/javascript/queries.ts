import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import {
  collect,
  freshTable,
  odata,
  readPage,
  refusal,
  type TableClient,
  type TransactionAction,
  tableClient,
} from './sdk.ts';

const guid = 'c9da6455-213d-42c9-9a79-3e9149a57833';

async function tableOfPeople(): Promise<TableClient> {
  const table = await freshTable();
  const partitionKey = 'p';
  await table.submitTransaction([
    ['create', { partitionKey, rowKey: 'ann', name: 'Ann', age: 39, active: true, count: 1n }],
    [
      'create',
      { partitionKey, rowKey: 'bob', name: "O'Hara", age: -5, active: false, count: 2n ** 53n + 1n },
    ],
    [
      'create',
      { partitionKey, rowKey: 'cat', name: 'ann', height: 1.5, whole: { type: 'Double', value: '2' } },
    ],
    [
      'create',
      {
        partitionKey,
        rowKey: 'dan',
        born: { type: 'DateTime', value: '2020-01-01T00:00:00.0000005Z' },
        id: { type: 'Guid', value: guid },
        bytes: Uint8Array.from([1, 2, 255]),
      },
    ],
  ]);
  await table.createEntity({ partitionKey: 'q', rowKey: 'eve', name: '', age: 39, text: '39' });
  return table;
}

async function rowKeysOf(table: TableClient, filter: string): Promise<string> {
  const found = await collect(table.listEntities({ queryOptions: { filter } }));
  return found.map(({ rowKey }) => rowKey).join(' ');
}

async function fill(table: TableClient, partitionKey: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += 100) {
    const actions = Array.from({ length: Math.min(100, count - first) }, (_, index): TransactionAction => {
      const number = first + index;
      return ['create', { partitionKey, rowKey: String(number).padStart(5, '0'), number }];
    });
    await table.submitTransaction(actions);
  }
}

for (const [what, filters] of [
  [
    'eq, ne, gt, ge, lt and le compare numbers',
    [
      [odata`age eq ${39}`, 'ann eve'],
      [odata`age ne ${39}`, 'bob'],
      [odata`age gt ${-5}`, 'ann eve'],
      [odata`age ge ${-5}`, 'ann bob eve'],
      [odata`age lt ${39}`, 'bob'],
      [odata`age le ${39}`, 'ann bob eve'],
    ],
  ],
  [
    'eq, ne, gt, ge, lt and le compare strings by their characters',
    [
      [odata`name eq ${'Ann'}`, 'ann'],
      [odata`name ne ${'Ann'}`, 'bob cat eve'],
      [odata`name gt ${'Ann'}`, 'bob cat'],
      [odata`name ge ${'Ann'}`, 'ann bob cat'],
      [odata`name lt ${'Ann'}`, 'eve'],
      [odata`name le ${'Ann'}`, 'ann eve'],
    ],
  ],
  [
    'quotes stand doubled in string literals',
    [
      [odata`name eq ${"O'Hara"}`, 'bob'],
      ["name eq 'O''Hara'", 'bob'],
      [odata`name eq ${"''"}`, ''],
    ],
  ],
  [
    'an empty string is a value',
    [
      [odata`name eq ${''}`, 'eve'],
      [odata`name ne ${''}`, 'ann bob cat'],
    ],
  ],
  [
    'a prefix is a range',
    [
      [odata`name ge ${'A'} and name lt ${'B'}`, 'ann'],
      [odata`PartitionKey eq ${'p'} and RowKey ge ${'b'} and RowKey lt ${'d'}`, 'bob cat'],
    ],
  ],
  [
    'Boolean literals and bare Boolean properties',
    [
      ['active eq true', 'ann'],
      ['active eq false', 'bob'],
      ['active', 'ann'],
      ['not active', 'bob cat dan eve'],
    ],
  ],
  [
    'Int64 literals are exact',
    [
      ['count eq 9007199254740993L', 'bob'],
      ['count eq 9007199254740992L', ''],
      ['count gt 1', 'bob'],
    ],
  ],
  [
    'Double literals',
    [
      ['height eq 1.5', 'cat'],
      ['height lt 1.5E+3', 'cat'],
      ['whole eq 2.0', 'cat'],
      ['whole eq 2', 'cat'],
    ],
  ],
  [
    'DateTime literals are exact to 100 nanoseconds',
    [
      ["born eq datetime'2020-01-01T00:00:00.0000005Z'", 'dan'],
      ["born gt datetime'2020-01-01T00:00:00.0000005Z'", ''],
      [odata`born lt datetime'${'2020-01-01T00:00:00.001Z'}'`, 'dan'],
    ],
  ],
  [
    'Guid literals in either case',
    [
      [`id eq guid'${guid}'`, 'dan'],
      [`id eq guid'${guid.toUpperCase()}'`, 'dan'],
      [`id ne guid'${guid}'`, ''],
    ],
  ],
  [
    'Binary literals of both forms',
    [
      ["bytes eq X'0102ff'", 'dan'],
      ["bytes eq binary'0102FF'", 'dan'],
      ["bytes gt X'0102'", 'dan'],
    ],
  ],
  [
    'values of other types are not equal',
    [
      ["age eq '39'", ''],
      ['text eq 39', ''],
      ['age eq 39L', ''],
      ['age eq 39.0', ''],
    ],
  ],
  [
    'keys in every combination',
    [
      [odata`PartitionKey eq ${'p'} and RowKey eq ${'bob'}`, 'bob'],
      [odata`PartitionKey gt ${'p'}`, 'eve'],
      [odata`RowKey gt ${'cat'}`, 'dan eve'],
      [odata`PartitionKey eq ${'q'} or RowKey eq ${'ann'}`, 'ann eve'],
    ],
  ],
  [
    'and before or, and parentheses before both',
    [
      ["name eq 'Ann' or name eq 'ann' and age eq 39", 'ann'],
      ["(name eq 'Ann' or name eq 'ann') and not (age eq 39)", 'cat'],
    ],
  ],
  [
    'not, and properties that are missing',
    [
      ['not (age ne 39)', 'ann cat dan eve'],
      ['missing eq 1 or missing ne 1', ''],
    ],
  ],
  [
    'literals on the left',
    [
      ["'ann' eq RowKey", 'ann'],
      ['0 gt age', 'bob'],
    ],
  ],
  [
    'Timestamp',
    [
      ["Timestamp ge datetime'2020-01-01T00:00:00Z'", 'ann bob cat dan eve'],
      ["Timestamp lt datetime'2020-01-01T00:00:00Z'", ''],
    ],
  ],
  ['an empty text, which is no filter', [['', 'ann bob cat dan eve']]],
] as const) {
  behaviour(`filters: ${what}`, async () => {
    const table = await tableOfPeople();
    for (const [filter, expected] of filters) assert.equal(await rowKeysOf(table, filter), expected, filter);
  });
}

behaviour('filters: a hundred comparisons', async () => {
  const table = await tableOfPeople();
  const names = Array.from({ length: 99 }, (_, index) => odata`name eq ${`name ${index}`}`);
  assert.equal(await rowKeysOf(table, [...names, odata`name eq ${'Ann'}`].join(' or ')), 'ann');
});

for (const [filter, status, code] of [
  ['aaa bbb ccc', 400, 'InvalidInput'],
  ["name eq 'open", 400, 'InvalidInput'],
  ["id eq guid'x'", 400, 'InvalidInput'],
  ['name eq age', 501, 'NotImplemented'],
  ["startswith(name,'A')", 501, 'NotImplemented'],
] as const) {
  behaviour(`filters: ${filter} is refused with ${code}`, async () => {
    const table = await freshTable();
    await assert.rejects(rowKeysOf(table, filter), refusal(status, code));
  });
}

behaviour('projection: shows what is selected, null where it is missing, and the ETag', async () => {
  const table = await freshTable();
  await table.createEntity({ partitionKey: 'p', rowKey: '1', a: 1n, b: 'x' });
  await table.createEntity({ partitionKey: 'p', rowKey: '2', b: 'y' });
  const found = await collect(table.listEntities({ queryOptions: { select: ['RowKey', 'a'] } }));
  for (const entity of found) {
    assert.ok(entity.etag);
    assert.equal(entity.partitionKey, undefined);
    assert.equal('b' in entity, false);
  }
  assert.deepEqual(
    found.map(({ rowKey, a }) => [rowKey, a]),
    [
      ['1', 1n],
      ['2', null],
    ],
  );
});

behaviour('projection: shows keys only', async () => {
  const table = await tableOfPeople();
  const select = ['PartitionKey', 'RowKey'];
  for (const entity of await collect(table.listEntities({ queryOptions: { select } }))) {
    const { etag: _, 'odata.metadata': __, ...shown } = entity;
    assert.deepEqual(Object.keys(shown).sort(), ['partitionKey', 'rowKey']);
  }
});

behaviour('projection: shows what is selected of a single entity', async () => {
  const table = await tableOfPeople();
  const entity = await table.getEntity('p', 'ann', { queryOptions: { select: ['age', 'missing'] } });
  assert.deepEqual([entity.age, entity.missing, 'name' in entity], [39, null, false]);
  assert.ok(entity.etag);
});

behaviour('projection: selects from what a filter finds by other properties', async () => {
  const table = await tableOfPeople();
  const queryOptions = { filter: odata`age eq ${39}`, select: ['name'] };
  const found = await collect(table.listEntities({ queryOptions }));
  assert.deepEqual(
    found.map(({ name }) => name),
    ['Ann', ''],
  );
});

behaviour('paging: more than a thousand entities come in pages, each once and in order', async () => {
  const table = await freshTable();
  await fill(table, 'p', 1100);
  await fill(table, 'q', 1000);
  const pages = await collect(table.listEntities().byPage());
  assert.deepEqual(
    pages.map(page => page.length),
    [1000, 1000, 100],
  );
  const all = await collect(table.listEntities());
  assert.deepEqual(
    all.map(({ partitionKey, number }) => [partitionKey, number]),
    [
      ...Array.from({ length: 1100 }, (_, number) => ['p', number]),
      ...Array.from({ length: 1000 }, (_, number) => ['q', number]),
    ],
  );
});

behaviour('paging: pages are as small as asked for, also where partitions end', async () => {
  const table = await freshTable();
  for (const partitionKey of ['a', 'b', 'c']) await fill(table, partitionKey, 7);
  for (const maxPageSize of [1, 3, 7, 20, 21, 22]) {
    const pages = await collect(table.listEntities().byPage({ maxPageSize }));
    assert.equal(pages.length, Math.ceil(21 / maxPageSize));
    const keys = pages.flatMap(page => page.map(({ partitionKey, rowKey }) => `${partitionKey}${rowKey}`));
    assert.equal(new Set(keys).size, 21);
  }
});

behaviour('paging: a token resumes in a new client', async () => {
  const table = await freshTable();
  await fill(table, "it's", 10);
  const seen: unknown[] = [];
  let token: string | undefined;
  do {
    const page = await readPage(tableClient(table.tableName), 4, token);
    seen.push(...page.items.map(({ number }) => number));
    token = page.token;
  } while (token !== undefined);
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

behaviour('paging: filter and selection hold on each page', async () => {
  const table = await freshTable();
  await fill(table, 'p', 50);
  const queryOptions = { filter: 'number ge 10 and number lt 30', select: ['number'] };
  const pages = await collect(table.listEntities({ queryOptions }).byPage({ maxPageSize: 8 }));
  assert.deepEqual(
    pages.map(page => page.length),
    [8, 8, 4],
  );
  for (const entity of pages.flat()) assert.equal(entity.rowKey, undefined);
});

behaviour('paging: a token outlives the entity that it stands at', async () => {
  const table = await freshTable();
  await fill(table, 'p', 6);
  const { token } = await readPage(table, 2);
  await table.deleteEntity('p', '00002');
  const { items } = await readPage(table, 10, token);
  assert.deepEqual(
    items.map(({ number }) => number),
    [3, 4, 5],
  );
});

behaviour('paging: an empty table is one empty page', async () => {
  const { items, token } = await readPage(await freshTable(), 10);
  assert.deepEqual([items, token], [[], undefined]);
});

behaviour('paging: a page of more than a thousand is refused with InvalidInput', async () => {
  const table = await freshTable();
  await assert.rejects(readPage(table, 1001), refusal(400, 'InvalidInput'));
});
