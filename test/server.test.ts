import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { developmentAccount, parseAccount } from '../src/auth/accounts.ts';
import { createLogger } from '../src/observe/log.ts';
import { Metrics } from '../src/observe/metrics.ts';
import { TableServer } from '../src/server.ts';
import { ModelStore } from '../src/store/model.ts';
import { decideIntents } from '../src/table/transition.ts';
import { rawClient } from './support/raw-client.ts';
import { freshTableName, useServer } from './support/server.ts';

/** Opens a connection and sends the head of a request whose body never comes to its end. */
function sendHead(endpoint: string, head: string): Promise<Socket> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(head, () => resolve(socket));
    });
    socket.on('error', reject);
  });
}

describe('the server under load', () => {
  const server = useServer();

  it('sheds load past the bytes of bodies in flight, before it reads the body, and answers health', async () => {
    const { endpoints } = await server();
    const client = rawClient(endpoints.table);
    const table = freshTableName();
    await client({ method: 'POST', path: '/Tables', body: `{"TableName":"${table}"}` });
    const signed = await signedHead(endpoints.table, `/${table}`);
    // A chunked body counts as the largest that may come: 64 of them fill 256 MiB.
    const sockets = await Promise.all(Array.from({ length: 64 }, () => sendHead(endpoints.table, signed)));
    const insert = { method: 'POST', path: `/${table}`, body: '{"PartitionKey":"p","RowKey":"r"}' };
    let response = await client(insert);
    for (let attempt = 0; attempt < 100 && response.status !== 503; attempt++)
      response = await client(insert);
    assert.equal(response.status, 503);
    assert.equal(response.errorCode, 'ServerBusy');
    assert.equal(response.headers['retry-after'], '1');
    const { origin } = new URL(endpoints.table);
    assert.equal((await fetch(`${origin}/-/healthy`)).status, 200);
    for (const socket of sockets) socket.destroy();
    const again = { ...insert, body: '{"PartitionKey":"p","RowKey":"later"}' };
    response = await client(again);
    for (let attempt = 0; attempt < 100 && response.status === 503; attempt++) {
      await new Promise(resolve => setTimeout(resolve, 10));
      response = await client(again);
    }
    assert.equal(response.status, 201, 'it takes work again once the bodies are gone');
  });

  it('survives clients that go away in the middle of a request or an answer', async () => {
    const { endpoints } = await server();
    const table = freshTableName();
    const client = rawClient(endpoints.table);
    await client({ method: 'POST', path: '/Tables', body: `{"TableName":"${table}"}` });
    const head = await signedHead(endpoints.table, `/${table}`);
    for (let count = 0; count < 50; count++) {
      const socket = await sendHead(endpoints.table, count % 2 === 0 ? head : head.slice(0, count * 4));
      socket.destroy();
    }
    assert.equal((await client({ path: `/${table}` })).status, 200);
  });
});

/** The head of a signed insert whose body is chunked. */
async function signedHead(endpoint: string, path: string): Promise<string> {
  const { createHmac } = await import('node:crypto');
  const target = `${new URL(endpoint).pathname}${path}`;
  const date = new Date().toUTCString();
  const signature = createHmac('sha256', Buffer.from(developmentAccount.key, 'base64'))
    .update(`${date}\n/${developmentAccount.name}${target}`)
    .digest('base64');
  return [
    `POST ${target} HTTP/1.1`,
    'Host: localhost',
    `Authorization: SharedKeyLite ${developmentAccount.name}:${signature}`,
    `x-ms-date: ${date}`,
    'Content-Type: application/json',
    'Accept: application/json',
    'Transfer-Encoding: chunked',
    '',
    '',
  ].join('\r\n');
}

describe('a bug of ours', () => {
  it('answers 500 without details, and the server goes on', async t => {
    const store = new ModelStore(decideIntents);
    store.readTable = () => Promise.reject(new TypeError('the secret detail'));
    const account = parseAccount(`${developmentAccount.name}:${developmentAccount.key}`);
    const server = new TableServer({
      store,
      accounts: new Map([[account.name, account]]),
      metrics: new Metrics(),
      log: createLogger('silent'),
      isStrictVersion: false,
      tls: undefined,
      verifyBearer: undefined,
      authorizationUri: '',
      now: Date.now,
    });
    await new Promise<void>(resolve => server.http.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.http.address() as { port: number };
    const client = rawClient(`http://127.0.0.1:${port}/${account.name}`);
    const response = await client({ path: "/Tables('people')" });
    assert.equal(response.status, 500);
    assert.equal(response.errorCode, 'InternalError');
    assert.doesNotMatch(response.body, /secret detail|TypeError|at /);
    assert.equal((await client({ path: '/Tables' })).status, 200);
  });
});
