import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { start } from './support/program.ts';
import { type RawResponse, rawClient } from './support/raw-client.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { entityPath, noContent } from './support/wire.ts';

function tokensOf({ headers }: RawResponse): string {
  const token = (name: string): string | undefined =>
    headers[`x-ms-continuation-next${name.toLowerCase()}`] as string | undefined;
  const names = ['PartitionKey', 'RowKey'];
  return names
    .map(name =>
      token(name) === undefined ? '' : `&Next${name}=${encodeURIComponent(token(name) as string)}`,
    )
    .join('');
}

describe('A continuation token', { timeout: 60_000 }, () => {
  it('is good in any process after the one that gave it, also for an entity that is not there any more', async t => {
    const { path: folder, remove } = temporaryFolder();
    t.after(remove);
    const keys = ['a', "b ' ", 'é', '\u{1f600}'].flatMap(partitionKey =>
      ['', '1', '~'].map(rowKey => ({ PartitionKey: partitionKey, RowKey: rowKey })),
    );
    let server = await start(t, ['--data', folder]);
    let send = rawClient(server.endpoint);
    await send({ method: 'POST', path: '/Tables', headers: noContent, body: '{"TableName":"people"}' });
    for (const key of keys) {
      const body = JSON.stringify({ ...key, Age: 3 });
      assert.equal((await send({ method: 'POST', path: '/people', headers: noContent, body })).status, 204);
    }
    const found: unknown[] = [];
    let tokens = '';
    for (let page = 0; page === 0 || tokens !== ''; page++) {
      const response = await send({
        path: `/people()?$filter=Age%20eq%203&$select=PartitionKey,RowKey&$top=5${tokens}`,
      });
      assert.equal(response.status, 200, response.body);
      const value = response.json<{ value: Record<string, string>[] }>().value;
      found.push(...value.map(({ PartitionKey, RowKey }) => ({ PartitionKey, RowKey })));
      tokens = tokensOf(response);
      if (page === 0) {
        // The entity that the token names.
        const path = entityPath('people', "b ' ", '~');
        assert.equal((await send({ method: 'DELETE', path, headers: { 'If-Match': '*' } })).status, 204);
      }
      server.process.kill('SIGKILL');
      await server.exited;
      server = await start(t, ['--data', folder]);
      send = rawClient(server.endpoint);
    }
    assert.deepEqual(
      found,
      keys.filter(({ PartitionKey, RowKey }) => PartitionKey !== "b ' " || RowKey !== '~'),
    );
  });
});
