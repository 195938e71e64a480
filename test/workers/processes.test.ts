import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TableClient } from '@azure/data-tables';
import { developmentAccount } from '../../src/auth/accounts.ts';
import { run, start, until } from '../support/program.ts';
import { rawClient, signRequest } from '../support/raw-client.ts';
import { type SlowClient, slowClient } from '../support/slow-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { noContent } from '../support/wire.ts';
import { isAlive, logLines, pidsOf, type Send } from '../support/worker-processes.ts';

const two = ['--workers', '2'];

function folder(t: TestContext): string {
  const { path, remove } = temporaryFolder();
  t.after(remove);
  return join(path, 'data');
}

async function insert(send: Send, rowKey: string): Promise<void> {
  const body = JSON.stringify({ PartitionKey: 'p', RowKey: rowKey });
  const response = await send({ method: 'POST', path: '/people', headers: noContent, body });
  assert.equal(response.status, 204, response.body);
}

async function createPeople(send: Send): Promise<void> {
  const response = await send({ method: 'POST', path: '/Tables', body: '{"TableName":"people"}' });
  assert.equal(response.status, 201, response.body);
}

async function rowKeys(send: Send): Promise<string[]> {
  const response = await send({ path: '/people()' });
  assert.equal(response.status, 200, response.body);
  return response.json<{ value: { RowKey: string }[] }>().value.map(({ RowKey }) => RowKey);
}

const entity = '{"PartitionKey":"p","RowKey":"r"}';

/** An insert of which the server has the head and a byte. */
async function slowInsert(endpoint: string): Promise<SlowClient> {
  const path = `${new URL(endpoint).pathname}/people`;
  const headers: Record<string, string> = { 'x-ms-date': new Date().toUTCString(), ...noContent };
  const authorization = signRequest('SharedKeyLite', 'POST', path, headers);
  const lines = Object.entries({ ...headers, authorization, host: 'localhost', expect: '100-continue' });
  const client = await slowClient(endpoint);
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  client.socket.write(`POST ${path} HTTP/1.1\r\n${head}Content-Length: ${entity.length}\r\n\r\n`);
  await client.until(/100 Continue/);
  client.socket.write(entity.slice(0, 1));
  return client;
}

