import type { QueryCost } from '../query-cost.ts';

/** What a query cost, as headers of its answer: names and values in turn. */
export function costHeaders(cost: QueryCost, durationMs: number): string[] {
  return [
    'x-tabularium-query-class',
    cost.class,
    'x-tabularium-entities-examined',
    String(cost.examined),
    'x-tabularium-entities-returned',
    String(cost.returned),
    'x-tabularium-query-milliseconds',
    durationMs.toFixed(1),
    'x-tabularium-page-end',
    cost.end,
  ];
}
