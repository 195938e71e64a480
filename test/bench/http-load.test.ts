import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { layOut } from '../../bench/entities.ts';
import { type Measurement, measureLoad } from '../../bench/http-load.ts';
import { deleteRequests, newKeys, workloadNamed } from '../../bench/workloads.ts';

const layout = layOut(11_000);

describe('the load', { skip: process.platform !== 'linux' }, () => {
  /** What is deleted twice is not there the second time. */
  const deleted = new Set<string>();
  const server = createServer((request, response) => {
    response.writeHead(deleted.has(request.url!) ? 404 : 204).end();
    deleted.add(request.url!);
  });
  after(() => server.close());

  async function measureDeletes(durationMs: number, keys: ReturnType<typeof newKeys>): Promise<Measurement> {
    if (!server.listening) await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return await measureLoad({
      port,
      serverPid: process.pid,
      workload: workloadNamed('delete'),
      layout,
      next: deleteRequests(port, layout, keys),
      requestCount: keys.length,
      concurrency: 4,
      warmupMs: 60_000,
      durationMs,
    });
  }

  it('deletes each row once, and ends when there is none left', async () => {
    const keys = newKeys(1_000, 4);
    const { errors, operations } = await measureDeletes(60_000, keys);
    assert.equal(errors, 0);
    assert.equal(deleted.size, 1_000);
    // The warm-up has a tenth; those in flight at either end are not counted.
    assert.ok(operations <= 904 && operations > 890, `${operations}`);
    const again = await measureDeletes(60_000, keys);
    assert.equal(again.errors, 1_000);
    assert.match(again.errorSample!, /^HTTP\/1.1 404/);
  });

  it('ends when the time is over, whatever is left', async () => {
    const keys = newKeys(20_000, 4);
    deleted.clear();
    const { errors } = await measureDeletes(20, keys);
    assert.equal(errors, 0);
    assert.ok(deleted.size < 20_000);
  });
});
