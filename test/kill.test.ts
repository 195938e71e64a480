import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawResponse, rawClient } from './support/raw-client.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const cycles = 20;
const workers = 12;
const transactionRows = 10;
const points = ['at random', 'before the flush', 'at random', 'after the flush'] as const;

/** A generator of numbers from 0 to 1 that repeats itself for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function startServer(folder: string, point: string, commit: number): Promise<[ChildProcess, string]> {
  const script = new URL('./support/killable-server.ts', import.meta.url);
  const server = fork(script, [folder, point, String(commit)], { execArgv: ['--import', 'tsx'] });
  const [endpoint] = (await once(server, 'message')) as [string];
  return [server, endpoint];
}

function contentOf(rowKey: string): string {
  return `${rowKey} `.repeat(20);
}

function entity(partitionKey: string, rowKey: string): string {
  return JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey, Value: contentOf(rowKey) });
}

function batch(partitionKey: string, rowKeys: readonly string[]): string {
  const parts = rowKeys.map(rowKey =>
    [
      '--changeset',
      'Content-Type: application/http',
      '',
      'POST /kills HTTP/1.1',
      'Content-Type: application/json',
      'Accept: application/json',
      'Prefer: return-no-content',
      '',
      entity(partitionKey, rowKey),
    ].join('\r\n'),
  );
  return [
    '--batch',
    'Content-Type: multipart/mixed; boundary=changeset',
    '',
    ...parts,
    '--changeset--',
    '--batch--',
    '',
  ].join('\r\n');
}

type Client = (options: Parameters<ReturnType<typeof rawClient>>[0]) => Promise<RawResponse>;

/** Writes inserts and transactions in turn until the server is gone; adds to `acknowledged` what it confirmed. */
async function write(
  client: Client,
  cycle: number,
  worker: number,
  acknowledged: Set<string>,
): Promise<void> {
  const partitionKey = `w${worker}`;
  for (let count = 0; ; count++) {
    const isTransaction = count % 3 === 2;
    const rowKeys = isTransaction
      ? Array.from({ length: transactionRows }, (_, row) => `t-${cycle}-${count}-${row}`)
      : [`i-${cycle}-${count}`];
    let response: RawResponse;
    try {
      response = await client(
        isTransaction
          ? {
              method: 'POST',
              path: '/$batch',
              headers: { 'Content-Type': 'multipart/mixed; boundary=batch' },
              body: batch(partitionKey, rowKeys),
            }
          : {
              method: 'POST',
              path: '/kills',
              headers: { 'Content-Type': 'application/json', Prefer: 'return-no-content' },
              body: entity(partitionKey, rowKeys[0] as string),
            },
      );
    } catch {
      return; // killed: the outcome is unknown
    }
    assert.equal(response.status, isTransaction ? 202 : 204, response.body);
    assert.doesNotMatch(response.body, /HTTP\/1\.1 [^2]/);
    for (const rowKey of rowKeys) acknowledged.add(`${partitionKey}/${rowKey}`);
  }
}

/** Every entity there is, by its keys. */
async function readAll(client: Client): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let token = '';
  do {
    const page = await client({ path: `/kills()${token}` });
    assert.equal(page.status, 200, page.body);
    for (const { PartitionKey, RowKey, Value } of page.json<{ value: Record<string, string>[] }>().value) {
      found.set(`${PartitionKey}/${RowKey}`, Value as string);
    }
    const partitionKey = page.headers['x-ms-continuation-nextpartitionkey'] as string | undefined;
    const rowKey = page.headers['x-ms-continuation-nextrowkey'] as string;
    token =
      partitionKey === undefined
        ? ''
        : `?NextPartitionKey=${encodeURIComponent(partitionKey)}&NextRowKey=${encodeURIComponent(rowKey)}`;
  } while (token !== '');
  return found;
}

function checkNothingIsLost(found: Map<string, string>, acknowledged: ReadonlySet<string>): void {
  for (const key of acknowledged) {
    assert.equal(found.get(key), contentOf(key.split('/')[1] as string), `${key} was acknowledged`);
  }
  const rowsOfTransactions = new Map<string, number>();
  for (const key of found.keys()) {
    const transaction = /^(.*\/t-\d+-\d+)-\d+$/.exec(key)?.[1];
    if (transaction === undefined) continue;
    rowsOfTransactions.set(transaction, (rowsOfTransactions.get(transaction) ?? 0) + 1);
  }
  for (const [transaction, rows] of rowsOfTransactions) {
    assert.equal(rows, transactionRows, `${transaction} is there in part`);
  }
}

describe('a server that is killed', () => {
  it(`has every acknowledged write, and no transaction in part, after each of ${cycles} kills`, {
    timeout: 120_000,
  }, async t => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    t.diagnostic(`SEED=${seed}`);
    const random = seededRandom(seed);
    const { path, remove } = temporaryFolder();
    const acknowledged = new Set<string>();
    t.after(remove);
    for (let cycle = 0; cycle < cycles; cycle++) {
      const point = points[cycle % points.length] as string;
      const [server, endpoint] = await startServer(path, point, 2 + Math.floor(random() * 60));
      const exited = once(server, 'exit');
      const client = rawClient(endpoint);
      if (cycle === 0) await client({ method: 'POST', path: '/Tables', body: '{"TableName":"kills"}' });
      checkNothingIsLost(await readAll(client), acknowledged);
      const writing = Array.from({ length: workers }, (_, worker) =>
        write(client, cycle, worker, acknowledged),
      );
      if (point === 'at random') {
        await sleep(20 + random() * 150);
        server.kill('SIGKILL');
      }
      await Promise.all(writing);
      await exited;
    }
    const [server, endpoint] = await startServer(path, 'never', 0);
    const found = await readAll(rawClient(endpoint));
    server.kill('SIGKILL');
    checkNothingIsLost(found, acknowledged);
    t.diagnostic(`${acknowledged.size} acknowledged entities, ${found.size} found`);
    assert.ok(acknowledged.size > cycles * workers, 'the load was real');
  });
});
