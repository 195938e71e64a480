import type { QueryCost } from '../query-cost.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import { SearchLog } from './search-log.ts';

/** A request that was answered. */
export interface Answered {
  readonly id: string;
  readonly service: string;
  readonly operation: string;
  readonly account: string | undefined;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly status: number;
  readonly cost: QueryCost | undefined;
  /** Of a clock that does not go back. */
  readonly beganMs: number;
  readonly durationMs: number;
}

/** Keeps what was done: in the metrics, and in the log as far as its level goes. */
export class RequestRecord {
  readonly #metrics: Metrics;
  readonly #log: Logger;
  readonly #searches: SearchLog;

  constructor(metrics: Metrics, log: Logger) {
    this.#metrics = metrics;
    this.#log = log;
    this.#searches = new SearchLog(log);
  }

  add(answered: Answered): void {
    const { id, operation, method, url, status, cost, durationMs } = answered;
    this.#metrics.countRequest(answered.service, operation, status, durationMs);
    if (cost !== undefined) {
      this.#metrics.countQuery(cost, durationMs);
      if (cost.searchedTable !== undefined) {
        this.#searches.tell(id, answered.account ?? '', cost, durationMs, answered.beganMs);
      }
    }
    if (this.#log.isLevelEnabled('debug')) {
      this.#log.debug(
        {
          requestId: id,
          operation,
          method,
          url: withoutSecret(url),
          status,
          durationMs,
          cost: cost && { ...cost, searchedTable: undefined },
        },
        'request',
      );
    }
  }
}

/** An address with a SAS opens what it names: the log must not. */
export function withoutSecret(url: string | undefined): string | undefined {
  return url?.replace(/([?&]sig=)[^&]*/i, '$1...');
}
