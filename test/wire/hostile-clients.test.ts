import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { startTabularium } from '../../src/index.ts';
import * as limits from '../../src/limits.ts';
import type { Logger } from '../../src/observe/log.ts';
import { type SlowClient, slowClient } from '../support/slow-client.ts';
import { noContent, useWire, type Wire } from '../support/wire.ts';

/** Of the usual limits of time a hundredth, so that tests see them pass. */
const patience = {
  headMs: 600,
  requestMs: 1200,
  idleMs: 1200,
  answerMs: 1200,
  lingerMs: 200,
  closeMs: 500,
  checkEveryMs: 50,
};
/** Anything that has not happened by then does not happen; machines that run tests are slow at times. */
const longMs = 20_000;

/** A log whose lines are kept: what the server takes for its own mistakes. */
function keptLog(): { readonly lines: string[]; readonly log: Logger } {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'error' }, { write: line => void lines.push(line) }) };
}

function useClients(wire: Wire): (count?: number) => Promise<SlowClient[]> {
  const clients: SlowClient[] = [];
  after(() => {
    for (const { socket } of clients) socket.destroy();
  });
  return async (count = 1) => {
    const endpoint = await wire.base();
    const fresh = await Promise.all(Array.from({ length: count }, () => slowClient(endpoint)));
    clients.push(...fresh);
    return fresh;
  };
}

