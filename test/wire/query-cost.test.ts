import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { Logger } from '../../src/observe/log.ts';
import { batchType, changesetBody, insert, minimal, queryBody } from '../support/batch.ts';
import type { RawRequest, RawResponse } from '../support/raw-client.ts';
import { hoursFromNow, tableToken, underToken } from '../support/sas.ts';
import { slowClient } from '../support/slow-client.ts';
import { entityPath, useWire, type Wire } from '../support/wire.ts';

const asking = { 'x-tabularium-query-cost': 'true' };
const names = ['query-class', 'entities-examined', 'entities-returned', 'page-end'];

/** Class, examined, returned, and what ended the page; undefined where the answer does not tell. */
function costOf({ headers }: RawResponse): (string | undefined)[] | undefined {
  const found = names.map(name => headers[`x-tabularium-${name}`] as string | undefined);
  const milliseconds = headers['x-tabularium-query-milliseconds'];
  if (found.every(value => value === undefined) && milliseconds === undefined) return undefined;
  assert.match(String(milliseconds), /^\d+\.\d$/);
  return found;
}

/** Departments a and b with ten employees each, of an age from 20 to 29. */
async function makeEmployees(wire: Wire): Promise<string> {
  const table = await wire.createTable();
  for (const PartitionKey of ['a', 'b']) {
    for (let Age = 20; Age < 30; Age++)
      await wire.insert(table, { PartitionKey, RowKey: `empid_${Age}`, Age });
  }
  return table;
}

function queryPath(table: string, filter: string, options = ''): string {
  return `/${table}()?$filter=${encodeURIComponent(filter)}${options}`;
}

describe('What a query cost, on the wire', () => {
  const wire = useWire();
  let made: Promise<string> | undefined;
  const employees = (): Promise<string> => {
    made ??= makeEmployees(wire);
    return made;
  };

  it('is told to those who ask, for each class of query', async () => {
    const table = await employees();
    for (const [filter, options, cost] of [
      ["PartitionKey eq 'a' and RowKey eq 'empid_21'", '', ['point', '1', '1', 'range end']],
      [
        "PartitionKey eq 'a' and (RowKey eq 'empid_21' or RowKey eq 'empid_27')",
        '',
        ['point', '2', '2', 'range end'],
      ],
      [
        "PartitionKey eq 'a' and RowKey ge 'empid_22' and RowKey lt 'empid_25'",
        '',
        ['range', '3', '3', 'range end'],
      ],
      ["PartitionKey eq 'a' and Age eq 23", '', ['partition scan', '10', '1', 'range end']],
      ["RowKey eq 'empid_23'", '', ['table scan', '20', '2', 'range end']],
      ['Age lt 22', '', ['table scan', '20', '4', 'range end']],
      ["PartitionKey eq 'a' and Age gt 22", '&$top=2', ['partition scan', '5', '2', 'entities']],
      ['false', '', ['point', '0', '0', 'range end']],
    ] as const) {
      const path = queryPath(table, filter, options);
      assert.deepEqual(costOf(await wire.send({ path, headers: asking })), cost, filter);
    }
    const point = await wire.send({ path: entityPath(table, 'a', 'empid_20'), headers: asking });
    assert.deepEqual(costOf(point), ['point', '1', '1', 'range end']);
  });

  it('is that of the page, in the class of the whole query, where a token goes on', async () => {
    const table = await employees();
    const path = queryPath(table, 'Age lt 22', '&$top=3');
    const first = await wire.send({ path, headers: asking });
    assert.deepEqual(costOf(first), ['table scan', '11', '3', 'entities']);
    const tokens = ['PartitionKey', 'RowKey'].map(
      name =>
        `&Next${name}=${encodeURIComponent(String(first.headers[`x-ms-continuation-next${name.toLowerCase()}`]))}`,
    );
    const second = await wire.send({ path: `${path}${tokens.join('')}`, headers: asking });
    assert.deepEqual(costOf(second), ['table scan', '9', '1', 'range end']);
  });

  it('is told to nobody who does not ask, and of nothing but queries', async () => {
    const table = await employees();
    for (const headers of [{}, { 'x-tabularium-query-cost': 'false' }, { 'x-tabularium-query-cost': '' }]) {
      assert.equal(costOf(await wire.send({ path: `/${table}()`, headers })), undefined);
    }
    for (const path of ['/Tables', '/missing()', entityPath(table, 'a', 'missing')]) {
      assert.equal(costOf(await wire.send({ path, headers: asking })), undefined, path);
    }
  });

  it('stands on the answer of a batch that holds a query', async () => {
    const table = await employees();
    const query = queryBody({
      method: 'GET',
      target: queryPath(table, 'Age eq 20'),
      headers: [minimal],
    });
    const response = await wire.send({
      method: 'POST',
      path: '/$batch',
      headers: { ...batchType, ...asking },
      body: query,
    });
    assert.equal(response.status, 202);
    assert.deepEqual(costOf(response), ['table scan', '20', '2', 'range end']);
    assert.ok(!response.body.includes('x-tabularium'));
  });

  it('is counted in the metrics, asked for or not', async () => {
    const table = await employees();
    const endpoint = new URL(await wire.base()).origin;
    const read = async (): Promise<(series: string) => number> => {
      const lines = (await (await fetch(`${endpoint}/-/metrics`)).text()).split('\n');
      return series =>
        Number(
          lines
            .find(line => line.startsWith(`tabularium_query_${series} `))
            ?.split(' ')
            .at(-1),
        );
    };
    const before = await read();
    await wire.send({ path: queryPath(table, "PartitionKey eq 'a' and Age gt 22", '&$top=2') });
    await wire.send({ path: entityPath(table, 'a', 'empid_20') });
    const after = await read();
    for (const [series, count] of [
      ['pages_total{class="partition scan",end="entities"}', 1],
      ['entities_examined_total{class="partition scan"}', 5],
      ['entities_returned_total{class="partition scan"}', 2],
      ['duration_seconds_count{class="partition scan"}', 1],
      ['pages_total{class="point",end="range end"}', 1],
      ['entities_examined_total{class="point"}', 1],
      ['pages_total{class="table scan",end="time"}', 0],
    ] as const) {
      assert.equal(after(series) - before(series), count, series);
    }
  });
});

