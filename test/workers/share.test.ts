import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as limits from '../../src/limits.ts';
import { shareOf } from '../../src/workers/share.ts';

describe('the share of a worker', () => {
  it('is all of the limits for one, and no more than all for several together', () => {
    for (const workers of [1, 2, 3, 7, 64]) {
      const { concurrentScansMax, patience } = shareOf(workers);
      const all = [limits.concurrentScansMax, limits.bodyBytesInFlightMax, limits.unsentBytesMax];
      const shares = [concurrentScansMax, patience.bodyBytesMax, patience.unsentBytesMax];
      for (const [index, share] of [...shares, patience.connectionsMax].entries()) {
        const limit = [...all, limits.connectionsMax][index] as number;
        assert.ok(share * workers <= limit && (share + 1) * workers > limit, `${share} of ${limit}`);
      }
    }
  });

  it('is enough for a scan and for the largest body, however many there may be', () => {
    const { concurrentScansMax, patience } = shareOf(64);
    assert.ok(concurrentScansMax >= 1);
    assert.ok(patience.bodyBytesMax >= limits.requestBodyBytesMax);
  });
});
