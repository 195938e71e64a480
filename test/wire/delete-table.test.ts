import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import { assertRefused, useWire } from '../support/wire.ts';

describe('Delete Table on the wire', () => {
  const wire = useWire();
  const drop = (name: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
    wire.send({ method: 'DELETE', path: `/Tables('${name}')`, headers });

  it('takes any Accept, and the length of no body', async () => {
    for (const headers of [
      { Accept: '' },
      { Accept: '*/*' },
      { Accept: 'application/atom+xml', 'Content-Length': '0' },
    ]) {
      assert.equal((await drop(await wire.createTable(), headers)).status, 204);
    }
  });

  it('shows its error in XML where no JSON is accepted', async () => {
    const response = await drop('missing', { Accept: '*/*' });
    assertRefused(response, 404, 'ResourceNotFound');
    assert.match(response.body, /^<\?xml version="1\.0" encoding="utf-8"\?><error xmlns=/);
  });

  it('can be tunnelled through POST', async () => {
    const table = await wire.createTable();
    const response = await wire.send({
      method: 'POST',
      path: `/Tables('${table}')`,
      headers: { 'X-HTTP-Method': 'DELETE' },
    });
    assert.equal(response.status, 204);
  });

  it('lets exactly one of several racing deletions succeed', async () => {
    const table = await wire.createTable();
    const responses = await Promise.all([1, 2, 3].map(() => drop(table)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 404, 404]);
  });
});
