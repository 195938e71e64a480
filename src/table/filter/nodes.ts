import type { Ticks } from '../../ticks.ts';

/** A `$filter` as a tree (REST: Querying Tables and Entities). Literals carry their Edm type. */
export type FilterNode =
  | { readonly kind: 'and'; readonly left: FilterNode; readonly right: FilterNode }
  | { readonly kind: 'or'; readonly left: FilterNode; readonly right: FilterNode }
  | { readonly kind: 'not'; readonly operand: FilterNode }
  /** A property beside a literal; one written the other way round is mirrored by the parser. */
  | {
      readonly kind: 'comparison';
      readonly property: string;
      readonly operator: Operator;
      readonly literal: Value;
    }
  /** A Boolean property standing alone. */
  | { readonly kind: 'property'; readonly property: string }
  | { readonly kind: 'constant'; readonly value: boolean };

export const operators = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof operators)[number];

/** A typed value: a literal of a filter, or a property of an entity. */
export type Value =
  | { readonly type: 'Edm.String' | 'Edm.Guid'; readonly value: string }
  | { readonly type: 'Edm.Boolean'; readonly value: boolean }
  | { readonly type: 'Edm.Int32' | 'Edm.Double'; readonly value: number }
  | { readonly type: 'Edm.Int64'; readonly value: bigint }
  | { readonly type: 'Edm.DateTime'; readonly value: Ticks }
  | { readonly type: 'Edm.Binary'; readonly value: Buffer };
