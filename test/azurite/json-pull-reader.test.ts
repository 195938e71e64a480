import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { JsonError, JsonPullReader } from '../../src/azurite/json-pull-reader.ts';

/** The bytes of a text in pieces of these lengths, the last of which repeats. */
function* pieces(text: string, lengths: readonly number[] = [text.length + 1]): Generator<Buffer> {
  const bytes = Buffer.from(text);
  // One buffer for all, as a reader of files has: what the last piece held is overwritten.
  const shared = Buffer.alloc(bytes.length);
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const length = lengths[Math.min(index, lengths.length - 1)] as number;
    const end = Math.min(at + length, bytes.length);
    bytes.copy(shared, 0, at, end);
    yield shared.subarray(0, end - at);
    at = end;
  }
}

/** Reads a value by walking it to its leaves. */
function walk(reader: JsonPullReader, sample: unknown): unknown {
  if (Array.isArray(sample)) {
    const elements: unknown[] = [];
    for (const _ of reader.elements()) elements.push(walk(reader, sample[elements.length]));
    return elements;
  }
  if (typeof sample === 'object' && sample !== null) {
    const members: [string, unknown][] = [];
    for (const name of reader.members()) {
      members.push([name, walk(reader, (sample as Record<string, unknown>)[name])]);
    }
    return Object.fromEntries(members);
  }
  return reader.value();
}

const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
const spaces = fc.constantFrom(undefined, 1, '\t', '\r\n ');
const anyArray = fc.array(fc.jsonValue());

describe('JsonPullReader', () => {
  it('gives what JSON.parse gives, however the text is cut into chunks', () => {
    fc.assert(
      fc.property(anyArray, spaces, lengths, (value, space, cuts) => {
        const text = JSON.stringify(value, null, space);
        assert.deepEqual(new JsonPullReader(pieces(text, cuts)).value(), JSON.parse(text));
      }),
    );
  });

  it('gives the same when it is walked', () => {
    fc.assert(
      fc.property(anyArray, spaces, lengths, (value, space, cuts) => {
        const text = JSON.stringify(value, null, space);
        const reader = new JsonPullReader(pieces(`${text}\n`, cuts));
        const parsed = JSON.parse(text);
        assert.deepEqual(walk(reader, parsed), parsed);
        reader.end();
      }),
    );
  });

  it('skips exactly one value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), spaces, lengths, (value, space, cuts) => {
        const text = JSON.stringify([value, 'next'], null, space);
        const reader = new JsonPullReader(pieces(text, cuts));
        const read: unknown[] = [];
        for (const _ of reader.elements()) {
          if (read.length === 0) reader.skip();
          read.push(read.length === 0 ? 'skipped' : reader.value());
        }
        assert.deepEqual(read, ['skipped', 'next']);
      }),
    );
  });

  it('refuses every text that is cut off', () => {
    const text = '{"a":[1,{"b":"c\\"]"}],"d":null}';
    for (let end = 0; end < text.length; end++) {
      const reader = new JsonPullReader(pieces(text.slice(0, end), [3]));
      assert.throws(
        () => {
          for (const _ of reader.members()) reader.value();
        },
        (error: Error) => error instanceof JsonError && error.message.includes(`ends at byte ${end},`),
      );
    }
  });

  it('says where the text is no JSON', () => {
    const refusal = (text: string | Buffer, read: (reader: JsonPullReader) => void): string => {
      const reader = new JsonPullReader([Buffer.from(text)]);
      try {
        read(reader);
      } catch (error) {
        assert.ok(error instanceof JsonError);
        return error.message;
      }
      throw new Error('it was read');
    };
    const members = (reader: JsonPullReader): void => {
      for (const _ of reader.members()) reader.skip();
      reader.end();
    };
    assert.match(refusal('[1]', members), /'\{' is expected at byte 0/);
    assert.match(refusal('{"a" 1}', members), /':' is expected at byte 5/);
    assert.match(refusal('{"a":1 "b":2}', members), /'\}' is expected at byte 7/);
    assert.match(refusal('{1:1}', members), /name of a member is expected/);
    assert.match(refusal('{} {}', members), /goes on after its end at byte 3/);
    assert.match(
      refusal('[1,x]', reader => [...reader.elements()].map(() => reader.value())),
      /expected|not JSON/,
    );
    assert.match(
      refusal(Buffer.from([0x22, 0xff, 0x22]), reader => reader.value()),
      /not UTF-8/,
    );
    assert.match(
      refusal(' nul ', reader => reader.value()),
      /a value ends that is not JSON at byte 4/,
    );
  });
});
