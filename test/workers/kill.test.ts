import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Run, start, until } from '../support/program.ts';
import { type RawResponse, rawClient } from '../support/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { noContent } from '../support/wire.ts';
import { connectionTo, pidsOf, type Send } from '../support/worker-processes.ts';

const kills = 3;
const writers = 8;

interface Load {
  /** Row keys that were answered with success. */
  readonly acknowledged: Set<string>;
  /** The codes of other answers, and how often; `no answer` where the connection ended. */
  readonly others: Map<string, number>;
  reads: number;
  stop(): Promise<void>;
}

async function startServer(t: TestContext): Promise<Run & { endpoint: string }> {
  const { path, remove } = temporaryFolder();
  t.after(remove);
  const server = await start(t, ['--workers', '2', '--data', path]);
  const body = '{"TableName":"kills"}';
  const made = await rawClient(server.endpoint)({
    method: 'POST',
    path: '/Tables',
    headers: noContent,
    body,
  });
  assert.equal(made.status, 204);
  return server;
}

/** Inserts, each once, from several connections, and reads from others, until it is stopped. */
function load(t: TestContext, endpoint: string): Load {
  let isStopped = false;
  const result: Load = {
    acknowledged: new Set(),
    others: new Map(),
    reads: 0,
    async stop() {
      isStopped = true;
      await running;
    },
  };
  const insert = async (send: Send, writer: number): Promise<void> => {
    for (let count = 0; !isStopped; count++) {
      const rowKey = `${writer}-${count}`;
      const body = JSON.stringify({ PartitionKey: 'p', RowKey: rowKey });
      const answer = await send({ method: 'POST', path: '/kills', headers: noContent, body }).catch(
        () => undefined,
      );
      if (answer?.status === 204) result.acknowledged.add(rowKey);
      else {
        const code = answer?.errorCode ?? 'no answer';
        result.others.set(code, (result.others.get(code) ?? 0) + 1);
      }
    }
  };
  const read = async (send: Send): Promise<void> => {
    while (!isStopped) {
      const answer = await send({ path: `/kills()?$top=3` }).catch(() => undefined);
      if (answer === undefined) continue;
      assert.equal(answer.status, 200, answer.body);
      result.reads++;
    }
  };
  const running = Promise.all([
    ...Array.from({ length: writers }, (_, writer) => insert(connectionTo(t, endpoint), writer)),
    ...Array.from({ length: 2 }, () => read(connectionTo(t, endpoint))),
  ]);
  return result;
}

async function more(count: () => number, by = 20): Promise<void> {
  const from = count();
  while (count() < from + by) await sleep(5);
}

async function assertNothingIsLost({ acknowledged }: Load, send: Send): Promise<void> {
  const found = new Set<string>();
  let token = '';
  do {
    const page: RawResponse = await send({ path: `/kills()${token}` });
    assert.equal(page.status, 200, page.body);
    for (const { RowKey } of page.json<{ value: { RowKey: string }[] }>().value) found.add(RowKey);
    const { headers } = page;
    const part = (name: string): string => encodeURIComponent(headers[`x-ms-continuation-${name}`] as string);
    const hasMore = headers['x-ms-continuation-nextrowkey'] !== undefined;
    token = hasMore ? `?NextPartitionKey=${part('nextpartitionkey')}&NextRowKey=${part('nextrowkey')}` : '';
  } while (token !== '');
  for (const rowKey of acknowledged) assert.ok(found.has(rowKey), `${rowKey} was acknowledged`);
}

describe('of the processes of a server', { timeout: 120_000 }, () => {
  it('a worker that is killed is replaced, and what others were asked is answered', async t => {
    const server = await startServer(t);
    const running = load(t, server.endpoint);
    await more(() => running.acknowledged.size);
    for (let kill = 1; kill <= kills; kill++) {
      const name = `worker ${1 + (kill % 2)}`;
      const pids = pidsOf(server, name);
      process.kill(pids.at(-1) as number, 'SIGKILL');
      await more(() => running.acknowledged.size);
      await until(server, () => pidsOf(server, name).length > pids.length);
      await more(() => running.acknowledged.size);
      await more(() => running.reads);
    }
    await running.stop();
    assert.deepEqual([...running.others.keys()], ['no answer']);
    const lost = running.others.get('no answer') as number;
    assert.ok(lost <= kills * writers, `${lost} requests were with the workers that were killed`);
    assert.equal(pidsOf(server, 'writer').length, 1);
    await assertNothingIsLost(running, rawClient(server.endpoint));
    server.process.kill('SIGTERM');
    assert.equal(await server.exited, 0);
  });

  it('a writer that is killed is replaced: what it was asked has an unknown outcome, reads go on', async t => {
    const server = await startServer(t);
    const running = load(t, server.endpoint);
    await more(() => running.acknowledged.size);
    for (let kill = 1; kill <= kills; kill++) {
      process.kill(pidsOf(server, 'writer').at(-1) as number, 'SIGKILL');
      await more(() => running.reads);
      assert.equal(pidsOf(server, 'writer').length, kill, 'reads went on while there was no writer');
      await until(server, () => pidsOf(server, 'writer').length > kill);
      await more(() => running.acknowledged.size, writers * 3);
    }
    await running.stop();
    for (const code of running.others.keys()) {
      assert.ok(['OperationTimedOut', 'ServerBusy'].includes(code), code);
    }
    const unknown = running.others.get('OperationTimedOut') ?? 0;
    assert.ok(unknown >= 1 && unknown <= kills * writers, `${unknown} outcomes were unknown`);
    await assertNothingIsLost(running, rawClient(server.endpoint));
    server.process.kill('SIGTERM');
    assert.equal(await server.exited, 0);
  });
});