/** Sockets of this process, in which client and server both are. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length;
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const end = performance.now() + longMs;
  while (!isSo()) {
    assert.ok(performance.now() < end, `it does not come to be that ${what}`);
    await sleep(20);
  }
}

const accept = 'Accept: application/json';

function entity(rowKey: string, members = ''): string {
  return `{"PartitionKey":"p","RowKey":"${rowKey}"${members}}`;
}

describe('Slow clients', { timeout: 6 * longMs }, () => {
  const { lines, log } = keptLog();
  const wire = useWire({}, { patience, log });
  const connectClients = useClients(wire);

  it('that send a head byte by byte are answered 408 and hung up on', async () => {
    const [client] = (await connectClients()) as [SlowClient];
    const bytes = await wire.signedBytes('GET', '/Tables', [accept]);
    const timer = setInterval(() => client.socket.write(bytes[at++] ?? ''), 20);
    let at = 0;
    const received = await client.untilHungUp();
    clearInterval(timer);
    assert.match(received, /^HTTP\/1\.1 408 Request Timeout\r\n(?:.*\r\n)*\r\n$/);
    assert.ok(at < bytes.length, 'before the head was there');
    await wire.assertServes();
  });

  it('that send their head slowly, but in time, are served', async () => {
    const [client] = (await connectClients()) as [SlowClient];
    const bytes = await wire.signedBytes('GET', '/Tables', [accept]);
    const pieces = 8;
    for (let piece = 0; piece < pieces; piece++) {
      client.socket.write(
        bytes.slice((piece * bytes.length) / pieces, ((piece + 1) * bytes.length) / pieces),
      );
      await sleep(patience.headMs / pieces / 4);
    }
    assert.match(await client.untilHungUp(), /^HTTP\/1\.1 200 /);
  });

  it('that send nothing are hung up on', async () => {
    const [client] = (await connectClients()) as [SlowClient];
    await client.untilHungUp();
  });

  it('that stay idle after an answer are hung up on, and not before it is time', async () => {
    const [client] = (await connectClients()) as [SlowClient];
    const bytes = (await wire.signedBytes('GET', '/Tables', [accept])).replace('Connection: close\r\n', '');
    client.socket.write(bytes);
    await client.until(/\r\n\r\n\{/);
    const began = performance.now();
    await client.untilHungUp();
    assert.ok(performance.now() - began > patience.idleMs / 2);
  });

  it('whose body stalls are answered 408 and give back what they kept from others', async () => {
    const table = await wire.createTable();
    const lines = [accept, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const head = await wire.signedBytes('POST', `/${table}`, lines, '5\r\n{"Par\r\n');
    // A chunked body counts as the largest that may come.
    const count = limits.bodyBytesInFlightMax / limits.requestBodyBytesMax;
    const clients = await connectClients(count);
    for (const { socket } of clients) socket.write(head);
    const insert = (rowKey: string) =>
      wire.send({ method: 'POST', path: `/${table}`, headers: noContent, body: entity(rowKey) });
    let refusals = 0;
    for (let attempt = 0; refusals === 0; attempt++) {
      assert.ok(attempt < 500, 'bodies that stall never fill what there is for bodies');
      if ((await insert(`r${attempt}`)).status === 503) refusals++;
    }
    // None of them hangs up itself.
    for (const client of clients)
      assert.match(await client.untilHungUp(), /^HTTP\/1\.1 408 Request Timeout\r\n/);
    let status = 503;
    for (const end = performance.now() + longMs; status === 503 && performance.now() < end; await sleep(20)) {
      status = (await insert('afterwards')).status;
    }
    assert.equal(status, 204);
    assert.equal((await wire.query(table, "RowKey eq 'afterwards'")).length, 1);
  });

  it('that keep their end open after they were refused are not waited for', async () => {
    const before = openSockets();
    const clients = await connectClients(20);
    for (const { socket } of clients) socket.write('no request\r\n\r\n');
    for (const client of clients) assert.match(await client.untilHungUp(), /^HTTP\/1\.1 400 Bad Request\r\n/);
    await until(() => openSockets() <= before + clients.length, 'the server closes its ends');
  });

  it('that never take their answers are hung up on', async () => {
    const table = await wire.createTable();
    const text = 'x'.repeat(30_000);
    const members = Array.from({ length: 16 }, (_, index) => `,"p${index}":"${text}"`).join('');
    for (const rowKey of ['1', '2', '3', '4', '5', '6', '7', '8'])
      await wire.insert(table, entity(rowKey, members));
    const [client] = (await connectClients()) as [SlowClient];
    client.socket.pause();
    const bytes = await wire.signedBytes('GET', `/${table}()`, [accept]);
    // More than the system takes over between the two.
    const count = 12;
    for (let asked = 0; asked < count; asked++)
      client.socket.write(bytes.replace('Connection: close\r\n', ''));
    await sleep(4 * patience.answerMs);
    client.socket.resume();
    const answers = statusLines(await client.untilHungUp());
    assert.ok(answers.length > 0 && answers.length < count, `${answers.length} of ${count} answers`);
    await wire.assertServes();
  });

  it('are no mistakes of ours', () => {
    assert.deepEqual(lines, []);
  });
});

describe('Clients that do not take their answers', { timeout: 2 * longMs }, () => {
  const wire = useWire({}, { patience: { unsentBytesMax: 1024 * 1024 } });
  const connectClients = useClients(wire);

  it('cost the others a 503 past a limit of bytes, until they are gone', async () => {
    const table = await wire.createTable();
    const members = Array.from({ length: 16 }, (_, index) => `,"p${index}":"${'x'.repeat(30_000)}"`).join('');
    for (const rowKey of ['1', '2', '3', '4', '5', '6', '7', '8'])
      await wire.insert(table, entity(rowKey, members));
    const [client] = (await connectClients()) as [SlowClient];
    client.socket.pause();
    const bytes = await wire.signedBytes('GET', `/${table}()`, [accept]);
    for (let asked = 0; asked < 12; asked++) client.socket.write(bytes.replace('Connection: close\r\n', ''));
    let status = 0;
    for (const end = performance.now() + longMs; status !== 503 && performance.now() < end; await sleep(20)) {
      const response = await wire.send({ path: '/Tables' });
      status = response.status;
      if (status === 503) assert.equal(response.errorCode, 'ServerBusy');
    }
    assert.equal(status, 503);
    const { origin } = new URL(await wire.base());
    assert.equal((await fetch(`${origin}/-/healthy`)).status, 200);
    client.socket.destroy();
    for (const end = performance.now() + longMs; status !== 200 && performance.now() < end; await sleep(20)) {
      status = (await wire.send({ path: '/Tables' })).status;
    }
    assert.equal(status, 200);
  });
});

describe('Slow clients of TLS', { timeout: 2 * longMs }, () => {
  const wire = useWire({ tls: 'auto' }, { patience });
  const connectClients = useClients(wire);

  it('that never shake hands are hung up on', async () => {
    const [silent, halfway] = (await connectClients(2)) as [SlowClient, SlowClient];
    halfway.socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0]));
    assert.equal(await silent.untilHungUp(), '');
    await halfway.untilHungUp();
  });
});

describe('Clients that hang up', { timeout: 6 * longMs }, () => {
  const { lines, log } = keptLog();
  const wire = useWire({}, { log });
  const connectClients = useClients(wire);

  it('at any byte of a request leave nothing behind', async () => {
    const table = await wire.createTable();
    const body = entity('cut', `,"text":"${'x'.repeat(100)}"`);
    const headers = [accept, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const bytes = await wire.signedBytes('POST', `/${table}`, headers, body);
    const before = openSockets();
    for (let end = 0; end < bytes.length; end += 7) {
      const [client] = (await connectClients()) as [SlowClient];
      client.socket.write(bytes.slice(0, end), () => {
        if (end % 2 === 0) client.socket.resetAndDestroy();
        else client.socket.destroy();
      });
    }
    await until(() => openSockets() <= before, 'all of them are closed');
    assert.deepEqual(await wire.query(table), []);
    assert.match(await wire.sendBytes(bytes), /^HTTP\/1\.1 201 /);
  });

  it('in the middle of a transaction write nothing', async () => {
    const table = await wire.createTable();
    const target = `/${table}(PartitionKey='p',RowKey='r')`;
    const part = `--c\r\nContent-Type: application/http\r\n\r\nPUT ${target} HTTP/1.1\r\n\r\n{}\r\n`;
    const body = `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${part}--c--\r\n--b--\r\n`;
    const headers = ['Content-Type: multipart/mixed; boundary=b', `Content-Length: ${body.length}`];
    const bytes = await wire.signedBytes('POST', '/$batch', headers, body);
    const before = openSockets();
    for (let end = bytes.length - body.length; end < bytes.length; end += 5) {
      const [client] = (await connectClients()) as [SlowClient];
      client.socket.write(bytes.slice(0, end), () => client.socket.destroy());
    }
    await until(() => openSockets() <= before, 'all of them are closed');
    assert.deepEqual(await wire.query(table), []);
    assert.match(await wire.sendBytes(bytes), /^HTTP\/1\.1 202 /);
    assert.equal((await wire.query(table)).length, 1);
  });

  it('in the middle of the answer, or before it, are no trouble', async () => {
    const table = await wire.createTable();
    for (let index = 0; index < 40; index++) {
      await wire.insert(table, entity(String(index), `,"text":"${'x'.repeat(30_000)}"`));
    }
    const bytes = await wire.signedBytes('GET', `/${table}()`, [accept]);
    const before = openSockets();
    const clients = await connectClients(60);
    for (const [index, { socket }] of clients.entries()) {
      if (index % 3 === 0) socket.once('data', () => socket.resetAndDestroy());
      if (index % 3 === 1) socket.once('data', () => socket.destroy());
      socket.write(bytes, () => {
        if (index % 3 === 2) socket.destroy();
      });
    }
    await until(() => openSockets() <= before, 'all of them are closed');
    await wire.assertServes();
  });

  it('are no mistakes of ours', () => {
    assert.deepEqual(lines, []);
  });
});

describe('Heads of requests', () => {
  const wire = useWire();
  const connectClients = useClients(wire);

  async function statusOf(bytes: string): Promise<string> {
    return (await wire.sendBytes(bytes)).slice('HTTP/1.1 '.length).split('\r\n', 1)[0] as string;
  }

  const tooLarge = '431 Request Header Fields Too Large';

  it('may be as large as the limit, and no larger', async () => {
    const large = limits.requestHeaderBytesMax - 2048;
    for (const [bytes, status] of [
      [large, '200 OK'],
      [limits.requestHeaderBytesMax, tooLarge],
    ] as const) {
      const filling = 'y'.repeat(bytes);
      assert.equal(
        await statusOf(await wire.signedBytes('GET', '/Tables', [accept, `x: ${filling}`])),
        status,
      );
      assert.equal(await statusOf(await wire.signedBytes('GET', `/Tables?x=${filling}`, [accept])), status);
    }
  });

  it('may have as many headers as the limit, and none is lost behind them', async () => {
    const table = await wire.createTable();
    const headers = ['If-Match: *', 'Content-Type: application/json', 'Content-Length: 2'];
    const target = `/${table}(PartitionKey='p',RowKey='absent')`;
    // Beside these are Host, x-ms-date, Authorization and Connection.
    const crowd = Array.from(
      { length: limits.requestHeadersMax - headers.length - 4 },
      (_, index) => `a${index}: b`,
    );
    const fits = await wire.signedBytes('PUT', target, [...crowd, ...headers.toReversed()], '{}');
    assert.equal(await statusOf(fits), '404 Not Found', 'an update, no upsert: If-Match is seen');
    const one = await wire.signedBytes('PUT', target, [...crowd, 'a: b', ...headers.toReversed()], '{}');
    assert.equal(await statusOf(one), tooLarge);
    const thousands = Array.from({ length: 20_000 }, (_, index) => `a${index}: b`);
    assert.equal(
      await statusOf(await wire.signedBytes('PUT', target, [...thousands, ...headers], '{}')),
      tooLarge,
    );
    assert.deepEqual(await wire.query(table), []);
  });

  it('that never end are refused while they come', async () => {
    const [client] = (await connectClients()) as [SlowClient];
    client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    const timer = setInterval(() => client.socket.write(`x: ${'y'.repeat(5000)}\r\n`), 5);
    assert.match(await client.untilHungUp(), /^HTTP\/1\.1 431 /);
    clearInterval(timer);
  });
});

describe('A refused request', () => {
  const wire = useWire();
  const connectClients = useClients(wire);

  for (const [claim, line] of [
    ['on a connection that is kept', ''],
    ['on a connection of its own', 'Connection: close\r\n'],
  ] as const) {
    it(`is told why, though its body is still under way, ${claim}`, async () => {
      const body = Buffer.alloc(limits.requestBodyBytesMax, 0x20);
      const signed = await wire.signedBytes('POST', '/Tables', [`Content-Length: ${body.length}`]);
      const forged = signed
        .replace(/(Authorization: .*):.*/, '$1:AAAA')
        .replace('Connection: close\r\n', line);
      for (const client of await connectClients(20)) {
        client.socket.write(Buffer.concat([Buffer.from(forged), body]));
        assert.match(await client.until(/<\/m:error>$/), /^HTTP\/1\.1 403 .*<m:code>AuthenticationFailed</s);
      }
    });
  }

  it('leaves the connection to the next one', async () => {
    const body = ' '.repeat(1024 * 1024);
    const refused = await wire.signedBytes('PUT', '/Tables', [`Content-Length: ${body.length}`]);
    const head = refused.replace('Connection: close\r\n', '');
    const received = await wire.sendBytes([head, body, await wire.signedBytes('GET', '/Tables', [accept])]);
    assert.deepEqual(statusLines(received), ['405', '200']);
  });

  it('has one answer, though what follows is no body', async () => {
    const [client] = (await connectClients()) as [SlowClient];
    const refused = await wire.signedBytes('PUT', '/Tables', ['Transfer-Encoding: chunked']);
    client.socket.write(`${refused.replace('Connection: close\r\n', '')}1\r\nx\r\n`);
    await sleep(50);
    client.socket.write('no chunk\r\n');
    assert.equal(statusLines(await client.untilHungUp()).length, 1);
  });
});

