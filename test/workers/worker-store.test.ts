import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { encodeKey } from '../../src/store/lmdb/keys.ts';
import { openRoot } from '../../src/store/lmdb/lmdb-reader.ts';
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.ts';
import { rowEncoding } from '../../src/store/lmdb/row-encoding.ts';
import { WorkerStore } from '../../src/workers/worker-store.ts';
import { WriterLink } from '../../src/workers/writer-link.ts';
import { serveWrites } from '../../src/workers/writes.ts';
import { describeStoreContract } from '../store/contract.ts';
import { decideRows, put, type RowIntent } from '../store/rule.ts';

/** A worker's store and the writer's with the socket between them, all in this process. */
function open() {
  const whole = openLmdbStore({ folder: undefined, decide: decideRows });
  const writer = new WriterLink<RowIntent>();
  const store = new WorkerStore(whole.dataFolder, writer);
  const server = serveWrites(whole, async () => store.refreshServiceProperties());
  const path = join(whole.dataFolder, 'writer');
  const listening = new Promise<void>(resolve => server.listen(path, resolve));
  const connected = listening.then(() => writer.connect(path));
  const closed = async (): Promise<void> => {
    await connected;
    await store.close();
    await new Promise(resolve => server.close(resolve));
    await whole.close();
  };
  return { store, closed, folder: whole.dataFolder };
}

describeStoreContract("a worker's store", open);

describe('the snapshots of a worker', () => {
  const table = { account: 'account1', table: 'people' };
  const key = { partitionKey: 'p', rowKey: 'r' };
  const page = { limit: 10, bytesMax: 1 << 20, durationMsMax: 5000 };

  it('end with the callback that they began in: the next one sees what was committed between', async () => {
    const { store, closed, folder } = open();
    await store.createTable('account1', 'people');
    await store.mutate(table, 'p', ['r'], [put('old')], 3);
    // Another handle on the files, as another process has it, which commits while nothing else can run.
    const elsewhere = openRoot(folder, 'writes without flush');
    const rows = elsewhere.openDB<Buffer, Buffer>({
      name: 'entities',
      keyEncoding: 'binary',
      ...rowEncoding,
    });
    const reads: Promise<unknown>[] = [];
    const read = (): void => {
      reads.push(
        store.read(table, key, String),
        store.scan(table, [{ from: key }], page).then(({ rows }) => rows.map(String)),
      );
    };
    // Both run in one turn of the event loop, one after the other.
    await new Promise<void>(resolve => {
      setImmediate(read);
      setImmediate(() => {
        rows.putSync(encodeKey(1, key), Buffer.from('new'));
        read();
        resolve();
      });
    });
    assert.deepEqual(await Promise.all(reads), ['old', ['old'], 'new', ['new']]);
    await elsewhere.close();
    await closed();
  });

  it('leave no reader behind, however many there were', async () => {
    const { store, closed } = open();
    await store.createTable('account1', 'people');
    await store.mutate(table, 'p', ['r'], [put('x')], 1);
    for (let count = 0; count < 2000; count++) {
      const [row, scanned] = await Promise.all([
        store.read(table, key, String),
        store.scan(table, [{ from: key }], page),
      ]);
      assert.equal(row, 'x');
      assert.equal(scanned.rows.length, 1);
    }
    await closed();
  });
});
