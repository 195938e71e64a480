import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WriteTurns } from '../../src/http/turns.ts';

/** Lets `sizes` ask at once, and tells which of them had been taken at the end of each turn. */
async function takenByTurn(sizes: readonly number[]): Promise<number[][]> {
  const turns = new WriteTurns();
  let taken: number[] = [];
  for (const [index, bytes] of sizes.entries()) {
    const wait = turns.take(bytes);
    if (wait === undefined) taken.push(index);
    else void wait.then(() => taken.push(index));
  }
  const byTurn: number[][] = [];
  for (let count = 0; count < sizes.length; ) {
    await Promise.resolve();
    byTurn.push(taken);
    count += taken.length;
    taken = [];
    await nextTurn();
  }
  return byTurn;
}

describe('writes', () => {
  it('are taken eight in a turn of the event loop, in the order they came', async () => {
    const sizes = new Array<number>(20).fill(1000);
    const [first, second, third] = await takenByTurn(sizes);
    assert.deepEqual(first, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual(second, [8, 9, 10, 11, 12, 13, 14, 15]);
    assert.deepEqual(third, [16, 17, 18, 19]);
  });

  it('are taken one in a turn where they are large, and a few small ones beside it', async () => {
    const large = 4 * 1024 * 1024;
    assert.deepEqual(await takenByTurn([large, large, 0, large, 0]), [[0], [1], [2, 3], [4]]);
  });

  it('wait for nothing where there is room', async () => {
    const turns = new WriteTurns();
    for (let turn = 0; turn < 3; turn++) {
      for (let write = 0; write < 8; write++) assert.equal(turns.take(0), undefined);
      assert.notEqual(turns.take(0), undefined);
      await nextTurn();
      await nextTurn();
    }
  });
});
