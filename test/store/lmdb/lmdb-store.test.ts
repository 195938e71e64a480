import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { open } from 'lmdb';
import { defaultServiceProperties } from '../../../src/account/service-properties.ts';
import { firstKey } from '../../../src/store/key.ts';
import { type LmdbStore, type LmdbStoreOptions, openLmdbStore } from '../../../src/store/lmdb/lmdb-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { describeStoreContract } from '../contract.ts';
import { decideRows, put as putRow, type RowIntent } from '../rule.ts';

describeStoreContract('the embedded store', () => {
  const store = openLmdbStore({ folder: undefined, decide: decideRows });
  return { store, closed: () => store.close() };
});

const address = { account: 'a', table: 'people' };
const page = { limit: 1000, bytesMax: 1 << 22, durationMsMax: 5000 };

type TestStore = LmdbStore<RowIntent>;

async function inFolder(
  run: (reopen: (options?: Partial<LmdbStoreOptions<RowIntent>>) => TestStore, path: string) => Promise<void>,
): Promise<void> {
  const { path, remove } = temporaryFolder();
  try {
    await run(options => openLmdbStore({ folder: path, decide: decideRows, ...options }), path);
  } finally {
    remove();
  }
}

function put(store: TestStore, rowKeys: readonly string[], text = 'x') {
  const intents = rowKeys.map(() => putRow(text));
  return store.mutate(address, 'p', rowKeys, intents, 0);
}

async function rowCount(store: TestStore): Promise<number> {
  return (await store.scan(address, [{ from: firstKey }], page)).rows.length;
}

