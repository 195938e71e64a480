import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatProperties, formatRow } from '../../../src/table/entity/row.ts';
import { RowMembers } from '../../../src/table/entity/row-members.ts';
import { anyKey, anyValue, propertyName, propertyOf } from '../../support/arbitraries.ts';

function membersOf(row: Buffer): [name: string, json: string, isAnnotation: boolean][] {
  const members: [string, string, boolean][] = [];
  const cursor = new RowMembers(row);
  while (cursor.next()) members.push([cursor.name, cursor.json, cursor.isAnnotation]);
  return members;
}

describe('the members of a stored row', () => {
  it('are those of its JSON', () => {
    const anyProperties = fc.uniqueArray(fc.tuple(propertyName, anyValue), { selector: ([name]) => name });
    fc.assert(
      fc.property(anyKey, anyProperties, (key, pairs) => {
        const text = formatProperties(pairs.map(([name, value]) => propertyOf(name, value)));
        const row = formatRow(key, 638_000_000_000_000_000n, text);
        const parsed = Object.entries(JSON.parse(String(row)));
        assert.deepEqual(
          membersOf(row).map(([name, json]) => [name, JSON.parse(json)]),
          parsed,
        );
        assert.deepEqual(
          membersOf(row).map(([, , isAnnotation]) => isAnnotation),
          parsed.map(([name]) => name.endsWith('@odata.type')),
        );
      }),
    );
  });

  it('may hold whatever would end them in other places', () => {
    const tricky = ['"', '\\', '\\\\"', '},{', '","a":"b', '@odata.type', '{"a@odata.type":"Edm.Int64"}'];
    for (const value of tricky) {
      const row = formatRow(
        { partitionKey: value.replaceAll(/[\\]/g, ''), rowKey: '"' },
        638_000_000_000_000_000n,
        formatProperties([
          { name: 'a', type: 'Edm.String', json: JSON.stringify(value) },
          { name: 'b', type: 'Edm.Boolean', json: 'true' },
        ]),
      );
      assert.deepEqual(membersOf(row).slice(4), [
        ['a', JSON.stringify(value), false],
        ['b', 'true', false],
      ]);
    }
  });

  it('are found by their whole name', () => {
    const cursor = new RowMembers(Buffer.from('{"abc@odata.type":"Edm.Int64","abc":"1"}'));
    assert.ok(cursor.next());
    assert.equal(cursor.isAnnotation, true);
    assert.equal(cursor.text, 'Edm.Int64');
    assert.ok(cursor.next());
    for (const [name, isIt] of [
      ['abc', true],
      ['ab', false],
      ['abcd', false],
      ['Abc', false],
    ] as const) {
      assert.equal(cursor.nameIs(Buffer.from(name)), isIt, name);
    }
    assert.equal(cursor.next(), false);
  });

  it('are no annotation for a name that is as long as one', () => {
    const cursor = new RowMembers(Buffer.from('{"abcdefghijklmno":1,"é@odata.type":"Edm.Int64","é":"1"}'));
    const seen: boolean[] = [];
    while (cursor.next()) seen.push(cursor.isAnnotation);
    assert.deepEqual(seen, [false, true, false]);
  });
});
