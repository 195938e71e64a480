import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { knownVersions, newestVersion, parseVersion } from '../../src/http/version.ts';

describe('x-ms-version', () => {
  it('is accepted and kept where it is known', () => {
    for (const version of knownVersions) {
      assert.equal(parseVersion(version, false), version);
      assert.equal(parseVersion(version, true), version);
    }
  });

  it('is listed newest first, each version once', () => {
    assert.deepEqual([...knownVersions].sort().reverse(), [...knownVersions]);
  });

  it('is the newest known where the request has none', () => {
    assert.equal(parseVersion(undefined, false), newestVersion);
    assert.equal(parseVersion(undefined, true), newestVersion);
  });

  it('is accepted unknown, also newer than any known, unless versions are strict', () => {
    for (const version of ['2099-01-01', '2019-02-03']) {
      assert.equal(parseVersion(version, false), version);
      assert.throws(() => parseVersion(version, true), { code: 'InvalidHeaderValue' });
    }
  });

  it('is refused with InvalidHeaderValue where it is older than the service, or no date', () => {
    for (const version of ['2009-04-13', '2019-13-01', '2019-2-2', 'latest', '', '2019-02-02 ', '20190202']) {
      assert.throws(() => parseVersion(version, false), { code: 'InvalidHeaderValue' }, version);
    }
  });
});
