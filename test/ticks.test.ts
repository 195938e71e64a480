import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatTicks, formatTicksFull, formatTicksInvariant, parseTicks, ticksFromMs } from '../src/ticks.ts';
import { isoOf } from './support/arbitraries.ts';

const ticksMax = 3_155_378_975_999_999_999n;
const anyTicks = fc.oneof(fc.bigInt({ min: 0n, max: ticksMax }), fc.constantFrom(0n, 1n, ticksMax));

describe('ticks', () => {
  it('reads back every instant that it prints, trimmed or with seven digits', () => {
    fc.assert(
      fc.property(anyTicks, ticks => {
        assert.equal(parseTicks(formatTicks(ticks)), ticks);
        assert.equal(parseTicks(formatTicksFull(ticks)), ticks);
        assert.equal(formatTicksFull(ticks), isoOf(ticks));
      }),
    );
  });

  it('drops the trailing zeros of a fraction, and a fraction of zero', () => {
    for (const [given, trimmed] of [
      ['2020-07-24T14:34:48.4767000Z', '2020-07-24T14:34:48.4767Z'],
      ['2012-11-10T03:04:05.2000000Z', '2012-11-10T03:04:05.2Z'],
      ['1973-10-04T00:00:00.0000000Z', '1973-10-04T00:00:00Z'],
      ['2020-07-24T14:34:48.5597582Z', '2020-07-24T14:34:48.5597582Z'],
      ['2020-07-24T14:34:48.0000001Z', '2020-07-24T14:34:48.0000001Z'],
    ] as const) {
      const ticks = parseTicks(given) as bigint;
      assert.equal(formatTicks(ticks), trimmed);
      assert.equal(formatTicksFull(ticks), given);
    }
  });

  it('counts from the clock of the process', () => {
    assert.equal(formatTicksFull(ticksFromMs(0)), '1970-01-01T00:00:00.0000000Z');
    assert.equal(formatTicks(ticksFromMs(1_595_601_288_476)), '2020-07-24T14:34:48.476Z');
    assert.equal(formatTicks(ticksFromMs(-1)), '1969-12-31T23:59:59.999Z');
  });

  it('prints a date as the service names it when it is out of range', () => {
    assert.equal(formatTicksInvariant(0n), '01/01/0001 00:00:00');
    assert.equal(formatTicksInvariant(parseTicks('1600-12-31T23:59:58.9Z') as bigint), '12/31/1600 23:59:58');
  });

  it('takes a date alone, and a time without seconds, fraction or zone', () => {
    const midnight = '2024-02-29T00:00:00Z';
    for (const text of [
      '2024-02-29',
      '2024-02-29T00:00',
      '2024-02-29T00:00Z',
      '2024-02-29T00:00:00',
      midnight,
    ]) {
      assert.equal(formatTicks(parseTicks(text) as bigint), midnight, text);
    }
  });

  it('counts an offset in', () => {
    for (const [text, utc] of [
      ['2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00Z'],
      ['2024-01-01T00:30:00-0130', '2024-01-01T02:00:00Z'],
      ['2024-01-01T00:30:00.1234567+00:00', '2024-01-01T00:30:00.1234567Z'],
    ] as const) {
      assert.equal(formatTicks(parseTicks(text) as bigint), utc);
    }
  });

  it('reads nanoseconds down to the tick, as the Java client writes them', () => {
    for (const [text, utc] of [
      ['2020-01-01T08:00:00.123456700Z', '2020-01-01T08:00:00.1234567Z'],
      ['2020-01-01T08:00:00.123456789Z', '2020-01-01T08:00:00.1234567Z'],
      ['2020-01-01T08:00:00.12345678Z', '2020-01-01T08:00:00.1234567Z'],
    ] as const) {
      assert.equal(formatTicks(parseTicks(text) as bigint), utc);
    }
  });

  it('refuses what is no date', () => {
    for (const text of [
      '',
      'yesterday',
      '2024-02-30T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '2024-13-01T00:00:00Z',
      '2024-06-31',
      '2024-01-01T24:00:00Z',
      '2024-01-01T00:60:00Z',
      '2024-01-01T00:00:60Z',
      '2024-01-01T00:00:00.1234567890Z',
      '2024-01-01T00:00:00.Z',
      '2024-01-01 00:00:00Z',
      ' 2024-01-01T00:00:00Z',
      '12024-01-01T00:00:00Z',
      '0000-12-31T23:59:59Z',
      '0001-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
    ]) {
      assert.equal(parseTicks(text), undefined, text);
    }
  });
});
