import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  createLocalJWKSet,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { type BearerVerifier, bearerVerifier, claimsOnlyVerifier } from '../../src/auth/bearer.ts';
import { contributorPermissions, readerPermissions } from '../../src/auth/grant.ts';

const issuer = 'https://issuer.example/';
const audience = 'https://storage.azure.com';
const nowMs = Date.parse('2026-06-01T12:00:00Z');
const nowSeconds = nowMs / 1000;
const account = 'account1';

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

const claims: JWTPayload = {
  iss: issuer,
  aud: audience,
  nbf: nowSeconds - 10,
  exp: nowSeconds + 600,
  roles: ['writers'],
};

function sign(payload: JWTPayload, key: Key | Uint8Array, alg = 'RS256', kid = 'one'): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key);
}

describe('a bearer token', () => {
  let key: Key;
  let otherKey: Key;
  let publicKey: Uint8Array;
  let verify: BearerVerifier;

  before(async () => {
    const pair = await generateKeyPair('RS256', { extractable: true });
    key = pair.privateKey;
    publicKey = new TextEncoder().encode(await exportSPKI(pair.publicKey));
    otherKey = (await generateKeyPair('RS256')).privateKey;
    verify = bearerVerifier({
      issuer,
      audiences: [audience, 'https://else.example'],
      keys: createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }] }),
      readerRoles: ['readers', 'account1:visitors'],
      contributorRoles: ['writers', 'account1:editors'],
    });
  });

  const permissionsOf = async (changes: JWTPayload, of = account): Promise<string> => {
    const grant = await verify(await sign({ ...claims, ...changes }, key), of, nowMs);
    assert.ok(grant.by === 'bearer token');
    return grant.permissions;
  };

  it('grants by its roles, for every account or for one', async () => {
    assert.equal(await permissionsOf({}), contributorPermissions);
    assert.equal(await permissionsOf({ roles: ['readers'] }), readerPermissions);
    assert.equal(await permissionsOf({ roles: ['readers', 'writers'] }), contributorPermissions);
    assert.equal(await permissionsOf({ roles: ['editors'] }), contributorPermissions);
    assert.equal(await permissionsOf({ roles: ['visitors'] }), readerPermissions);
    assert.equal(await permissionsOf({ roles: ['editors', 'visitors'] }, 'account2'), '');
    assert.equal(await permissionsOf({ roles: ['others'] }), '');
    assert.equal(await permissionsOf({ roles: 'writers' }), '');
    const { roles: _, ...without } = claims;
    const grant = await verify(await sign(without, key), account, nowMs);
    assert.deepEqual(grant, { by: 'bearer token', permissions: '' });
  });

  it('is good for any of the audiences', async () => {
    assert.equal(await permissionsOf({ aud: ['x', 'https://else.example'] }), contributorPermissions);
  });

  it('is refused when it is expired, early, for others, from others, or without an end', async () => {
    const bad: JWTPayload[] = [
      { exp: nowSeconds - 61 },
      { nbf: nowSeconds + 61 },
      { aud: 'https://vault.example' },
      { iss: 'https://issuer.example' },
    ];
    for (const changes of bad) {
      await assert.rejects(permissionsOf(changes), JSON.stringify(changes));
    }
    for (const claim of ['exp', 'aud', 'iss'] as const) {
      const { [claim]: _, ...without } = claims;
      await assert.rejects(verify(await sign(without, key), account, nowMs), claim);
    }
    assert.equal(await permissionsOf({ exp: nowSeconds - 59, nbf: nowSeconds + 59 }), contributorPermissions);
  });

  it('is refused with the signature of another key, with none, and with one that the public key could make', async () => {
    await assert.rejects(verify(await sign(claims, otherKey), account, nowMs), /signature/);
    await assert.rejects(verify(await sign(claims, otherKey, 'RS256', 'two'), account, nowMs));
    await assert.rejects(verify(new UnsecuredJWT(claims).encode(), account, nowMs), /alg|JWS/i);
    await assert.rejects(verify(await sign(claims, publicKey, 'HS256'), account, nowMs), /alg/);
    const [head, , signature] = (await sign(claims, key)).split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims, roles: ['writers'], sub: 'me' })).toString(
      'base64url',
    );
    await assert.rejects(verify(`${head}.${forged}.${signature}`, account, nowMs));
  });

  it('is refused when it is no token', async () => {
    for (const token of ['', 'abc', 'a.b.c', '..', `${'x'.repeat(10_000)}.y.z`]) {
      await assert.rejects(verify(token, account, nowMs), token.slice(0, 20));
    }
  });
});

describe('a bearer token whose claims alone are checked', () => {
  const entra = { ...claims, iss: 'https://sts.windows.net/a-tenant/' };
  const verify = (changes: JWTPayload) =>
    claimsOnlyVerifier(new UnsecuredJWT({ ...entra, ...changes }).encode(), account, nowMs);

  it('grants all that no key is needed for, signed or not', async () => {
    for (const aud of [
      audience,
      `${audience}/`,
      'https://any.table.core.windows.net',
      'e406a681-f3d4-42a8-90b6-c2b029497af1',
    ]) {
      assert.deepEqual(await verify({ aud }), { by: 'bearer token', permissions: contributorPermissions });
    }
  });

  it('is refused for its times, issuer and audience', async () => {
    for (const changes of [
      { exp: nowSeconds - 61 },
      { nbf: nowSeconds + 61 },
      { aud: 'https://vault.azure.net' },
      { iss: 'https://evil.example/https://sts.windows.net/' },
    ]) {
      await assert.rejects(verify(changes), JSON.stringify(changes));
    }
    await assert.rejects(claimsOnlyVerifier('not a token', account, nowMs));
  });
});
