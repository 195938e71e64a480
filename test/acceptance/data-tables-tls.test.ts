import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TableClient, TableServiceClient, type TableServiceClientOptions } from '@azure/data-tables';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { startTabularium, type Tabularium } from '../../src/index.ts';
import { refusal } from '../support/official-client.ts';
import { freshTableName, useServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const issuer = 'https://sts.windows.net/a-tenant/';
const audience = 'https://storage.azure.com';

/** Of the official client: trusts the local authority. */
function options(tabularium: Tabularium): TableServiceClientOptions {
  const ca = readFileSync(tabularium.authorityFile as string, 'utf8');
  return { retryOptions: { maxRetries: 0 }, tlsOptions: { ca } };
}

function credential(token: string) {
  return { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 600_000 }) };
}

/** Status, headers and body of a GET over TLS. */
function get(
  tabularium: Tabularium,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; reason: string; headers: NodeJS.Dict<string | string[]>; body: string }> {
  const ca = readFileSync(tabularium.authorityFile as string);
  return new Promise((resolve, reject) => {
    request(`${tabularium.endpoints.table}${path}`, { ca, headers }, incoming => {
      let body = '';
      incoming.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      incoming.on('end', () => {
        const { statusCode = 0, statusMessage = '' } = incoming;
        resolve({ status: statusCode, reason: statusMessage, headers: incoming.headers, body });
      });
    })
      .on('error', reject)
      .end();
  });
}

