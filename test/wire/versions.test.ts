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

  it('echoes the version of the request', async () => {
    for (const version of ['2013-08-15', '2018-03-28', '2019-02-02', '2020-12-06', newestVersion as string]) {
      const response = await askVersion(wire, version);
      assert.equal(response.status, 200);
      assert.equal(response.headers['x-ms-version'], version);
    }
  });

  it('echoes the version on errors', async () => {
    const response = await wire.send({ path: '/missing()', headers: { 'x-ms-version': '2018-03-28' } });
    assertRefused(response, 404, 'TableNotFound');
    assert.equal(response.headers['x-ms-version'], '2018-03-28');
  });

  it('takes a version that it does not know, newer than the newest too', async () => {
    for (const version of ['2016-01-01', '2099-12-31']) {
      const response = await askVersion(wire, version);
      assert.equal(response.status, 200);
      assert.equal(response.headers['x-ms-version'], version);
    }
  });

  it('is the newest where the request names none', async () => {
    const response = await askVersion(wire, '');
    assert.equal(response.status, 200);
    assert.equal(response.headers['x-ms-version'], newestVersion);
  });

  it('refuses what is no version, in the format of the request', async () => {
    for (const version of [
      'bogus',
      '2019-2-2',
      '2019-02-02T00:00:00Z',
      '2019-13-01',
      '20190202',
      '02-02-2019',
      '2009-04-13',
      '2008-01-01',
      '0000-00-00',
      '2019-02-02, 2019-02-02',
    ]) {
      const response = await askVersion(wire, version);
      assertRefused(response, 400, 'InvalidHeaderValue', refusal);
      assert.match(response.body, /^\{"odata\.error"/);
    }
  });

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
