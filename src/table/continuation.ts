import { ServiceError } from '../errors.ts';

/**
 * The texts of continuation tokens (REST: Query Timeout and Pagination; recorded form): `1!`, the length of
 * what follows, `!`, and the text in Base64 that passes through addresses. Never empty, never with a space:
 * clients drop the one and split at the other.
 */
export function encodeToken(text: string): string {
  const encoded = Buffer.from(text)
    .toString('base64')
    .replaceAll('=', '-')
    .replaceAll('+', '*')
    .replaceAll('/', '_');
  return `1!${encoded.length}!${encoded}`;
}

/** Throws InvalidInput for what encodeToken did not make. */
export function decodeToken(token: string): string {
  const match = /^1!(\d+)!([A-Za-z0-9*_-]*)$/.exec(token);
  if (match === null || Number(match[1]) !== match[2]?.length) throw new ServiceError('InvalidInput');
  const base64 = match[2].replaceAll('-', '=').replaceAll('*', '+').replaceAll('_', '/');
  const text = Buffer.from(base64, 'base64').toString('utf8');
  if (encodeToken(text) !== token) throw new ServiceError('InvalidInput');
  return text;
}
