import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import type { LogLevel } from '../../src/observe/log.ts';
import { SearchLog } from '../../src/observe/search-log.ts';
import type { QueryClass, QueryCost } from '../../src/query-cost.ts';

function search(table: string, queryClass: QueryClass = 'table scan'): QueryCost {
  return { class: queryClass, examined: 20, returned: 2, end: 'range end', searchedTable: table };
}

function keptLog(level: LogLevel = 'info'): { searches: SearchLog; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level }, { write: line => void lines.push(JSON.parse(line)) });
  return { searches: new SearchLog(log), lines };
}

describe('the log of searches', () => {
  it('tells of one table and class once a minute, and of how many it kept to itself', () => {
    const { searches, lines } = keptLog();
    for (let secondsAgo = 130; secondsAgo > 0; secondsAgo -= 10) {
      searches.tell('id', 'acme', search('People'), 1, 1_000_000 - secondsAgo * 1000);
      searches.tell('id', 'acme', search('people'), 1, 1_000_000 - secondsAgo * 1000);
    }
    assert.deepEqual(
      lines.map(({ untold }) => untold),
      [0, 11, 11],
    );
  });

  it('tells of each account, table and class by itself', () => {
    const { searches, lines } = keptLog();
    for (const [account, table, queryClass] of [
      ['acme', 'people', 'table scan'],
      ['acme', 'people', 'partition scan'],
      ['acme', 'places', 'table scan'],
      ['other', 'people', 'table scan'],
    ] as const) {
      searches.tell('id', account, search(table, queryClass), 1, 0);
    }
    assert.equal(lines.length, 4);
  });

  it('says nothing of queries that their keys lead to the answer', () => {
    const { searches, lines } = keptLog();
    searches.tell('id', 'acme', search('people', 'point'), 1, 0);
    searches.tell('id', 'acme', search('people', 'range'), 1, 0);
    assert.deepEqual(lines, []);
  });

  it('says nothing where the level of the log is above it', () => {
    const { searches, lines } = keptLog('warn');
    searches.tell('id', 'acme', search('people'), 1, 0);
    assert.deepEqual(lines, []);
  });
});
