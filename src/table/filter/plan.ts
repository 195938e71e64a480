import type { QueryClass } from '../../query-cost.ts';
import { compareKeys, type KeyRange, successor } from '../../store/key.ts';
import { evaluate, isKeyName } from './evaluate.ts';
import {
  allTexts,
  combineAll,
  everything,
  intersect,
  isAllTexts,
  nothing,
  overlap,
  type Region,
  regionOfComparison,
  type Step,
  type Texts,
  unite,
} from './key-region.ts';
import type { FilterNode, Operator, Value } from './nodes.ts';

export interface Plan {
  /** Ascending, disjoint, and none beginning where another ends; every entity that matches is in one of them. */
  readonly ranges: readonly KeyRange[];
  readonly class: QueryClass;
  /** What is left to evaluate on each row of the ranges: the conditions that do not hold for all of them. */
  readonly residual: FilterNode | undefined;
}

/**
 * From a `$filter` to the smallest key ranges that hold its answer. A partition that the filter singles out is
 * read in exactly those row keys that may match. Between two of them there may be any number of partitions:
 * where the filter says of row keys there that some match, they are read whole.
 */
export function planQuery(filter: FilterNode | undefined): Plan {
  if (filter === undefined) return { ranges: rangesOf(everything), class: 'table scan', residual: undefined };
  const conditions = operandsOf(filter, 'and');
  const matching = conditions.map(condition => regionOf(condition, false));
  const covered = coverWholePartitions(combineAll(matching, intersect));
  // A condition that no key of the ranges can fail need not be evaluated.
  const undecided = conditions.filter(condition => overlap(covered, regionOf(condition, true)));
  return { ranges: rangesOf(covered), class: classOf(covered), residual: conjunctionOf(undecided) };
}

/** The keys of entities that may match; or, negated, of those that may not. */
function regionOf(node: FilterNode, isNegated: boolean): Region {
  switch (node.kind) {
    case 'not':
      return regionOf(node.operand, !isNegated);
    case 'and':
    case 'or': {
      const regions = operandsOf(node, node.kind).map(operand => regionOf(operand, isNegated));
      // De Morgan: a negated `or` is a conjunction.
      return combineAll(regions, (node.kind === 'and') !== isNegated ? intersect : unite);
    }
    case 'comparison': {
      const { property, operator, literal } = node;
      if (isKeyName(property) && literal.type === 'Edm.String') {
        return regionOfComparison(property, isNegated ? complement[operator] : operator, literal.value);
      }
    }
  }
  if ('property' in node && !isKeyName(node.property)) return everything;
  // A constant; or a key as what it is not, such as a number, which has one answer for every key.
  return evaluate(node, () => anyKey) === isNegated ? nothing : everything;
}

const anyKey: Value = { type: 'Edm.String', value: '' };

const complement: Record<Operator, Operator> = { eq: 'ne', ne: 'eq', gt: 'le', ge: 'lt', lt: 'ge', le: 'gt' };

/** Of a chain of one operator, from left to right; the parser makes each a level of the tree. */
function operandsOf(node: FilterNode, kind: 'and' | 'or'): FilterNode[] {
  const operands: FilterNode[] = [];
  const rest = [node];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (next.kind === kind) rest.push(next.right, next.left);
    else operands.push(next);
  }
  return operands;
}

function conjunctionOf(conditions: readonly FilterNode[]): FilterNode | undefined {
  const [first, ...others] = conditions;
  if (first === undefined) return undefined;
  return others.reduce((left, right): FilterNode => ({ kind: 'and', left, right }), first);
}

/** Single partitions with some of their row keys, others whole: what ranges can say. */
function coverWholePartitions(region: Region): Region {
  const steps: Step[] = [];
  for (const [index, step] of region.entries()) {
    const { from, rowKeys } = step;
    const to = region[index + 1]?.from;
    if (rowKeys.length === 0 || isAllTexts(rowKeys) || to === successor(from)) {
      steps.push(step);
      continue;
    }
    // A bound of partition keys that is a key itself, not the place behind one, is a partition of its own.
    const isPartition = !from.endsWith('\0');
    if (isPartition) steps.push(step);
    steps.push({ from: isPartition ? successor(from) : from, rowKeys: allTexts });
    if (to?.endsWith('\0')) steps.push({ from: to.slice(0, -1), rowKeys });
  }
  return steps;
}

function rangesOf(covered: Region): KeyRange[] {
  const ranges: KeyRange[] = [];
  const add = (range: KeyRange): void => {
    const last = ranges.at(-1);
    const isNext = last?.to !== undefined && compareKeys(last.to, range.from) === 0;
    if (isNext) ranges[ranges.length - 1] = { ...range, from: last.from };
    else ranges.push(range);
  };
  for (const [index, { from: partitionKey, rowKeys }] of covered.entries()) {
    const end = covered[index + 1]?.from;
    for (let at = 0; at < rowKeys.length; at += 2) {
      const from = { partitionKey, rowKey: rowKeys[at] as string };
      const rowEnd = rowKeys[at + 1];
      if (rowEnd !== undefined) add({ from, to: { partitionKey, rowKey: rowEnd } });
      else add(end === undefined ? { from } : { from, to: { partitionKey: end, rowKey: '' } });
    }
  }
  return ranges;
}

/** Nothing at all counts as point: it costs no more. */
function classOf(covered: Region): QueryClass {
  const read = covered.filter(({ rowKeys }) => rowKeys.length > 0);
  const isOnePartition = ({ from }: Step, index: number): boolean =>
    covered[index + 1]?.from === successor(from);
  if (!covered.every((step, index) => step.rowKeys.length === 0 || isOnePartition(step, index))) {
    return 'table scan';
  }
  if (read.some(({ rowKeys }) => isAllTexts(rowKeys))) return 'partition scan';
  return read.every(({ rowKeys }) => areSingle(rowKeys)) ? 'point' : 'range';
}

function areSingle(texts: Texts): boolean {
  return texts.every((bound, index) => index % 2 === 1 || texts[index + 1] === successor(bound));
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
