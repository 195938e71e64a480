import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { JWTVerifyGetKey } from 'jose';
import { type Account, developmentAccount, parseAccount, parseAccountsFile } from './auth/accounts.ts';
import type { BearerVerifier } from './auth/bearer.ts';
import { defaultRoles, storageAudience, type TabulariumOptions } from './config.ts';
import { localCertificate } from './tls/local-authority.ts';

/** What the files hold that the settings name, and that may change: plain data, so that one process reads for all. */
export interface CredentialFiles {
  readonly accounts: string | undefined;
  readonly tls: TlsFiles | undefined;
  /** Undefined, too, where the issuer's keys are at an address. */
  readonly bearerKeys: string | undefined;
}

/** `folder` is where `--tls auto` keeps its own. Throws an Error. */
export async function readCredentialFiles(
  options: TabulariumOptions,
  folder: string,
  nowMs: number,
): Promise<CredentialFiles> {
  return {
    accounts: readAccountsFile(options),
    tls: await readTls(options, folder, nowMs),
    bearerKeys: readBearerKeys(options),
  };
}

function readAccountsFile(options: TabulariumOptions): string | undefined {
  try {
    return options.accountsFile === undefined ? undefined : readFileSync(options.accountsFile, 'utf8');
  } catch (error) {
    throw noAccounts(options, error);
  }
}

/** The accounts of the settings, and of the file that they name. Throws an Error. */
export function readAccounts(options: TabulariumOptions): Account[] {
  return parseAccounts(options, readAccountsFile(options));
}

/** The accounts of the settings: those given and those of the file, else the development account. Throws an Error. */
export function parseAccounts(options: TabulariumOptions, file: string | undefined): Account[] {
  try {
    const read = (options.accounts ?? []).map(parseAccount);
    if (file !== undefined) read.push(...parseAccountsFile(file));
    if (file !== undefined && read.length === 0) throw new Error('it names no account');
    if (read.length > 0) return read;
    return [parseAccount(`${developmentAccount.name}:${developmentAccount.key}`)];
  } catch (error) {
    throw noAccounts(options, error);
  }
}

function noAccounts({ accountsFile }: TabulariumOptions, error: unknown): Error {
  const place = accountsFile === undefined ? '' : ` (accounts file ${accountsFile})`;
  return new Error(`cannot read the accounts${place}: ${(error as Error).message}`);
}

/** Certificate and key in PEM, and with `--tls auto` the file of whom to trust for them. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly authorityFile?: string;
}

/** What to serve TLS with, undefined for plain HTTP. `folder` is where `--tls auto` keeps its own. Throws an Error. */
export async function readTls(
  { tls, tlsCert, tlsKey, host = '127.0.0.1' }: TabulariumOptions,
  folder: string,
  nowMs: number,
): Promise<TlsFiles | undefined> {
  const isGiven = tlsCert !== undefined || tlsKey !== undefined;
  if (!isGiven && tls !== 'auto') return undefined;
  if (isGiven && tls === 'auto') throw new Error('give either --tls auto, or --tls-cert and --tls-key');
  if (isGiven && (tlsCert === undefined || tlsKey === undefined)) {
    throw new Error('--tls-cert and --tls-key go together');
  }
  try {
    if (tlsCert === undefined || tlsKey === undefined) {
      return await localCertificate(join(folder, 'tls'), host, nowMs);
    }
    const given = { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
    createSecureContext(given);
    return given;
  } catch (error) {
    throw new Error(`cannot read the certificate: ${(error as Error).message}`);
  }
}

/**
 * How bearer tokens are verified, undefined where they are not taken: most servers never load what that needs.
 * Throws an Error.
 */
export async function makeBearerVerifier(
  options: TabulariumOptions,
  keys: string | undefined,
  isSecure: boolean,
): Promise<BearerVerifier | undefined> {
  const { bearerIssuer, bearerKeys, bearerInsecureClaimsOnly = false } = options;
  if (bearerIssuer === undefined && bearerKeys === undefined && !bearerInsecureClaimsOnly) return undefined;
  if (!isSecure) {
    throw new Error('bearer tokens are taken over TLS only: add --tls auto, or --tls-cert and --tls-key');
  }
  if (bearerInsecureClaimsOnly) {
    if (bearerIssuer !== undefined) {
      throw new Error('give either --bearer-issuer, which verifies, or --bearer-insecure-claims-only');
    }
    if (!isLoopback(options.host ?? '127.0.0.1')) {
      throw new Error(
        `--bearer-insecure-claims-only lets anyone in who can write a token: it is refused on ${options.host}, an address other machines reach`,
      );
    }
    return (await import('./auth/bearer.ts')).claimsOnlyVerifier;
  }
  if (bearerIssuer === undefined || bearerKeys === undefined) {
    throw new Error('--bearer-issuer and --bearer-keys go together');
  }
  const { bearerVerifier } = await import('./auth/bearer.ts');
  return bearerVerifier({
    issuer: bearerIssuer,
    audiences: options.bearerAudiences ?? [storageAudience],
    keys: await parseKeys(bearerKeys, keys),
    readerRoles: options.bearerReaderRoles ?? [defaultRoles.reader],
    contributorRoles: options.bearerContributorRoles ?? [defaultRoles.contributor],
  });
}

function readBearerKeys({ bearerKeys: place }: TabulariumOptions): string | undefined {
  try {
    return place === undefined || isAddress(place) ? undefined : readFileSync(place, 'utf8');
  } catch (error) {
    throw noKeys(place as string, error);
  }
}

/** A JWKS: of an address it is fetched when it is first needed, and again when a key is unknown. */
async function parseKeys(place: string, file: string | undefined): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet, createRemoteJWKSet } = await import('jose');
  try {
    return file === undefined ? createRemoteJWKSet(new URL(place)) : createLocalJWKSet(JSON.parse(file));
  } catch (error) {
    throw noKeys(place, error);
  }
}

function isAddress(place: string): boolean {
  return /^https?:\/\//.test(place);
}

function noKeys(place: string, error: unknown): Error {
  return new Error(`cannot read the keys of ${place}: ${(error as Error).message}`);
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
