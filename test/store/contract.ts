import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defaultServiceProperties } from '../../src/account/service-properties.ts';
import { ServiceError } from '../../src/errors.ts';
import * as limits from '../../src/limits.ts';
import { compareKeys, firstKey, type Key, type KeyRange, partitionRange } from '../../src/store/key.ts';
import { ModelStore } from '../../src/store/model.ts';
import type { Page, ScanOptions, Store } from '../../src/store/store.ts';

/** Opens an empty store; `closed` is called when the test is done with it. */
export type OpenStore = () => { store: Store; closed: () => Promise<void> };

const account = 'account1';
const all: ScanOptions = { limit: 1000, bytesMax: limits.pageBytesMax, durationMsMax: 5000 };
const everything: KeyRange[] = [{ from: firstKey }];

/** What store.ts promises, held against one store. Every store runs exactly this. */
export function describeStoreContract(name: string, open: OpenStore): void {
  const withTable =
    (run: (store: Store, table: { account: string; table: string }) => Promise<void>) => async () => {
      const { store, closed } = open();
      try {
        await store.createTable(account, 'People');
        await run(store, { account, table: 'people' });
      } finally {
        await closed();
      }
    };
  const put = (store: Store, table: { account: string; table: string }, key: Key, text: string) =>
    store.mutate(table, key.partitionKey, [key.rowKey], () => ({ rows: [Buffer.from(text)] }), text.length);

  describe(`the contract of ${name}: tables`, () => {
    it(
      'keeps the case of a name and compares without it',
      withTable(async store => {
        assert.equal(await store.createTable(account, 'PEOPLE'), false);
        assert.equal(await store.readTable(account, 'pEOPLE'), 'People');
        assert.equal(await store.readTable('account2', 'People'), undefined);
      }),
    );

    it(
      'lists the tables of one account in the order of their lower-case names, from a name on',
      withTable(async store => {
        for (const table of ['zebra', 'Apple', 'banana']) await store.createTable(account, table);
        await store.createTable('account2', 'other');
        assert.deepEqual(await store.listTables(account, '', 10), ['Apple', 'banana', 'People', 'zebra']);
        assert.deepEqual(await store.listTables(account, 'banana', 2), ['banana', 'People']);
      }),
    );

    it(
      'refuses to read, write or scan a table that is not there',
      withTable(async store => {
        const missing = { account, table: 'missing' };
        const isNotFound = { code: 'TableNotFound' };
        await assert.rejects(store.read(missing, firstKey), isNotFound);
        await assert.rejects(store.scan(missing, everything, all), isNotFound);
        await assert.rejects(put(store, missing, firstKey, 'x'), isNotFound);
      }),
    );

    it(
      'shows each read what was acknowledged before it, of rows and of tables',
      withTable(async (store, table) => {
        const key = { partitionKey: 'p', rowKey: 'r' };
        for (const text of ['first', 'second']) {
          await put(store, table, key, text);
          assert.equal((await store.read(table, key))?.toString(), text);
        }
        await store.deleteTable(account, 'people');
        await assert.rejects(store.read(table, key), { code: 'TableNotFound' });
        await store.createTable(account, 'people');
        assert.equal(await store.read(table, key), undefined);
      }),
    );

    it(
      'drops a table with its rows, and makes an empty one under the name',
      withTable(async (store, table) => {
        await put(store, table, { partitionKey: 'p', rowKey: 'r' }, 'x');
        assert.equal(await store.deleteTable(account, 'people'), true);
        assert.equal(await store.deleteTable(account, 'people'), false);
        await assert.rejects(store.read(table, firstKey), { code: 'TableNotFound' });
        assert.equal(await store.createTable(account, 'people'), true);
        assert.deepEqual((await store.scan(table, everything, all)).rows, []);
      }),
    );
  });

  describe(`the contract of ${name}: what an owner sets`, () => {
    const policies = [
      { id: 'second', start: '2026-01-01T00:00:00.0000000Z', permissions: 'r' },
      { id: 'first' },
    ];

    it(
      'keeps the access policies of a table, in their order, until they are replaced or the table is dropped',
      withTable(async (store, table) => {
        assert.deepEqual(await store.readAccessPolicies(table), []);
        await store.writeAccessPolicies(table, policies);
        assert.deepEqual(await store.readAccessPolicies(table), policies);
        await store.writeAccessPolicies(table, []);
        assert.deepEqual(await store.readAccessPolicies(table), []);
        await store.writeAccessPolicies(table, policies);
        await store.deleteTable(account, 'people');
        await assert.rejects(store.readAccessPolicies(table), { code: 'TableNotFound' });
        await assert.rejects(store.writeAccessPolicies(table, policies), { code: 'TableNotFound' });
        await store.createTable(account, 'people');
        assert.deepEqual(await store.readAccessPolicies(table), []);
      }),
    );

    it(
      'changes the properties of a service of an account in one step, and of no other',
      withTable(async store => {
        assert.equal(await store.readServiceProperties(account, 'table'), undefined);
        const retain = (days: number) =>
          store.updateServiceProperties(account, 'table', (current = defaultServiceProperties) => ({
            ...current,
            logging: {
              ...current.logging,
              retention: { enabled: true, days: (current.logging.retention.days ?? 0) + days },
            },
          }));
        await Promise.all([retain(1), retain(2), retain(4)]);
        const properties = await store.readServiceProperties(account, 'table');
        assert.deepEqual(properties?.logging.retention, { enabled: true, days: 7 });
        assert.deepEqual(properties?.hourMetrics, defaultServiceProperties.hourMetrics);
        assert.equal(await store.readServiceProperties(account, 'queue'), undefined);
        assert.equal(await store.readServiceProperties('account2', 'table'), undefined);
      }),
    );

    it(
      'keeps the properties of a service as they were when the change throws',
      withTable(async store => {
        const broken = store.updateServiceProperties(account, 'table', () => {
          throw new Error('a bug');
        });
        await assert.rejects(broken, /a bug/);
        assert.equal(await store.readServiceProperties(account, 'table'), undefined);
      }),
    );
  });

  describe(`the contract of ${name}: mutate`, () => {
    it(
      'shows decide the rows as they are, in the order of the row keys, and writes what it answers',
      withTable(async (store, table) => {
        await put(store, table, { partitionKey: 'p', rowKey: 'b' }, 'old b');
        await put(store, table, { partitionKey: 'p', rowKey: 'd' }, 'old d');
        let seen: (string | undefined)[] = [];
        await store.mutate(
          table,
          'p',
          ['d', 'a', 'b'],
          current => {
            seen = current.map(row => row?.toString());
            return { rows: [null, Buffer.from('new a'), Buffer.from('new b')] };
          },
          0,
        );
        assert.deepEqual(seen, ['old d', undefined, 'old b']);
        const { rows } = await store.scan(table, everything, all);
        assert.deepEqual(rows.map(String), ['new a', 'new b']);
      }),
    );

    it(
      'writes nothing when decide refuses, and hands the refusal over',
      withTable(async (store, table) => {
        const refusal = new ServiceError('UpdateConditionNotSatisfied');
        assert.deepEqual(await store.mutate(table, 'p', ['a', 'b'], () => ({ refusal }), 0), { refusal });
        assert.deepEqual((await store.scan(table, everything, all)).rows, []);
      }),
    );

    it(
      'writes nothing when decide throws, and goes on',
      withTable(async (store, table) => {
        const broken = store.mutate(
          table,
          'p',
          ['a'],
          () => {
            throw new Error('a bug');
          },
          0,
        );
        await assert.rejects(broken, /a bug/);
        await put(store, table, { partitionKey: 'p', rowKey: 'b' }, 'b');
        assert.deepEqual((await store.scan(table, everything, all)).rows.map(String), ['b']);
      }),
    );

    it(
      'gives each write a greater tick, concurrent ones too',
      withTable(async (store, table) => {
        const ticks: bigint[] = [];
        await Promise.all(
          Array.from({ length: 200 }, (_, index) =>
            store.mutate(
              table,
              `p${index % 7}`,
              [`${index}`],
              (_current, tick) => {
                ticks.push(tick);
                return { rows: [Buffer.from('x')] };
              },
              1,
            ),
          ),
        );
        assert.equal(new Set(ticks).size, 200);
        assert.deepEqual(
          ticks,
          ticks.toSorted((a, b) => (a < b ? -1 : 1)),
        );
      }),
    );

    it(
      'lets exactly one of racing conditional writes win',
      withTable(async (store, table) => {
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            store.mutate<string>(
              table,
              'p',
              ['r'],
              ([row]) => (row === undefined ? { rows: [Buffer.from(`${index}`)] } : { refusal: 'taken' }),
              1,
            ),
          ),
        );
        assert.equal(outcomes.filter(outcome => 'tick' in outcome).length, 1);
      }),
    );

    it(
      'counts exactly under concurrent increments of several rows',
      withTable(async (store, table) => {
        const increment = (row: Buffer | undefined): Buffer =>
          Buffer.from(String(Number(row?.toString() ?? 0) + 1));
        await Promise.all(
          Array.from({ length: 300 }, () =>
            store.mutate(table, 'p', ['a', 'b', 'c'], current => ({ rows: current.map(increment) }), 3),
          ),
        );
        const { rows } = await store.scan(table, everything, all);
        assert.deepEqual(rows.map(String), ['300', '300', '300']);
      }),
    );

    it(
      'takes the longest legal keys, random and incompressible',
      withTable(async (store, table) => {
        const random = (bytes: number): string =>
          Array.from({ length: bytes }, () => String.fromCharCode(0x21 + Math.floor(Math.random() * 90)))
            .join('')
            .replace(/[/\\#?]/g, 'x');
        const keys = [
          { partitionKey: random(1024), rowKey: random(1024) },
          { partitionKey: '𝔘'.repeat(512), rowKey: random(limits.keysUtf8BytesMax - 2048) },
          { partitionKey: '', rowKey: '漢'.repeat(866) },
        ];
        for (const key of keys) {
          await put(store, table, key, 'x');
          assert.equal((await store.read(table, key))?.toString(), 'x');
        }
        assert.equal((await store.scan(table, everything, all)).rows.length, keys.length);
      }),
    );
  });

  describe(`the contract of ${name}: scan`, () => {
    it(
      'returns rows by code point of the partition key, then the row key',
      withTable(async (store, table) => {
        const texts = ['', 'A', 'a', '10', '2', 'é', '\ue000', '𝔘', 'a ', 'a!', 'aa'];
        const keys = texts.flatMap(partitionKey => texts.map(rowKey => ({ partitionKey, rowKey })));
        for (const key of keys.toReversed()) await put(store, table, key, JSON.stringify(key));
        const { rows, next } = await store.scan(table, everything, all);
        assert.equal(next, undefined);
        assert.deepEqual(
          rows.map(row => JSON.parse(row.toString())),
          keys.toSorted(compareKeys),
        );
      }),
    );

    it(
      'ends a page at its limit, its bytes, and never in the middle, with the first key not looked at, and says why',
      withTable(async (store, table) => {
        for (const rowKey of ['a', 'b', 'c'])
          await put(store, table, { partitionKey: 'p', rowKey }, rowKey.repeat(10));
        const page = async (options: Partial<ScanOptions>): Promise<Page> =>
          store.scan(table, [partitionRange('p')], { ...all, ...options });
        const ends = async (options: Partial<ScanOptions>): Promise<unknown[]> => {
          const { end, examined, next } = await page(options);
          return [end, examined, next?.rowKey];
        };
        assert.deepEqual((await page({ limit: 2 })).next, { partitionKey: 'p', rowKey: 'c' });
        assert.deepEqual(await ends({ limit: 2 }), ['entities', 2, 'c']);
        assert.deepEqual(await ends({ bytesMax: 11 }), ['bytes', 2, 'c']);
        assert.deepEqual(await ends({ bytesMax: 10 }), ['bytes', 1, 'b']);
        assert.deepEqual(await ends({ limit: 0 }), ['entities', 0, 'a']);
        // Full just where its ranges end, too: there is nothing more.
        assert.deepEqual(await ends({ limit: 3 }), ['range end', 3, undefined]);
        assert.deepEqual(await ends({ bytesMax: 30 }), ['range end', 3, undefined]);
      }),
    );

    it(
      'returns of each row that matches what is asked of it, and counts the bytes of that',
      withTable(async (store, table) => {
        const rowKeys = Array.from({ length: 20 }, (_, index) => String(index + 10));
        for (const rowKey of rowKeys) await put(store, table, { partitionKey: 'p', rowKey }, `row ${rowKey}`);
        const shared = Buffer.alloc(3);
        const page = await store.scan(table, everything, {
          ...all,
          bytesMax: 24,
          matches: row => row.at(-1) !== '5'.charCodeAt(0),
          project(row) {
            shared.write(`${row.toString('latin1', 4)}!`);
            return shared;
          },
        });
        assert.deepEqual(page.rows.map(String), ['10!', '11!', '12!', '13!', '14!', '16!', '17!', '18!']);
        assert.deepEqual(page.next, { partitionKey: 'p', rowKey: '19' });
      }),
    );

    it(
      'counts what it examined apart from what matched',
      withTable(async (store, table) => {
        for (let index = 0; index < 30; index++) {
          await put(
            store,
            table,
            { partitionKey: 'p', rowKey: String(index) },
            index % 10 === 0 ? 'yes' : 'no',
          );
        }
        const matches = (row: Buffer): boolean => row.toString() === 'yes';
        const page = await store.scan(table, everything, { ...all, matches });
        assert.equal(page.rows.length, 3);
        assert.equal(page.examined, 30);
      }),
    );

    it(
      'stops when nobody waits for it',
      withTable(async (store, table) => {
        const isAbandoned = (): boolean => true;
        await assert.rejects(
          store.scan(table, everything, { ...all, isAbandoned }),
          /the scan was abandoned/,
        );
      }),
    );
  });

  describe(`the contract of ${name}: beside the model`, () => {
    it('answers random sequences of operations as the model does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 60 }), async operations => {
          const { store, closed } = open();
          const model = new ModelStore();
          try {
            for (const act of operations) assert.deepEqual(await act(store), await act(model));
          } finally {
            await closed();
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}

type Act = (store: Store) => Promise<unknown>;

const keyText = fc.constantFrom('', 'a', 'b', 'ab', 'a ', 'é', '\ue000', '𝔘');
const tableName = fc.constantFrom('one', 'ONE', 'two');
const bound = fc.record({
  partitionKey: fc.oneof(
    keyText,
    keyText.map(text => `${text}\0`),
  ),
  rowKey: fc.oneof(
    keyText,
    keyText.map(text => `${text}\0`),
  ),
});

async function codeOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return error instanceof ServiceError ? error.code : Promise.reject(error);
  }
}

const operation: fc.Arbitrary<Act> = fc.oneof(
  tableName.map(
    (name): Act =>
      store =>
        store.createTable(account, name),
  ),
  tableName.map(
    (name): Act =>
      store =>
        store.readTable(account, name),
  ),
  {
    weight: 1,
    arbitrary: tableName.map(
      (name): Act =>
        store =>
          store.deleteTable(account, name),
    ),
  },
  fc.constant<Act>(store => store.listTables(account, '', 10)),
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        tableName,
        keyText,
        fc.uniqueArray(keyText, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.string(),
      )
      .map(
        ([table, partitionKey, rowKeys, isDelete, text]): Act =>
          store =>
            codeOf(async () => {
              const seen: unknown[] = [];
              await store.mutate(
                { account, table },
                partitionKey,
                rowKeys,
                current => {
                  seen.push(current.map(row => row?.toString()));
                  return { rows: rowKeys.map(rowKey => (isDelete ? null : Buffer.from(`${rowKey}${text}`))) };
                },
                0,
              );
              return seen;
            }),
      ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(tableName, bound, bound, fc.integer({ min: 1, max: 5 })).map(
      ([table, a, b, limit]): Act =>
        store =>
          codeOf(async () => {
            const [from, to] = compareKeys(a, b) <= 0 ? [a, b] : [b, a];
            const page = await store.scan({ account, table }, [{ from, to }], { ...all, limit });
            return { ...page, rows: page.rows.map(String) };
          }),
    ),
  },
  fc.tuple(tableName, keyText, keyText).map(
    ([table, partitionKey, rowKey]): Act =>
      store =>
        codeOf(async () => (await store.read({ account, table }, { partitionKey, rowKey }))?.toString()),
  ),
);
