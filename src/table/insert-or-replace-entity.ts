import { answerWithEtag, type EntityWrite, readAddressedEntity, readCondition } from './write-entity.ts';

/** Replaces an entity whole, or inserts it (REST: Insert Or Replace Entity). */
export const insertOrReplaceEntity: EntityWrite = {
  name: 'InsertOrReplaceEntity',
  needs: { permissions: ['au'], resource: 'object' },
  read(request) {
    const ifMatch = readCondition(request);
    return { verb: 'replace', ...readAddressedEntity(request), ifMatch };
  },
  answer: answerWithEtag,
};