describe('a server of several processes', () => {
  it('tells its address once, serves from all workers on one free port, and ends with 0', async t => {
    const data = folder(t);
    const server = await start(t, [...two, '--data', data, '--log-level', 'debug']);
    assert.match(server.output, /^Tabularium is ready\./);
    assert.equal(server.output.split('Tabularium is ready').length, 2);
    const send = rawClient(server.endpoint);
    await createPeople(send);
    for (let count = 0; count < 10; count++) await insert(send, String(count));
    assert.equal((await rowKeys(send)).length, 10);
    await until(server, () => logLines(server).filter(({ msg }) => msg === 'request').length === 12);
    const served = logLines(server).filter(({ msg }) => msg === 'request');
    assert.deepEqual([...new Set(served.map(line => line.process))].sort(), ['worker 1', 'worker 2']);
    const pids = ['writer', 'worker 1', 'worker 2'].flatMap(name => pidsOf(server, name));
    assert.equal(new Set(pids).size, 3);
    server.process.kill('SIGTERM');
    assert.equal(await server.exited, 0, server.errors);
    assert.deepEqual(pids.filter(isAlive), []);

    const alone = await start(t, ['--data', data]);
    assert.equal((await rowKeys(rawClient(alone.endpoint))).length, 10);
  });

  it('serves the official client over TLS', async t => {
    const server = await start(t, [...two, '--memory', '--tls', 'auto', '--account', 'mine:a2V5']);
    const connectionString = /Connection string\s+(\S+)/.exec(server.output)?.[1] as string;
    assert.match(connectionString, /^DefaultEndpointsProtocol=https;AccountName=mine;/);
    const people = TableClient.fromConnectionString(connectionString, 'people', {
      tlsOptions: { rejectUnauthorized: false },
    } as never);
    await people.createTable();
    await people.submitTransaction([
      ['create', { partitionKey: 'p', rowKey: '1', age: 34 }],
      ['create', { partitionKey: 'p', rowKey: '2', age: 56 }],
    ]);
    await assert.rejects(people.createEntity({ partitionKey: 'p', rowKey: '1' }), { statusCode: 409 });
    const { etag } = await people.getEntity('p', '1');
    await people.updateEntity({ partitionKey: 'p', rowKey: '1', age: 35 }, 'Merge', { etag });
    await assert.rejects(
      people.updateEntity({ partitionKey: 'p', rowKey: '1', age: 36 }, 'Merge', { etag }),
      { statusCode: 412 },
    );
    const ages: unknown[] = [];
    for await (const { age } of people.listEntities({ queryOptions: { filter: 'age gt 30' } }))
      ages.push(age);
    assert.deepEqual(ages, [35, 56]);
  });

  it('finishes a request in flight when it is told to stop, and ends at once when it is told twice', async t => {
    for (const signals of [1, 2]) {
      const server = await start(t, [...two, '--memory']);
      const data = /Data\s+(\S+)/.exec(server.output)?.[1] as string;
      await createPeople(rawClient(server.endpoint));
      const slow = await slowInsert(server.endpoint);
      server.process.kill('SIGTERM');
      await until(server, () => server.errors.includes('finishing the requests in flight'));
      const pids = ['writer', 'worker 1', 'worker 2'].flatMap(name => pidsOf(server, name));
      if (signals === 1) {
        slow.socket.write(entity.slice(1));
        await slow.until(/HTTP\/1\.1 204 /);
        assert.equal(await server.exited, 0);
        assert.ok(!existsSync(data), 'the temporary folder is gone');
        assert.deepEqual(pids.filter(isAlive), []);
      } else {
        server.process.kill('SIGTERM');
        assert.equal(await server.exited, 1);
        while (pids.some(isAlive)) await sleep(5);
      }
    }
  });

  it('refuses a folder that another one has, of one process or of several, in one line', async t => {
    const data = folder(t);
    await start(t, [...two, '--data', data]);
    for (const args of [two, []]) {
      const second = run(t, ['start', '--table-port', '0', '--data', data, ...args]);
      assert.equal(await second.exited, 1);
      assert.equal(
        second.errors,
        `tabularium: the data folder ${data} is in use by another tabularium server\n`,
      );
    }
  });

  it('refuses a taken port and what cannot be read in one line, and leaves nothing running', async t => {
    const other = await start(t, ['--memory']);
    const { port } = new URL(other.endpoint);
    const taken = run(t, ['start', '--memory', ...two, '--table-port', port]);
    assert.equal(await taken.exited, 1);
    assert.match(taken.errors, /^tabularium: port \d+ on 127\.0\.0\.1 is taken; [^\n]+\n$/);
    const accounts = run(t, ['start', '--memory', ...two, '--accounts-file', '/no/such/file']);
    assert.equal(await accounts.exited, 1);
    assert.match(accounts.errors, /^tabularium: cannot read the accounts [^\n]+\n$/);
    for (const workers of ['0', '65', 'many', '1.5']) {
      const wrong = run(t, ['start', '--memory', '--workers', workers]);
      assert.equal(await wrong.exited, 1);
      assert.match(wrong.errors, /Workers are a number from 1 to 64/);
    }
  });

  it('tells in one line of a process that ended while it started', async t => {
    for (const name of ['writer', 'worker']) {
      const script = `if (String(process.argv[1]).includes('workers/${name}')) process.exit(3)`;
      const dying = `data:text/javascript,${encodeURIComponent(script)}`;
      const server = run(t, ['start', '--memory', ...two, '--log-level', 'silent'], {
        NODE_OPTIONS: `--import ${dying}`,
      });
      assert.equal(await server.exited, 1);
      assert.match(
        server.errors,
        new RegExp(`^tabularium: the process '${name}[ 12]*' ended while it started\n$`),
      );
    }
  });

  it('ends with its first process, however that ends, and the next one has what was acknowledged', async t => {
    const data = folder(t);
    let server = await start(t, [...two, '--data', data]);
    await createPeople(rawClient(server.endpoint));
    const acknowledged = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const send = rawClient(server.endpoint);
      const write = async (writer: number): Promise<void> => {
        for (let count = 0; ; count++) {
          const rowKey = `${round}-${writer}-${count}`;
          const body = JSON.stringify({ PartitionKey: 'p', RowKey: rowKey });
          const request = { method: 'POST', path: '/people', headers: noContent, body };
          const response = await send(request).catch(() => undefined);
          if (response === undefined) return;
          // The writer may have ended before the worker did.
          if (response.status === 204) acknowledged.add(rowKey);
          else assert.equal(response.errorCode, 'OperationTimedOut');
        }
      };
      const writing = Promise.all([1, 2, 3, 4].map(write));
      await sleep(300);
      const pids = ['writer', 'worker 1', 'worker 2'].flatMap(name => pidsOf(server, name));
      server.process.kill('SIGKILL');
      const next = start(t, [...two, '--data', data]);
      await writing;
      server = await next;
      assert.deepEqual(pids.filter(isAlive), [], 'processes of the server that was killed');
      const found = new Set(await rowKeys(rawClient(server.endpoint)));
      for (const rowKey of acknowledged) assert.ok(found.has(rowKey), `${rowKey} was acknowledged`);
    }
    assert.ok(acknowledged.size > 20, 'the load was real');
  });

  it('lets in with new keys in all workers after SIGHUP, with the old ones where the new file is broken', async t => {
    const file = folder(t);
    const account = (key: string): string => `${developmentAccount.name}:${key}\n`;
    const [oldKey, newKey] = ['b2xk', 'bmV3'] as const;
    writeFileSync(file, account(oldKey));
    const server = await start(t, [...two, '--memory', '--accounts-file', file]);
    const send = rawClient(server.endpoint);
    const statuses = async (key: string): Promise<number[]> => {
      const responses = await Promise.all(Array.from({ length: 8 }, () => send({ path: '/Tables', key })));
      return [...new Set(responses.map(({ status }) => status))];
    };
    assert.deepEqual([await statuses(oldKey), await statuses(newKey)], [[200], [403]]);
    writeFileSync(file, account(newKey));
    server.process.kill('SIGHUP');
    await until(server, () => server.errors.includes('read the accounts, certificates and keys again'));
    assert.deepEqual([await statuses(oldKey), await statuses(newKey)], [[403], [200]]);
    writeFileSync(file, 'no account at all');
    server.process.kill('SIGHUP');
    await until(server, () => server.errors.includes('stay as they were'));
    assert.deepEqual([await statuses(oldKey), await statuses(newKey)], [[403], [200]]);
    const [pid] = pidsOf(server, 'worker 1') as [number];
    process.kill(pid, 'SIGKILL');
    await until(server, () => pidsOf(server, 'worker 1').length === 2);
    assert.deepEqual([await statuses(oldKey), await statuses(newKey)], [[403], [200]]);
  });

  it('shows the metrics of all processes together, whichever answers', async t => {
    const server = await start(t, [...two, '--memory']);
    const send = rawClient(server.endpoint);
    await createPeople(send);
    const origin = new URL(server.endpoint).origin;
    const inserts =
      'tabularium_request_duration_seconds_count{service="table",operation="InsertEntity",status="204"}';
    const writes = 'tabularium_store_commit_writes_total';
    const metrics = async (): Promise<(name: string) => number> => {
      const response = await fetch(`${origin}/-/metrics`, { headers: { Connection: 'close' } });
      const lines = (await response.text()).split('\n').map(line => line.split(' '));
      return name => Number(lines.find(([first]) => first === name)?.[1]);
    };
    const before = await metrics();
    for (let count = 0; count < 21; count++) await insert(send, String(count));
    for (let asked = 0; asked < 4; asked++) {
      const after = await metrics();
      assert.equal(after(inserts), 21);
      assert.equal(after(writes) - before(writes), 21);
      assert.ok(after('tabularium_rss_anon_bytes') > 3 * 10_000_000, 'of four processes');
    }
    assert.equal(await (await fetch(`${origin}/-/ready`)).text(), 'ready\n');
  });
});
