import { ServiceError } from '../errors.ts';
import type { IfMatch } from '../http/etag.ts';
import type { Key } from '../store/key.ts';
import type { Decide } from '../store/store.ts';
import type { Ticks } from '../ticks.ts';
import { checkSize } from './entity/check-entity.ts';
import type { Property } from './entity/edm.ts';
import { formatProperties, formatRow, readProperties, readTick } from './entity/row.ts';

/**
 * What a client wants done to one entity: plain data, read and checked before the store is asked.
 *
 * | verb    | without ifMatch       | with ifMatch  |
 * | ------- | --------------------- | ------------- |
 * | insert  | Insert Entity         |               |
 * | replace | Insert Or Replace     | Update Entity |
 * | merge   | Insert Or Merge       | Merge Entity  |
 * | delete  |                       | Delete Entity |
 */
export type Intent =
  /** `text` is formatProperties of what was sent: all that is kept of it, as it may wait in a queue. */
  | { readonly verb: 'insert'; readonly key: Key; readonly text: string }
  | {
      readonly verb: 'replace';
      readonly key: Key;
      readonly text: string;
      readonly ifMatch: IfMatch | undefined;
    }
  | {
      readonly verb: 'merge';
      readonly key: Key;
      readonly properties: readonly Property[];
      readonly ifMatch: IfMatch | undefined;
    }
  | { readonly verb: 'delete'; readonly key: Key; readonly ifMatch: IfMatch };

/**
 * The decision of all writes, single ones and transactions alike: the first that fails refuses them all, with its
 * index where there are several.
 */
export const decideIntents: Decide<Intent> = (intents, current, tick) => {
  const rows: (Buffer | null)[] = [];
  for (const [index, intent] of intents.entries()) {
    const next = transition(current[index], intent, tick);
    if (next instanceof ServiceError) return intents.length === 1 ? next : next.at(index);
    rows.push(next);
  }
  return rows;
};

/** The next state of one entity, null for none, or why not. Pure. */
export function transition(
  current: Buffer | undefined,
  intent: Intent,
  tick: Ticks,
): Buffer | null | ServiceError {
  if (intent.verb === 'insert') {
    if (current !== undefined) return new ServiceError('EntityAlreadyExists');
    return formatRow(intent.key, tick, intent.text);
  }
  if (intent.ifMatch !== undefined) {
    if (current === undefined) return new ServiceError('ResourceNotFound');
    if (intent.ifMatch !== '*' && intent.ifMatch.tick !== readTick(current)) {
      return new ServiceError('UpdateConditionNotSatisfied');
    }
  }
  if (intent.verb === 'delete') return null;
  if (intent.verb === 'replace') return formatRow(intent.key, tick, intent.text);
  if (current === undefined) return formatRow(intent.key, tick, formatProperties(intent.properties));

  const merged = mergeProperties(readProperties(current), intent.properties);
  const excess = refusalOf(() => checkSize(intent.key, merged));
  return excess ?? formatRow(intent.key, tick, formatProperties(merged));
}

/** Properties not mentioned stay; those mentioned keep their place, new ones come last. */
function mergeProperties(stored: readonly Property[], changes: readonly Property[]): Property[] {
  const merged = new Map(stored.map(property => [property.name, property]));
  for (const property of changes) merged.set(property.name, property);
  return [...merged.values()];
}

function refusalOf(check: () => void): ServiceError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