describe('the embedded store on disk', () => {
  it('has everything again after it was closed and opened', () =>
    inFolder(async reopen => {
      let store = reopen();
      await store.createTable('a', 'People');
      await put(store, ['1', '2']);
      await store.writeAccessPolicies(address, [{ id: 'readers', permissions: 'r' }]);
      await store.updateServiceProperties('a', 'table', defaultServiceProperties);
      await store.close();
      store = reopen();
      assert.equal(await store.readTable('a', 'people'), 'People');
      assert.equal(await rowCount(store), 2);
      assert.deepEqual(await store.readAccessPolicies(address), [{ id: 'readers', permissions: 'r' }]);
      assert.deepEqual(await store.readServiceProperties('a', 'table'), defaultServiceProperties);
      await store.close();
    }));

  it('never repeats a tick: not after a delete, a restart, or a clock that went back', () =>
    inFolder(async reopen => {
      let hour = 3_600_000;
      const now = (): number => Date.now() + hour;
      let store = reopen({ now });
      await store.createTable('a', 'people');
      const ticks: bigint[] = [];
      const write = async (isDelete: boolean): Promise<void> => {
        const intent = isDelete ? ({ to: 'remove' } as const) : putRow('x');
        ticks.push(await store.mutate(address, 'p', ['r'], [intent], 0));
      };
      await write(false);
      await write(true);
      hour = 0;
      await write(false);
      await store.close();
      store = reopen({ now });
      await write(false);
      await store.close();
      assert.deepEqual(
        ticks,
        [...new Set(ticks)].toSorted((a, b) => (a < b ? -1 : 1)),
      );
    }));

  it('leaves nothing of a transaction whose put fails, whichever put it is', () =>
    inFolder(async reopen => {
      const store = reopen();
      await store.createTable('a', 'people');
      const rowKeys = Array.from({ length: 100 }, (_, index) => String(index));
      for (let failing = 0; failing < rowKeys.length; failing++) {
        // A row that the engine refuses, at the step under test.
        const intents = rowKeys.map((_, index) =>
          index === failing ? ({ to: 'put no buffer' } as const) : putRow('x'),
        );
        const broken = store.mutate(address, 'p', rowKeys, intents, 0);
        const beside = put(store, [`beside ${failing}`]);
        await assert.rejects(broken, TypeError);
        await beside;
        assert.equal(await rowCount(store), failing + 1, `after put ${failing} failed`);
      }
      await store.close();
    }));

  it('refuses a second server on the folder in one line, and lets the next one in', () =>
    inFolder(async (reopen, path) => {
      const store = reopen();
      assert.throws(
        () => reopen(),
        /^DataFolderError: the data folder .* is in use by another tabularium server$/,
      );
      const source = new URL('../../../src/store/lmdb/lmdb-store.ts', import.meta.url).href;
      const script = `import { openLmdbStore } from ${JSON.stringify(source)};
        try { openLmdbStore({ folder: ${JSON.stringify(path)}, decide: () => [] }); } catch (error) { console.log(error.message); }`;
      const other = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
      assert.match(other.stdout.toString(), /is in use by another tabularium server/);
      await store.close();
      await reopen().close();
    }));

  it('refuses a store of a newer format and leaves it as it was', () =>
    inFolder(async (reopen, path) => {
      await reopen().close();
      const root = open({ path: `${path}/store.mdb`, pageSize: 8192, overlappingSync: false });
      const meta = root.openDB<number, string>({
        name: 'meta',
        encoding: 'json',
        keyEncoding: 'ordered-binary',
      });
      await meta.put('format', 2);
      await root.close();
      for (let attempt = 0; attempt < 2; attempt++) {
        assert.throws(
          () => reopen(),
          /has format 2, made by a newer tabularium; this one reads up to format 1/,
        );
      }
    }));

  it('says why a data folder cannot be used', () => {
    assert.throws(
      () => openLmdbStore({ folder: '/proc/tabularium', decide: decideRows }),
      /^DataFolderError: cannot write to the data folder/,
    );
  });

  it('drops a large table at once and reclaims its space in the background, after a restart too', () =>
    inFolder(async reopen => {
      let store = reopen();
      await store.createTable('a', 'people');
      for (let batch = 0; batch < 30; batch++) {
        await put(
          store,
          Array.from({ length: 100 }, (_, index) => `${batch}-${index}`),
          'x'.repeat(1000),
        );
      }
      await store.deleteTable('a', 'people');
      assert.equal(await store.createTable('a', 'people'), true);
      await put(store, ['kept']);
      await store.close(); // in the middle of reclaiming
      store = reopen();
      while (store.entityCount > 1) await new Promise(resolve => setTimeout(resolve, 5));
      assert.equal(await rowCount(store), 1);
      await store.close();
    }));

  it('sheds load past the length of the write queue, and does what it accepted', () =>
    inFolder(async reopen => {
      const store = reopen();
      await store.createTable('a', 'people');
      const outcomes = await Promise.allSettled(
        Array.from({ length: 5000 }, (_, index) => put(store, [String(index)])),
      );
      const refused = outcomes.filter(outcome => outcome.status === 'rejected');
      assert.equal(refused.length, 5000 - 4096);
      for (const { reason } of refused) assert.equal(reason.code, 'ServerBusy');
      await store.close();
    }));

  describe('pages whose time is up', () => {
    const timeIsUp = { ...page, durationMsMax: 0 };

    it('have looked at something, each of many at once, and go on to the end', () =>
      inFolder(async reopen => {
        const store = reopen();
        await store.createTable('a', 'people');
        const rowKeys = Array.from({ length: 100 }, (_, index) => String(index + 100));
        await put(store, rowKeys);
        const readAll = async (): Promise<number> => {
          let read = 0;
          let from = firstKey;
          for (;;) {
            const { rows, examined, end, next } = await store.scan(address, [{ from }], timeIsUp);
            assert.ok(examined > 0);
            read += rows.length;
            if (next === undefined) return read;
            assert.equal(end, 'time');
            from = next;
          }
        };
        assert.deepEqual(
          await Promise.all(Array.from({ length: 20 }, readAll)),
          Array.from({ length: 20 }, () => 100),
        );
        await store.close();
      }));

    it('end sooner where rows are large', () =>
      inFolder(async reopen => {
        const store = reopen();
        await store.createTable('a', 'people');
        await put(store, ['1', '2', '3'], 'x'.repeat(100_000));
        for (const matches of [undefined, () => false]) {
          const { examined, end } = await store.scan(address, [{ from: firstKey }], { ...timeIsUp, matches });
          assert.deepEqual([examined, end], [1, 'time']);
        }
        await store.close();
      }));
  });

  it('tests and returns rows of all lengths as they are, whatever was read before', () =>
    inFolder(async reopen => {
      const store = reopen();
      await store.createTable('a', 'people');
      const lengths = [10, 5000, 11, 10, 0, 4096, 4097, 70_000, 10, 300_000, 12, 4096, 1];
      const texts = lengths.map((length, index) => String(index % 10).repeat(length));
      for (const [index, text] of texts.entries()) await put(store, [String.fromCharCode(97 + index)], text);
      for (let round = 0; round < 2; round++) {
        const tested: string[] = [];
        const { rows } = await store.scan(address, [{ from: firstKey }], {
          ...page,
          matches: row => tested.push(row.toString()) > 0,
        });
        assert.deepEqual(tested, texts);
        assert.deepEqual(rows.map(String), texts);
      }
      await store.close();
    }));

  it('tells of the slices that scans are worked on in, and of turns of the event loop while they run', () =>
    inFolder(async reopen => {
      const slices: number[] = [];
      const turns: number[] = [];
      const observer = {
        onSlice: (ms: number) => void slices.push(ms),
        onTurn: (ms: number) => void turns.push(ms),
      };
      const store = reopen({ observer });
      await store.createTable('a', 'people');
      for (let batch = 0; batch < 20; batch++) {
        await put(
          store,
          Array.from({ length: 100 }, (_, index) => `${batch}-${index}`),
        );
      }
      const slowly = (): boolean => {
        for (const endMs = performance.now() + 0.02; performance.now() < endMs; );
        return true;
      };
      await Promise.all(
        [1, 2, 3].map(() =>
          store.scan(address, [{ from: firstKey }], { ...page, limit: 2000, matches: slowly }),
        ),
      );
      assert.ok(slices.length > 3 && turns.length > 3);
      assert.ok([...slices, ...turns].every(ms => ms >= 0));
      await store.close();
    }));

  it('sheds load past the number of scans that may run at once', () =>
    inFolder(async reopen => {
      const store = reopen();
      await store.createTable('a', 'people');
      for (let batch = 0; batch < 10; batch++) {
        await put(
          store,
          Array.from({ length: 100 }, (_, index) => `${batch}-${index}`),
          'x'.repeat(5000),
        );
      }
      const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => rowCount(store)));
      const refused = outcomes.filter(outcome => outcome.status === 'rejected');
      assert.ok(refused.length > 0 && refused.length <= 16, `${refused.length} refused`);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') assert.ok(outcome.value > 0);
        else assert.equal(outcome.reason.code, 'ServerBusy');
      }
      await store.close();
    }));
});
