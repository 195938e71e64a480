import type { FilterNode, Operator, Value } from '../../src/table/filter/nodes.ts';

/**
 * What `$filter` means, written from the protocol's section on comparison semantics as plainly as possible
 * and without a look at src/table/filter: random tests hold the real evaluator and the planner against it.
 */
export type NaiveEntity = ReadonlyMap<string, Value>;

export function naiveMatches(node: FilterNode, entity: NaiveEntity): boolean {
  if (node.kind === 'and') return naiveMatches(node.left, entity) && naiveMatches(node.right, entity);
  if (node.kind === 'or') return naiveMatches(node.left, entity) || naiveMatches(node.right, entity);
  if (node.kind === 'not') return !naiveMatches(node.operand, entity);
  if (node.kind === 'constant') return node.value;
  const value = entity.get(node.property);
  if (value === undefined) return false;
  if (node.kind === 'property') return value.type === 'Edm.Boolean' && value.value;
  return naiveCompares(node.property, value, node.operator, node.literal);
}

/** What a mismatch of types answers, whatever the values. */
const mismatched: readonly Operator[] = ['ne', 'lt', 'le'];

function naiveCompares(property: string, value: Value, operator: Operator, literal: Value): boolean {
  if (!isComparable(value, literal)) return mismatched.includes(operator);
  const [left, right] = asOrdered(property, value, literal);
  if (operator === 'eq') return left === right;
  if (operator === 'ne') return left !== right;
  if (operator === 'lt') return left < right;
  if (operator === 'le') return left <= right;
  if (operator === 'gt') return left > right;
  return left >= right;
}

/** The literal is promoted to the property's type, never the other way round. */
function isComparable(value: Value, literal: Value): boolean {
  if (value.type === literal.type) return true;
  if (literal.type === 'Edm.Int32') return value.type === 'Edm.Int64' || value.type === 'Edm.Double';
  return literal.type === 'Edm.Int64' && value.type === 'Edm.Double';
}

type Ordered = string | number | bigint | boolean;

/** Both as JavaScript values that `<` and `===` order as the protocol does. */
function asOrdered(property: string, value: Value, literal: Value): [Ordered, Ordered] {
  if (value.type === 'Edm.Int64') return [value.value, BigInt(literal.value as number | bigint)];
  if (value.type === 'Edm.Double') {
    // A whole number beside an Int64 is compared to its last digit.
    const isExact = literal.type === 'Edm.Int64' && Number.isInteger(value.value);
    return isExact ? [BigInt(value.value), literal.value] : [value.value, Number(literal.value)];
  }
  const isKey = property === 'PartitionKey' || property === 'RowKey';
  const ordered = ({ type, value: raw }: Value): Ordered => {
    if (type === 'Edm.Binary') return raw.toString('latin1');
    // Keys sort by code point, as their UTF-8 does.
    if (type === 'Edm.String' && isKey) return Buffer.from(raw).toString('latin1');
    return raw as Ordered;
  };
  return [ordered(value), ordered(literal)];
}
