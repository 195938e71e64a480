import { compareKeys, compareText, firstKey, type Key, type KeyRange, successor } from '../../store/key.ts';
import { isKeyName } from './evaluate.ts';
import type { FilterNode, Operator } from './nodes.ts';

/** The design guide's classes of queries, from cheap to dear. */
export type QueryClass = 'point' | 'range' | 'partition scan' | 'table scan';

export interface Plan {
  /** Ascending and disjoint; every entity that matches is in one of them. */
  readonly ranges: readonly KeyRange[];
  readonly class: QueryClass;
  /** What the ranges do not express: the filter to evaluate on each row, if any. */
  readonly residual: FilterNode | undefined;
}

/**
 * From a `$filter` to the smallest key ranges that hold its answer. Only comparisons of a key with a string
 * make ranges: those of mismatched types have answers that no range expresses (evaluate.ts).
 */
export function planQuery(filter: FilterNode | undefined): Plan {
  if (filter === undefined) return { ranges: [{ from: firstKey }], class: 'table scan', residual: undefined };
  const region = regionOf(filter, false);
  const ranges = mergeRanges(region.boxes.map(toKeyRange));
  const isExact = region.isExact && region.boxes.every(box => isPoint(box.partitionKey) || isAll(box.rowKey));
  return { ranges, class: classOf(ranges), residual: isExact ? undefined : filter };
}

/** Texts from `from` on, up to but without `to`. */
interface TextRange {
  readonly from: string;
  readonly to?: string;
}

/** All keys whose two parts lie in two ranges. */
interface Box {
  readonly partitionKey: TextRange;
  readonly rowKey: TextRange;
}

interface Region {
  readonly boxes: readonly Box[];
  /** Whether every entity in the boxes matches. */
  readonly isExact: boolean;
}

const allTexts: TextRange = { from: '' };
const everything: Region = { boxes: [{ partitionKey: allTexts, rowKey: allTexts }], isExact: true };
const anything: Region = { ...everything, isExact: false };
const nothing: Region = { boxes: [], isExact: true };

/** A conjunction of disjunctions multiplies boxes; past this one side alone, a superset, must do. */
const boxesMax = 4096;

function regionOf(node: FilterNode, isNegated: boolean): Region {
  switch (node.kind) {
    case 'not':
      return regionOf(node.operand, !isNegated);
    case 'constant':
      return node.value === isNegated ? nothing : everything;
    case 'property':
      return anything;
    case 'comparison': {
      const { property, literal } = node;
      if (!isKeyName(property) || literal.type !== 'Edm.String') return anything;
      const operator = isNegated ? complement[node.operator] : node.operator;
      const boxes = textRanges(operator, literal.value).map(range =>
        property === 'PartitionKey'
          ? { partitionKey: range, rowKey: allTexts }
          : { partitionKey: allTexts, rowKey: range },
      );
      return { boxes, isExact: true };
    }
    default: {
      const left = regionOf(node.left, isNegated);
      const right = regionOf(node.right, isNegated);
      // De Morgan: a negated `or` is a conjunction.
      return (node.kind === 'and') !== isNegated ? intersect(left, right) : unite(left, right);
    }
  }
}

const complement: Record<Operator, Operator> = { eq: 'ne', ne: 'eq', gt: 'le', ge: 'lt', lt: 'ge', le: 'gt' };

function textRanges(operator: Operator, text: string): TextRange[] {
  switch (operator) {
    case 'eq':
      return [{ from: text, to: successor(text) }];
    case 'ne':
      return [{ from: '', to: text }, { from: successor(text) }];
    case 'gt':
      return [{ from: successor(text) }];
    case 'ge':
      return [{ from: text }];
    case 'lt':
      return [{ from: '', to: text }];
    case 'le':
      return [{ from: '', to: successor(text) }];
  }
}

