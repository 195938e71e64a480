/**
 * What table scans do to everything else: eight clients scan a table of a million entities in a real server, and
 * one more reads single entities. Reports how long the event loop was held up, and the slices that scans are
 * worked on in: `npm run bench:scans`. While the server waits for a processor that others have, its clock goes on:
 * where it waited much, delays and slices say more of them than of it.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openLmdbStore } from '../src/store/lmdb/lmdb-store.ts';
import { decideIntents } from '../src/table/transition.ts';
import { endWithHelp, positive } from './options.ts';
import { Progress } from './progress.ts';
import { aligned } from './report.ts';
import { buildTabularium } from './servers.ts';
import { accountName, authorizationOf } from './signing.ts';
import { DurationHistogram } from './statistics.ts';

const tableName = 'scanned';
const partitionRows = 10_000;
const rowsPerTransaction = 100;
const transactionsAtOnce = 64;
const readIntervalMs = 5;

interface Scan {
  readonly title: string;
  readonly query: string;
  readonly accept: string;
}

const minimal = 'application/json;odata=minimalmetadata';
const scans: readonly Scan[] = [
  { title: 'one of a thousand', query: '$filter=Bucket%20eq%207', accept: minimal },
  { title: 'none, by a text', query: "$filter=Name%20eq%20'nobody'", accept: minimal },
  { title: 'all', query: '', accept: minimal },
  { title: 'all, no metadata', query: '', accept: 'application/json;odata=nometadata' },
  { title: 'all, full metadata', query: '', accept: 'application/json;odata=fullmetadata' },
  { title: 'all, two properties', query: '$select=RowKey,Name', accept: minimal },
];

function keyOf(index: number): { partitionKey: string; rowKey: string } {
  const rest = index % partitionRows;
  return {
    partitionKey: `p${String((index - rest) / partitionRows).padStart(5, '0')}`,
    rowKey: `r${String(rest).padStart(6, '0')}`,
  };
}

function propertiesOf(index: number): string {
  return `,"Name":"Entity number ${index}","Bucket":${index % 1000},"Badge@odata.type":"Edm.Int64","Badge":"${index}","Rating":4.5,"Active":true`;
}

async function load(folder: string, entityCount: number, progress: Progress): Promise<void> {
  const store = openLmdbStore({ folder, decide: decideIntents });
  await store.createTable(accountName, tableName);
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < entityCount) {
      const first = next;
      next += rowsPerTransaction;
      const indices = Array.from(
        { length: Math.min(rowsPerTransaction, entityCount - first) },
        (_, at) => first + at,
      );
      const keys = indices.map(keyOf);
      await store.mutate(
        { account: accountName, table: tableName },
        keys[0]!.partitionKey,
        keys.map(({ rowKey }) => rowKey),
        indices.map((index, at) => ({ verb: 'insert' as const, key: keys[at]!, text: propertiesOf(index) })),
        rowsPerTransaction * 300,
      );
      if (first % 10_000 === 0) progress.show(`loading: ${first} of ${entityCount}`);
    }
  };
  await Promise.all(Array.from({ length: transactionsAtOnce }, write));
  await store.close();
}

interface Server {
  readonly process: ChildProcess;
  readonly port: number;
}

async function startServer(folder: string): Promise<Server> {
  const cli = join(import.meta.dirname, '..', 'dist', 'cli.js');
  const child = fork(cli, ['start', '--table-port', '0', '--data', folder], {
    execArgv: ['--import', join(import.meta.dirname, 'loop-delay.mjs')],
    env: { ...process.env, TABULARIUM_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let text = '';
  for await (const chunk of child.stdout!) {
    text += chunk;
    const port = /TableEndpoint=http:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
    if (port !== undefined) {
      child.stdout!.resume();
      return { process: child, port: Number(port) };
    }
  }
  throw new Error(`the server did not start: ${text}`);
}

/** What the load counts, and asks of the clock. */
interface Tally {
  readonly endMs: number;
  pages: number;
  examined: number;
  readonly reads: DurationHistogram;
  readsDone: number;
}

class Client {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(port: number) {
    this.#port = port;
  }

