/** What the cases are about: where the server is, who may ask it, and the names that they share. */
export interface FuzzAccount {
  readonly name: string;
  /** Base64; any of them signs. */
  readonly keys: readonly string[];
}

export interface World {
  readonly port: number;
  readonly accounts: readonly FuzzAccount[];
  /** Milliseconds since 1970. */
  now(): number;
  /** What answers told, for cases to send back. */
  readonly learned: Learned;
}

export const accounts: readonly FuzzAccount[] = [
  { name: 'devstoreaccount1', keys: [keyOf('first'), keyOf('second')] },
  { name: 'fuzzaccount2', keys: [keyOf('third')] },
  { name: 'abc', keys: [keyOf('fourth')] },
];

function keyOf(text: string): string {
  return Buffer.from(`the key that is called ${text}`).toString('base64');
}

/** Tables that cases create, fill and drop. */
export const tableNames = ['fuzz0', 'fuzz1', 'fuzz2', 'Fuzz3', 'fuzzFOUR'] as const;

/** A few texts of each kind, the latest that were seen: some cases send them back, whole or mutated. */
export class Learned {
  static readonly #kept = 32;
  readonly #texts = new Map<string, string[]>();
  #turn = 0;

  remember(kind: LearnedKind, text: string): void {
    const texts = this.#texts.get(kind) ?? [];
    this.#texts.set(kind, texts);
    texts[this.#turn++ % Learned.#kept] = text;
  }

  /** The same draw gives the same text as long as nothing new was learned. */
  recall(kind: LearnedKind, draw: number): string | undefined {
    const texts = this.#texts.get(kind)?.filter(text => text !== undefined) ?? [];
    return texts[draw % texts.length];
  }
}

export type LearnedKind = 'etag' | 'NextPartitionKey' | 'NextRowKey' | 'NextTableName';