function intersect(left: Region, right: Region): Region {
  if (left.boxes.length * right.boxes.length > boxesMax) {
    const { boxes } = left.boxes.length < right.boxes.length ? left : right;
    return { boxes, isExact: false };
  }
  const boxes = left.boxes.flatMap(a =>
    right.boxes.flatMap(b => {
      const partitionKey = intersectTexts(a.partitionKey, b.partitionKey);
      const rowKey = intersectTexts(a.rowKey, b.rowKey);
      return partitionKey && rowKey ? [{ partitionKey, rowKey }] : [];
    }),
  );
  return { boxes, isExact: left.isExact && right.isExact };
}

function intersectTexts(a: TextRange, b: TextRange): TextRange | undefined {
  const from = compareText(a.from, b.from) >= 0 ? a.from : b.from;
  const to = a.to === undefined || (b.to !== undefined && compareText(b.to, a.to) < 0) ? b.to : a.to;
  if (to === undefined) return { from };
  return compareText(from, to) < 0 ? { from, to } : undefined;
}

function unite(left: Region, right: Region): Region {
  return { boxes: [...left.boxes, ...right.boxes], isExact: left.isExact && right.isExact };
}

function isPoint(range: TextRange): boolean {
  return range.to === successor(range.from);
}

function isAll(range: TextRange): boolean {
  return range.from === '' && range.to === undefined;
}

/** Row keys bound the first and the last partition of a box; those between are taken whole. */
function toKeyRange({ partitionKey, rowKey }: Box): KeyRange {
  const from = { partitionKey: partitionKey.from, rowKey: rowKey.from };
  if (partitionKey.to === undefined) return { from };
  if (rowKey.to !== undefined && partitionKey.to.endsWith('\0')) {
    return { from, to: { partitionKey: partitionKey.to.slice(0, -1), rowKey: rowKey.to } };
  }
  return { from, to: { partitionKey: partitionKey.to, rowKey: '' } };
}

function mergeRanges(ranges: readonly KeyRange[]): KeyRange[] {
  const merged: KeyRange[] = [];
  for (const range of [...ranges].sort((a, b) => compareKeys(a.from, b.from))) {
    if (range.to !== undefined && compareKeys(range.from, range.to) >= 0) continue;
    const last = merged.at(-1);
    if (last === undefined || (last.to !== undefined && compareKeys(last.to, range.from) < 0)) {
      merged.push(range);
    } else if (last.to !== undefined && (range.to === undefined || compareKeys(range.to, last.to) > 0)) {
      merged[merged.length - 1] =
        range.to === undefined ? { from: last.from } : { from: last.from, to: range.to };
    }
  }
  return merged;
}

/** The part of ascending ranges that lies within bounds. */
export function clipRanges(ranges: readonly KeyRange[], bounds: KeyRange): KeyRange[] {
  return ranges.flatMap(range => {
    const from = compareKeys(bounds.from, range.from) > 0 ? bounds.from : range.from;
    const isCut = bounds.to !== undefined && (range.to === undefined || compareKeys(bounds.to, range.to) < 0);
    const to = isCut ? bounds.to : range.to;
    if (to === undefined) return [{ from }];
    return compareKeys(from, to) < 0 ? [{ from, to }] : [];
  });
}

function classOf(ranges: readonly KeyRange[]): QueryClass {
  if (ranges.every(isSingleKey)) return 'point';
  if (!ranges.every(isInOnePartition)) return 'table scan';
  return ranges.some(isWholePartition) ? 'partition scan' : 'range';
}

function isSingleKey({ from, to }: KeyRange): boolean {
  return to?.partitionKey === from.partitionKey && to.rowKey === successor(from.rowKey);
}

function isInOnePartition({ from, to }: KeyRange): boolean {
  return to?.partitionKey === from.partitionKey || isPartitionEnd(from, to);
}

function isWholePartition({ from, to }: KeyRange): boolean {
  return from.rowKey === '' && isPartitionEnd(from, to);
}

function isPartitionEnd(from: Key, to: Key | undefined): boolean {
  return to?.partitionKey === successor(from.partitionKey) && to.rowKey === '';
}
