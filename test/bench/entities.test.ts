import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entityText, growthLayout, keyOf, layOut, propertyNames } from '../../bench/entities.ts';

describe('the entities of the benchmarks', () => {
  it('have one size each, whatever their index, and the properties that are looked for in answers', () => {
    for (const layout of [layOut(50_000), growthLayout(10_000_000)]) {
      const { entity } = layout;
      for (const index of [0, 1, 9_999, layout.entityCount - 1]) {
        const text = entityText(keyOf(layout, index), index, entity);
        assert.equal(text.length, entity === 'small' ? 200 : 992);
        const names = Object.keys(JSON.parse(text)).filter(name => !/Key$|@/.test(name));
        assert.deepEqual(names, propertyNames[entity]);
      }
    }
  });

  it('are of sizes that fill whole partitions', () => {
    for (const count of [0, 999, 10_500, 10_011_000, Number.NaN]) {
      assert.throws(() => growthLayout(count), /whole thousands/);
      assert.throws(() => layOut(count), /whole thousands/);
    }
  });
});
