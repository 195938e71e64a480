import { answerWithEtag, type EntityWrite, readAddressedEntity, readCondition } from './write-entity.ts';

/** Changes the properties that are sent, or inserts the entity (REST: Insert Or Merge Entity). */
export const insertOrMergeEntity: EntityWrite = {
  name: 'InsertOrMergeEntity',
  needs: { permissions: ['au'], resource: 'object' },
  read(request) {
    const ifMatch = readCondition(request);
    return { verb: 'merge', ...readAddressedEntity(request), ifMatch };
  },
  answer: answerWithEtag,
};
