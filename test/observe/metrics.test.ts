import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Metrics } from '../../src/observe/metrics.ts';

/** The value of a line of the text format. */
async function readValue(metrics: Metrics, series: string): Promise<number> {
  const lines = (await metrics.render()).split('\n');
  return Number(
    lines
      .find(line => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  );
}

describe('the metrics of scans', () => {
  it('count slices, and those that took longer than two milliseconds, and keep the longest', async () => {
    const metrics = new Metrics();
    for (const ms of [0.5, 1, 2, 2.1, 7, 1]) metrics.scanObserver.onSlice?.(ms);
    assert.equal(await readValue(metrics, 'tabularium_scan_slices_total'), 6);
    assert.equal(await readValue(metrics, 'tabularium_scan_long_slices_total'), 2);
    assert.equal(await readValue(metrics, 'tabularium_scan_longest_slice_seconds'), 0.007);
  });

  it('have turns of the event loop as a histogram', async () => {
    const metrics = new Metrics();
    for (const ms of [0.2, 1.2, 1.4, 4.5, 2000]) metrics.scanObserver.onTurn?.(ms);
    const name = 'tabularium_scan_turn_duration_seconds';
    for (const [bucket, count] of [
      ['0.0005', 1],
      ['0.0015', 3],
      ['0.005', 4],
      ['1', 4],
      ['+Inf', 5],
    ] as const) {
      assert.equal(await readValue(metrics, `${name}_bucket{le="${bucket}"}`), count, bucket);
    }
    assert.equal(await readValue(metrics, `${name}_count`), 5);
  });

  it('ask how many are running when they are read', async () => {
    const metrics = new Metrics();
    let running = 3;
    metrics.watchScans(() => running);
    assert.equal(await readValue(metrics, 'tabularium_scans_running'), 3);
    running = 0;
    assert.equal(await readValue(metrics, 'tabularium_scans_running'), 0);
  });
});

describe('the metrics of queries', () => {
  it('add up by class, and by what ended the page', async () => {
    const metrics = new Metrics();
    const cost = {
      class: 'range',
      examined: 10,
      returned: 4,
      end: 'bytes',
      searchedTable: undefined,
    } as const;
    metrics.countQuery(cost, 3);
    metrics.countQuery({ ...cost, end: 'time' }, 5000);
    metrics.countQuery({ ...cost, class: 'table scan' }, 1);
    for (const [series, value] of [
      ['pages_total{class="range",end="bytes"}', 1],
      ['pages_total{class="range",end="time"}', 1],
      ['pages_total{class="range",end="entities"}', 0],
      ['entities_examined_total{class="range"}', 20],
      ['entities_returned_total{class="range"}', 8],
      ['entities_examined_total{class="table scan"}', 10],
      ['duration_seconds_bucket{le="0.005",class="range"}', 1],
      ['duration_seconds_bucket{le="5",class="range"}', 2],
      ['duration_seconds_sum{class="range"}', 5.003],
    ] as const) {
      assert.equal(await readValue(metrics, `tabularium_query_${series}`), value, series);
    }
    // Reading them does not change them.
    assert.equal(await readValue(metrics, 'tabularium_query_entities_examined_total{class="range"}'), 20);
  });
});
