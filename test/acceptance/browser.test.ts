import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { AzureNamedKeyCredential, generateTableSas, type TableClient } from '@azure/data-tables';
import { type Browser, chromium, type Page } from 'playwright-core';
import { developmentAccount } from '../../src/auth/accounts.ts';
import { freshTable, serviceClient } from '../support/official-client.ts';
import { useServer } from '../support/server.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  path => existsSync(path),
);
const skip = executablePath === undefined && 'there is no Chromium here (Debian: apt-get install chromium)';

/** What a page of another origin got: the answer it may see, or the browser's refusal. */
interface Seen {
  readonly status?: number;
  readonly body?: string;
  readonly etag?: string | null;
  readonly refused?: string;
}

describe('a page of another origin, in a real browser', { skip }, () => {
  const server = useServer();
  let browser: Browser;
  let site: HttpServer;
  let page: Page;
  let table: TableClient;
  let sas: string;

  before(async () => {
    site = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html').end('<title>another origin</title>');
    }).listen(0, '127.0.0.1');
    browser = await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox'] });
    page = await browser.newPage();
    await page.goto(origin());
    table = await freshTable(server);
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', text: 'x' });
    sas = generateTableSas(
      table.tableName,
      new AzureNamedKeyCredential(developmentAccount.name, developmentAccount.key),
      {
        permissions: { query: true, add: true, update: true },
        expiresOn: new Date(Date.now() + 600_000),
      },
    );
  });
  after(async () => {
    await browser?.close();
    site?.close();
  });

  const origin = (): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const setRules = async (changes: object | undefined): Promise<void> => {
    const rule = {
      allowedOrigins: origin(),
      allowedMethods: 'GET',
      allowedHeaders: '',
      exposedHeaders: '',
      maxAgeInSeconds: 0,
    };
    await (await serviceClient(server)).setProperties({
      cors: changes === undefined ? [] : [{ ...rule, ...changes }],
    });
  };
  /** Fetches from inside the page. */
  const fetchFrom = async (
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Seen> => {
    const url = `${(await server()).endpoints.table}/${table.tableName}${path}?${sas}`;
    return page.evaluate(
      async ([url, init]) => {
        try {
          const response = await fetch(url as string, init as object);
          return { status: response.status, body: await response.text(), etag: response.headers.get('ETag') };
        } catch (error) {
          return { refused: String(error) };
        }
      },
      [url, { ...init, headers: { Accept: 'application/json', ...init.headers } }],
    );
  };
  const entity = "(PartitionKey='p',RowKey='r')";

  it('does not see a table without a rule', async () => {
    await setRules(undefined);
    assert.match((await fetchFrom('()')).refused ?? '', /Failed to fetch/);
  });

  it('reads a table with a SAS where a rule allows its origin', async () => {
    await setRules({});
    const seen = await fetchFrom('()');
    assert.equal(seen.status, 200);
    assert.equal(JSON.parse(seen.body as string).value[0].text, 'x');
    await setRules({ allowedOrigins: '*' });
    assert.equal((await fetchFrom('()')).status, 200);
    await setRules({ allowedOrigins: 'http://another.example' });
    assert.match((await fetchFrom('()')).refused ?? '', /Failed to fetch/);
  });

  it('sees the headers that the rule exposes, and no others', async () => {
    await setRules({});
    assert.equal((await fetchFrom(entity)).etag, null);
    await setRules({ exposedHeaders: 'ETag' });
    assert.match((await fetchFrom(entity)).etag ?? '', /^W\/"datetime'/);
    await setRules({ exposedHeaders: '*', allowedOrigins: '*' });
    assert.match((await fetchFrom(entity)).etag ?? '', /^W\/"datetime'/);
  });

  it('writes after a preflight, where the rule allows the method and the headers', async () => {
    const insert = (rowKey: string) =>
      fetchFrom('', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Prefer: 'return-no-content' },
        body: JSON.stringify({ PartitionKey: 'p', RowKey: rowKey }),
      });
    await setRules({ allowedMethods: 'GET,POST', allowedHeaders: 'content-type' });
    assert.match((await insert('1')).refused ?? '', /Failed to fetch/);
    await setRules({ allowedHeaders: 'content-type,prefer' });
    assert.match((await insert('2')).refused ?? '', /Failed to fetch/);
    await setRules({ allowedMethods: 'GET,POST', allowedHeaders: 'content-type,prefer' });
    assert.equal((await insert('3')).status, 204);
    const merge = {
      method: 'MERGE',
      headers: { 'Content-Type': 'application/json', 'If-Match': '*' },
      body: '{"text":"y"}',
    };
    await setRules({ allowedMethods: 'GET,MERGE', allowedHeaders: '*' });
    assert.equal((await fetchFrom(entity, merge)).status, 204);
    assert.equal(JSON.parse((await fetchFrom(entity)).body as string).text, 'y');
    const rowKeys: string[] = [];
    for await (const { rowKey } of table.listEntities()) rowKeys.push(rowKey as string);
    assert.deepEqual(rowKeys, ['3', 'r']);
  });

  it('sees errors, too', async () => {
    await setRules({});
    const seen = await fetchFrom("(PartitionKey='p',RowKey='missing')");
    assert.equal(seen.status, 404);
    assert.match(seen.body ?? '', /ResourceNotFound/);
    const url = `${(await server()).endpoints.table}/${table.tableName}()`;
    assert.equal(await page.evaluate(async url => (await fetch(url)).status, url), 403);
  });
});
