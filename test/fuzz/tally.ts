import type { Outcome } from './client.ts';

/** What the server said, counted. */
export class Tally {
  readonly #classes = new Map<string, number>();
  readonly #codes = new Map<string, number>();
  cases = 0;
  #slowestMs = 0;

  count({ answers, durationMs }: Outcome): void {
    this.cases++;
    this.#slowestMs = Math.max(this.#slowestMs, durationMs);
    if (answers.length === 0) increase(this.#classes, 'hung up');
    for (const { status, headers } of answers) {
      increase(this.#classes, `${String(status)[0]}xx`);
      const code = headers.get('x-ms-error-code') ?? (headers.has('x-ms-request-id') ? '' : ' by HTTP');
      increase(this.#codes, `${status} ${code}`.trim());
    }
  }

  /** `2xx 100, 4xx 200, slowest 12 ms` */
  summary(): string {
    const classes = [...this.#classes].toSorted().map(([name, count]) => `${name} ${count}`);
    return [...classes, `slowest ${Math.round(this.#slowestMs)} ms`].join(', ');
  }

  /** How often each status and code came: whether the fuzzer reaches what it is meant to. */
  details(): string {
    const codes = [...this.#codes].toSorted(([, a], [, b]) => b - a);
    return codes.map(([code, count]) => `${code}: ${count}`).join(', ');
  }
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
