import type { Needs } from '../auth/grant.ts';
import { ServiceError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { type IfMatch, parseIfMatch } from '../http/etag.ts';
import type { Key } from '../store/key.ts';
import type { Ticks } from '../ticks.ts';
import { checkEntity, checkKeyLength, hasLegalCharacters } from './entity/check-entity.ts';
import { type EntityBody, parseEntity } from './entity/parse-entity.ts';
import { formatEtag } from './entity/row.ts';
import { entityOf, type Operation, requireJsonBody, type TableRequest, tableOf } from './request.ts';
import { requireReach } from './signed-range.ts';
import type { Intent } from './transition.ts';

/** An operation that writes one entity, alone or as one of a transaction. */
export interface EntityWrite {
  readonly name: string;
  readonly needs: Needs;
  /** Reads and checks all that can be without the store. Throws ServiceErrors. */
  read(request: TableRequest): Intent;
  /** The answer, once the store has done it. */
  answer(request: TableRequest, intent: Intent, tick: Ticks): Answer;
}

/** A write as an operation of its own. */
export function single(write: EntityWrite): Operation {
  return {
    name: write.name,
    needs: write.needs,
    async run(request, store) {
      const intent = write.read(request);
      requireReach(request.grant, intent.key);
      const tick = await store.mutate(
        { account: request.account, table: tableOf(request) },
        intent.key.partitionKey,
        [intent.key.rowKey],
        [intent],
        request.body.length,
      );
      return write.answer(request, intent, tick);
    },
  };
}

/** An update or upsert of the whole entity. */
export function readReplace(request: TableRequest): Intent {
  const { key, body, ifMatch } = readChange(request);
  return { verb: 'replace', key, text: body.text, ifMatch };
}

/** An update or upsert of the properties that are sent. */
export function readMerge(request: TableRequest): Intent {
  const { key, body, ifMatch } = readChange(request);
  return { verb: 'merge', key, properties: body.properties, ifMatch };
}

/** The key comes from the address, which is authoritative, the properties from the body. */
function readChange(request: TableRequest): {
  key: Key;
  body: EntityBody;
  ifMatch: IfMatch | undefined;
} {
  requireJsonBody(request);
  const ifMatch = readCondition(request);
  const body = parseEntity(request.body);
  const key = readAddressedKey(request);
  checkEntity(key, body.properties);
  return { key, body, ifMatch };
}

/** The key in the address of a write. Throws OutOfRangeInput, without naming it, or for its length. */
export function readAddressedKey(request: TableRequest): Key {
  const { partitionKey, rowKey } = entityOf(request);
  const key = { partitionKey, rowKey };
  if (!hasLegalCharacters(key)) throw new ServiceError('OutOfRangeInput');
  checkKeyLength(key);
  return key;
}

/**
 * The condition of a write (REST: Specifying Conditional Headers), undefined without If-Match. Throws
 * InvalidInput for If-None-Match, which these operations do not know.
 */
export function readCondition(request: TableRequest): IfMatch | undefined {
  const ifMatch = request.header('if-match');
  if (request.header('if-none-match') !== undefined) {
    throw new ServiceError(
      'InvalidInput',
      ifMatch === undefined
        ? `If-None-Match HTTP header cannot be specified for ${request.method} operations.`
        : 'Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please specify either one of the headers or none of them.',
    );
  }
  return ifMatch === undefined ? undefined : parseIfMatch(ifMatch);
}

/** The answer of updates and upserts. */
export function answerWithEtag(_request: TableRequest, _intent: Intent, tick: Ticks): Answer {
  return { status: 204, headers: { ETag: formatEtag(tick) } };
}
