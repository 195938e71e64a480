import { compareText } from '../../store/key.ts';
import type { FilterNode, Operator, Value } from './nodes.ts';

/** An entity as a filter sees it; undefined for a property that it lacks. */
export type Lookup = (property: string) => Value | undefined;

/**
 * Whether an entity matches (REST: Querying Tables and Entities; observed semantics). A comparison with a
 * missing property is false, `ne` included; types that do not compare have fixed answers (`mismatch`).
 */
export function evaluate(node: FilterNode, lookup: Lookup): boolean {
  switch (node.kind) {
    case 'and':
      return evaluate(node.left, lookup) && evaluate(node.right, lookup);
    case 'or':
      return evaluate(node.left, lookup) || evaluate(node.right, lookup);
    case 'not':
      return !evaluate(node.operand, lookup);
    case 'constant':
      return node.value;
    case 'property': {
      const value = lookup(node.property);
      return value?.type === 'Edm.Boolean' && value.value;
    }
    case 'comparison': {
      const value = lookup(node.property);
      return value !== undefined && compare(node.property, value, node.operator, node.literal);
    }
  }
}

/** What the service answers when a property and a literal have types that do not compare, whatever they hold. */
const mismatch: Record<Operator, boolean> = { eq: false, ne: true, lt: true, le: true, gt: false, ge: false };

function compare(property: string, value: Value, operator: Operator, literal: Value): boolean {
  const order = orderOf(property, value, literal);
  if (order === undefined) return mismatch[operator];
  switch (operator) {
    case 'eq':
      return order === 0;
    case 'ne':
      return order !== 0;
    case 'gt':
      return order > 0;
    case 'ge':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'le':
      return order <= 0;
  }
}

/** Negative, zero or positive; NaN where either is NaN, which only `ne` accepts; undefined where the types do not compare. */
function orderOf(property: string, value: Value, literal: Value): number | undefined {
  switch (value.type) {
    case 'Edm.String':
      if (literal.type !== 'Edm.String') return undefined;
      // Keys compare as the store orders them; other strings by UTF-16 code unit, as the service does.
      return isKeyName(property) ? compareText(value.value, literal.value) : sign(value.value, literal.value);
    case 'Edm.Boolean':
      return literal.type === value.type ? Number(value.value) - Number(literal.value) : undefined;
    case 'Edm.Int32':
      return literal.type === value.type ? value.value - literal.value : undefined;
    case 'Edm.Int64':
      return literal.type === value.type || literal.type === 'Edm.Int32'
        ? sign(value.value, BigInt(literal.value))
        : undefined;
    case 'Edm.Double':
      return literal.type === value.type || literal.type === 'Edm.Int32' || literal.type === 'Edm.Int64'
        ? sign(value.value, literal.value)
        : undefined;
    case 'Edm.DateTime':
      return literal.type === value.type ? sign(value.value, literal.value) : undefined;
    case 'Edm.Guid':
      return literal.type === value.type ? sign(value.value, literal.value) : undefined;
    case 'Edm.Binary':
      return literal.type === value.type ? Buffer.compare(value.value, literal.value) : undefined;
  }
}

export type KeyName = 'PartitionKey' | 'RowKey';

export function isKeyName(property: string): property is KeyName {
  return property === 'PartitionKey' || property === 'RowKey';
}

function sign<T extends string | number | bigint>(left: T, right: T | bigint): number {
  if (left < right) return -1;
  if (left > right) return 1;
  // biome-ignore lint/suspicious/noDoubleEquals: 3 and 3n are equal here
  return left == right ? 0 : Number.NaN;
}
