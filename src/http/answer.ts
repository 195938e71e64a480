import type { QueryCost } from '../query-cost.ts';

/** What an operation answers; the server adds the headers that all answers have. */
export interface Answer {
  readonly status: number;
  /** Of the status line, where it is not the usual one. */
  readonly reason?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text or bytes; none means an answer without a body. */
  readonly body?: string | Buffer;
  /** Of a query. */
  readonly cost?: QueryCost;
}
