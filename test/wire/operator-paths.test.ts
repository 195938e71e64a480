import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useWire } from '../support/wire.ts';

describe("Operators' paths on the wire", () => {
  const wire = useWire();
  const get = async (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${new URL(await wire.base()).origin}${path}`, init);

  it('say that the server is healthy and ready, without credentials', async () => {
    for (const [path, text] of [
      ['/-/healthy', 'healthy\n'],
      ['/-/ready', 'ready\n'],
      ['/-/ready?verbose', 'ready\n'],
    ] as const) {
      const response = await get(path);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(await response.text(), text);
    }
  });

  it('show metrics in the text format of Prometheus', async () => {
    const response = await get('/-/metrics');
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') as string, /^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    for (const name of [
      'tabularium_request_duration_seconds',
      'tabularium_store_commits_total',
      'tabularium_scans_running',
      'process_cpu_seconds_total',
    ]) {
      assert.match(text, new RegExp(`^# TYPE ${name} `, 'm'), name);
    }
  });

  it('count each request by operation and status', async () => {
    const table = await wire.createTable();
    await wire.insert(table, { PartitionKey: 'p', RowKey: 'r' });
    await wire.send({ path: '/missing()' });
    await wire.send({ path: '/Tables', sign: false });
    const text = await (await get('/-/metrics')).text();
    const count = (operation: string, status: number): string | undefined =>
      new RegExp(
        `^tabularium_request_duration_seconds_count\\{service="table",operation="${operation}",status="${status}"\\} (\\d+)$`,
        'm',
      ).exec(text)?.[1];
    assert.equal(count('CreateTable', 204), '1');
    assert.equal(count('InsertEntity', 204), '1');
    assert.equal(count('QueryEntities', 404), '1');
    assert.equal(count('Unknown', 403), '1');
  });

  it('do not count themselves', async () => {
    await get('/-/healthy');
    const text = await (await get('/-/metrics')).text();
    assert.ok(!text.includes('healthy'));
  });

  it('answer 404 for what there is not, and name what there is', async () => {
    for (const path of ['/-/', '/-/nothing', '/-/healthy/', '/-/HEALTHY']) {
      const response = await get(path);
      assert.equal(response.status, 404, path);
      assert.equal(await response.text(), 'not found: try /-/healthy, /-/ready or /-/metrics\n');
    }
  });

  it('are no way past the credentials', async () => {
    for (const path of ['/-', '/-x', '/%2d/healthy', '//-/healthy']) {
      const response = await get(path);
      assert.ok(response.status === 404 || response.status === 403, `${path} ${response.status}`);
      assert.match(await response.text(), /^<\?xml/);
    }
  });

  it('take a request with a body and go on', async () => {
    const response = await get('/-/healthy', { method: 'POST', body: 'x'.repeat(100_000) });
    assert.equal(response.status, 200);
    await response.text();
    assert.equal((await get('/-/ready')).status, 200);
  });
});
