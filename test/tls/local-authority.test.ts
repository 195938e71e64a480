import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { localCertificate } from '../../src/tls/local-authority.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dayMs = 86_400_000;
const nowMs = Date.now();

describe('the local authority', () => {
  const inFolder = async (run: (folder: string) => Promise<void>): Promise<void> => {
    const { path, remove } = temporaryFolder();
    try {
      await run(join(path, 'tls'));
    } finally {
      remove();
    }
  };

  it('signs a certificate for the names and addresses of this machine, and the given one', () =>
    inFolder(async folder => {
      const { cert, authorityFile } = await localCertificate(folder, 'tables.example', nowMs);
      const server = new X509Certificate(cert);
      const authority = new X509Certificate(readFileSync(authorityFile));
      assert.ok(server.verify(authority.publicKey));
      assert.ok(server.checkIssued(authority));
      assert.ok(authority.ca && !server.ca);
      for (const { serialNumber } of [server, authority]) assert.match(serialNumber, /^01[0-9A-F]{32}$/);
      for (const name of ['localhost', 'devstoreaccount1.table.localhost', 'tables.example']) {
        assert.ok(server.checkHost(name), name);
      }
      assert.equal(server.checkHost('example.com'), undefined);
      for (const address of ['127.0.0.1', '::1']) assert.ok(server.checkIP(address), address);
    }));

  it('makes both once, and lets nobody else read the keys', () =>
    inFolder(async folder => {
      const first = await localCertificate(folder, '127.0.0.1', nowMs);
      assert.deepEqual(await localCertificate(folder, '127.0.0.1', nowMs), first);
      for (const file of ['authority-key.pem', 'server-key.pem']) {
        assert.equal(statSync(join(folder, file)).mode & 0o077, 0, file);
      }
    }));

  it('stays when the certificate is made anew: near its end, for another name, or when it is gone', () =>
    inFolder(async folder => {
      const first = await localCertificate(folder, '127.0.0.1', nowMs);
      const authority = readFileSync(first.authorityFile, 'utf8');
      const later = await localCertificate(folder, '127.0.0.1', nowMs + 370 * dayMs);
      assert.notEqual(later.cert, first.cert);
      assert.ok(Date.parse(new X509Certificate(later.cert).validTo) > nowMs + 700 * dayMs);
      const named = await localCertificate(folder, 'tables.example', nowMs);
      assert.ok(new X509Certificate(named.cert).checkHost('tables.example'));
      rmSync(join(folder, 'server.pem'));
      const again = await localCertificate(folder, 'tables.example', nowMs);
      assert.equal(readFileSync(again.authorityFile, 'utf8'), authority);
    }));
});
