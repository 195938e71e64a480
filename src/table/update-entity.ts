import { answerWithEtag, type EntityWrite, readAddressedEntity, readCondition } from './write-entity.ts';

/** Replaces an entity whole, if it is there and its ETag matches (REST: Update Entity). */
export const updateEntity: EntityWrite = {
  name: 'UpdateEntity',
  needs: { permissions: ['u'], resource: 'object' },
  read(request) {
    const ifMatch = readCondition(request);
    return { verb: 'replace', ...readAddressedEntity(request), ifMatch };
  },
  answer: answerWithEtag,
};
