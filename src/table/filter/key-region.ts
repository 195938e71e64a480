import { compareText, successor } from '../../store/key.ts';
import type { KeyName } from './evaluate.ts';
import type { Operator } from './nodes.ts';

/**
 * Sets of keys that comparisons with texts can describe, as steps: from each text on, up to the next, things
 * are so. A set has one form only, and two are combined by walking both once.
 */

/** Texts: in from the first bound on, out from the second, in from the third; ascending. */
export type Texts = readonly string[];

/** Partition keys from here on, up to the next step, have these row keys. */
export interface Step {
  readonly from: string;
  readonly rowKeys: Texts;
}

/** Ascending, the first one from the empty text on; neighbours differ. */
export type Region = readonly Step[];

export const allTexts: Texts = [''];
const noTexts: Texts = [];
export const everything: Region = [{ from: '', rowKeys: allTexts }];
export const nothing: Region = [{ from: '', rowKeys: noTexts }];

/** Bounds in the product of two regions; past this, row keys are taken from the first to the last. */
const regionSizeMax = 16_384;

/** The keys of which one part compares so with a text. */
export function regionOfComparison(keyName: KeyName, operator: Operator, text: string): Region {
  const texts = textsOf(operator, text);
  if (keyName === 'RowKey') return [{ from: '', rowKeys: texts }];
  const steps = texts.map((from, index): Step => ({ from, rowKeys: index % 2 === 0 ? allTexts : noTexts }));
  return texts[0] === '' ? steps : [{ from: '', rowKeys: noTexts }, ...steps];
}

function textsOf(operator: Operator, text: string): Texts {
  // No key contains U+0000, so none lies between a text and what goes on with one behind it.
  const end = text.indexOf('\0');
  const here = end < 0 ? text : text.slice(0, end + 1);
  const behind = end < 0 ? successor(text) : here;
  switch (operator) {
    case 'eq':
      return toggles(here, behind);
    case 'ne':
      return toggles('', here, behind);
    case 'gt':
      return [behind];
    case 'ge':
      return [here];
    case 'lt':
      return toggles('', here);
    case 'le':
      return toggles('', behind);
  }
}

/** In and out again at the same bound is no change. */
function toggles(...bounds: readonly string[]): Texts {
  const kept: string[] = [];
  for (const bound of bounds) {
    if (kept.at(-1) === bound) kept.pop();
    else kept.push(bound);
  }
  return kept;
}

/** A superset of the intersection where that is too large. */
export function intersect(left: Region, right: Region): Region {
  return combine(left, right, intersectTexts);
}

/** A superset of the union where that is too large. */
export function unite(left: Region, right: Region): Region {
  return combine(left, right, uniteTexts);
}

/** In pairs, so that a thousand operands are walked ten times, not a thousand. */
export function combineAll(
  regions: readonly Region[],
  combineTwo: (left: Region, right: Region) => Region,
): Region {
  if (regions.length === 1) return regions[0] as Region;
  const middle = regions.length >> 1;
  return combineTwo(
    combineAll(regions.slice(0, middle), combineTwo),
    combineAll(regions.slice(middle), combineTwo),
  );
}

/** Whether a key is in both. Walks the second, and searches in the first. */
export function overlap(region: Region, other: Region): boolean {
  return other.some(({ from, rowKeys }, index) => {
    if (rowKeys.length === 0) return false;
    const to = other[index + 1]?.from;
    let at = countUpTo(region, from, ({ from }) => from) - 1;
    for (let step = region[at]; step !== undefined; step = region[++at]) {
      if (to !== undefined && compareText(step.from, to) >= 0) return false;
      if (textsOverlap(step.rowKeys, rowKeys)) return true;
    }
    return false;
  });
}

function combine(left: Region, right: Region, combineTexts: (a: Texts, b: Texts) => Texts): Region {
  const bounds = rowBounds(left) + rowBounds(right);
  if (bounds > 4 && (left.length + right.length) * bounds > regionSizeMax) {
    return combine(left.map(withHull), right.map(withHull), combineTexts);
  }
  const steps: Step[] = [];
  let leftAt = 0;
  let rightAt = 0;
  while (leftAt < left.length || rightAt < right.length) {
    const order = compareBounds(left[leftAt]?.from, right[rightAt]?.from);
    const { from } = (order <= 0 ? left[leftAt] : right[rightAt]) as Step;
    if (order <= 0) leftAt++;
    if (order >= 0) rightAt++;
    const rowKeys = combineTexts((left[leftAt - 1] as Step).rowKeys, (right[rightAt - 1] as Step).rowKeys);
    const last = steps.at(-1);
    if (last === undefined || !isSame(last.rowKeys, rowKeys)) steps.push({ from, rowKeys });
  }
  return steps;
}

function rowBounds(region: Region): number {
  let most = 0;
  for (const { rowKeys } of region) if (rowKeys.length > most) most = rowKeys.length;
  return most;
}

function withHull({ from, rowKeys }: Step): Step {
  if (rowKeys.length < 3) return { from, rowKeys };
  const isEndless = rowKeys.length % 2 === 1;
  return {
    from,
    rowKeys: isEndless ? rowKeys.slice(0, 1) : [rowKeys[0] as string, rowKeys.at(-1) as string],
  };
}

function isSame(a: Texts, b: Texts): boolean {
  return a === b || (a.length === b.length && a.every((bound, index) => bound === b[index]));
}

function uniteTexts(a: Texts, b: Texts): Texts {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  return mergeTexts(a, b, 1);
}

function intersectTexts(a: Texts, b: Texts): Texts {
  if (a === b || isAllTexts(b)) return a;
  if (isAllTexts(a)) return b;
  return a.length === 0 || b.length === 0 ? noTexts : mergeTexts(a, b, 2);
}

/** The texts that lie in as many of the two sets, or in more. */
function mergeTexts(a: Texts, b: Texts, setsMin: 1 | 2): Texts {
  const bounds: string[] = [];
  let aAt = 0;
  let bAt = 0;
  while (aAt < a.length || bAt < b.length) {
    const order = compareBounds(a[aAt], b[bAt]);
    const bound = (order <= 0 ? a[aAt] : b[bAt]) as string;
    if (order <= 0) aAt++;
    if (order >= 0) bAt++;
    const isIn = (aAt % 2) + (bAt % 2) >= setsMin;
    if (isIn !== (bounds.length % 2 === 1)) bounds.push(bound);
  }
  return bounds;
}

function textsOverlap(a: Texts, b: Texts): boolean {
  if (a.length < b.length) return textsOverlap(b, a);
  for (let at = 0; at < b.length; at += 2) {
    const inside = countUpTo(a, b[at] as string, bound => bound);
    if (inside % 2 === 1) return true;
    const next = a[inside];
    const end = b[at + 1];
    if (next !== undefined && (end === undefined || compareText(next, end) < 0)) return true;
  }
  return false;
}

/** How many of ascending items stand at a text or before it. */
function countUpTo<Item>(items: readonly Item[], text: string, textOf: (item: Item) => string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareText(textOf(items[middle] as Item), text) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function isAllTexts(texts: Texts): boolean {
  return texts.length === 1 && texts[0] === '';
}

/** Where there is none any more, the other comes first. */
function compareBounds(a: string | undefined, b: string | undefined): number {
  if (a === undefined) return 1;
  return b === undefined ? -1 : compareText(a, b);
}
