import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../../src/errors.ts';
import type { FilterNode, Operator } from '../../../src/table/filter/nodes.ts';
import { parseFilter } from '../../../src/table/filter/parse-filter.ts';
import { anyValue, propertyName } from '../../support/arbitraries.ts';
import { bareOf, comparisonOf, constant, filterTree, printFilter } from '../../support/filters.ts';

function is(property: string, operator: Operator, value: number): FilterNode {
  return { kind: 'comparison', property, operator, literal: { type: 'Edm.Int32', value } };
}

function and(left: FilterNode, right: FilterNode): FilterNode {
  return { kind: 'and', left, right };
}

function or(left: FilterNode, right: FilterNode): FilterNode {
  return { kind: 'or', left, right };
}

function not(operand: FilterNode): FilterNode {
  return { kind: 'not', operand };
}

function bare(property: string): FilterNode {
  return { kind: 'property', property };
}

const a = is('a', 'eq', 1);
const b = is('b', 'eq', 2);
const c = is('c', 'eq', 3);

describe('a filter', () => {
  it('is the tree that was printed, however it is written', () => {
    const leaf = fc.oneof(
      { weight: 6, arbitrary: comparisonOf(propertyName, anyValue) },
      { weight: 1, arbitrary: bareOf(propertyName) },
      { weight: 1, arbitrary: constant },
    );
    fc.assert(
      fc.property(filterTree(leaf), fc.infiniteStream(fc.nat()), (tree, choices) => {
        const text = printFilter(tree, below => (choices.next().value as number) % below);
        assert.deepEqual(parseFilter(text), tree, text);
      }),
      { numRuns: 1000 },
    );
  });

  for (const [text, tree] of [
    ['a eq 1', a],
    ['  a   eq\t1 ', a],
    ['(a eq 1)', a],
    ['((a) eq (1))', a],
    ['1 eq a', a],
    ['1 lt a', is('a', 'gt', 1)],
    ['1 le a', is('a', 'ge', 1)],
    ['1 gt a', is('a', 'lt', 1)],
    ['(1) ge (a)', is('a', 'le', 1)],
    ['((1) ge (a))', is('a', 'le', 1)],
    ['((1)) ge a and (1) eq a', and(is('a', 'le', 1), a)],
    ['((true))', { kind: 'constant', value: true }],
    ['1 ne a', is('a', 'ne', 1)],
    ['a eq 1 and b eq 2 and c eq 3', and(and(a, b), c)],
    ['a eq 1 and (b eq 2 and c eq 3)', and(a, and(b, c))],
    ['a eq 1 or b eq 2 or c eq 3', or(or(a, b), c)],
    ['a eq 1 or b eq 2 and c eq 3', or(a, and(b, c))],
    ['a eq 1 and b eq 2 or c eq 3', or(and(a, b), c)],
    ['(a eq 1 or b eq 2) and c eq 3', and(or(a, b), c)],
    ['not (a eq 1)', not(a)],
    ['not(a eq 1)', not(a)],
    ['not a eq 1', not(a)],
    ['not not (a eq 1)', not(not(a))],
    ['not (a eq 1) and b eq 2', and(not(a), b)],
    ['not (a eq 1 and b eq 2)', not(and(a, b))],
    ['IsActive', bare('IsActive')],
    ['(IsActive)', bare('IsActive')],
    ['not IsActive', not(bare('IsActive'))],
    ['IsActive and a eq 1', and(bare('IsActive'), a)],
    ['true', { kind: 'constant', value: true }],
    ['not false', not({ kind: 'constant', value: false })],
    [
      'a eq true',
      { kind: 'comparison', property: 'a', operator: 'eq', literal: { type: 'Edm.Boolean', value: true } },
    ],
    [
      'true eq a',
      { kind: 'comparison', property: 'a', operator: 'eq', literal: { type: 'Edm.Boolean', value: true } },
    ],
    ['andy eq 1', is('andy', 'eq', 1)],
    ['X eq 1', is('X', 'eq', 1)],
    ['guid eq 1', is('guid', 'eq', 1)],
    ['EQ eq 1', is('EQ', 'eq', 1)],
    ['True eq 1', is('True', 'eq', 1)],
  ] as const) {
    it(`reads ${text}`, () => assert.deepEqual(parseFilter(text), tree));
  }

  it('is none where it is blank', () => {
    assert.equal(parseFilter(''), undefined);
    assert.equal(parseFilter('   '), undefined);
  });

  it('may have far more comparisons than the service documents, and is refused past a thousand', () => {
    const terms = (count: number): string =>
      Array.from({ length: count }, (_, index) => `a eq ${index}`).join(' or ');
    assert.ok(parseFilter(terms(1000)));
    assert.throws(() => parseFilter(terms(1001)), { code: 'InvalidInput' });
  });

  it('may nest a hundred deep, and is refused past that', () => {
    for (const [open, close] of [
      ['(', ')'],
      ['not (', ')'],
      ['not ', ''],
    ] as const) {
      const nested = (depth: number): string => `${open.repeat(depth)}a eq 1${close.repeat(depth)}`;
      assert.ok(parseFilter(nested(50)));
      assert.throws(() => parseFilter(nested(100_000)), { code: 'InvalidInput' });
    }
    assert.throws(() => parseFilter(`a eq ${'('.repeat(100_000)}`), { code: 'InvalidInput' });
  });
});

describe('a filter that the service does not implement', () => {
  for (const text of [
    'a eq b',
    '1 eq 1',
    "'x' eq 'y'",
    'true eq true',
    '(a) eq (b)',
    'a eq null',
    'null eq a',
    "startswith(a,'x')",
    "substringof('x',a)",
    "startswith(a,'x') eq true",
    'a eq length(b)',
  ]) {
    it(`is refused with NotImplemented: ${text}`, () => {
      assert.throws(() => parseFilter(text), { code: 'NotImplemented', status: 501 });
    });
  }
});

describe('a filter that is none', () => {
  for (const [text, position] of [
    ['aaa bbb ccc', 7],
    ['a eq', 4],
    ['a eq 1 and', 10],
    ['and a eq 1', 3],
    ['a eq 1 b eq 2', 8],
    ['(a eq 1', 7],
    ['a eq 1)', 7],
    ['()', 2],
    ['a EQ 1', 4],
    ['a eq 1 AND b eq 2', 10],
    ['eq eq 1', 2],
    ['a eq eq', 7],
    ['1', 1],
    ["'x'", 3],
    ['a eq 1 eq 2', 9],
    ['(a eq 1) eq true', 11],
    ['not', 3],
    ['a eq (1', 7],
    ['a, b', 2],
    ['(1)', 3],
    ['((1)', 4],
  ] as const) {
    it(`is refused with the offset behind the wrong token: ${text}`, () => {
      assert.throws(() => parseFilter(text), {
        code: 'InvalidInput',
        message: `Syntax error at position ${position} in '${text}'.`,
      });
    });
  }

  it('is refused, never worse, whatever it is', () => {
    const word = fc.constantFrom(
      'a',
      '1',
      "'x'",
      'and',
      'or',
      'not',
      'eq',
      'lt',
      '(',
      ')',
      ',',
      'true',
      'null',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 10 }), words => {
        try {
          parseFilter(words.join(' '));
        } catch (error) {
          assert.ok(error instanceof ServiceError && ['InvalidInput', 'NotImplemented'].includes(error.code));
        }
      }),
      { numRuns: 1000 },
    );
  });
});
