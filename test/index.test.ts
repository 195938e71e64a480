import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { DataFolderError, StartError, startTabularium } from '../src/index.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const quiet = { tablePort: 0, logLevel: 'silent' } as const;

describe('startTabularium', () => {
  it('starts on a free port in this process, serves the official client, and keeps its data', async () => {
    const { path, remove } = temporaryFolder();
    try {
      for (const round of [1, 2]) {
        const tabularium = await startTabularium({ ...quiet, data: path });
        const people = TableClient.fromConnectionString(tabularium.connectionString, 'people', {
          allowInsecureConnection: true,
        });
        await people.createTable();
        if (round === 1) await people.createEntity({ partitionKey: 'p', rowKey: 'r', age: 34 });
        assert.equal((await people.getEntity<{ age: number }>('p', 'r')).age, 34);
        assert.match(tabularium.endpoints.table, /^http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1$/);
        assert.equal(tabularium.dataFolder, path);
        await tabularium.close();
      }
    } finally {
      remove();
    }
  });

  it('leaves nothing behind in memory mode', async () => {
    const tabularium = await startTabularium({ ...quiet, memory: true });
    assert.ok(existsSync(tabularium.dataFolder));
    await tabularium.close();
    assert.ok(!existsSync(tabularium.dataFolder));
  });

  it('runs several servers side by side', async () => {
    const servers = await Promise.all([1, 2, 3].map(() => startTabularium({ ...quiet, memory: true })));
    assert.equal(new Set(servers.map(({ endpoints }) => endpoints.table)).size, 3);
    await Promise.all(servers.map(server => server.close()));
  });

  it('rejects with the reason in one line, and holds nothing', async () => {
    const { path, remove } = temporaryFolder();
    const first = await startTabularium({ ...quiet, data: path });
    const port = Number(new URL(first.endpoints.table).port);
    await assert.rejects(startTabularium({ ...quiet, data: path }), DataFolderError);
    await assert.rejects(startTabularium({ ...quiet, memory: true, tablePort: port }), StartError);
    await assert.rejects(
      startTabularium({ ...quiet, memory: true, services: ['blob'] }),
      /there is no service 'blob'/,
    );
    await assert.rejects(
      startTabularium({ ...quiet, memory: true, accounts: ['nokey'] }),
      /give it as name:key/,
    );
    await first.close();
    await (await startTabularium({ ...quiet, data: path })).close();
    remove();
  });
});
