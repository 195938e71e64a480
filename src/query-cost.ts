/** What a query cost, in the words of the Azure table design guide; docs/queries.md tells what they mean here. */

/** From cheap to dear. */
export const queryClasses = ['point', 'range', 'partition scan', 'table scan'] as const;
export type QueryClass = (typeof queryClasses)[number];

/** What ended a page: its ranges, its limit of entities, of bytes, or of time. */
export const pageEnds = ['range end', 'entities', 'bytes', 'time'] as const;
export type PageEnd = (typeof pageEnds)[number];

/** Of one page. */
export interface QueryCost {
  /** Of the query, whatever a token or a signature cuts off from it. */
  readonly class: QueryClass;
  /** Entities looked at, returned or not. */
  readonly examined: number;
  readonly returned: number;
  readonly end: PageEnd;
  /** The table, on the first page of a query that has to test each entity that it looks at. */
  readonly searchedTable: string | undefined;
}
