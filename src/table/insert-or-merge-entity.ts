import { answerWithEtag, type EntityWrite, readMerge } from './write-entity.ts';

/** Changes the properties that are sent, or inserts the entity (REST: Insert Or Merge Entity). */
export const insertOrMergeEntity: EntityWrite = {
  name: 'InsertOrMergeEntity',
  needs: { permissions: ['au'], resource: 'object' },
  read: readMerge,
  answer: answerWithEtag,
};
