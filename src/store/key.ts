/**
 * The primary key of an entity and its order: ascending by partition key, then row key, each by Unicode code
 * point, which is the order of their UTF-8 bytes.
 *
 * Bounds of ranges are keys too, with one convention: a trailing U+0000, which no key contains, makes a text
 * the immediate successor of what stands before it. `{ partitionKey: 'p\0', rowKey: '' }` is where the
 * partition `p` has just ended.
 */
export interface Key {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** Keys from `from` on, up to but without `to`; without `to`, up to the end of the table. */
export interface KeyRange {
  readonly from: Key;
  readonly to?: Key;
}

export const firstKey: Key = { partitionKey: '', rowKey: '' };

/** The smallest text after this one. */
export function successor(text: string): string {
  return `${text}\0`;
}

/** The range that holds one partition, whole. */
export function partitionRange(partitionKey: string): KeyRange {
  return {
    from: { partitionKey, rowKey: '' },
    to: { partitionKey: successor(partitionKey), rowKey: '' },
  };
}

/** Negative, zero or positive, by code point. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** UTF-16 sorts surrogates (U+10000 and above) before U+E000 to U+FFFF; code points sort them after. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

export function compareKeys(a: Key, b: Key): number {
  return compareText(a.partitionKey, b.partitionKey) || compareText(a.rowKey, b.rowKey);
}
