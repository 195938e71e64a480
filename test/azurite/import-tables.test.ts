import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { defaultServiceProperties } from '../../src/account/service-properties.ts';
import {
  ImportError,
  type ImportOptions,
  type ImportReport,
  importTables,
} from '../../src/azurite/import-tables.ts';
import { type Candidate, decideInserts } from '../../src/azurite/insert-round.ts';
import { type ReadChunks, readTableFile } from '../../src/azurite/table-file.ts';
import { firstKey, type Key } from '../../src/store/key.ts';
import { type LmdbStore, openLmdbStore } from '../../src/store/lmdb/lmdb-store.ts';
import type { Decide, TableAddress } from '../../src/store/store.ts';
import { parseEntity } from '../../src/table/entity/parse-entity.ts';
import { formatRow, readProperties, readTick } from '../../src/table/entity/row.ts';
import { parseTicks } from '../../src/ticks.ts';

const fixtures = new URL('./fixtures/', import.meta.url);
const fixture = readFileSync(new URL('table-file.json', fixtures));
const fixtureChunks: ReadChunks = () => [fixture];

interface EmulatorAnswer {
  readonly account: string;
  readonly table: string;
  readonly body: string;
}
/** What the emulator itself answered to queries of the fixture's tables. */
const answers = JSON.parse(readFileSync(new URL('answers.json', fixtures), 'utf8')) as EmulatorAnswer[];

/** Later than the fixture, whose Timestamps are from when it was made. */
const afterFixtureMs = Date.parse('2100-01-01T00:00:00Z');

/** What others than an import do to a row: its properties as the row holds them, null to delete it. */
interface Change {
  readonly key: Key;
  readonly text: string | null;
}

const decide: Decide<Candidate | Change> = (intents, current, tick) =>
  'key' in (intents[0] as Candidate | Change)
    ? (intents as readonly Change[]).map(({ key, text }) =>
        text === null ? null : formatRow(key, tick, text),
      )
    : decideInserts(intents as readonly Candidate[], current, tick);

type ImportStore = LmdbStore<Candidate | Change>;

function openStore(t: TestContext, nowMs = afterFixtureMs): ImportStore {
  const store = openLmdbStore({ folder: undefined, decide, now: () => nowMs });
  t.after(() => store.close());
  return store;
}

interface Run extends ImportReport {
  readonly messages: string[];
}

async function run(store: ImportStore, options: ImportOptions = {}, chunks = fixtureChunks): Promise<Run> {
  const messages: string[] = [];
  const observer = { onLeftOut: (message: string) => messages.push(message), onProgress: () => {} };
  const report = await importTables(readTableFile(chunks), chunks, store, options, observer);
  return { ...report, messages };
}

async function rowsOf(store: ImportStore, address: TableAddress): Promise<Buffer[]> {
  const page = await store.scan(address, [{ from: firstKey }], {
    limit: 10_000,
    bytesMax: 1e9,
    durationMsMax: 60_000,
  });
  return [...page.rows];
}

interface Document {
  readonly PartitionKey: string;
  readonly RowKey: string;
  readonly properties: Record<string, unknown>;
  readonly lastModifiedTime?: string;
}

/** A file with one table of the development account. */
function fileOf(table: string, documents: readonly Document[]): ReadChunks {
  const account = 'devstoreaccount1';
  const text = JSON.stringify({
    collections: [
      { name: '$TABLES_COLLECTION$', data: [{ account, table }] },
      { name: `${account}$${table}`, data: documents },
    ],
  });
  return () => [Buffer.from(text)];
}

function document(PartitionKey: string, RowKey: string, properties: Record<string, unknown> = {}): Document {
  return { PartitionKey, RowKey, properties };
}

const people: TableAddress = { account: 'devstoreaccount1', table: 'People' };

