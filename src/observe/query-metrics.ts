import { Counter, type Metric, type Registry } from 'prom-client';
import { type PageEnd, pageEnds, type QueryClass, type QueryCost, queryClasses } from '../query-cost.ts';
import { DurationSeries, histogramOf } from './duration-series.ts';

const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface ClassCounts {
  readonly pages: Record<PageEnd, number>;
  examined: number;
  returned: number;
  readonly durations: DurationSeries;
}

/** What queries cost, by class: pages by what ended them, entities examined and returned, durations. */
export class QueryMetrics {
  readonly #counts = Object.fromEntries(queryClasses.map(name => [name, noCounts(name)])) as Record<
    QueryClass,
    ClassCounts
  >;

  constructor(registry: Registry) {
    const counts = this.#counts;
    const registers = [registry];
    new Counter({
      name: 'tabularium_query_pages_total',
      help: 'Pages of queries, by class of the query and by what ended the page.',
      labelNames: ['class', 'end'],
      registers,
      collect() {
        this.reset();
        for (const name of queryClasses) {
          for (const end of pageEnds) this.inc({ class: name, end }, counts[name].pages[end]);
        }
      },
    });
    new Counter({
      name: 'tabularium_query_entities_examined_total',
      help: 'Entities that queries looked at, returned or not.',
      labelNames: ['class'],
      registers,
      collect() {
        this.reset();
        for (const name of queryClasses) this.inc({ class: name }, counts[name].examined);
      },
    });
    new Counter({
      name: 'tabularium_query_entities_returned_total',
      help: 'Entities that queries returned.',
      labelNames: ['class'],
      registers,
      collect() {
        this.reset();
        for (const name of queryClasses) this.inc({ class: name }, counts[name].returned);
      },
    });
    const durations = histogramOf(
      'tabularium_query_duration_seconds',
      'Time of a page of a query, from the head of its request to its answer.',
      () => queryClasses.map(name => counts[name].durations),
    );
    registry.registerMetric(durations as unknown as Metric);
  }

  count(cost: QueryCost, durationMs: number): void {
    const counts = this.#counts[cost.class];
    counts.pages[cost.end]++;
    counts.examined += cost.examined;
    counts.returned += cost.returned;
    counts.durations.count(durationMs);
  }
}

function noCounts(name: QueryClass): ClassCounts {
  return {
    pages: { 'range end': 0, entities: 0, bytes: 0, time: 0 },
    examined: 0,
    returned: 0,
    durations: new DurationSeries({ class: name }, bucketsSeconds),
  };
}
