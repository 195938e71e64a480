import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  checkEntity,
  checkKey,
  checkKeyLength,
  hasLegalCharacters,
} from '../../../src/table/entity/check-entity.ts';
import type { EdmType, Property } from '../../../src/table/entity/edm.ts';
import { anyKey, anyValue, propertyName, propertyOf } from '../../support/arbitraries.ts';

const key = { partitionKey: 'p', rowKey: 'r' };
const forbidden = [
  '/',
  '\\',
  '#',
  '?',
  '\t',
  '\n',
  '\0',
  '\u001f',
  '\u007f',
  '\u0080',
  '\u009f',
  '\ud800',
  '\udfff',
];

function property(name: string, type: EdmType = 'Edm.Int32', json = '1'): Property {
  return { name, type, json };
}

function check(...properties: Property[]): void {
  checkEntity(key, properties);
}

describe('the key of an entity', () => {
  it('may hold all but the forbidden characters', () => {
    fc.assert(
      fc.property(anyKey, legal => {
        assert.equal(hasLegalCharacters(legal), true);
        checkKey(legal);
      }),
    );
  });

  it('is refused with OutOfRangeInput, naming the part that holds a forbidden one', () => {
    for (const character of forbidden) {
      const text = `a${character}b`;
      assert.equal(hasLegalCharacters({ partitionKey: text, rowKey: 'r' }), false, text);
      assert.equal(hasLegalCharacters({ partitionKey: 'p', rowKey: text }), false, text);
      assert.throws(() => checkKey({ partitionKey: text, rowKey: 'r' }), {
        code: 'OutOfRangeInput',
        message: `The 'PartitionKey' parameter of value '${text}' is out of range.`,
      });
      assert.throws(() => checkKey({ partitionKey: 'p', rowKey: text }), {
        code: 'OutOfRangeInput',
        message: `The 'RowKey' parameter of value '${text}' is out of range.`,
      });
    }
  });

  it('may have 1,024 characters in each part, and 2,600 bytes in both', () => {
    checkKeyLength({ partitionKey: 'x'.repeat(1024), rowKey: 'x'.repeat(1024) });
    checkKeyLength({ partitionKey: 'é'.repeat(1024), rowKey: 'x'.repeat(552) });
    for (const [partitionKey, rowKey] of [
      ['x'.repeat(1025), ''],
      ['', 'x'.repeat(1025)],
    ] as const) {
      assert.throws(() => checkKeyLength({ partitionKey, rowKey }), { code: 'PropertyValueTooLarge' });
    }
    assert.throws(() => checkKeyLength({ partitionKey: 'é'.repeat(1024), rowKey: 'x'.repeat(553) }), {
      code: 'KeyValueTooLarge',
    });
  });
});

describe('the properties of an entity', () => {
  it('may be any of legal names and values', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(propertyName, anyValue), { selector: ([name]) => name }), pairs => {
        check(...pairs.map(([name, value]) => propertyOf(name, value)));
      }),
    );
  });

  it('are refused with PropertyNameInvalid for a name that is no identifier', () => {
    for (const name of [
      '',
      '123',
      '1a',
      'a-b',
      'a b',
      'a.b',
      'a@b',
      "a'b",
      'a"b',
      'a\0',
      '\ue000',
      'a\u{1f600}',
      '$a',
      '-',
    ]) {
      assert.throws(() => check(property(name)), { code: 'PropertyNameInvalid' }, name);
    }
    for (const name of ['_', '_1', 'Ä', 'ö1', '名前', 'a\u0301', 'x_y']) check(property(name));
  });

  it('are refused with PropertyNameTooLong for a name of 256 characters', () => {
    check(property('x'.repeat(255)));
    assert.throws(() => check(property('x'.repeat(256))), { code: 'PropertyNameTooLong' });
    assert.throws(() => check(property('1'.repeat(256))), { code: 'PropertyNameTooLong' });
  });

  it('are refused with TooManyProperties where they are 253', () => {
    const many = Array.from({ length: 253 }, (_, index) => property(`p${index}`));
    check(...many.slice(1));
    assert.throws(() => check(...many), { code: 'TooManyProperties' });
  });

  it('are refused with PropertyValueTooLarge for a string of 32,769 characters, escaped or not', () => {
    const string = (value: string): Property => property('a', 'Edm.String', JSON.stringify(value));
    for (const unit of ['x', '\n', 'é', '\ud800']) {
      check(string(unit.repeat(32_768)));
      assert.throws(() => check(string(unit.repeat(32_769))), { code: 'PropertyValueTooLarge' }, unit);
    }
    check(string('😀'.repeat(16_384)));
  });

  it('are refused with PropertyValueTooLarge for a binary of 65,537 bytes', () => {
    const binary = (bytes: number): Property =>
      property('a', 'Edm.Binary', `"${Buffer.alloc(bytes).toString('base64')}"`);
    check(binary(65_536));
    assert.throws(() => check(binary(65_537)), { code: 'PropertyValueTooLarge' });
  });

  it('are refused with EntityTooLarge past 1 MiB, before a single value is', () => {
    const binary = `"${Buffer.alloc(1024 * 1024).toString('base64')}"`;
    assert.throws(() => check(property('a', 'Edm.Binary', binary)), { code: 'EntityTooLarge' });
    const names = Array.from({ length: 16 }, (_, index) => `p${index.toString(16)}`);
    const bytesOf = (count: number): number => Math.floor((1024 * 1024 - 4 - 4) / 16) - 8 - 2 * 2 - 4 + count;
    const full = (count: number): Property[] =>
      names.map(name => property(name, 'Edm.Binary', `"${Buffer.alloc(bytesOf(count)).toString('base64')}"`));
    check(...full(0));
    assert.throws(() => check(...full(1)), { code: 'EntityTooLarge' });
  });

  it('may hold dates from the first of 1601 on', () => {
    const date = (text: string): Property => property('born', 'Edm.DateTime', `"${text}"`);
    for (const text of ['1601-01-01T00:00:00Z', '1601-01-01T00:00:00.0000001Z', '1601-01-01T00:00:00.5Z']) {
      check(date(text));
    }
    check(date('9999-12-31T23:59:59.9999999Z'));
    for (const [text, shown] of [
      ['1600-12-31T23:59:59.9999999Z', '12/31/1600 23:59:59'],
      ['0001-01-01T00:00:00Z', '01/01/0001 00:00:00'],
    ] as const) {
      assert.throws(() => check(date(text)), {
        code: 'OutOfRangeInput',
        message: `The 'born' parameter of value '${shown}' is out of range.`,
      });
    }
  });
});
