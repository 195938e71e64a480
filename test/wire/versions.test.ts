import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { knownVersions, newestVersion } from '../../src/http/version.ts';
import type { RawResponse } from '../support/raw-client.ts';
import { assertRefused, entityPath, json, useWire, type Wire } from '../support/wire.ts';

const refusal = 'The value for one of the HTTP headers is not in the correct format.';

function askVersion(wire: Wire, version: string): Promise<RawResponse> {
  return wire.send({ path: '/Tables', headers: { 'x-ms-version': version } });
}

describe('Versions on the wire', () => {
  const wire = useWire();

  it('speaks no JSON before the version that brought it', async () => {
    const table = await wire.createTable();
    const path = entityPath(table, 'p', 'r');
    for (const version of ['2012-02-12', '2009-04-14']) {
      const headers = { 'x-ms-version': version };
      for (const read of ['/Tables', `/${table}`, path]) {
        const response = await wire.send({ path: read, headers });
        assertRefused(response, 415, 'JsonFormatNotSupported', 'JSON format is not supported.');
      }
      for (const method of ['PUT', 'MERGE']) {
        const response = await wire.send({ method, path, headers: { ...headers, ...json }, body: '{}' });
        assertRefused(response, 415, 'JsonFormatNotSupported', 'JSON format is not supported.');
      }
    }
  });

  it('refuses Atom in every version', async () => {
    for (const version of ['2012-02-12', '2014-02-14', '2015-12-11', '2021-12-02']) {
      const headers = { 'x-ms-version': version, Accept: 'application/atom+xml' };
      assertRefused(await wire.send({ path: '/Tables', headers }), 415, 'AtomFormatNotSupported');
    }
  });
});

describe('Versions on the wire, strictly', () => {
  const wire = useWire({ strictApiVersion: true });

  it('takes every version of the service that speaks JSON', async () => {
    for (const version of [...knownVersions].filter(known => known >= '2013-08-15')) {
      assert.equal((await askVersion(wire, version)).status, 200, version);
    }
  });

  it('refuses dates that are no version', async () => {
    for (const version of ['2016-01-01', '2099-12-31', '2019-02-03', 'bogus']) {
      assertRefused(await askVersion(wire, version), 400, 'InvalidHeaderValue', refusal);
    }
  });

  it('is the newest where the request names none', async () => {
    assert.equal((await askVersion(wire, '')).headers['x-ms-version'], newestVersion);
  });
});
