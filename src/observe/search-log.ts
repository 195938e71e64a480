import type { QueryClass, QueryCost } from '../query-cost.ts';
import type { Logger } from './log.ts';

const advice: Partial<Record<QueryClass, string>> = {
  'table scan':
    'a table scan: the filter names no PartitionKey by eq, so entities of all partitions were tested; name the PartitionKey, or keep a copy of the entities under keys that this query can name (docs/queries.md)',
  'partition scan':
    'a partition scan: the filter says nothing of RowKey that narrows it down, so every entity of the partition was tested; begin the RowKey with what is searched for and ask for a range of it (docs/queries.md)',
};

/** One line about queries of one kind in so long, so that a busy server's log is no list of them. */
const silenceMs = 60_000;
const kindsMax = 1000;

interface Kind {
  readonly toldMs: number;
  untold: number;
}

/** Tells in the log of queries that search tables or partitions, with what would make them cheaper. */
export class SearchLog {
  readonly #log: Logger;
  readonly #kinds = new Map<string, Kind>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `nowMs` is of a clock that does not go back. */
  tell(requestId: string, account: string, cost: QueryCost, durationMs: number, nowMs: number): void {
    const { searchedTable: table, class: queryClass, examined, returned } = cost;
    const sentence = advice[queryClass];
    if (sentence === undefined || !this.#log.isLevelEnabled('info')) return;
    const name = `${account}/${table?.toLowerCase()}/${queryClass}`;
    const kind = this.#kinds.get(name);
    if (kind !== undefined && nowMs - kind.toldMs < silenceMs) {
      kind.untold++;
      return;
    }
    if (this.#kinds.size >= kindsMax) this.#kinds.clear();
    this.#kinds.set(name, { toldMs: nowMs, untold: 0 });
    this.#log.info(
      {
        requestId,
        account,
        table,
        class: queryClass,
        examined,
        returned,
        durationMs,
        untold: kind?.untold ?? 0,
      },
      sentence,
    );
  }
}
