import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { odata } from '@azure/data-tables';
import { collect, freshTable, refusal } from '../support/official-client.ts';
import { useServer } from '../support/server.ts';

/** Keys that addresses, headers, batches and filters could each get wrong in a way of their own. */
const specialKeys = [
  '',
  ' ',
  ' a ',
  "'",
  "''",
  "O'Hara",
  '"',
  '%',
  '%20',
  '%27',
  '%2520',
  '%2F',
  '100%',
  '+',
  'a+b',
  'a b',
  ',',
  "a',RowKey='b",
  '(',
  ')',
  '()',
  "')",
  '=',
  'a=b',
  '&',
  'a&b=c',
  ';',
  ':',
  '@',
  '$',
  '$batch',
  '!',
  '*',
  '~',
  '|',
  '^',
  '`',
  '<a>',
  '[a]',
  '{a}',
  '.',
  '..',
  '-',
  '_',
  '\u00a0',
  'é',
  'e\u0301',
  'Straße',
  '名前',
  'שלום',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\ufeff',
  '😀',
  '👩‍👩‍👧‍👦',
  '\u{10ffff}',
  '--changeset_1',
  'HTTP',
];

describe('special keys, through the official client', () => {
  const server = useServer();

  for (const [place, keyOf] of [
    ['partition key', (text: string) => ({ partitionKey: text, rowKey: 'r' })],
    ['row key', (text: string) => ({ partitionKey: 'p', rowKey: text })],
    ['both keys', (text: string) => ({ partitionKey: text, rowKey: text })],
  ] as const) {
    it(`lead to their entity in every operation, as ${place}`, async () => {
      const table = await freshTable(server);
      for (const text of specialKeys) {
        const key = keyOf(text);
        const { partitionKey, rowKey } = key;
        await table.createEntity({ ...key, text });
        assert.equal((await table.getEntity(partitionKey, rowKey)).text, text, text);
        await table.updateEntity({ ...key, merged: true }, 'Merge');
        await table.upsertEntity({ ...key, upserted: true }, 'Merge');
        const entity = await table.getEntity(partitionKey, rowKey);
        assert.deepEqual([entity.partitionKey, entity.rowKey], [partitionKey, rowKey]);
        assert.deepEqual([entity.text, entity.merged, entity.upserted], [text, true, true]);
        await table.updateEntity({ ...key, text }, 'Replace', { etag: entity.etag });
        const filter = odata`PartitionKey eq ${partitionKey} and RowKey eq ${rowKey} and text eq ${text}`;
        const found = await collect(table.listEntities({ queryOptions: { filter } }));
        assert.equal(found.length, 1, filter);
        assert.equal(found[0]?.rowKey, rowKey);
      }
      const all = await collect(table.listEntities());
      assert.deepEqual(
        all.map(({ text }) => text),
        [...specialKeys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
      for (const text of specialKeys) {
        const { partitionKey, rowKey } = keyOf(text);
        await table.deleteEntity(partitionKey, rowKey);
      }
      assert.deepEqual(await collect(table.listEntities()), []);
    });

    it(`are resumed at by page tokens, as ${place}`, async () => {
      const table = await freshTable(server);
      for (const text of specialKeys) await table.createEntity({ ...keyOf(text), text });
      const seen: unknown[] = [];
      for await (const page of table.listEntities().byPage({ maxPageSize: 1 })) {
        seen.push(...page.map(({ text }) => text));
      }
      assert.equal(seen.length, specialKeys.length);
      assert.deepEqual(new Set(seen), new Set(specialKeys));
    });
  }

  it('lead to their entity in every action of a transaction', async () => {
    const table = await freshTable(server);
    for (const partitionKey of ['', "O'Hara %27+(),= 😀", 'é"&%20']) {
      const entities = specialKeys.map(rowKey => ({ partitionKey, rowKey, text: rowKey }));
      await table.submitTransaction(entities.map(entity => ['create', entity]));
      await table.submitTransaction(entities.map(entity => ['update', { ...entity, a: 1 }, 'Merge']));
      await table.submitTransaction(entities.map(entity => ['upsert', { ...entity, b: 2 }, 'Merge']));
      const filter = odata`PartitionKey eq ${partitionKey} and a eq 1 and b eq 2`;
      const found = await collect(table.listEntities({ queryOptions: { filter } }));
      assert.equal(found.length, specialKeys.length);
      for (const { rowKey, text } of found) assert.equal(rowKey, text);
      await table.submitTransaction(entities.map(entity => ['delete', entity]));
    }
    assert.deepEqual(await collect(table.listEntities()), []);
  });

  it('may be as long as 1,024 characters, in any script', async () => {
    const table = await freshTable(server);
    for (const [partitionKey, rowKey] of [
      ['x'.repeat(1024), "'".repeat(1024)],
      ['é'.repeat(650), '%'.repeat(1024)],
      ['', '😀'.repeat(512)],
    ] as const) {
      await table.createEntity({ partitionKey, rowKey });
      await table.updateEntity({ partitionKey, rowKey, a: 1 });
      assert.equal((await table.getEntity(partitionKey, rowKey)).a, 1);
      await table.submitTransaction([['update', { partitionKey, rowKey, a: 2 }, 'Replace']]);
      assert.equal((await table.getEntity(partitionKey, rowKey)).a, 2);
    }
    const long = { partitionKey: 'p', rowKey: 'x'.repeat(1025) };
    await assert.rejects(table.createEntity(long), refusal(400, 'PropertyValueTooLarge'));
    await assert.rejects(table.upsertEntity(long), refusal(400, 'PropertyValueTooLarge'));
  });

  it('are refused with a character that keys may not hold', async () => {
    const table = await freshTable(server);
    for (const character of ['/', '\\', '#', '?', '\t', '\n', '\u007f', '\u0080']) {
      const rowKey = `a${character}b`;
      await assert.rejects(
        table.createEntity({ partitionKey: 'p', rowKey }),
        refusal(400, 'OutOfRangeInput'),
      );
      const isSlash = character === '/' || character === '\\';
      const code = isSlash ? 'InvalidInput' : 'OutOfRangeInput';
      await assert.rejects(table.upsertEntity({ partitionKey: 'p', rowKey }), refusal(400, code), rowKey);
      await assert.rejects(table.deleteEntity('p', rowKey), refusal(400, code), rowKey);
      const reading = isSlash ? refusal(400, 'InvalidInput') : refusal(404, 'ResourceNotFound');
      await assert.rejects(table.getEntity('p', rowKey), reading, rowKey);
      const filter = odata`RowKey eq ${rowKey}`;
      assert.deepEqual(await collect(table.listEntities({ queryOptions: { filter } })), []);
    }
  });
});
