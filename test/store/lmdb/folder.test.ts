import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';

describe('temporary folders', () => {
  it('are not swept by others that start at the same moment', async () => {
    const source = new URL('../../../src/store/lmdb/folder.ts', import.meta.url).href;
    const script = `
      import { existsSync } from 'node:fs';
      import { claimTemporaryFolder } from ${JSON.stringify(source)};
      for (let count = 0; count < 500; count++) {
        const folder = claimTemporaryFolder();
        if (!existsSync(folder.path)) throw new Error('it is not there');
        folder.release();
      }`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    const processes = [1, 2, 3, 4].map(() =>
      spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] }),
    );
    const errors = processes.map(async ({ stderr }) => (await stderr.toArray()).join(''));
    const codes = await Promise.all(processes.map(async child => (await once(child, 'exit'))[0]));
    assert.deepEqual(codes, [0, 0, 0, 0], (await Promise.all(errors)).join('\n'));
  });
});
