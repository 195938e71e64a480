import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  type ReadChunks,
  readDocuments,
  readTableFile,
  TableFileError,
} from '../../src/azurite/table-file.ts';

const bytes = readFileSync(new URL('./fixtures/table-file.json', import.meta.url));
const chunks: ReadChunks = () => [bytes];

function fileOf(value: unknown): ReadChunks {
  return () => [Buffer.from(JSON.stringify(value))];
}

/** In one buffer for all, as a reader of files has: what the last piece held is overwritten. */
function* pieces(whole: Buffer, length: number): Generator<Buffer> {
  const shared = Buffer.alloc(length);
  for (let at = 0; at < whole.length; at += length) {
    yield shared.subarray(0, whole.copy(shared, 0, at, at + length));
  }
}

const tablesOf = (...documents: unknown[]): unknown => ({ name: '$TABLES_COLLECTION$', data: documents });

describe('readTableFile', () => {
  it('finds the tables of every account with their casing, counts and access policies', () => {
    const { tables } = readTableFile(chunks);
    assert.deepEqual(
      tables.map(({ account, name, entityCount }) => `${account}/${name} ${entityCount}`),
      [
        'devstoreaccount1/People 5',
        'devstoreaccount1/Empty 0',
        'devstoreaccount1/Types 12',
        'devstoreaccount1/oddkeys 32',
        'devstoreaccount1/loose 10',
        'second/People 5',
        'second/Empty 0',
      ],
    );
    const policies = tables[0]?.accessPolicies as { id: string }[];
    assert.deepEqual(
      policies.map(({ id }) => id),
      ['readers', 'keepers'],
    );
    assert.equal(tables[1]?.accessPolicies, undefined);
  });

  it('finds the service properties', () => {
    const { serviceProperties } = readTableFile(chunks);
    assert.deepEqual(
      serviceProperties.map(({ account }) => account),
      ['devstoreaccount1'],
    );
  });

  it('looks for a collection in lower case first, as the emulator does for files of older versions', () => {
    const file = readTableFile(
      fileOf({
        collections: [
          tablesOf(
            { account: 'a', table: 'People' },
            { account: 'a', table: 'Pets' },
            { account: 'a', table: 'x' },
          ),
          { name: 'a$People', data: [] },
          { name: 'a$people', data: [{}] },
          { name: 'a$Pets', data: [{}, {}] },
        ],
      }),
    );
    assert.deepEqual(
      file.tables.map(({ collection, entityCount }) => ({ collection, entityCount })),
      [
        { collection: 2, entityCount: 1 },
        { collection: 3, entityCount: 2 },
        { collection: undefined, entityCount: 0 },
      ],
    );
  });

  it('refuses what is no table file', () => {
    for (const value of [
      {},
      { collections: [] },
      { collections: [{ name: '$CONTAINERS_COLLECTION$', data: [] }] },
    ]) {
      assert.throws(() => readTableFile(fileOf(value)), TableFileError);
    }
    assert.throws(() => readTableFile(fileOf({ collections: [tablesOf({ account: 'a' })] })), TableFileError);
    const unnamed = { data: [{}], name: '$TABLES_COLLECTION$' };
    assert.throws(() => readTableFile(fileOf({ collections: [unnamed] })), /no name before its data/);
    assert.throws(() => readTableFile(fileOf({ collections: [tablesOf(), unnamed] })), /no name before/);
    assert.throws(() => readTableFile(fileOf([])), TableFileError);
    assert.throws(() => readTableFile(() => []), TableFileError);
  });

  it('refuses a file that is cut off anywhere, or goes on after its end', () => {
    for (let end = 0; end < bytes.length; end += 97) {
      assert.throws(
        () => readTableFile(() => [bytes.subarray(0, end)]),
        (error: Error) => error instanceof TableFileError && error.message.includes(`ends at byte ${end},`),
      );
    }
    readTableFile(() => [bytes, Buffer.from(' \n')]);
    assert.throws(() => readTableFile(() => [bytes, Buffer.from('{}')]), /not JSON, at byte 40172 /);
  });

  it('refuses a file with an entity that is no JSON', () => {
    const at = bytes.indexOf('"lastName"');
    const broken = Buffer.concat([bytes.subarray(0, at), Buffer.from('nul,'), bytes.subarray(at)]);
    assert.throws(() => readTableFile(() => [broken]), /not JSON/);
  });

  it('says in one short line what is wrong, whatever the file holds', () => {
    const deep = `{"a":${'['.repeat(5000)}`;
    for (const text of ['n\n\n', '\x1b', '{"a" "\x7f"}', `{"a" "${'x'.repeat(100_000)}"}`, '"\xff"', deep]) {
      assert.throws(
        () => readTableFile(() => [Buffer.from(text, 'latin1')]),
        (error: Error) => error instanceof TableFileError && /^\P{Cc}{20,100}$/u.test(error.message),
      );
    }
  });
});

describe('readDocuments', () => {
  it('gives the documents of the wanted collections alone, in their order', () => {
    const { tables } = readTableFile(chunks);
    const wanted = tables
      .filter(({ name }) => name === 'People')
      .map(({ collection }) => collection as number);
    const found = [...readDocuments(chunks, new Set(wanted))];
    assert.equal(found.length, 10);
    assert.deepEqual([...new Set(found.map(({ collection }) => collection))], wanted);
    const [first] = found.map(({ document }) => document as { RowKey: string });
    assert.equal(first?.RowKey, '000223');
  });

  it('gives them as JSON.parse does, however the file is cut into chunks', () => {
    const { collections } = JSON.parse(bytes.toString()) as {
      collections: { name: string; data: unknown[] }[];
    };
    const texts = ['\ufeffa\ufeff', '\u2028', 'é😀', '\ud800', '\udc00\n', 'x'.repeat(3000)];
    const numbers = [0, 1e-7, 5e-324, 1.7976931348623157e308, 2 ** 53, -2147483648];
    const data = [
      { texts, numbers, nested: [[], {}, [null, true, false]] },
      JSON.parse('{"__proto__":1,"1":2}'),
    ];
    collections.push({ name: 'strange', data });
    const file = Buffer.from(JSON.stringify({ collections }, null, '\r\n\t '));
    const expected = collections.flatMap((collection, ordinal) =>
      collection.data.map(document => ({ collection: ordinal, document })),
    );
    const wanted = new Set(collections.keys());
    for (const length of [1, 3, 64, 1000, file.length]) {
      assert.deepEqual([...readDocuments(() => pieces(file, length), wanted)], expected);
    }
  });
});
