import { answerWithEtag, type EntityWrite, readAddressedEntity, readCondition } from './write-entity.ts';

/** Changes the properties that are sent, if the entity is there and its ETag matches (REST: Merge Entity). */
export const mergeEntity: EntityWrite = {
  name: 'MergeEntity',
  needs: { permissions: ['u'], resource: 'object' },
  read(request) {
    const ifMatch = readCondition(request);
    return { verb: 'merge', ...readAddressedEntity(request), ifMatch };
  },
  answer: answerWithEtag,
};