/** The statuses of all answers in what a connection gave. */
function statusLines(received: string): string[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status as string);
}

describe('Pipelined requests', () => {
  const wire = useWire();

  it('are answered one by one, in their order', async () => {
    const table = await wire.createTable();
    const requests: string[] = [];
    for (let index = 0; index < 300; index++) {
      const body = entity(String(index));
      const headers = [
        `x-ms-client-request-id: ${index}`,
        'Content-Type: application/json',
        'Prefer: return-no-content',
        `Content-Length: ${body.length}`,
      ];
      const bytes = await wire.signedBytes('POST', `/${table}`, headers, body);
      requests.push(index === 299 ? bytes : bytes.replace('Connection: close\r\n', ''));
    }
    const received = await wire.sendBytes(requests.join(''));
    assert.deepEqual(new Set(statusLines(received)), new Set(['204']));
    const ids = [...received.matchAll(/^x-ms-client-request-id: (\d+)\r$/gm)].map(([, id]) => Number(id));
    assert.deepEqual(ids, [...ids.keys()]);
    assert.equal(ids.length, 300);
    assert.equal((await wire.query(table)).length, 300);
  });

  it('end at the first that is none', async () => {
    const good = (await wire.signedBytes('GET', '/Tables', [accept])).replace('Connection: close\r\n', '');
    const received = await wire.sendBytes(`${good}${good}no request\r\n\r\n${good}`);
    const statuses = statusLines(received);
    assert.equal(statuses.at(-1), '400');
    assert.ok(statuses.length <= 3, statuses.join());
  });
});

