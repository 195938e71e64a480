import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { growthLayout, keyOf } from '../../bench/entities.ts';
import { fill, insertKeys, searchEnd } from '../../bench/filling.ts';
import { useServer } from '../support/server.ts';

describe('filling a table', () => {
  it('finds where a load was interrupted, within what was in flight', async () => {
    const inFlight = 8;
    const anyLoad = fc.integer({ min: 0, max: 500 }).chain(count =>
      fc.record({
        count: fc.constant(count),
        sent: fc.integer({ min: 0, max: count }),
        isAnswered: fc.array(fc.boolean(), { minLength: inFlight, maxLength: inFlight }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(anyLoad, async ({ count, sent, isAnswered }) => {
        const isThere = (position: number) =>
          position < sent - inFlight || (position < sent && isAnswered[sent - 1 - position]!);
        const end = await searchEnd(count, async position => isThere(position));
        for (let position = 0; position < count; position += 1) {
          if (position < end - inFlight) assert.ok(isThere(position), `${position} is before ${end}`);
          if (position >= end + inFlight) assert.ok(!isThere(position), `${position} is behind ${end}`);
        }
      }),
    );
  });

  const server = useServer();

  it('adds what is not there, and nothing twice', async () => {
    const port = Number(new URL((await server()).endpoints.table).port);
    await fill(port, growthLayout(1_000), () => undefined);
    // Two transactions were not answered when the third was.
    const layout = growthLayout(3_000);
    const third = Array.from({ length: 100 }, (_, row) => keyOf(layout, 1_200 + row));
    await insertKeys(port, layout, third);
    const progress: number[] = [];
    await fill(port, layout, done => progress.push(done));
    assert.equal(progress[0], 1_100);
    assert.equal(progress.at(-1), 3_000);
    await fill(port, layout, done => assert.equal(done, 3_000));
  });
});
