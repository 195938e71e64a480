import fc from 'fast-check';
import { type FilterNode, type Operator, operators, type Value } from '../../src/table/filter/nodes.ts';
import { isoOf } from './arbitraries.ts';

/** Random trees of a filter whose comparisons are drawn from `leaf`. */
export function filterTree(leaf: fc.Arbitrary<FilterNode>): fc.Arbitrary<FilterNode> {
  return fc.letrec<{ node: FilterNode }>(tie => ({
    node: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      { weight: 3, arbitrary: leaf },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom('and', 'or'), tie('node'), tie('node')).map(joined) },
      { weight: 1, arbitrary: tie('node').map((operand): FilterNode => ({ kind: 'not', operand })) },
    ),
  })).node;
}

function joined([kind, left, right]: ['and' | 'or', FilterNode, FilterNode]): FilterNode {
  return { kind, left, right };
}

export function comparisonOf(
  property: fc.Arbitrary<string>,
  literal: fc.Arbitrary<Value>,
): fc.Arbitrary<FilterNode> {
  return fc
    .tuple(property, fc.constantFrom(...operators), literal)
    .map(([name, operator, value]) => ({ kind: 'comparison', property: name, operator, literal: value }));
}

export const constant: fc.Arbitrary<FilterNode> = fc
  .boolean()
  .map((value): FilterNode => ({ kind: 'constant', value }));

export function bareOf(property: fc.Arbitrary<string>): fc.Arbitrary<FilterNode> {
  return property.map((name): FilterNode => ({ kind: 'property', property: name }));
}

/** How freely a filter may be written: each choice is asked of `pick`, which answers below its argument. */
export type Pick = (choices: number) => number;

const mirrored: Record<Operator, Operator> = { eq: 'eq', ne: 'ne', gt: 'lt', ge: 'le', lt: 'gt', le: 'ge' };

/** A text that says what the tree does, with parentheses where the grammar needs them, and at random. */
export function printFilter(node: FilterNode, pick: Pick): string {
  const text = printBare(node, pick);
  return pick(4) === 0 ? `(${' '.repeat(pick(3))}${text}${' '.repeat(pick(3))})` : text;
}

function printBare(node: FilterNode, pick: Pick): string {
  switch (node.kind) {
    case 'or':
      return `${printFilter(node.left, pick)} or ${printIn(['or'], node.right, pick)}`;
    case 'and':
      return `${printIn(['or'], node.left, pick)} and ${printIn(['or', 'and'], node.right, pick)}`;
    case 'not':
      return `not ${printIn(['or', 'and'], node.operand, pick)}`;
    case 'property':
      return node.property;
    case 'constant':
      return String(node.value);
    case 'comparison': {
      const { property, operator, literal } = node;
      const text = printLiteral(literal, pick);
      const spaces = ' '.repeat(1 + pick(2));
      return pick(3) === 0
        ? `${text}${spaces}${mirrored[operator]} ${property}`
        : `${property} ${operator}${spaces}${text}`;
    }
  }
}

/** A node that binds less tightly than its place needs parentheses. */
function printIn(looser: readonly FilterNode['kind'][], node: FilterNode, pick: Pick): string {
  return looser.includes(node.kind) ? `(${printFilter(node, pick)})` : printFilter(node, pick);
}

export function printLiteral(literal: Value, pick: Pick): string {
  switch (literal.type) {
    case 'Edm.String':
      return `'${literal.value.replaceAll("'", "''")}'`;
    case 'Edm.Boolean':
    case 'Edm.Int32':
      return String(literal.value);
    case 'Edm.Int64':
      return `${literal.value}${['L', 'l'][pick(2)]}`;
    case 'Edm.Guid':
      return `guid'${pick(2) === 0 ? literal.value : literal.value.toUpperCase()}'`;
    case 'Edm.DateTime':
      return `datetime'${isoOf(literal.value)}'`;
    case 'Edm.Binary':
      return `${['X', 'x', 'binary'][pick(3)]}'${literal.value.toString('hex')}'`;
    case 'Edm.Double': {
      const text = Object.is(literal.value, -0) ? '-0' : String(literal.value);
      if (!Number.isFinite(literal.value)) return text;
      return /[.e]/.test(text) && pick(2) === 0 ? text : `${text}${['D', 'd'][pick(2)]}`;
    }
  }
}
