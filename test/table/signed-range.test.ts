import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Grant } from '../../src/auth/grant.ts';
import { isReached, requireReach, signedRange } from '../../src/table/signed-range.ts';

function grant(bounds: { spk?: string; srk?: string; epk?: string; erk?: string }): Grant {
  return {
    by: 'service SAS',
    permissions: 'raud',
    table: 'people',
    startPartitionKey: bounds.spk,
    startRowKey: bounds.srk,
    endPartitionKey: bounds.epk,
    endRowKey: bounds.erk,
  };
}

const keys = ['', 'a', 'a ', 'b', 'c'].flatMap(partitionKey =>
  ['', '1', '11', '2', '3'].map(rowKey => ({ partitionKey, rowKey })),
);

describe('the keys that a SAS reaches', () => {
  it('are all without bounds, and with any other credential', () => {
    assert.equal(signedRange(grant({})), undefined);
    assert.equal(signedRange({ by: 'account key' }), undefined);
    for (const key of keys) assert.ok(isReached(grant({}), key));
  });

  it('have both ends, and row keys count in the partitions of the ends alone', () => {
    const bounds = [
      {},
      { spk: 'a' },
      { epk: 'a' },
      { spk: 'a', srk: '2' },
      { epk: 'b', erk: '11' },
      { spk: 'a', epk: 'b' },
      { spk: 'a', srk: '2', epk: 'b', erk: '1' },
      { spk: 'b', srk: '11', epk: 'b', erk: '2' },
      { spk: '', srk: '', epk: '', erk: '' },
      { spk: 'c', epk: 'a' },
    ];
    for (const { spk, srk, epk, erk } of bounds as {
      spk?: string;
      srk?: string;
      epk?: string;
      erk?: string;
    }[]) {
      for (const key of keys) {
        const { partitionKey: pk, rowKey: rk } = key;
        const isAfterStart =
          spk === undefined || pk > spk || (pk === spk && (srk === undefined || rk >= srk));
        const isBeforeEnd = epk === undefined || pk < epk || (pk === epk && (erk === undefined || rk <= erk));
        const bounded = grant(JSON.parse(JSON.stringify({ spk, srk, epk, erk })));
        assert.equal(
          isReached(bounded, key),
          isAfterStart && isBeforeEnd,
          JSON.stringify({ spk, srk, epk, erk, key }),
        );
      }
    }
  });

  it('are the only ones that may be written', () => {
    requireReach(grant({ spk: 'b' }), { partitionKey: 'b', rowKey: '' });
    assert.throws(() => requireReach(grant({ spk: 'b' }), { partitionKey: 'a', rowKey: '' }), {
      code: 'AuthorizationFailure',
      status: 403,
    });
  });
});
