import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge } from '../../bench/bars.ts';
import type { Measurement } from '../../bench/http-load.ts';
import { type Result, Results } from '../../bench/results.ts';
import type { WorkloadName } from '../../bench/workloads.ts';

interface Given {
  operations?: number;
  serverCpuSeconds?: number;
  childCpuSeconds?: number[];
}

/** What a contestant did in one second of one round. */
function result(label: string, workload: WorkloadName, round: number, given: Given): Result {
  const measurement: Measurement = {
    operations: 1_000,
    durationMs: 1_000,
    p50Ms: 1,
    p99Ms: 2,
    answerBytes: 0,
    errors: 0,
    serverCpuSeconds: 1,
    childCpuSeconds: [],
    loadCpuSeconds: 0.5,
    capped: false,
    ...given,
  };
  return { round, workload, concurrency: 32, label, measurement, othersShare: 0 };
}

function verdicts(results: Result[]): Record<string, string> {
  return Object.fromEntries(judge(new Results(results)).map(({ claim, verdict }) => [claim, verdict]));
}

describe('bars', () => {
  it('compares rates within each round, and judges by the median of the rounds', () => {
    const rounds = [
      { ours: 700, bare: 1_000 },
      { ours: 7_000, bare: 10_000 },
      { ours: 10, bare: 1_000 },
    ];
    const results = rounds.flatMap(({ ours, bare }, round) => [
      result('tabularium', 'point-read', round, { operations: ours }),
      result('bare', 'point-read', round, { operations: bare }),
    ]);
    const claim = 'point read at 32: at least 0.65 × bare';
    assert.equal(verdicts(results)[claim], 'pass');
    results.push(
      result('tabularium', 'point-read', 3, { operations: 60 }),
      result('bare', 'point-read', 3, { operations: 100 }),
      result('tabularium', 'point-read', 4, { operations: 60 }),
      result('bare', 'point-read', 4, { operations: 100 }),
    );
    assert.equal(verdicts(results)[claim], 'MISS');
  });

  it('says what was not measured', () => {
    const alone = verdicts([result('tabularium', 'point-read', 0, {})]);
    assert.equal(alone['point read at 32: at least 0.65 × bare'], 'not measured');
  });

  it('holds a page to the processor time of each', () => {
    const claim = 'page of 1,000 at 32: at most 3 ms of CPU';
    const page = (serverCpuSeconds: number) =>
      verdicts([result('tabularium', 'page', 0, { operations: 100, serverCpuSeconds })]);
    assert.equal(page(0.3)[claim], 'pass');
    assert.equal(page(0.31)[claim], 'MISS');
  });

  it('holds a scan to the entities that it looks at, not those that it finds', () => {
    const claim = 'scan of 10,000 for 100 at 32: at least 300,000 entities a CPU second';
    const scan = (operations: number) => verdicts([result('tabularium', 'filtered-scan', 0, { operations })]);
    assert.equal(scan(30)[claim], 'pass');
    assert.equal(scan(29)[claim], 'MISS');
  });

  it('holds workers to what one process does, and only where they take part', () => {
    const one = [result('tabularium', 'point-read', 0, {}), result('tabularium', 'insert', 0, {})];
    assert.ok(Object.keys(verdicts(one)).every(claim => !claim.includes('workers')));
    const two = (read: Given, write: Given) =>
      verdicts([...one, result('workers-2', 'point-read', 0, read), result('workers-2', 'insert', 0, write)]);
    const cpu = 'workers-2, point read at 32: at most 1.15 × the CPU of tabularium';
    const rate = 'workers-2, insert at 32: at least 1 × tabularium';
    const split = 'workers-2, point read at 32: the busiest worker has at most 0.6 of the work';
    // The third process is the one that writes.
    const good = two({ serverCpuSeconds: 1.1, childCpuSeconds: [0.6, 0.5, 0.01] }, { operations: 1050 });
    assert.deepEqual([good[cpu], good[rate], good[split]], ['pass', 'pass', 'pass']);
    const bad = two({ serverCpuSeconds: 1.2, childCpuSeconds: [0.7, 0.4, 0.3] }, { operations: 900 });
    assert.deepEqual([bad[cpu], bad[rate], bad[split]], ['MISS', 'MISS', 'MISS']);
  });
});