describe('importTables', () => {
  it('brings what the emulator answered: keys, types, values and Timestamps of every entity', async t => {
    const store = openStore(t);
    await run(store);
    for (const { account, table, body } of answers) {
      const expected = [...body.matchAll(/\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/g)]
        .map(([text]) => text)
        .filter(text => !text.includes('"sinceEpoch"')) // not an entity that could be sent to us
        .map(text => {
          const { partitionKey = '', rowKey = '', properties } = parseEntity(Buffer.from(text));
          const timestamp = /"Timestamp":"([^"]*)"/.exec(text)?.[1] as string;
          const sorted = properties.toSorted((a, b) => (a.name < b.name ? -1 : 1));
          return { partitionKey, rowKey, tick: parseTicks(timestamp), properties: sorted };
        });
      const actual = (await rowsOf(store, { account, table })).map(row => {
        const { PartitionKey: partitionKey, RowKey: rowKey } = JSON.parse(row.toString());
        const properties = readProperties(row).toSorted((a, b) => (a.name < b.name ? -1 : 1));
        return { partitionKey, rowKey, tick: readTick(row), properties };
      });
      const byKey = (list: typeof expected) =>
        new Map(list.map(entity => [JSON.stringify([entity.partitionKey, entity.rowKey]), entity]));
      const found = byKey(actual);
      if (table === 'Types') assert.equal(found.delete(JSON.stringify(['types', 'beyond'])), true);
      assert.equal(expected.length, { People: 5, Types: 11, oddkeys: 32 }[table]);
      assert.deepEqual(found, byKey(expected));
    }
  });

  it('keeps the casing of tables, also of empty ones, and the accounts apart', async t => {
    const store = openStore(t);
    const report = await run(store);
    assert.deepEqual(await store.listTables('devstoreaccount1', '', 100), [
      'Empty',
      'loose',
      'oddkeys',
      'People',
      'Types',
    ]);
    assert.deepEqual(await store.listTables('second', '', 100), ['Empty', 'People']);
    assert.equal(report.tables, 7);
    assert.equal(report.entities, 56);
    const second = await store.read(
      { ...people, account: 'second' },
      { partitionKey: 'Sales', rowKey: '000224' },
      String,
    );
    assert.match(String(second), /"account":"second"/);
  });

  it('brings access policies and service properties', async t => {
    const store = openStore(t);
    const report = await run(store);
    assert.equal(report.accessPolicies, 2);
    assert.equal(report.serviceProperties, 1);
    const times = { start: '2024-01-02T03:04:05.0000000Z', expiry: '2034-01-02T03:04:05.0000000Z' };
    assert.deepEqual(await store.readAccessPolicies(people), [
      { id: 'readers', ...times, permissions: 'r' },
      { id: 'keepers', ...times, permissions: 'raud' },
    ]);
    assert.deepEqual(await store.readAccessPolicies({ ...people, table: 'Empty' }), []);
    const properties = await store.readServiceProperties('devstoreaccount1', 'table');
    assert.deepEqual(properties?.logging.retention, { enabled: true, days: 7 });
    assert.deepEqual(properties?.cors[0]?.allowedOrigins, ['https://example.com', 'https://example.org']);
    assert.equal(await store.readServiceProperties('second', 'table'), undefined);
  });

  it('keeps settings that are there, and says which of the file it leaves out', async t => {
    const store = openStore(t);
    await run(store);
    assert.deepEqual((await run(store, { merge: true })).messages.length, 8);
    const policies = [{ id: 'mine' }];
    await store.writeAccessPolicies(people, policies);
    const changed = {
      ...defaultServiceProperties,
      logging: { ...defaultServiceProperties.logging, read: true },
    };
    await store.updateServiceProperties('devstoreaccount1', 'table', changed);
    const { messages } = await run(store, { merge: true });
    assert.equal(messages.length, 10);
    assert.equal(messages[0], 'service properties of devstoreaccount1: the account has others');
    assert.equal(messages[1], 'People, its access policies: the table has others');
    assert.deepEqual(await store.readAccessPolicies(people), policies);
    assert.deepEqual(await store.readServiceProperties('devstoreaccount1', 'table'), changed);
  });

  it('leaves out what breaks our limits, says what and why, and goes on', async t => {
    const store = openStore(t);
    const { leftOut, messages } = await run(store);
    assert.equal(leftOut, 8);
    const about = (rowKey: string): string =>
      messages.find(message => message.startsWith(`loose, PartitionKey "loose", RowKey "${rowKey}": `)) ?? '';
    assert.match(about('name'), /'with-dash': PropertyNameInvalid/);
    assert.match(about('many'), /TooManyProperties/);
    assert.match(about('early'), /'date': OutOfRangeInput/);
    assert.match(about('int64'), /'wide' is no Edm\.Int64/);
    const left = await rowsOf(store, { account: 'devstoreaccount1', table: 'loose' });
    assert.deepEqual(
      left.map(row => JSON.parse(row.toString()).RowKey),
      ['after', 'good'],
    );
  });

  it('refuses where a table is there, in any case, and writes nothing', async t => {
    const store = openStore(t);
    await store.createTable('devstoreaccount1', 'PEOPLE');
    await assert.rejects(
      run(store),
      (error: Error) =>
        error instanceof ImportError && error.message.startsWith('there already: devstoreaccount1/PEOPLE; '),
    );
    assert.deepEqual(await store.listTables('devstoreaccount1', '', 100), ['PEOPLE']);
    assert.deepEqual(await rowsOf(store, people), []);
  });

  it('adds what is missing with merge, and changes nothing that is there', async t => {
    const store = openStore(t);
    await run(store);
    const before = await rowsOf(store, people);
    const change = (key: Key, text: string | null) =>
      store.mutate(people, key.partitionKey, [key.rowKey], [{ key, text }], 0);
    await change({ partitionKey: 'Sales', rowKey: '000223' }, null);
    const key = { partitionKey: 'Sales', rowKey: '000224' };
    await change(key, ',"mine":true');
    const changed = await store.read(people, key, String);

    const again = await run(store, { account: 'devstoreaccount1', merge: true });
    assert.equal(again.entities, 1);
    assert.equal(again.alreadyThere, 49);
    assert.deepEqual(
      again.messages.filter(message => message.startsWith('People')),
      ['People, PartitionKey "Sales", RowKey "000224": it is there with other properties'],
    );
    const after = await rowsOf(store, people);
    assert.deepEqual(await store.read(people, key, String), changed);
    assert.deepEqual(after.slice(2), before.slice(2));
    const restored = after[0] as Buffer;
    assert.deepEqual(readProperties(restored), readProperties(before[0] as Buffer));
    // Its key had another life here: the time of the import, so that no ETag comes back.
    assert.equal(readTick(restored) > readTick(Buffer.from(changed as string)), true);
  });

  it('does nothing the second time with merge', async t => {
    const store = openStore(t);
    await run(store);
    const before = await rowsOf(store, people);
    const again = await run(store, { merge: true });
    assert.equal(again.entities, 0);
    assert.equal(again.alreadyThere, 56);
    assert.deepEqual(await rowsOf(store, people), before);
  });

  it('gives an entity the time of the import where the file has none, or one of the future', async t => {
    const store = openStore(t, Date.parse('2020-01-01T00:00:00Z'));
    const chunks = fileOf('People', [
      { ...document('p', 'none'), lastModifiedTime: '' },
      { ...document('p', 'future'), lastModifiedTime: '2021-01-01T00:00:00.0000000Z' },
      { ...document('p', 'past'), lastModifiedTime: '2019-01-01T00:00:00.0000000Z' },
    ]);
    await run(store, {}, chunks);
    const years = (await rowsOf(store, people)).map(row => JSON.parse(row.toString()).Timestamp.slice(0, 4));
    assert.deepEqual(years, ['2020', '2020', '2019']);
  });

  it('imports one account, into another if asked to', async t => {
    const store = openStore(t);
    const { tables } = await run(store, { account: 'second', into: 'mine' });
    assert.equal(tables, 2);
    assert.deepEqual(await store.listTables('mine', '', 100), ['Empty', 'People']);
    assert.deepEqual(await store.listTables('second', '', 100), []);
    await assert.rejects(
      run(store, { into: 'mine' }),
      /the accounts devstoreaccount1, second: say with --account/,
    );
    await assert.rejects(run(store, { account: 'third' }), /nothing of an account 'third'; it has devstore/);
    await assert.rejects(
      run(store, { account: 'second', into: 'Not-Ours' }),
      /can have an account 'Not-Ours'/,
    );
  });

  it('leaves out a table with a name that none can have', async t => {
    const store = openStore(t);
    const { tables, messages } = await run(store, {}, fileOf('$MetricsHour', [document('p', 'r')]));
    assert.equal(tables, 0);
    assert.deepEqual(messages.length, 1);
    assert.match(messages[0] as string, /^table \$MetricsHour: InvalidResourceName/);
  });

  it('keeps the first of two entities with the same keys', async t => {
    const store = openStore(t);
    const twice = [document('p', 'r', { n: 1 }), document('p', 'r', { n: 2 }), document('p', 's', { n: 3 })];
    const { entities, messages } = await run(store, {}, fileOf('People', twice));
    assert.equal(entities, 2);
    assert.deepEqual(messages, ['People, PartitionKey "p", RowKey "r": it is there with other properties']);
    const [first] = await rowsOf(store, people);
    assert.match(String(first), /"n":1\}/);
  });

  it('brings partitions and entities of any number and size, in any order', async t => {
    const store = openStore(t);
    // More than a round holds, by partitions and by bytes; partitions interleaved, some larger than a transaction.
    const documents = Array.from({ length: 5000 }, (_, index) =>
      document(index % 2 === 0 ? `p${index % 7}` : `own${index}`, `r${index}`, { index }),
    );
    for (let index = 0; index < 40; index++) {
      const fields = Array.from({ length: 15 }, (_, field) => [`f${field}`, 'z'.repeat(32_000)]);
      documents.push(document(`large${index}`, '', Object.fromEntries(fields)));
    }
    const { entities, leftOut } = await run(store, {}, fileOf('People', documents));
    assert.deepEqual({ entities, leftOut }, { entities: 5040, leftOut: 0 });
    assert.equal(store.entityCount, 5040);
    const row = await store.read(people, { partitionKey: 'p1', rowKey: 'r4992' }, String);
    assert.match(String(row), /"index":4992\}/);
  });
});
