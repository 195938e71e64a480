import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { collect, freshTable, refusal, tableClient } from '../support/official-client.ts';
import { useServer } from '../support/server.ts';

const guid = 'c9da6455-213d-42c9-9a79-3e9149a57833';

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

describe('a filter, through the official client', () => {
  const server = useServer();
  let made: Promise<TableClient> | undefined;
  const people = (): Promise<TableClient> => {
    made ??= (async () => {
      const table = await freshTable(server);
      const common = { partitionKey: 'p' };
      await table.submitTransaction([
        ['create', { ...common, rowKey: 'ann', name: 'Ann', age: 39, active: true, count: 1n }],
        [
          'create',
          { ...common, rowKey: 'bob', name: "O'Hara", age: -5, active: false, count: 2n ** 53n + 1n },
        ],
        [
          'create',
          { ...common, rowKey: 'cat', name: 'ann', height: 1.5, whole: { type: 'Double', value: 2 } },
        ],
        [
          'create',
          {
            ...common,
            rowKey: 'dan',
            born: { type: 'DateTime', value: '2020-01-01T00:00:00.0000005Z' },
            id: { type: 'Guid', value: guid },
            bytes: Uint8Array.from([1, 2, 255]),
          },
        ],
      ]);
      await table.createEntity({ partitionKey: 'q', rowKey: 'eve', name: '', age: 39, text: '39' });
      return table;
    })();
    return made;
  };

  for (const [filter, expected] of [
    [odata`name eq ${'Ann'}`, 'ann'],
    [odata`name eq ${"O'Hara"}`, 'bob'],
    ["name eq 'O''Hara'", 'bob'],
    [odata`name eq ${''}`, 'eve'],
    [odata`name ne ${''}`, 'ann bob cat'],
    [odata`name ge ${'A'} and name lt ${'B'}`, 'ann'],
    [odata`name gt ${'O'}`, 'bob cat'],
    [odata`age eq ${39}`, 'ann eve'],
    [odata`age lt ${0}`, 'bob'],
    [odata`age ge ${-5} and age le ${39}`, 'ann bob eve'],
    [odata`age ne ${39}`, 'bob'],
    [odata`not (age ne ${39})`, 'ann cat dan eve'],
    [odata`active eq ${true}`, 'ann'],
    [odata`active eq ${false}`, 'bob'],
    ['active', 'ann'],
    ['not active', 'bob cat dan eve'],
    ['active and age gt 3', 'ann'],
    ['count eq 9007199254740993L', 'bob'],
    ['count eq 9007199254740992L', ''],
    ['count gt 1', 'bob'],
    [odata`count eq ${1}`, 'ann'],
    [odata`height eq ${1.5}`, 'cat'],
    ['height gt 1', 'cat'],
    ['height lt 1.5E+3', 'cat'],
    ['whole eq 2', 'cat'],
    ['whole eq 2.0', 'cat'],
    ['age eq 39.0', ''],
    ['age eq 39L', ''],
    ["age eq '39'", ''],
    ['text eq 39', ''],
    [odata`born lt ${new Date('2020-01-01T00:00:00.001Z')}`, 'dan'],
    [odata`born ge ${new Date('2020-01-01T00:00:00.001Z')}`, ''],
    ["born eq datetime'2020-01-01T00:00:00.0000005Z'", 'dan'],
    ["born gt datetime'2020-01-01T00:00:00.0000005Z'", ''],
    [`id eq guid'${guid}'`, 'dan'],
    [`id eq guid'${guid.toUpperCase()}'`, 'dan'],
    [`id ne guid'${guid}'`, ''],
    ["bytes eq X'0102ff'", 'dan'],
    ["bytes eq binary'0102FF'", 'dan'],
    ["bytes gt X'0102'", 'dan'],
    [odata`PartitionKey eq ${'p'}`, 'ann bob cat dan'],
    [odata`PartitionKey eq ${'p'} and RowKey eq ${'bob'}`, 'bob'],
    [odata`PartitionKey eq ${'p'} and RowKey ge ${'b'} and RowKey lt ${'d'}`, 'bob cat'],
    [odata`PartitionKey eq ${'p'} and (RowKey eq ${'dan'} or RowKey eq ${'ann'})`, 'ann dan'],
    [odata`PartitionKey gt ${'p'}`, 'eve'],
    [odata`PartitionKey ne ${'p'}`, 'eve'],
    [odata`RowKey gt ${'cat'}`, 'dan eve'],
    [odata`PartitionKey eq ${'q'} or RowKey eq ${'ann'}`, 'ann eve'],
    [odata`not (PartitionKey eq ${'p'} and RowKey le ${'cat'})`, 'dan eve'],
    ["'ann' eq RowKey", 'ann'],
    ['39 eq age', 'ann eve'],
    ['0 gt age', 'bob'],
    ["name eq 'Ann' or name eq 'ann' and age eq 39", 'ann'],
    ["(name eq 'Ann' or name eq 'ann') and not (age eq 39)", 'cat'],
    ["Timestamp ge datetime'2020-01-01T00:00:00Z'", 'ann bob cat dan eve'],
    ["Timestamp lt datetime'2020-01-01T00:00:00Z'", ''],
    ['missing eq 1 or missing ne 1', ''],
    ['true', 'ann bob cat dan eve'],
    ['', 'ann bob cat dan eve'],
  ] as const) {
    it(`finds "${expected}" with ${filter || 'an empty text'}`, async () => {
      assert.equal(await rowKeysOf(await people(), filter), expected);
    });
  }

  it('may be long', async () => {
    const names = Array.from({ length: 100 }, (_, index) => odata`name eq ${`name ${index}`}`);
    assert.equal(await rowKeysOf(await people(), [...names, odata`name eq ${'Ann'}`].join(' or ')), 'ann');
  });

  it('is refused where it is wrong, or more than the service implements', async () => {
    const table = await people();
    await assert.rejects(rowKeysOf(table, 'aaa bbb ccc'), refusal(400, 'InvalidInput'));
    await assert.rejects(rowKeysOf(table, "name eq 'open"), refusal(400, 'InvalidInput'));
    await assert.rejects(rowKeysOf(table, 'name eq age'), refusal(501, 'NotImplemented'));
    await assert.rejects(rowKeysOf(table, "startswith(name,'A')"), refusal(501, 'NotImplemented'));
  });
});

