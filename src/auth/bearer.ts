import { decodeJwt, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as limits from '../limits.ts';
import { contributorPermissions, type Grant, readerPermissions } from './grant.ts';

/** Rejects with the reason why a token is not good for an account. */
export type BearerVerifier = (token: string, account: string, nowMs: number) => Promise<Grant>;

export interface BearerSettings {
  readonly issuer: string;
  /** Any of these in the token's `aud` suffices. */
  readonly audiences: readonly string[];
  /** The issuer's keys. */
  readonly keys: JWTVerifyGetKey;
  /** Roles of the token's claim `roles` that may read, each `role` or, for one account, `account:role`. */
  readonly readerRoles: readonly string[];
  /** Roles that may do all that no key of the account is needed for. */
  readonly contributorRoles: readonly string[];
}

/** Signatures that only the issuer can make: no `none`, and no HMAC, whose key both sides know. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Verifies signature, issuer, audience, times and roles (REST: Authorize with Microsoft Entra ID). */
export function bearerVerifier(settings: BearerSettings): BearerVerifier {
  const { issuer, audiences, keys } = settings;
  return async (token, account, nowMs) => {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: [...audiences],
      algorithms,
      requiredClaims: ['exp'],
      clockTolerance: limits.bearerClockSkewSecondsMax,
      currentDate: new Date(nowMs),
    });
    const roles = Array.isArray(payload.roles) ? payload.roles.map(String) : [];
    const has = (granted: readonly string[]): boolean =>
      roles.some(role => granted.includes(role) || granted.includes(`${account}:${role}`));
    if (has(settings.contributorRoles)) return contributor;
    return { by: 'bearer token', permissions: has(settings.readerRoles) ? readerPermissions : '' };
  };
}

const contributor: Grant = { by: 'bearer token', permissions: contributorPermissions };

const wellKnownIssuers = [
  'https://sts.windows.net/',
  'https://login.microsoftonline.com/',
  'https://sts.microsoftonline.de/',
  'https://sts.chinacloudapi.cn/',
  'https://sts.windows-ppe.net/',
];
const wellKnownAudience =
  /^(?:https:\/\/storage\.azure\.com\/?|e406a681-f3d4-42a8-90b6-c2b029497af1|https:\/\/[^/]+\.table\.core\.(?:windows\.net|chinacloudapi\.cn|usgovcloudapi\.net|cloudapi\.de)\/?)$/;

/**
 * Believes what a token claims, without a look at its signature, as the emulator does: anyone can write such
 * a token. For development on this machine alone.
 */
export const claimsOnlyVerifier: BearerVerifier = async (token, _account, nowMs) => {
  const { iss = '', aud = [], exp, nbf = 0 }: JWTPayload = decodeJwt(token);
  const nowSeconds = nowMs / 1000;
  if (!wellKnownIssuers.some(issuer => iss.startsWith(issuer))) throw new Error(`the issuer is '${iss}'`);
  const audiences = typeof aud === 'string' ? [aud] : aud;
  if (!audiences.some(audience => wellKnownAudience.test(audience))) {
    throw new Error(`the audience is '${audiences.join(', ')}'`);
  }
  if (exp === undefined || exp + limits.bearerClockSkewSecondsMax <= nowSeconds)
    throw new Error('it expired');
  if (nbf - limits.bearerClockSkewSecondsMax > nowSeconds) throw new Error('it is not valid yet');
  return contributor;
};
