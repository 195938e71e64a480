/** Shared Key Lite for the Table service: protocol reference 2.2 and 2.3. */

import { createHmac } from 'node:crypto';

/** The development account that every emulator and client knows; its key is public. */
export const accountName = 'devstoreaccount1';
const accountKey = Buffer.from(
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
  'base64',
);

/** `path` is the path on the wire; it begins with the account already, so that the resource names it twice. */
export function authorizationOf(date: string, path: string): string {
  const signature = createHmac('sha256', accountKey)
    .update(`${date}\n/${accountName}${path}`)
    .digest('base64');
  return `SharedKeyLite ${accountName}:${signature}`;
}
