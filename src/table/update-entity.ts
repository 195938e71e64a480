import { answerWithEtag, type EntityWrite, readChange } from './write-entity.ts';

/** Replaces an entity whole, if it is there and its ETag matches (REST: Update Entity). */
export const updateEntity: EntityWrite = {
  name: 'UpdateEntity',
  needs: { permissions: ['u'], resource: 'object' },
  read: request => ({ verb: 'replace', ...readChange(request) }),
  answer: answerWithEtag,
};
