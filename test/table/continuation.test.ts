import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeToken, encodeToken } from '../../src/table/continuation.ts';

describe('a continuation token', () => {
  it('has the form of the recorded ones', () => {
    assert.equal(encodeToken('pk801016e8'), '1!16!cGs4MDEwMTZlOA--');
    assert.equal(decodeToken('1!16!cGs4MDEwMTZlOA--'), 'pk801016e8');
    assert.equal(decodeToken('1!20!cms4MDEwMTZlODEyMw--'), 'rk801016e8123');
  });

  it('gives back every text that it was made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => assert.equal(decodeToken(encodeToken(text)), text)),
    );
  });

  it('is never empty and holds neither spaces nor what an address would change', () => {
    assert.equal(encodeToken(''), '1!0!');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => assert.match(encodeToken(text), /^1!\d+![\w*-]*$/)),
    );
  });

  it('is refused with InvalidInput where we did not make it', () => {
    for (const token of [
      '',
      'x',
      '1!',
      '1!0',
      '1!4!AAA',
      '1!3!AAA',
      '2!4!AAAA',
      '1!4!AA==',
      '1!4!AA--x',
      '1!4!A---',
      '1!4!YR--',
      '1!4!_____',
      '1!4!_w--',
      '1!04!YQ--',
      ' 1!4!YQ--',
      '1!4!YQ-- ',
    ]) {
      assert.throws(() => decodeToken(token), { code: 'InvalidInput' }, token);
    }
  });
});
