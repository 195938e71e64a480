import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAddressIn } from '../../src/auth/ip-range.ts';

describe('the addresses of a SAS', () => {
  it('are one, or a range with both its ends', () => {
    assert.ok(isAddressIn('10.0.0.1', '10.0.0.1'));
    assert.ok(!isAddressIn('10.0.0.1', '10.0.0.2'));
    for (const address of ['10.0.0.9', '10.0.0.10', '10.0.1.0']) {
      assert.ok(isAddressIn('10.0.0.9-10.0.1.0', address), address);
    }
    for (const address of ['10.0.0.8', '10.0.1.1', '11.0.0.10']) {
      assert.ok(!isAddressIn('10.0.0.9-10.0.1.0', address), address);
    }
  });

  it('compare as numbers, not as text', () => {
    assert.ok(isAddressIn('9.0.0.0-10.0.0.0', '9.200.0.0'));
  });

  it('hold IPv4 behind an IPv6 socket', () => {
    assert.ok(isAddressIn('127.0.0.1', '::ffff:127.0.0.1'));
  });

  it('hold nothing where either is no IPv4 address, or the range is upside down', () => {
    for (const range of [
      '',
      'localhost',
      '10.0.0',
      '10.0.0.1-',
      '-10.0.0.1',
      '1.1.1.1-2.2.2.2-3.3.3.3',
      '::1',
    ]) {
      assert.ok(!isAddressIn(range, '10.0.0.1'), range);
    }
    assert.ok(!isAddressIn('10.0.0.2-10.0.0.1', '10.0.0.1'));
    assert.ok(!isAddressIn('127.0.0.1', '::1'));
    assert.ok(!isAddressIn('127.0.0.1', ''));
  });
});
