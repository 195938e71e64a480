import type { QueryCost } from '../query-cost.ts';

/** What an operation answers; the server adds the headers that all answers have. */
export interface Answer {
  readonly status: number;
  /** Of the status line, where it is not the usual one. */
  readonly reason?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, bytes, or bytes in pieces; none means an answer without a body. */
  readonly body?: string | Buffer | readonly Buffer[];
  /** Of a query. */
  readonly cost?: QueryCost;
}

export function bodyBytes(body: Answer['body']): number {
  if (body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  return 'byteLength' in body ? body.length : body.reduce((bytes, piece) => bytes + piece.length, 0);
}

export function bodyText(body: Answer['body']): string {
  if (body === undefined) return '';
  return typeof body === 'string' || 'byteLength' in body ? body.toString() : Buffer.concat(body).toString();
}
