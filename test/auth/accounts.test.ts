import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { developmentAccount, parseAccount, parseAccountsFile } from '../../src/auth/accounts.ts';

const key = Buffer.from('a key').toString('base64');
const otherKey = Buffer.from('another key').toString('base64');

function keysOf(text: string): string[] {
  return parseAccount(text).keys.map(secret => secret.export().toString('base64'));
}

describe('an account', () => {
  it('has a name and one or two keys', () => {
    assert.equal(parseAccount(`acme:${key}`).name, 'acme');
    assert.deepEqual(keysOf(`acme:${key}`), [key]);
    assert.deepEqual(keysOf(`acme:${key}:${otherKey}`), [key, otherKey]);
  });

  it('may be the development account', () => {
    assert.deepEqual(keysOf(`${developmentAccount.name}:${developmentAccount.key}`), [
      developmentAccount.key,
    ]);
  });

  it('is refused with a name that no account can have', () => {
    for (const name of ['', 'ab', 'a'.repeat(25), 'Acme', 'ac-me', 'acme.', 'äcme']) {
      assert.throws(() => parseAccount(`${name}:${key}`), /3 to 24 lower-case letters and digits/, name);
    }
    assert.equal(parseAccount(`${'a'.repeat(24)}:${key}`).name.length, 24);
    assert.equal(parseAccount(`123:${key}`).name, '123');
  });

  it('is refused without a key and with three', () => {
    assert.throws(() => parseAccount('acme'), /name:key or name:key1:key2/);
    assert.throws(() => parseAccount(`acme:${key}:${key}:${key}`), /name:key or name:key1:key2/);
  });

  it('is refused with a key that is not Base64, without telling the key', () => {
    for (const text of ['secret!', '', 'YQ', 'YQ=', '====']) {
      assert.throws(
        () => parseAccount(`acme:${text}`),
        (error: Error) => error.message === "account 'acme': key 1 is not Base64",
        text,
      );
    }
    assert.throws(() => parseAccount(`acme:${key}:%`), /key 2 is not Base64/);
  });
});

describe('an accounts file', () => {
  it('has an account a line, and comments and empty lines between them', () => {
    const text = `# accounts\r\n\r\nacme:${key} # ours\n   \n  other:${key}:${otherKey}  \n#acme:${key}`;
    assert.deepEqual(
      parseAccountsFile(text).map(({ name, keys }) => [name, keys.length]),
      [
        ['acme', 1],
        ['other', 2],
      ],
    );
  });

  it('may be empty', () => assert.deepEqual(parseAccountsFile(''), []));

  it('is refused with the number of the line that is wrong', () => {
    assert.throws(() => parseAccountsFile(`acme:${key}\n\nacme`), /^Error: line 3: account 'acme'/);
  });
});
