import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { developmentAccount } from '../../src/auth/accounts.ts';
import { settings } from '../../src/config.ts';
import { run, start, until } from '../support/program.ts';
import { rawClient } from '../support/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function refusal(
  t: TestContext,
  args: readonly string[],
  environment?: Record<string, string>,
): Promise<string> {
  const failed = run(t, ['start', ...args], environment);
  assert.notEqual(await failed.exited, 0);
  assert.equal(failed.output, '');
  // Where an option is wrong, a second line says where they are listed.
  const errors = failed.errors.trim().replace(/\nTry --help for the list of options\.$/, '');
  assert.equal(errors.split('\n').length, 1, failed.errors);
  return errors;
}

function folder(t: TestContext): string {
  const { path, remove } = temporaryFolder();
  t.after(remove);
  return path;
}

describe('tabularium start', { timeout: 60_000 }, () => {
  it('prints where it listens, where the data is, the connection string and what to try, and exits 0 on SIGTERM', async t => {
    const data = join(folder(t), 'made', 'by', 'start');
    const server = await start(t, ['--data', data]);
    assert.match(server.output, new RegExp(`Data\\s+${data} `));
    assert.match(
      server.output,
      /DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=\S+;TableEndpoint=http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1;/,
    );
    assert.match(server.output, /Try next/);
    assert.equal((await rawClient(server.endpoint)({ path: '/Tables' })).status, 200);
    server.process.kill('SIGTERM');
    assert.equal(await server.exited, 0);
  });

  it('finishes a request in flight when it is told to stop', async t => {
    const server = await start(t, ['--memory']);
    const client = rawClient(server.endpoint);
    await client({ method: 'POST', path: '/Tables', body: '{"TableName":"people"}' });
    const body = '{"PartitionKey":"p","RowKey":"r"}';
    const target = new URL(server.endpoint);
    const path = `${target.pathname}/people`;
    const date = new Date().toUTCString();
    const signature = createHmac('sha256', Buffer.from(developmentAccount.key, 'base64'))
      .update(`${date}\n/${developmentAccount.name}${path}`)
      .digest('base64');
    const outgoing = request({
      host: target.hostname,
      port: target.port,
      method: 'POST',
      path,
      headers: {
        Authorization: `SharedKeyLite ${developmentAccount.name}:${signature}`,
        'x-ms-date': date,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        Prefer: 'return-no-content',
      },
    });
    const answered = once(outgoing, 'response');
    outgoing.write(body.slice(0, 10));
    await new Promise(resolve => setTimeout(resolve, 100));
    server.process.kill('SIGTERM');
    await until(server, () => server.errors.includes('finishing the requests in flight'));
    outgoing.end(body.slice(10));
    const [response] = await answered;
    assert.equal(response.statusCode, 204);
    assert.equal(await server.exited, 0);
  });

  it('takes every setting from the environment, too', async t => {
    const data = folder(t);
    const server = run(t, ['start'], {
      TABULARIUM_TABLE_PORT: '0',
      TABULARIUM_DATA: data,
      TABULARIUM_ACCOUNT: 'first:Zmlyc3Q= second:c2Vjb25k:Zm91cnRo',
      TABULARIUM_MEMORY: 'false',
      TABULARIUM_LOG_LEVEL: 'debug',
    });
    await until(server, () => server.output.includes('Stop with'));
    assert.match(server.output, /AccountName=first;AccountKey=Zmlyc3Q=/);
    assert.match(server.output, new RegExp(`Data\\s+${data} `));
    for (const { environment } of settings) assert.match(environment, /^TABULARIUM_[A-Z_]+$/);
  });

  it('keeps nothing with --memory, and sweeps what a killed one left behind', async t => {
    const server = await start(t, ['--memory']);
    const left = /Data\s+(\S+)/.exec(server.output)?.[1] as string;
    assert.ok(left.startsWith(tmpdir()));
    server.process.kill('SIGKILL');
    await server.exited;
    assert.ok(existsSync(left));
    const next = await start(t, ['--memory']);
    assert.ok(!existsSync(left), 'swept at the next start');
    const own = /Data\s+(\S+)/.exec(next.output)?.[1] as string;
    next.process.kill('SIGTERM');
    await next.exited;
    assert.ok(!existsSync(own), 'deleted at the end');
  });

  it('prints nothing on standard output with --quiet', async t => {
    const server = run(t, ['start', '--table-port', '0', '--memory', '--quiet']);
    await until(server, () => server.errors.includes('listens'));
    server.process.kill('SIGTERM');
    await server.exited;
    assert.equal(server.output, '');
  });

  it('logs each request with its id as a line of JSON at the level debug, and no key or signature', async t => {
    const server = await start(t, ['--memory', '--log-level', 'debug']);
    const response = await rawClient(server.endpoint)({ path: '/Tables' });
    await until(server, () => server.errors.includes('QueryTables'));
    const line = server.errors.split('\n').find(text => text.includes('QueryTables')) as string;
    const { requestId, status, method } = JSON.parse(line);
    assert.deepEqual(
      { requestId, status, method },
      {
        requestId: response.headers['x-ms-request-id'],
        status: 200,
        method: 'GET',
      },
    );
    assert.ok(!server.errors.includes(developmentAccount.key));
  });

  it('warns loudly when the public key listens on another address', async t => {
    const open = await start(t, ['--memory', '--host', '0.0.0.0']);
    assert.match(
      open.errors,
      /WARNING: the account devstoreaccount1 with its publicly known key listens on 0\.0\.0\.0/,
    );
    const own = await start(t, ['--memory', '--host', '0.0.0.0', '--account', 'mine:a2V5']);
    assert.doesNotMatch(own.errors, /WARNING/);
  });

  it('reads the accounts file again on SIGHUP, and keeps the old ones where the new file is broken', async t => {
    const file = join(folder(t), 'accounts');
    const account = (key: string): string => `# rotated by hand\n${developmentAccount.name}:${key}\n`;
    const oldKey = Buffer.from('old').toString('base64');
    const newKey = Buffer.from('new').toString('base64');
    writeFileSync(file, account(oldKey));
    const server = await start(t, ['--memory', '--accounts-file', file]);
    const client = rawClient(server.endpoint);
    assert.equal((await client({ path: '/Tables', key: oldKey })).status, 200);

    writeFileSync(file, account(newKey));
    server.process.kill('SIGHUP');
    await until(server, () => server.errors.includes('read the accounts, certificates and keys again'));
    assert.equal((await client({ path: '/Tables', key: oldKey })).status, 403);
    assert.equal((await client({ path: '/Tables', key: newKey })).status, 200);

    writeFileSync(file, 'no account at all');
    server.process.kill('SIGHUP');
    await until(server, () => server.errors.includes('stay as they were'));
    assert.equal((await client({ path: '/Tables', key: newKey })).status, 200);
  });

  it('ends in one clear line for a taken port', async t => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    t.after(() => other.close());
    const { port } = other.address() as AddressInfo;
    assert.equal(
      await refusal(t, ['--memory', '--table-port', String(port)]),
      `tabularium: port ${port} on 127.0.0.1 is taken; choose another with --table-port, or 0 for a free one`,
    );
  });

  it('ends in one clear line for a data folder that is in use, or cannot be written', async t => {
    const data = folder(t);
    await start(t, ['--data', data]);
    assert.equal(
      await refusal(t, ['--data', data, '--table-port', '0']),
      `tabularium: the data folder ${data} is in use by another tabularium server`,
    );
    const file = join(data, 'file');
    mkdirSync(data, { recursive: true });
    writeFileSync(file, '');
    assert.match(
      await refusal(t, ['--data', join(file, 'below')]),
      /^tabularium: cannot write to the data folder/,
    );
  });

  it('ends in one clear line for wrong options', async t => {
    assert.match(await refusal(t, ['--no-such-flag']), /unknown option '--no-such-flag'/);
    assert.match(await refusal(t, ['--table-port', '70000']), /A port is a number from 0 to 65535/);
    assert.match(
      await refusal(t, ['--services', 'table,blob']),
      /There is no service 'blob' here; this version has: table/,
    );
    assert.match(await refusal(t, ['--memory', '--account', 'UPPER:a2V5']), /account name 'UPPER'/);
    assert.match(
      await refusal(t, ['--memory', '--account', 'mine:not base64']),
      /^tabularium: cannot read the accounts/,
    );
    assert.match(
      await refusal(t, ['--memory', '--accounts-file', '/no/such/file']),
      /accounts file \/no\/such\/file/,
    );
    assert.match(await refusal(t, [], { TABULARIUM_LOG_LEVEL: 'loud' }), /TABULARIUM_LOG_LEVEL/);
    assert.match(await refusal(t, ['--memory', '--host', '192.0.2.1']), /cannot listen on 192\.0\.2\.1/);
  });
});
