import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defaultServiceProperties } from '../../src/account/service-properties.ts';
import { ServiceError } from '../../src/errors.ts';
import * as limits from '../../src/limits.ts';
import { compareKeys, firstKey, type Key, type KeyRange, partitionRange } from '../../src/store/key.ts';
import { ModelStore } from '../../src/store/model.ts';
import type { Page, ScanOptions, Store } from '../../src/store/store.ts';
import { decideRows, put, type RowIntent } from './rule.ts';

type TestStore = Store<RowIntent>;

/** Opens an empty store with `decideRows`; `closed` is called when the test is done with it. */
export type OpenStore = () => { store: TestStore; closed: () => Promise<void> };

const account = 'account1';
const all: ScanOptions = { limit: 1000, bytesMax: limits.pageBytesMax, durationMsMax: 5000 };
const everything: KeyRange[] = [{ from: firstKey }];

/** What store.ts promises, held against one store. Every store runs exactly this. */
export function describeStoreContract(name: string, open: OpenStore): void {
  const withTable =
    (run: (store: TestStore, table: { account: string; table: string }) => Promise<void>) => async () => {
      const { store, closed } = open();
      try {
        await store.createTable(account, 'People');
        await run(store, { account, table: 'people' });
      } finally {
        await closed();
      }
    };
  const putRow = (store: TestStore, table: { account: string; table: string }, key: Key, text: string) =>
    store.mutate(table, key.partitionKey, [key.rowKey], [put(text)], text.length);

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
        await assert.rejects(store.read(missing, firstKey, String), isNotFound);
        await assert.rejects(store.scan(missing, everything, all), isNotFound);
        await assert.rejects(putRow(store, missing, firstKey, 'x'), isNotFound);
      }),
    );

    it(
      'shows each read what was acknowledged before it, of rows and of tables',
      withTable(async (store, table) => {
        const key = { partitionKey: 'p', rowKey: 'r' };
        for (const text of ['first', 'second']) {
          await putRow(store, table, key, text);
          assert.equal(await store.read(table, key, String), text);
        }
        await store.deleteTable(account, 'people');
        await assert.rejects(store.read(table, key, String), { code: 'TableNotFound' });
        await store.createTable(account, 'people');
        assert.equal(await store.read(table, key, String), undefined);
      }),
    );

    it(
      'drops a table with its rows, and makes an empty one under the name',
      withTable(async (store, table) => {
        await putRow(store, table, { partitionKey: 'p', rowKey: 'r' }, 'x');
        assert.equal(await store.deleteTable(account, 'people'), true);
        assert.equal(await store.deleteTable(account, 'people'), false);
        await assert.rejects(store.read(table, firstKey, String), { code: 'TableNotFound' });
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
      'sets the properties of a service of an account that are given, and of no other',
      withTable(async store => {
        assert.equal(await store.readServiceProperties(account, 'table'), undefined);
        const logging = { ...defaultServiceProperties.logging, read: true };
        const hourMetrics = { ...defaultServiceProperties.hourMetrics, enabled: true, includeApis: false };
        await Promise.all([
          store.updateServiceProperties(account, 'table', { logging }),
          store.updateServiceProperties(account, 'table', { hourMetrics }),
        ]);
        const set = { ...defaultServiceProperties, logging, hourMetrics };
        assert.deepEqual(await store.readServiceProperties(account, 'table'), set);
        await store.updateServiceProperties(account, 'table', { hourMetrics: set.minuteMetrics });
        assert.deepEqual(await store.readServiceProperties(account, 'table'), {
          ...set,
          hourMetrics: set.minuteMetrics,
        });
        assert.equal(await store.readServiceProperties(account, 'queue'), undefined);
        assert.equal(await store.readServiceProperties('account2', 'table'), undefined);
      }),
    );
  });

  describe(`the contract of ${name}: mutate`, () => {
    it(
      'decides by the rows as they are, in the order of the row keys, and writes what was decided',
      withTable(async (store, table) => {
        await putRow(store, table, { partitionKey: 'p', rowKey: 'b' }, 'old b');
        await putRow(store, table, { partitionKey: 'p', rowKey: 'd' }, 'old d');
        await putRow(store, table, { partitionKey: 'p', rowKey: 'c' }, 'old c');
        const append = (text: string): RowIntent => ({ to: 'append', text });
        const intents: RowIntent[] = [append('new d'), { to: 'remove' }, append('new a'), append('new b')];
        await store.mutate(table, 'p', ['d', 'c', 'a', 'b'], intents, 0);
        const { rows } = await store.scan(table, everything, all);
        assert.deepEqual(rows.map(String), ['nothing, new a', 'old b, new b', 'old d, new d']);
      }),
    );

    it(
      'writes nothing when the decision is a refusal, and rejects with it',
      withTable(async (store, table) => {
        const refused = store.mutate(table, 'p', ['a', 'b'], [put('a'), { to: 'refuse' }], 0);
        await assert.rejects(refused, error => {
          assert.ok(error instanceof ServiceError);
          const { code, message, status, particulars } = error;
          assert.deepEqual([code, message, status], ['UpdateConditionNotSatisfied', 'as was asked', 412]);
          assert.equal(particulars.index, 1);
          return true;
        });
        assert.deepEqual((await store.scan(table, everything, all)).rows, []);
      }),
    );

    it(
      'writes nothing when the decision throws, and goes on',
      withTable(async (store, table) => {
        const broken = store.mutate(table, 'p', ['a'], [{ to: 'fail' }], 0);
        await assert.rejects(broken, /a bug/);
        await putRow(store, table, { partitionKey: 'p', rowKey: 'b' }, 'b');
        assert.deepEqual((await store.scan(table, everything, all)).rows.map(String), ['b']);
      }),
    );

    it(
      'gives each write a greater tick, concurrent ones too',
      withTable(async (store, table) => {
        const ticks = await Promise.all(
          Array.from({ length: 200 }, (_, index) =>
            store.mutate(table, `p${index % 7}`, [`${index}`], [{ to: 'stamp' }], 1),
          ),
        );
        assert.equal(new Set(ticks).size, 200);
        const { rows } = await store.scan(table, everything, all);
        assert.deepEqual(rows.map(String).toSorted(), ticks.map(String).toSorted());
        assert.deepEqual(
          ticks,
          ticks.toSorted((a, b) => (a < b ? -1 : 1)),
        );
      }),
    );

    it(
      'lets exactly one of racing conditional writes win',
      withTable(async (store, table) => {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 50 }, (_, index) =>
            store.mutate(table, 'p', ['r'], [{ to: 'insert', text: `${index}` }], 1),
          ),
        );
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'EntityAlreadyExists');
        }
      }),
    );

    it(
      'counts exactly under concurrent increments of several rows',
      withTable(async (store, table) => {
        const keys = ['a', 'b', 'c'];
        const counts = keys.map(() => ({ to: 'count' }) as const);
        await Promise.all(Array.from({ length: 300 }, () => store.mutate(table, 'p', keys, counts, 3)));
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
          await putRow(store, table, key, 'x');
          assert.equal(await store.read(table, key, String), 'x');
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
        for (const key of keys.toReversed()) await putRow(store, table, key, JSON.stringify(key));
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
          await putRow(store, table, { partitionKey: 'p', rowKey }, rowKey.repeat(10));
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
        for (const rowKey of rowKeys)
          await putRow(store, table, { partitionKey: 'p', rowKey }, `row ${rowKey}`);
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
          await putRow(
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
          const model = new ModelStore(decideRows);
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

type Act = (store: TestStore) => Promise<unknown>;

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
              // The text holds what was there: rows that are read later show what this write saw.
              const intents = rowKeys.map(
                (): RowIntent => (isDelete ? { to: 'remove' } : { to: 'append', text }),
              );
              await store.mutate({ account, table }, partitionKey, rowKeys, intents, 0);
              return undefined;
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
        codeOf(async () => store.read({ account, table }, { partitionKey, rowKey }, String)),
  ),
);
