import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type forge from 'node-forge';

/** What `--tls auto` serves with, and whom clients must trust for it. */
export interface LocalCertificate {
  /** The server's certificate and the authority's, in PEM. */
  readonly cert: string;
  readonly key: string;
  /** Path of the authority's certificate. */
  readonly authorityFile: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const authorityDays = 10 * 365;
/** Some systems refuse certificates that are valid for longer. */
const certificateDays = 397;
/** Before it ends, a new one is made at the next start. */
const renewalDays = 30;

type Forge = typeof forge;

/**
 * The certificate of this machine, signed by an authority of its own; both are made once and kept in the
 * folder, so that trust given to the authority lasts. `host` is a name that the server is reached by, beside
 * the usual ones. Throws where the folder cannot be written.
 */
export async function localCertificate(
  folder: string,
  host: string,
  nowMs: number,
): Promise<LocalCertificate> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authorityFile = join(folder, 'authority.pem');
  const authorityKeyFile = join(folder, 'authority-key.pem');
  const certificateFile = join(folder, 'server.pem');
  const keyFile = join(folder, 'server-key.pem');
  const files = [authorityFile, authorityKeyFile, certificateFile, keyFile];
  if (!files.every(file => existsSync(file)) || !isGood(certificateFile, authorityFile, host, nowMs)) {
    const { default: forge } = await import('node-forge');
    const authority =
      existsSync(authorityFile) && existsSync(authorityKeyFile)
        ? { cert: readFileSync(authorityFile, 'utf8'), key: readFileSync(authorityKeyFile, 'utf8') }
        : makeAuthority(forge, nowMs);
    const server = makeCertificate(forge, authority, host, nowMs);
    for (const [file, text] of [
      [authorityFile, authority.cert],
      [authorityKeyFile, authority.key],
      [certificateFile, server.cert],
      [keyFile, server.key],
    ] as const) {
      writeFileSync(file, text, { mode: 0o600 });
    }
  }
  return {
    cert: `${readFileSync(certificateFile, 'utf8')}\n${readFileSync(authorityFile, 'utf8')}`,
    key: readFileSync(keyFile, 'utf8'),
    authorityFile,
  };
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

function isGood(certificateFile: string, authorityFile: string, host: string, nowMs: number): boolean {
  const certificate = new X509Certificate(readFileSync(certificateFile));
  const authority = new X509Certificate(readFileSync(authorityFile));
  const isNamed = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  const isCurrent = Date.parse(certificate.validTo) - nowMs > renewalDays * dayMs;
  return isNamed !== undefined && isCurrent && certificate.verify(authority.publicKey);
}

function makeAuthority(forge: Forge, nowMs: number): Pair {
  const keys = makeKeys(forge);
  const certificate = begin(forge, keys.publicKey, nowMs, authorityDays);
  const name = [{ name: 'commonName', value: 'Tabularium local authority' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key: keys.privatePem };
}

function makeCertificate(forge: Forge, authority: Pair, host: string, nowMs: number): Pair {
  const issuer = forge.pki.certificateFromPem(authority.cert);
  const keys = makeKeys(forge);
  const certificate = begin(forge, keys.publicKey, nowMs, certificateDays);
  certificate.setSubject([{ name: 'commonName', value: 'Tabularium' }]);
  certificate.setIssuer(issuer.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: namesFor(host) },
    { name: 'authorityKeyIdentifier', keyIdentifier: issuer.generateSubjectKeyIdentifier().getBytes() },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(authority.key), forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key: keys.privatePem };
}

function begin(
  forge: Forge,
  publicKey: forge.pki.rsa.PublicKey,
  nowMs: number,
  days: number,
): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = publicKey;
  // A random first byte could make the number negative, or begin it with a zero, which no reader takes.
  certificate.serialNumber = `01${randomBytes(16).toString('hex')}`;
  certificate.validity.notBefore = new Date(nowMs - dayMs);
  certificate.validity.notAfter = new Date(nowMs + days * dayMs);
  return certificate;
}

function makeKeys(forge: Forge): {
  publicKey: forge.pki.rsa.PublicKey;
  privateKey: forge.pki.rsa.PrivateKey;
  privatePem: string;
} {
  const { privateKey: privatePem, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return {
    publicKey: forge.pki.publicKeyFromPem(publicKey) as forge.pki.rsa.PublicKey,
    privateKey: forge.pki.privateKeyFromPem(privatePem) as forge.pki.rsa.PrivateKey,
    privatePem,
  };
}

/** The usual names of this machine, those of host-style addresses, and the given one. */
function namesFor(host: string): object[] {
  const names = ['localhost', '*.table.localhost', '*.queue.localhost', '*.blob.localhost'];
  const addresses = ['127.0.0.1', '::1'];
  if (isIP(host) === 0) names.push(host);
  else addresses.push(host);
  const dns = 2;
  const ip = 7;
  return [
    ...[...new Set(names)].map(value => ({ type: dns, value })),
    ...[...new Set(addresses)].map(address => ({ type: ip, ip: address })),
  ];
}