describe('What a query cost, to a shared access signature', () => {
  const asked = useWire();
  const always = useWire({ queryCost: true });
  const tokenOf = (table: string, range: Record<string, string>): string =>
    tableToken(table, { sp: 'r', se: hoursFromNow(1), ...range });

  it('is never told where it reaches a range of keys only: it would tell of those beyond', async () => {
    for (const wire of [asked, always]) {
      const table = await makeEmployees(wire);
      const requests: RawRequest[] = [
        { path: queryPath(table, 'Age gt 22'), headers: asking },
        { path: entityPath(table, 'a', 'empid_20'), headers: asking },
        {
          method: 'POST',
          path: '/$batch',
          headers: { ...batchType, ...asking },
          body: queryBody({ method: 'GET', target: `/${table}()`, headers: [minimal] }),
        },
      ];
      for (const range of [{ spk: 'a' }, { epk: 'a' }, { spk: 'a', srk: '', epk: 'a', erk: 'z' }]) {
        for (const request of requests) {
          const response = await wire.send(underToken(request, tokenOf(table, range)));
          assert.ok(response.status === 200 || response.status === 202, response.body);
          assert.equal(costOf(response), undefined, JSON.stringify(range));
        }
      }
    }
  });

  it('is told where it reaches the whole table', async () => {
    const table = await makeEmployees(asked);
    const request = { path: queryPath(table, 'Age eq 22'), headers: asking };
    const response = await asked.send(underToken(request, tokenOf(table, {})));
    assert.deepEqual(costOf(response), ['table scan', '20', '2', 'range end']);
  });
});

describe('What a query cost, with --query-cost', () => {
  const wire = useWire({ queryCost: true });

  it('is told to everybody', async () => {
    const table = await makeEmployees(wire);
    const response = await wire.send({ path: `/${table}()?$top=20` });
    assert.deepEqual(costOf(response), ['table scan', '20', '20', 'range end']);
  });
});

describe('What a query cost, in the log', () => {
  const lines: Record<string, unknown>[] = [];
  const log: Logger = pino({ level: 'debug' }, { write: line => void lines.push(JSON.parse(line)) });
  const wire = useWire({}, { log });
  const told = (): Record<string, unknown>[] =>
    lines.filter(line => /^a (?:table|partition) scan: /.test(String(line.msg)));

  it('stands in the line of each request', async () => {
    const table = await makeEmployees(wire);
    await wire.send({ path: queryPath(table, "PartitionKey eq 'b'") });
    const line = lines.findLast(({ operation }) => operation === 'QueryEntities');
    assert.deepEqual(line?.cost, { class: 'partition scan', examined: 10, returned: 10, end: 'range end' });
  });

  it('has a line of its own with advice for a search through a table or a partition, once in a while', async () => {
    const table = await makeEmployees(wire);
    lines.length = 0;
    for (const filter of [
      "PartitionKey eq 'b'",
      "PartitionKey eq 'b' and RowKey ge 'empid_25' and Age gt 3",
      "PartitionKey ge 'b'",
      'Age eq 20',
      "PartitionKey eq 'a' and Age eq 20",
      "RowKey eq 'empid_20'",
    ]) {
      await wire.send({ path: queryPath(table, filter) });
    }
    await wire.send({ path: `/${table}()` });
    assert.deepEqual(
      told().map(({ account, table, class: queryClass, examined, returned, untold }) => ({
        account,
        table,
        class: queryClass,
        examined,
        returned,
        untold,
      })),
      [
        { account: 'devstoreaccount1', table, class: 'table scan', examined: 20, returned: 2, untold: 0 },
        { account: 'devstoreaccount1', table, class: 'partition scan', examined: 10, returned: 1, untold: 0 },
      ],
    );
  });
});

describe('A client that goes away', { timeout: 60_000 }, () => {
  const wire = useWire();

  it('ends the scan that it asked for, which counts neither as a page nor as an error', async () => {
    const table = await wire.createTable();
    for (let batch = 0; batch < 60; batch++) {
      const operations = Array.from({ length: 100 }, (_, index) =>
        insert(table, `${batch}-${index}`, ',"n":0'),
      );
      const body = changesetBody(operations);
      assert.equal(
        (await wire.send({ method: 'POST', path: '/$batch', headers: batchType, body })).status,
        202,
      );
    }
    const metrics = async (): Promise<string> =>
      (await fetch(`${new URL(await wire.base()).origin}/-/metrics`)).text();
    const running = async (): Promise<number> =>
      Number(/^tabularium_scans_running (\d+)$/m.exec(await metrics())?.[1]);
    // Slow enough to be seen running: five million comparisons.
    const filter = Array.from({ length: 900 }, (_, index) => `n eq ${index + 1}`).join(' or ');
    const client = await slowClient(await wire.base());
    client.socket.write(
      await wire.signedBytes('GET', queryPath(table, filter), ['Accept: application/json']),
    );
    while ((await running()) === 0) await sleep(1);
    client.socket.destroy();
    while ((await running()) > 0) await sleep(1);
    const text = await metrics();
    assert.match(text, /^tabularium_query_pages_total\{class="table scan",end="range end"\} 0$/m);
    assert.doesNotMatch(text, /operation="QueryEntities"/);
    await wire.assertServes();
  });
});
