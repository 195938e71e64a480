import { answerWithEtag, type EntityWrite, readReplace } from './write-entity.ts';

/** Replaces an entity whole, if it is there and its ETag matches (REST: Update Entity). */
export const updateEntity: EntityWrite = {
  name: 'UpdateEntity',
  needs: { permissions: ['u'], resource: 'object' },
  read: readReplace,
  answer: answerWithEtag,
};
