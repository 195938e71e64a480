import { createSecretKey, type KeyObject } from 'node:crypto';

/** A storage account and the keys that open it: any of them signs. */
export interface Account {
  readonly name: string;
  readonly keys: readonly KeyObject[];
}

/** The account that every official client knows by `UseDevelopmentStorage=true`. Its key is public. */
export const developmentAccount = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
} as const;

/** Whether an account can have this name. */
export function isAccountName(name: string): boolean {
  return /^[a-z0-9]{3,24}$/.test(name);
}

/** Reads `name:key` or `name:key1:key2`, keys in Base64. Throws an Error that says what is wrong. */
export function parseAccount(text: string): Account {
  const [name = '', ...keys] = text.split(':');
  if (!isAccountName(name)) {
    throw new Error(`account name '${name}': 3 to 24 lower-case letters and digits are allowed`);
  }
  if (keys.length < 1 || keys.length > 2) {
    throw new Error(`account '${name}': give it as name:key or name:key1:key2`);
  }
  return { name, keys: keys.map((key, index) => parseKey(name, key, index + 1)) };
}

function parseKey(name: string, key: string, ordinal: number): KeyObject {
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== key) {
    throw new Error(`account '${name}': key ${ordinal} is not Base64`);
  }
  return createSecretKey(bytes);
}

/** The accounts of an accounts file: one a line, `#` begins a comment. Throws an Error naming the line. */
export function parseAccountsFile(text: string): Account[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const entry = line.replace(/#.*/, '').trim();
    if (entry === '') return [];
    try {
      return [parseAccount(entry)];
    } catch (error) {
      throw new Error(`line ${index + 1}: ${(error as Error).message}`);
    }
  });
}
