import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { isSigned, sign, signOnce } from '../../src/auth/signature.ts';

const keys = [createSecretKey(Buffer.alloc(64, 1)), createSecretKey(Buffer.alloc(64, 2))] as const;

describe('a signature', () => {
  it('is the same whether it is kept or made anew, of whatever key, for more and longer texts than are kept', () => {
    for (let round = 0; round < 2; round++) {
      for (let number = 0; number < 600; number++) {
        const text = `${number} `.repeat(number % 7 === 0 ? 400 : 1);
        for (const key of keys) {
          assert.equal(signOnce(key, text), createHmac('sha256', key).update(text).digest('base64'));
        }
      }
    }
  });

  it('is one of any of the keys, to the letter', () => {
    const signature = sign(keys[1], 'text');
    for (const signText of [sign, signOnce]) {
      assert.equal(isSigned(keys, signature, 'text', signText), true);
      assert.equal(isSigned(keys.slice(0, 1), signature, 'text', signText), false);
      assert.equal(isSigned(keys, signature, 'texts', signText), false);
      for (const wrong of [
        '',
        signature.slice(1),
        `${signature}=`,
        signature.toLowerCase(),
        'é'.repeat(44),
      ]) {
        assert.equal(isSigned(keys, wrong, 'text', signText), false, wrong);
      }
    }
  });
});
