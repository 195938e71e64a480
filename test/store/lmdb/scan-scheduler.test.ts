import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import * as limits from '../../../src/limits.ts';
import { ScanScheduler, type SlicedScan } from '../../../src/store/lmdb/scan-scheduler.ts';

/** A scan of a number of steps, which writes down what is done with it. */
function scanOf(name: string, steps: number, log: string[], isAbandoned = false): SlicedScan {
  let left = steps;
  return {
    isAbandoned: () => isAbandoned,
    step() {
      log.push(name);
      left--;
      return left <= 0;
    },
    close: () => void log.push(`${name} closed`),
  };
}

/** Holds what is scheduled for the next turn, until the test lets the turn come. */
function holdTurns(context: TestContext): { run(): void; readonly held: number } {
  let held: (() => void)[] = [];
  context.mock.method(globalThis, 'setImmediate', (callback: () => void) => {
    held.push(callback);
  });
  return {
    run() {
      const due = held;
      held = [];
      for (const callback of due) callback();
    },
    get held() {
      return held.length;
    },
  };
}

describe('the scheduler of scans', () => {
  it('does a short scan at once', async () => {
    const log: string[] = [];
    const scheduler = new ScanScheduler();
    const done = scheduler.run(scanOf('a', 2, log));
    assert.deepEqual(log, ['a', 'a', 'a closed']);
    assert.equal(scheduler.running, 0);
    await done;
  });

  it('falls silent when its scans are done', context => {
    const turns = holdTurns(context);
    const scheduler = new ScanScheduler();
    void scheduler.run(scanOf('a', 1, []));
    for (let turn = 0; turn < 3; turn++) turns.run();
    assert.equal(turns.held, 0);
    void scheduler.run(scanOf('b', 1, []));
    assert.equal(scheduler.running, 0);
  });

  it('gives each scan its step in turn, and ends them all', async context => {
    const turns = holdTurns(context);
    const log: string[] = [];
    const scheduler = new ScanScheduler();
    let clockMs = 0;
    // Each look at the clock finds the turn used up.
    context.mock.method(performance, 'now', () => {
      clockMs += 10;
      return clockMs;
    });
    const scans = ['a', 'b', 'c'].map(name => scheduler.run(scanOf(name, 2, log)));
    for (let turn = 0; turn < 20; turn++) turns.run();
    await Promise.all(scans);
    assert.deepEqual(log.filter(text => text.endsWith('closed')).sort(), [
      'a closed',
      'b closed',
      'c closed',
    ]);
    const steps = log.filter(text => !text.endsWith('closed')).slice(1);
    assert.deepEqual(new Set(steps.slice(0, 3)), new Set(['a', 'b', 'c']));
  });

  it('refuses a scan too many with ServerBusy, without a step of it', async context => {
    const turns = holdTurns(context);
    const scheduler = new ScanScheduler();
    const endless: SlicedScan = { isAbandoned: () => false, step: () => false, close() {} };
    for (let count = 0; count < limits.concurrentScansMax; count++) void scheduler.run(endless);
    assert.equal(scheduler.running, limits.concurrentScansMax);
    await assert.rejects(
      scheduler.run({ isAbandoned: () => false, step: () => assert.fail('stepped'), close() {} }),
      { code: 'ServerBusy' },
    );
    assert.ok(turns.held > 0);
  });

  it('closes a scan whose client has gone, and rejects', async () => {
    const log: string[] = [];
    const scan = scanOf('a', 5, log, true);
    await assert.rejects(new ScanScheduler().run(scan), /the scan was abandoned/);
    assert.deepEqual(log, ['a closed']);
  });

  it('closes a scan that throws, and goes on with the others', async () => {
    const log: string[] = [];
    const scheduler = new ScanScheduler();
    const broken: SlicedScan = {
      isAbandoned: () => false,
      step() {
        throw new Error('broken');
      },
      close: () => void log.push('broken closed'),
    };
    await assert.rejects(scheduler.run(broken), /broken/);
    await scheduler.run(scanOf('a', 1, log));
    assert.deepEqual(log, ['broken closed', 'a', 'a closed']);
  });
});
