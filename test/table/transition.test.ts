import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import type { IfMatch } from '../../src/http/etag.ts';
import type { Property } from '../../src/table/entity/edm.ts';
import { formatProperties, formatRow, readProperties, readTick } from '../../src/table/entity/row.ts';
import { decideIntents, type Intent, transition } from '../../src/table/transition.ts';

const key = { partitionKey: 'p', rowKey: 'r' };
const storedTick = 638_000_000_000_000_000n;
const tick = storedTick + 1n;

function int32(name: string, value: number): Property {
  return { name, type: 'Edm.Int32', json: String(value) };
}

const stored = formatRow(key, storedTick, formatProperties([int32('a', 1), int32('b', 2)]));
const changes = [{ name: 'b', type: 'Edm.String', json: '"two"' } as const, int32('c', 3)];

function intentOf(verb: Intent['verb'], ifMatch: IfMatch | undefined): Intent {
  if (verb === 'insert') return { verb, key, text: formatProperties(changes) };
  if (verb === 'replace') return { verb, key, text: formatProperties(changes), ifMatch };
  if (verb === 'delete') return { verb, key, ifMatch: ifMatch ?? '*' };
  return { verb, key, properties: changes, ifMatch };
}

function next(current: Buffer | undefined, intent: Intent): Buffer | null | ServiceError {
  return transition(current, intent, tick);
}

/** The outcome in a word: the properties it leaves, null, or the code of its refusal. */
function outcomeOf(current: Buffer | undefined, intent: Intent): string | null {
  const outcome = next(current, intent);
  if (outcome instanceof ServiceError) return outcome.code;
  if (outcome === null) return null;
  assert.equal(readTick(outcome), tick);
  return readProperties(outcome)
    .map(({ name, json }) => `${name}=${json}`)
    .join(' ');
}

const conditions: Record<string, IfMatch | undefined> = {
  'no condition': undefined,
  'any ETag': '*',
  'the current ETag': { tick: storedTick },
  'a stale ETag': { tick: storedTick - 1n },
  'an ETag that names no time': { tick: undefined },
};
const replaced = 'b="two" c=3';
const merged = 'a=1 b="two" c=3';
const missing = 'ResourceNotFound';
const unmet = 'UpdateConditionNotSatisfied';

describe('a write of one entity', () => {
  for (const [verb, condition, whenPresent, whenAbsent] of [
    ['insert', 'no condition', 'EntityAlreadyExists', replaced],
    ['replace', 'no condition', replaced, replaced],
    ['replace', 'any ETag', replaced, missing],
    ['replace', 'the current ETag', replaced, missing],
    ['replace', 'a stale ETag', unmet, missing],
    ['replace', 'an ETag that names no time', unmet, missing],
    ['merge', 'no condition', merged, replaced],
    ['merge', 'any ETag', merged, missing],
    ['merge', 'the current ETag', merged, missing],
    ['merge', 'a stale ETag', unmet, missing],
    ['merge', 'an ETag that names no time', unmet, missing],
    ['delete', 'any ETag', null, missing],
    ['delete', 'the current ETag', null, missing],
    ['delete', 'a stale ETag', unmet, missing],
    ['delete', 'an ETag that names no time', unmet, missing],
  ] as const) {
    it(`${verb} with ${condition} gives ${whenPresent} where the entity is, ${whenAbsent} where not`, () => {
      const intent = intentOf(verb, conditions[condition]);
      assert.equal(outcomeOf(stored, intent), whenPresent);
      assert.equal(outcomeOf(undefined, intent), whenAbsent);
    });
  }

  it('carries the key and the time of the write', () => {
    const row = JSON.parse(String(next(undefined, intentOf('insert', undefined))));
    assert.deepEqual(Object.keys(row), ['odata.etag', 'PartitionKey', 'RowKey', 'Timestamp', 'b', 'c']);
    assert.equal(row.PartitionKey, 'p');
    assert.equal(row.RowKey, 'r');
  });

  it('changes the time also where it changes nothing else', () => {
    const outcome = next(stored, { verb: 'merge', key, properties: [], ifMatch: '*' }) as Buffer;
    assert.equal(readTick(outcome), tick);
    assert.deepEqual(readProperties(outcome), readProperties(stored));
  });

  it('does not touch the row that it was given', () => {
    const copy = Buffer.from(stored);
    next(stored, intentOf('merge', '*'));
    assert.deepEqual(stored, copy);
  });

  it('is refused with TooManyProperties where the merged entity has more than 252', () => {
    const many = Array.from({ length: 252 }, (_, index) => int32(`p${index}`, index));
    const full = formatRow(key, storedTick, formatProperties(many));
    const merge = (properties: Property[]): Intent => ({
      verb: 'merge',
      key,
      properties,
      ifMatch: undefined,
    });
    assert.equal(outcomeOf(full, merge([int32('more', 1)])), 'TooManyProperties');
    assert.ok(Buffer.isBuffer(next(full, merge([int32('p0', 9)]))));
    assert.equal(
      outcomeOf(full, { verb: 'replace', key, text: formatProperties([int32('more', 1)]), ifMatch: '*' }),
      'more=1',
    );
  });

  it('is refused with EntityTooLarge where the merged entity is larger than 1 MiB', () => {
    const large = (name: string): Property => ({ name, type: 'Edm.String', json: `"${'x'.repeat(32_000)}"` });
    const names = Array.from({ length: 16 }, (_, index) => `p${index}`);
    const full = formatRow(key, storedTick, formatProperties(names.map(large)));
    const merge = (name: string): Intent => ({ verb: 'merge', key, properties: [large(name)], ifMatch: '*' });
    assert.equal(outcomeOf(full, merge('p16')), 'EntityTooLarge');
    assert.ok(Buffer.isBuffer(next(full, merge('p15'))));
  });
});

describe('the writes of a transaction', () => {
  const other = { partitionKey: 'p', rowKey: 's' };
  const insert: Intent = { verb: 'insert', key: other, text: '' };

  it('give a row for each, in order', () => {
    const intents = [insert, intentOf('delete', '*'), intentOf('replace', undefined)];
    assert.deepEqual(decideIntents(intents, [undefined, stored, undefined], tick), [
      formatRow(other, tick, ''),
      null,
      formatRow(key, tick, formatProperties(changes)),
    ]);
  });

  it('are refused all for the first that fails, with its index', () => {
    const intents = [insert, intentOf('delete', { tick: 1n }), intentOf('insert', undefined)];
    const refusal = decideIntents(intents, [undefined, stored, stored], tick);
    assert.ok(refusal instanceof ServiceError);
    assert.equal(refusal.code, 'UpdateConditionNotSatisfied');
    assert.equal(refusal.particulars.index, 1);
  });

  it('are refused without an index where there is only one', () => {
    const refusal = decideIntents([insert], [stored], tick);
    assert.ok(refusal instanceof ServiceError);
    assert.equal(refusal.particulars.index, undefined);
  });

  it('may be decided more than once, with the same outcome', () => {
    const decide = (current: Buffer | undefined) =>
      decideIntents([intentOf('merge', undefined)], [current], tick);
    assert.deepEqual(decide(stored), decide(stored));
    assert.notDeepEqual(decide(stored), decide(undefined));
  });
});
