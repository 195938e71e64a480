import { answerWithEtag, type EntityWrite, readReplace } from './write-entity.ts';

/** Replaces an entity whole, or inserts it (REST: Insert Or Replace Entity). */
export const insertOrReplaceEntity: EntityWrite = {
  name: 'InsertOrReplaceEntity',
  needs: { permissions: ['au'], resource: 'object' },
  read: readReplace,
  answer: answerWithEtag,
};