  get(resource: string, query: string, accept: string): Promise<IncomingHttpHeaders> {
    const path = `/${accountName}${resource}`;
    const date = new Date().toUTCString();
    const headers = {
      Accept: accept,
      'x-ms-version': '2019-02-02',
      'x-ms-date': date,
      Authorization: authorizationOf(date, path),
      'x-tabularium-query-cost': 'true',
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: '127.0.0.1', port: this.#port, path: `${path}?${query}`, headers, agent: this.#agent },
        incoming => {
          incoming.resume();
          incoming.once('end', () => {
            if (incoming.statusCode === 200) resolve(incoming.headers);
            else reject(new Error(`${incoming.statusCode} for ${path}?${query}`));
          });
        },
      );
      outgoing.once('error', reject);
      outgoing.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Page after page, from the beginning again at the end. */
async function scanTable(client: Client, { query, accept }: Scan, tally: Tally): Promise<void> {
  let token = '';
  while (performance.now() < tally.endMs) {
    const headers = await client.get(`/${tableName}()`, `${query}${token}`, accept);
    tally.pages++;
    tally.examined += Number(headers['x-tabularium-entities-examined']);
    const partitionKey = headers['x-ms-continuation-nextpartitionkey'];
    const rowKey = headers['x-ms-continuation-nextrowkey'];
    const next = `&NextPartitionKey=${encodeURIComponent(String(partitionKey))}&NextRowKey=${encodeURIComponent(String(rowKey))}`;
    token = partitionKey === undefined ? '' : next;
  }
}

async function readEntities(client: Client, entityCount: number, tally: Tally): Promise<void> {
  for (let read = 0; performance.now() < tally.endMs; read++) {
    const { partitionKey, rowKey } = keyOf((read * 7919) % entityCount);
    const beganMs = performance.now();
    await client.get(`/${tableName}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`, '', minimal);
    tally.reads.record(performance.now() - beganMs);
    tally.readsDone++;
    await sleep(readIntervalMs);
  }
}

interface Slices {
  readonly count: number;
  readonly long: number;
  readonly longestMs: number;
}

async function readSlices(port: number): Promise<Slices> {
  const text = await (await fetch(`http://127.0.0.1:${port}/-/metrics`)).text();
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    count: value('tabularium_scan_slices_total'),
    long: value('tabularium_scan_long_slices_total'),
    longestMs: value('tabularium_scan_longest_slice_seconds') * 1000,
  };
}

/** How long the server's thread was ready to run and others had the processors. */
function waitedSeconds(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e9;
}

interface Setting {
  readonly server: Server;
  readonly entityCount: number;
  readonly clientCount: number;
  readonly seconds: number;
}

async function measure(title: string, kinds: readonly Scan[], setting: Setting): Promise<string[]> {
  const { server, clientCount, seconds } = setting;
  const clients = Array.from({ length: clientCount + 1 }, () => new Client(server.port));
  const before = await readSlices(server.port);
  const waitedBefore = waitedSeconds(server.process.pid!);
  server.process.send('reset');
  const beganMs = performance.now();
  const tally: Tally = {
    endMs: beganMs + seconds * 1000,
    pages: 0,
    examined: 0,
    reads: new DurationHistogram(),
    readsDone: 0,
  };
  await Promise.all([
    ...kinds.flatMap((scan, index) =>
      clients
        .slice(0, clientCount)
        .flatMap((client, at) => (at % kinds.length === index ? [scanTable(client, scan, tally)] : [])),
    ),
    readEntities(clients[clientCount]!, setting.entityCount, tally),
  ]);
  const tookSeconds = (performance.now() - beganMs) / 1000;
  server.process.send('read');
  const [delay] = (await once(server.process, 'message')) as [
    { p50Ms: number; p99Ms: number; maxMs: number },
  ];
  const after = await readSlices(server.port);
  for (const client of clients) client.close();
  const { reads } = tally;
  return [
    title,
    String(Math.round(tally.pages / tookSeconds)),
    String(Math.round(tally.examined / tookSeconds / 1000)),
    ...[delay.p50Ms, delay.p99Ms, delay.maxMs].map(ms => ms.toFixed(1)),
    String(after.count - before.count),
    String(after.long - before.long),
    after.longestMs.toFixed(1),
    ...[reads.percentileMs(50), reads.percentileMs(99)].map(ms => ms.toFixed(1)),
    `${Math.round((100 * (waitedSeconds(server.process.pid!) - waitedBefore)) / tookSeconds)} %`,
  ];
}

const help = `npm run bench:scans -- [options]
  --entities N          in the table that is scanned (1000000)
  --clients N           that scan it (8)
  --seconds S           of each measurement (10)
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      entities: { type: 'string', default: '1000000' },
      seconds: { type: 'string', default: '10' },
      clients: { type: 'string', default: '8' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) endWithHelp(help);
  const entityCount = positive('entities', values.entities);
  const progress = new Progress();
  buildTabularium();
  const folder = mkdtempSync(join(tmpdir(), 'tabularium-scans-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await load(folder, entityCount, progress);
  const server = await startServer(folder);
  const setting = {
    server,
    entityCount,
    clientCount: positive('clients', values.clients),
    seconds: positive('seconds', values.seconds),
  };
  const rows = [
    [
      'scans',
      'pages/s',
      'k examined/s',
      'delay p50 ms',
      'p99',
      'max',
      'slices',
      '> 2 ms',
      'longest ms',
      'read p50 ms',
      'p99',
      'waited',
    ],
  ];
  progress.show('nothing but reads');
  rows.push(await measure('nothing but reads', [], setting));
  for (const scan of scans) {
    progress.show(scan.title);
    rows.push(await measure(scan.title, [scan], setting));
  }
  progress.show('all of these');
  rows.push(await measure('all of these', scans, setting));
  progress.clear();
  process.stdout.write(`${aligned(rows).join('\n')}\n`);
  server.process.kill('SIGTERM');
  await once(server.process, 'exit');
}

await main();