describe('a list of entities, through the official client', () => {
  const server = useServer();

  it('is empty for an empty table', async () => {
    const table = await freshTable(server);
    assert.deepEqual(await collect(table.listEntities()), []);
    const pages = await collect(table.listEntities().byPage());
    assert.equal(pages.length, 1);
    assert.equal(pages[0]?.continuationToken, undefined);
  });

  it('ascends by partition key and row key, ordinally', async () => {
    const table = await freshTable(server);
    const keys = [
      ['a', '2'],
      ['B', '1'],
      ['a', '10'],
      ['a', ''],
      ['', 'z'],
      ['ab', '0'],
      ['a!', '0'],
    ] as const;
    for (const [partitionKey, rowKey] of keys) await table.createEntity({ partitionKey, rowKey });
    const found = await collect(table.listEntities());
    assert.deepEqual(
      found.map(({ partitionKey, rowKey }) => `${partitionKey}|${rowKey}`),
      ['|z', 'B|1', 'a|', 'a|10', 'a|2', 'a!|0', 'ab|0'],
    );
  });

  it('shows what is selected, with the ETag of each', async () => {
    const table = await freshTable(server);
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

  it('shows typed values where conversion is off', async () => {
    const table = await freshTable(server);
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', a: 1, b: 1.5, c: 'x', d: true, e: 1n });
    const [entity] = await collect(table.listEntities({ disableTypeConversion: true }));
    assert.deepEqual(
      [entity?.a, entity?.b, entity?.c, entity?.d, entity?.e],
      [
        { type: 'Int32', value: '1' },
        { type: 'Double', value: '1.5' },
        { type: 'String', value: 'x' },
        { type: 'Boolean', value: 'true' },
        { type: 'Int64', value: '1' },
      ],
    );
    assert.equal(entity?.rowKey, 'r');
  });

  it('comes in pages of a thousand, read on by the client', async () => {
    const table = await freshTable(server);
    await fill(table, 'p', 1500);
    await fill(table, 'q', 600);
    const pages = await collect(table.listEntities().byPage());
    assert.deepEqual(
      pages.map(page => page.length),
      [1000, 1000, 100],
    );
    const all = await collect(table.listEntities());
    assert.deepEqual(
      all.map(({ partitionKey, number }) => [partitionKey, number]),
      [
        ...Array.from({ length: 1500 }, (_, number) => ['p', number]),
        ...Array.from({ length: 600 }, (_, number) => ['q', number]),
      ],
    );
  });

  it('comes in pages as small as asked for, each entity once, also where partitions end', async () => {
    const table = await freshTable(server);
    for (const partitionKey of ['a', 'b', 'c']) await fill(table, partitionKey, 7);
    for (const maxPageSize of [1, 3, 7, 20, 21, 22]) {
      const pages = await collect(table.listEntities().byPage({ maxPageSize }));
      assert.equal(pages.length, Math.ceil(21 / maxPageSize));
      assert.equal(pages.at(-1)?.continuationToken, undefined);
      for (const page of pages.slice(0, -1)) assert.equal(page.length, maxPageSize);
      const keys = pages.flatMap(page => page.map(({ partitionKey, rowKey }) => `${partitionKey}${rowKey}`));
      assert.equal(new Set(keys).size, 21);
    }
  });

  it('comes in pages of the entities that match, with filter and selection on each page', async () => {
    const table = await freshTable(server);
    await fill(table, 'p', 50);
    const queryOptions = {
      filter: 'number ge 10 and number lt 30 and not (number eq 20)',
      select: ['number'],
    };
    const pages = await collect(table.listEntities({ queryOptions }).byPage({ maxPageSize: 5 }));
    assert.deepEqual(
      pages.map(page => page.length),
      [5, 5, 5, 4],
    );
    const entities = pages.flat();
    for (const entity of entities) assert.equal(entity.rowKey, undefined);
    assert.deepEqual(
      entities.map(({ number }) => number),
      Array.from({ length: 20 }, (_, index) => index + 10).filter(number => number !== 20),
    );
  });

  it('is continued by a token in another client', async () => {
    const table = await freshTable(server);
    await fill(table, "it's", 10);
    const seen: unknown[] = [];
    let continuationToken: string | undefined;
    do {
      const other = await tableClient(server, table.tableName);
      const settings = { maxPageSize: 4, ...(continuationToken === undefined ? {} : { continuationToken }) };
      const { value: page } = await other.listEntities().byPage(settings).next();
      for (const entity of page) seen.push(entity.number);
      continuationToken = page.continuationToken;
    } while (continuationToken !== undefined);
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('is continued behind an entity that was deleted meanwhile, and sees one that came', async () => {
    const table = await freshTable(server);
    await fill(table, 'p', 6);
    const { value: first } = await table.listEntities().byPage({ maxPageSize: 2 }).next();
    await table.deleteEntity('p', '00002');
    await table.createEntity({ partitionKey: 'p', rowKey: '00002a', number: 2.5 });
    await table.createEntity({ partitionKey: 'p', rowKey: '00000a', number: 0.5 });
    const settings = { maxPageSize: 10, continuationToken: first.continuationToken };
    const { value: rest } = await table.listEntities().byPage(settings).next();
    assert.deepEqual(
      rest.map(({ number }: { number: number }) => number),
      [2.5, 3, 4, 5],
    );
  });

  it('is refused for a page of more than a thousand, and for a token that is none', async () => {
    const table = await freshTable(server);
    const invalid = refusal(400, 'InvalidInput');
    await assert.rejects(collect(table.listEntities().byPage({ maxPageSize: 1001 })), invalid);
    const token = Buffer.from(JSON.stringify({ nextPartitionKey: 'x', nextRowKey: 'y' })).toString('base64');
    await assert.rejects(collect(table.listEntities().byPage({ continuationToken: token })), invalid);
  });
});
