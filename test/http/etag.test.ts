import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseIfMatch } from '../../src/http/etag.ts';
import { formatEtag } from '../../src/table/entity/row.ts';
import { parseTicks } from '../../src/ticks.ts';

describe('If-Match', () => {
  it('asks for any entity with a star', () => {
    assert.equal(parseIfMatch('*'), '*');
    assert.equal(parseIfMatch(' * '), '*');
  });

  it('asks for the write that an ETag was given for', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 3_155_378_975_999_999_999n }), tick => {
        assert.deepEqual(parseIfMatch(formatEtag(tick)), { tick });
      }),
    );
  });

  it('takes a tag with its colons bare, with all seven digits, and a lower-case w', () => {
    const tick = parseTicks('2017-01-05T03:25:36.9Z');
    for (const tag of [
      `W/"datetime'2017-01-05T03:25:36.9Z'"`,
      `W/"datetime'2017-01-05T03%3a25%3A36.9000000Z'"`,
      `w/"datetime'2017-01-05T03%3A25%3A36.9Z'"`,
    ]) {
      assert.deepEqual(parseIfMatch(tag), { tick }, tag);
    }
  });

  it('matches nothing with a weak tag that names no time', () => {
    for (const tag of ['W/"wrong"', 'W/""', `W/"datetime'soon'"`, `W/"2017-01-05T03:25:36Z"`]) {
      assert.deepEqual(parseIfMatch(tag), { tick: undefined }, tag);
    }
  });

  it('is refused with InvalidInput as a strong tag, bare text, several tags or none', () => {
    for (const tag of ['', 'abc', '"abc"', 'W/abc', 'W/"a", W/"b"', '**', 'W/ "a"']) {
      assert.throws(
        () => parseIfMatch(tag),
        {
          code: 'InvalidInput',
          message: `The etag value '${tag}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.`,
        },
        tag,
      );
    }
  });
});
