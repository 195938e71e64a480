import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { BearerVerifier } from '../src/auth/bearer.ts';
import type { TabulariumOptions } from '../src/config.ts';
import {
  isLoopback,
  makeBearerVerifier,
  readAccounts,
  readCredentialFiles,
  readTls,
} from '../src/credentials.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

async function readBearer(
  options: TabulariumOptions,
  isSecure: boolean,
): Promise<BearerVerifier | undefined> {
  const files = await readCredentialFiles(
    options.bearerKeys === undefined ? {} : { bearerKeys: options.bearerKeys },
    '',
    0,
  );
  return makeBearerVerifier(options, files.bearerKeys, isSecure);
}

describe('what the settings name', () => {
  const file = (t: { after(run: () => void): void }, text: string): string => {
    const { path, remove } = temporaryFolder();
    t.after(remove);
    writeFileSync(join(path, 'file'), text);
    return join(path, 'file');
  };

  it('are accounts given and in a file, else the development account', t => {
    const accountsFile = file(t, '# two\nfile1:AAAA\nfile2:AAAA:BBBB\n');
    const names = (options: TabulariumOptions): string[] => readAccounts(options).map(({ name }) => name);
    assert.deepEqual(names({}), ['devstoreaccount1']);
    assert.deepEqual(names({ accounts: ['given:AAAA'], accountsFile }), ['given', 'file1', 'file2']);
    assert.throws(() => names({ accountsFile: file(t, '# none\n') }), /it names no account/);
    assert.throws(() => names({ accountsFile: '/no/such/file' }), /cannot read the accounts .*no such file/);
  });

  it('is a certificate with its key, or neither', async t => {
    const { path, remove } = temporaryFolder();
    t.after(remove);
    assert.equal(await readTls({}, '', 0), undefined);
    const made = await readTls({ tls: 'auto' }, path, Date.now());
    const pem = join(path, 'tls', 'server.pem');
    const tlsKey = join(path, 'tls', 'server-key.pem');
    assert.equal((await readTls({ tlsCert: pem, tlsKey }, '', 0))?.key, made?.key);
    const otherKey = join(path, 'tls', 'authority-key.pem');
    await assert.rejects(readTls({ tlsCert: pem, tlsKey: otherKey }, '', 0), /cannot read the certificate/);
    await assert.rejects(readTls({ tlsCert: file(t, 'text'), tlsKey }, '', 0), /cannot read the certificate/);
    await assert.rejects(readTls({ tlsCert: pem }, '', 0), /go together/);
    await assert.rejects(readTls({ tlsKey: pem }, '', 0), /go together/);
    await assert.rejects(readTls({ tlsCert: pem, tlsKey: pem, tls: 'auto' }, '', 0), /either/);
    await assert.rejects(readTls({ tlsCert: pem, tlsKey: '/no/such' }, '', 0), /cannot read the certificate/);
  });

  it('is an issuer of bearer tokens with its keys, over TLS', async t => {
    const bearerIssuer = 'https://issuer.example';
    const bearerKeys = file(t, '{"keys":[]}');
    assert.equal(await readBearer({}, true), undefined);
    assert.equal(typeof (await readBearer({ bearerIssuer, bearerKeys }, true)), 'function');
    assert.equal(
      typeof (await readBearer({ bearerIssuer, bearerKeys: 'https://issuer.example/keys' }, true)),
      'function',
    );
    await assert.rejects(readBearer({ bearerIssuer, bearerKeys }, false), /over TLS only/);
    await assert.rejects(readBearer({ bearerIssuer }, true), /go together/);
    await assert.rejects(readBearer({ bearerKeys }, true), /go together/);
    await assert.rejects(
      readBearer({ bearerIssuer, bearerKeys: file(t, 'no JSON') }, true),
      /cannot read the keys/,
    );
    await assert.rejects(
      readBearer({ bearerIssuer, bearerKeys: file(t, '{}') }, true),
      /cannot read the keys/,
    );
  });

  it('may be tokens that are believed, on a loopback address and over TLS only', async () => {
    const bearerInsecureClaimsOnly = true;
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      assert.equal(typeof (await readBearer({ bearerInsecureClaimsOnly, host }, true)), 'function', host);
    }
    for (const host of ['0.0.0.0', '::', '192.168.0.1', 'tables.example']) {
      await assert.rejects(readBearer({ bearerInsecureClaimsOnly, host }, true), /lets anyone in/, host);
      assert.ok(!isLoopback(host));
    }
    await assert.rejects(readBearer({ bearerInsecureClaimsOnly }, false), /over TLS only/);
    await assert.rejects(
      readBearer({ bearerInsecureClaimsOnly, bearerIssuer: 'x', bearerKeys: 'https://y' }, true),
      /either/,
    );
  });
});
