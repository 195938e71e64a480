import { answerWithEtag, type EntityWrite, readMerge } from './write-entity.ts';

/** Changes the properties that are sent, if the entity is there and its ETag matches (REST: Merge Entity). */
export const mergeEntity: EntityWrite = {
  name: 'MergeEntity',
  needs: { permissions: ['u'], resource: 'object' },
  read: readMerge,
  answer: answerWithEtag,
};