describe('the official client over TLS', () => {
  const server = useServer({ tls: 'auto' });

  it('reads and writes, trusting the local authority', async () => {
    const tabularium = await server();
    assert.match(
      tabularium.connectionString,
      /^DefaultEndpointsProtocol=https;.*TableEndpoint=https:\/\/127\.0\.0\.1:/,
    );
    const client = TableClient.fromConnectionString(
      tabularium.connectionString,
      freshTableName(),
      options(tabularium),
    );
    await client.createTable();
    await client.createEntity({ partitionKey: 'p', rowKey: 'r', text: 'x' });
    assert.equal((await client.getEntity('p', 'r')).text, 'x');
  });

  it('is refused by a client that does not trust it', async () => {
    const { connectionString } = await server();
    const client = TableServiceClient.fromConnectionString(connectionString, {
      retryOptions: { maxRetries: 0 },
    });
    await assert.rejects(client.createTable('people'), { code: /CERT|ISSUER|SIGNATURE/ });
  });

  it('names https addresses in answers', async () => {
    const tabularium = await server();
    const client = TableServiceClient.fromConnectionString(tabularium.connectionString, options(tabularium));
    let location: string | undefined;
    await client.createTable(freshTableName(), {
      onResponse: ({ headers }) => {
        location = headers.get('location');
      },
    });
    assert.match(location ?? '', /^https:\/\/127\.0\.0\.1:\d+\/devstoreaccount1\/Tables\('/);
  });

  it('is challenged for a bearer token when it comes without credentials', async () => {
    const tabularium = await server();
    const challenged = await get(tabularium, '/Tables', {
      'x-ms-version': '2019-12-12',
      Accept: 'application/json',
    });
    const message =
      'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.';
    assert.deepEqual(
      [
        challenged.status,
        challenged.reason,
        challenged.headers['x-ms-error-code'],
        challenged.headers['content-type'],
      ],
      [401, message, 'InvalidAuthenticationInfo', 'application/xml'],
    );
    assert.equal(
      challenged.headers['www-authenticate'],
      'Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com',
    );
    assert.match(challenged.body, /<m:code>InvalidAuthenticationInfo<\/m:code>/);
    const old = await get(tabularium, '/Tables', { 'x-ms-version': '2019-10-10' });
    assert.deepEqual([old.status, old.headers['x-ms-error-code']], [403, 'AuthenticationFailed']);
  });

  it('is refused with a bearer token, as none is taken unless that is configured', async () => {
    const tabularium = await server();
    const token = new UnsecuredJWT({ iss: issuer, aud: audience, exp: 4e9 }).encode();
    const client = new TableServiceClient(tabularium.endpoints.table, credential(token), options(tabularium));
    await assert.rejects(client.createTable('people'), refusal(401, 'InvalidAuthenticationInfo'));
  });
});

describe('the official client with a bearer token', () => {
  const folder = temporaryFolder();
  const keysFile = join(folder.path, 'keys.json');
  let tabularium: Tabularium;
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  const token = (roles: readonly string[], changes: object = {}, key = keys.privateKey): Promise<string> =>
    new SignJWT({
      iss: issuer,
      aud: audience,
      roles: [...roles],
      exp: Math.floor(Date.now() / 1000) + 600,
      ...changes,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(key);
  const client = (text: string, table = 'people'): TableClient =>
    new TableClient(tabularium.endpoints.table, table, credential(text), options(tabularium));

  before(async () => {
    keys = await generateKeyPair('ES256', { extractable: true });
    writeFileSync(keysFile, JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one' }] }));
    tabularium = await startTabularium({
      tablePort: 0,
      memory: true,
      logLevel: 'silent',
      tls: 'auto',
      bearerIssuer: issuer,
      bearerKeys: keysFile,
    });
  });
  after(async () => {
    await tabularium.close();
    folder.remove();
  });

  it('may do by its role: a contributor all, a reader what reads, others nothing', async () => {
    const contributor = client(await token(['Storage Table Data Contributor']));
    await contributor.createTable();
    await contributor.createEntity({ partitionKey: 'p', rowKey: 'r', text: 'x' });
    const reader = client(await token(['Storage Table Data Reader']));
    assert.equal((await reader.getEntity('p', 'r')).text, 'x');
    await assert.rejects(
      reader.createEntity({ partitionKey: 'p', rowKey: 's' }),
      refusal(403, 'AuthorizationPermissionMismatch'),
    );
    await assert.rejects(reader.deleteTable(), refusal(403, 'AuthorizationPermissionMismatch'));
    const nobody = client(await token(['Another Role']));
    await assert.rejects(nobody.getEntity('p', 'r'), refusal(403, 'AuthorizationPermissionMismatch'));
  });

  it('finds no access policies', async () => {
    const contributor = client(await token(['Storage Table Data Contributor']));
    await assert.rejects(contributor.getAccessPolicy(), refusal(404, 'ResourceNotFound'));
  });

  it('is refused with 401 where the token is expired, for others, of another key, or unsigned', async () => {
    const roles = ['Storage Table Data Contributor'];
    const other = await generateKeyPair('ES256');
    const bad = [
      await token(roles, { exp: Math.floor(Date.now() / 1000) - 100 }),
      await token(roles, { aud: 'https://vault.azure.net' }),
      await token(roles, { iss: 'https://sts.windows.net/another-tenant/' }),
      await token(roles, {}, other.privateKey),
      new UnsecuredJWT({ iss: issuer, aud: audience, roles, exp: 4e9 }).encode(),
      'no token at all',
    ];
    for (const text of bad) {
      await assert.rejects(client(text).createTable(), refusal(401, 'InvalidAuthenticationInfo'), text);
    }
    const { headers } = await get(tabularium, '/Tables', { 'x-ms-version': '2020-12-06' });
    assert.match(String(headers['www-authenticate']), /login\.microsoftonline\.com\/a-tenant\/oauth2/);
  });

  it('is taken with the keys of a new file after a reload, and the old ones no more', async () => {
    const old = await token(['Storage Table Data Reader']);
    const next = await generateKeyPair('ES256', { extractable: true });
    const text = readFileSync(keysFile, 'utf8');
    writeFileSync(keysFile, JSON.stringify({ keys: [{ ...(await exportJWK(next.publicKey)), kid: 'one' }] }));
    await tabularium.reload();
    await assert.rejects(client(old).listEntities().next(), refusal(401, 'InvalidAuthenticationInfo'));
    const fresh = await token(['Storage Table Data Contributor'], {}, next.privateKey);
    await client(fresh, freshTableName()).createTable();
    writeFileSync(keysFile, 'broken');
    await assert.rejects(tabularium.reload(), /cannot read the keys/);
    await client(fresh, freshTableName()).createTable();
    writeFileSync(keysFile, text);
    await tabularium.reload();
  });
});

describe('the official client with a bearer token whose issuer shows its keys at an address', () => {
  let keysServer: HttpServer;
  let tabularium: Tabularium;
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let shown: object[] = [];

  before(async () => {
    keys = await generateKeyPair('ES256', { extractable: true });
    keysServer = createServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: shown }));
    }).listen(0, '127.0.0.1');
    await once(keysServer, 'listening');
    tabularium = await startTabularium({
      tablePort: 0,
      memory: true,
      logLevel: 'silent',
      tls: 'auto',
      bearerIssuer: issuer,
      bearerKeys: `http://127.0.0.1:${(keysServer.address() as AddressInfo).port}/keys`,
      bearerContributorRoles: ['writers'],
    });
  });
  after(async () => {
    await tabularium.close();
    keysServer.close();
  });

  it('is let in by the keys that are there, and nobody is while there are none', async () => {
    const clientSignedBy = async (key: typeof keys.privateKey, kid: string): Promise<TableClient> => {
      const token = await new SignJWT({ iss: issuer, aud: audience, roles: ['writers'], exp: 4e9 })
        .setProtectedHeader({ alg: 'ES256', kid })
        .sign(key);
      return new TableClient(tabularium.endpoints.table, 'people', credential(token), options(tabularium));
    };
    const client = await clientSignedBy(keys.privateKey, 'one');
    shown = [{ ...(await exportJWK(keys.publicKey)), kid: 'one' }];
    await client.createTable();
    const other = await generateKeyPair('ES256');
    const forger = await clientSignedBy(other.privateKey, 'two');
    await assert.rejects(forger.listEntities().next(), refusal(401, 'InvalidAuthenticationInfo'));
    keysServer.close();
    keysServer.closeAllConnections();
    await tabularium.reload(); // forgets the keys that it has
    await assert.rejects(client.listEntities().next(), refusal(401, 'InvalidAuthenticationInfo'));
  });
});

describe('the official client with a bearer token that is believed', () => {
  const server = useServer({ tls: 'auto', bearerInsecureClaimsOnly: true });

  it('may do what needs no key, whoever signed the token', async () => {
    const tabularium = await server();
    const token = new UnsecuredJWT({ iss: issuer, aud: audience, exp: 4e9 }).encode();
    const client = new TableClient(
      tabularium.endpoints.table,
      freshTableName(),
      credential(token),
      options(tabularium),
    );
    await client.createTable();
    await assert.rejects(client.getAccessPolicy(), refusal(404, 'ResourceNotFound'));
  });
});
