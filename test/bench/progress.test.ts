import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meterText } from '../../bench/progress.ts';

describe('the meter', () => {
  it('has a bar, the rate of this run alone, and the time that is left at it', () => {
    assert.equal(
      meterText(750, 1_000, 250, 10_000),
      `${'█'.repeat(18)}${'░'.repeat(6)}  75 %  50/s  0:05 left`,
    );
    assert.equal(meterText(100, 10_000, 0, 1_000).slice(24), '   1 %  100/s  1:39 left');
  });

  it('says nothing of a rate that it does not know yet', () => {
    assert.equal(meterText(500, 1_000, 500, 3), `${'█'.repeat(12)}${'░'.repeat(12)}  50 %`);
    assert.equal(meterText(0, 0, 0, 0), `${'█'.repeat(24)} 100 %`);
  });
});
