import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { converse } from '../../src/workers/channel.ts';
import { WriterLink } from '../../src/workers/writer-link.ts';
import type { Write } from '../../src/workers/writes.ts';
import { put, type RowIntent } from '../store/rule.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const table = { account: 'a', table: 'people' };

function mutation(rowKey: string): Write<RowIntent> {
  return ['mutate', table, 'p', [rowKey], [put(rowKey)], 1];
}

/** A writer that answers as it is told to; `sockets` are those of its workers. */
async function listen(
  t: TestContext,
  path: string,
  answer: (write: Write<RowIntent>) => unknown,
): Promise<{ server: Server; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer(socket => {
    sockets.push(socket);
    converse(socket, async (write: Write<RowIntent>) => answer(write));
  }).listen(path);
  t.after(() => server.close());
  await once(server, 'listening');
  return { server, sockets };
}

describe("a worker's way to the writer", () => {
  const folder = (t: TestContext): string => {
    const { path, remove } = temporaryFolder();
    t.after(remove);
    return path;
  };

  it('tells an unknown outcome of what was asked when the writer ended, and asks the next one nothing of it', async t => {
    const path = folder(t);
    const link = new WriterLink<RowIntent>();
    t.after(() => link.close());
    const first = await listen(t, join(path, '1'), () => new Promise(() => {}));
    await link.connect(join(path, '1'));
    const asked = [link.ask(mutation('a'), 1), link.ask(mutation('b'), 1)];
    for (const promise of asked) promise.catch(() => {});
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
    first.sockets[0]?.destroy();
    for (const promise of asked) await assert.rejects(promise, { code: 'OperationTimedOut', status: 500 });

    const seen: unknown[] = [];
    const waiting = link.ask(mutation('c'), 1);
    await listen(t, join(path, '2'), write => {
      seen.push(write);
      return 7n;
    });
    await link.connect(join(path, '2'));
    assert.equal(await waiting, 7n);
    assert.equal(await link.ask(mutation('d'), 1), 7n);
    assert.deepEqual(seen, [mutation('c'), mutation('d')]);
  });

  it('is busy where no writer comes in time', async t => {
    const link = new WriterLink<RowIntent>(20);
    await assert.rejects(link.ask(mutation('a'), 1), { code: 'ServerBusy', status: 503 });
    await assert.rejects(link.connect(join(folder(t), 'nobody')), { code: 'ENOENT' });
  });

  it('is busy at once where too much waits for a writer, and asks it what was waiting', {
    timeout: 10_000,
  }, async t => {
    const path = join(folder(t), 'w');
    await listen(t, path, () => 1n);
    for (const [waits, bytes] of [
      [1, 32 * 1024 * 1024],
      [4096, 0],
    ] as const) {
      const link = new WriterLink<RowIntent>(60_000);
      t.after(() => link.close());
      const waiting = Array.from({ length: waits }, (_, index) => link.ask(mutation(String(index)), bytes));
      await assert.rejects(link.ask(mutation('more'), 1), { code: 'ServerBusy' });
      await link.connect(path);
      assert.equal(new Set(await Promise.all(waiting)).size, 1);
      assert.equal(await link.ask(mutation('more'), 1), 1n);
    }
  });
});

describe('the frames of a channel', () => {
  it('carry many messages and large ones, both ways, however they are cut', async t => {
    const { path, remove } = temporaryFolder();
    t.after(remove);
    const link = new WriterLink<RowIntent>();
    t.after(() => link.close());
    const { sockets } = await listen(t, join(path, 'w'), async write => write[0] === 'mutate' && write[4]);
    await link.connect(join(path, 'w'));
    const texts = Array.from({ length: 300 }, (_, index) => `${'\ud800 漢 x'.repeat(index * 40)}${index}`);
    texts.push('large'.repeat(1_000_000), '漢'.repeat(2_000_000));
    const echo = (text: string): Promise<RowIntent[]> =>
      link.ask(['mutate', table, 'p', ['r'], [put(text)], text.length], text.length);
    const answers = await Promise.all(texts.map(echo));
    assert.deepEqual(
      answers.map(([intent]) => intent),
      texts.map(put),
    );
    assert.equal(sockets.length, 1);
  });

  it('are no longer than anything that is said here: who announces more is hung up on', async t => {
    const { path, remove } = temporaryFolder();
    t.after(remove);
    const link = new WriterLink<RowIntent>();
    t.after(() => link.close());
    const { sockets } = await listen(t, join(path, 'w'), () => undefined);
    await link.connect(join(path, 'w'));
    sockets[0]?.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    await once(sockets[0] as Socket, 'close');
  });
});
