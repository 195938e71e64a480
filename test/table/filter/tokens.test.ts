import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../../src/errors.ts';
import type { Value } from '../../../src/table/filter/nodes.ts';
import { tokenize } from '../../../src/table/filter/tokens.ts';
import { parseTicks } from '../../../src/ticks.ts';
import { anyValue } from '../../support/arbitraries.ts';
import { printLiteral } from '../../support/filters.ts';

function literalOf(text: string): Value | undefined {
  const [token, end] = tokenize(text);
  assert.equal(token?.kind, 'literal', text);
  assert.equal(end?.kind, 'end', text);
  return token?.value;
}

describe('the tokens of a filter', () => {
  it('are words, literals, parentheses and commas, each with the offset behind it', () => {
    assert.deepEqual(
      tokenize("  not(Age  ge 3,'it''s')").map(({ kind, text, end }) => [kind, text, end]),
      [
        ['word', 'not', 5],
        ['open', '(', 6],
        ['word', 'Age', 9],
        ['word', 'ge', 13],
        ['literal', '3', 15],
        ['comma', ',', 16],
        ['literal', "'it''s'", 23],
        ['close', ')', 24],
        ['end', '', 24],
      ],
    );
  });

  it('are none but the end in an empty filter', () => {
    assert.deepEqual(tokenize(' '), [{ kind: 'end', text: '', end: 1, value: undefined }]);
  });
});

describe('a literal', () => {
  for (const [text, value] of [
    ["''", { type: 'Edm.String', value: '' }],
    ["'O''Hara'''", { type: 'Edm.String', value: "O'Hara'" }],
    ["'a eq 1 (x), é😀'", { type: 'Edm.String', value: 'a eq 1 (x), é😀' }],
    ['0', { type: 'Edm.Int32', value: 0 }],
    ['-2147483648', { type: 'Edm.Int32', value: -2147483648 }],
    ['2147483648', { type: 'Edm.Int64', value: 2147483648n }],
    ['3L', { type: 'Edm.Int64', value: 3n }],
    ['-3l', { type: 'Edm.Int64', value: -3n }],
    ['-9223372036854775808L', { type: 'Edm.Int64', value: -(2n ** 63n) }],
    ['9223372036854775807', { type: 'Edm.Int64', value: 2n ** 63n - 1n }],
    ['1.5', { type: 'Edm.Double', value: 1.5 }],
    ['.5', { type: 'Edm.Double', value: 0.5 }],
    ['3.', { type: 'Edm.Double', value: 3 }],
    ['-1.5E+10', { type: 'Edm.Double', value: -1.5e10 }],
    ['1e-3', { type: 'Edm.Double', value: 0.001 }],
    ['3D', { type: 'Edm.Double', value: 3 }],
    ['3.5d', { type: 'Edm.Double', value: 3.5 }],
    ['NaN', { type: 'Edm.Double', value: Number.NaN }],
    ['Infinity', { type: 'Edm.Double', value: Number.POSITIVE_INFINITY }],
    ['-Infinity', { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY }],
    ['true', { type: 'Edm.Boolean', value: true }],
    ['false', { type: 'Edm.Boolean', value: false }],
    ["datetime'2008-07-10T00:00:00Z'", { type: 'Edm.DateTime', value: parseTicks('2008-07-10T00:00:00Z') }],
    [
      "datetime'2008-07-10T00:00:00.1234567'",
      { type: 'Edm.DateTime', value: parseTicks('2008-07-10T00:00:00.1234567Z') },
    ],
    [
      "guid'C9DA6455-213d-42c9-9a79-3e9149a57833'",
      { type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
    ],
    ["X'0A1b'", { type: 'Edm.Binary', value: Buffer.from([0x0a, 0x1b]) }],
    ["x'ff'", { type: 'Edm.Binary', value: Buffer.from([0xff]) }],
    ["binary''", { type: 'Edm.Binary', value: Buffer.alloc(0) }],
  ] as const) {
    it(`${text} is ${value.type}`, () => assert.deepEqual(literalOf(text), value));
  }

  it('gives back any value that was written', () => {
    fc.assert(
      fc.property(anyValue, fc.infiniteStream(fc.nat()), (value, choices) => {
        const text = printLiteral(value, below => (choices.next().value as number) % below);
        assert.deepEqual(literalOf(text), value);
      }),
      { numRuns: 1000 },
    );
  });

  it('is read from a text of megabytes', () => {
    const long = 'x'.repeat(3_000_000);
    assert.deepEqual(literalOf(`'${long}'`), { type: 'Edm.String', value: long });
  });
});

describe('a text that is no token', () => {
  for (const [text, position] of [
    ["property1 eq 1'invalid'", 23],
    ["a eq 'open", 10],
    ["guid'x'", 7],
    ["a eq guid'c9da6455213d42c99a793e9149a57833'", 43],
    ["a eq X'0A1'", 11],
    ["a eq X'0G'", 10],
    ["a eq datetime'2023-02-29T00:00:00Z'", 35],
    ["a eq datetime'soon'", 19],
    ['a eq 9223372036854775808', 24],
    ['a eq 1.5L', 9],
    ['a eq 1abc', 9],
    ['a eq 1x or b', 7],
    ["a eq 'x'y)", 9],
    ['a eq "x"', 8],
    ['a = 1', 3],
    ['-', 1],
    ['a eq -x', 7],
    ['a eq $x', 7],
    ['a eq +1', 7],
  ] as const) {
    it(`is refused with the offset behind it: ${text}`, () => {
      assert.throws(() => tokenize(text), {
        code: 'InvalidInput',
        message: `Syntax error at position ${position} in '${text}'.`,
      });
    });
  }

  it('is refused, never worse, whatever it is', () => {
    const piece = fc.oneof(
      fc.constantFrom("'", '(', ')', ',', ' ', 'a', '1', '.', '-', 'eq', 'guid', "X'", 'datetime', 'L', 'e'),
      fc.string({ unit: 'binary', maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        try {
          assert.equal(tokenize(pieces.join('')).at(-1)?.kind, 'end');
        } catch (error) {
          assert.ok(error instanceof ServiceError && error.code === 'InvalidInput');
        }
      }),
      { numRuns: 1000 },
    );
  });
});