describe('Contradictory lengths', () => {
  const wire = useWire();

  const framings: readonly (readonly [claim: string, lines: readonly string[], body?: string])[] = [
    ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n'],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 0'], ''],
    ['two lengths that are equal', ['Content-Length: 0', 'Content-Length: 0'], ''],
    ['a list of lengths', ['Content-Length: 0, 2'], ''],
    ['a length with a sign', ['Content-Length: +0'], ''],
    ['a length in another base', ['Content-Length: 0x0'], ''],
    ['a length beyond all numbers', [`Content-Length: ${'9'.repeat(30)}`], ''],
    ['a space before the colon', ['Content-Length : 0'], ''],
    ['chunks under another name beside them', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
    ['a coding that nobody knows', ['Transfer-Encoding: x'], '0\r\n\r\n'],
    ['a vertical tab before the coding', ['Transfer-Encoding: \x0bchunked'], '0\r\n\r\n'],
    ['a folded line', ['Content-Type: a', ' Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['a line that ends in a carriage return', ['x: y\rContent-Length: 0'], ''],
    ['a chunk size that is none', ['Transfer-Encoding: chunked'], '0x0\r\n\r\n'],
    ['a chunk size beyond all numbers', ['Transfer-Encoding: chunked'], `${'f'.repeat(17)}\r\n\r\n`],
    ['a chunk longer than its size', ['Transfer-Encoding: chunked'], '1\r\nxx\r\n0\r\n\r\n'],
  ];

  for (const [claim, lines, body] of framings) {
    it(`smuggle no request past us: ${claim}`, async () => {
      const table = await wire.createTable();
      const visible = (await wire.signedBytes('POST', '/Tables', lines, body)).replace(
        'Connection: close\r\n',
        '',
      );
      const hidden = await wire.signedBytes(
        'POST',
        `/${table}`,
        [`Content-Length: ${entity('r').length}`],
        entity('r'),
      );
      const received = await wire.sendBytes(visible + hidden);
      assert.deepEqual(statusLines(received), ['400']);
      assert.match(received, /^Connection: close\r$/m);
      assert.deepEqual(await wire.query(table), []);
    });
  }
});

describe('A thousand connections', { timeout: 6 * longMs }, () => {
  const wire = useWire();
  const connectClients = useClients(wire);

  it('that are idle keep nobody from being served, and are served when they ask', async () => {
    const table = await wire.createTable();
    const clients = await connectClients(1000);
    for (let index = 0; index < 50; index++) await wire.insert(table, entity(String(index)));
    assert.equal((await wire.query(table)).length, 50);
    const bytes = await wire.signedBytes('GET', `/${table}()`, [accept]);
    for (const client of clients.filter((_, index) => index % 50 === 0)) {
      client.socket.write(bytes);
      assert.match(await client.untilHungUp(), /^HTTP\/1\.1 200 /);
    }
    for (const client of clients.filter((_, index) => index % 50 !== 0)) assert.equal(client.received(), '');
  });
});

describe('A server that is told to stop', { timeout: 6 * longMs }, () => {
  it('waits for nobody who sends half a request', async () => {
    const server = await startTabularium(
      { tablePort: 0, memory: true, logLevel: 'silent' },
      { patience: { closeMs: patience.closeMs } },
    );
    const client = await slowClient(server.endpoints.table);
    client.socket.write('GET /devstoreaccount1/Tables HTTP/1.1\r\nHost: ');
    await sleep(50);
    await server.close();
    await client.untilHungUp();
    client.socket.destroy();
  });
});
