import { ServiceError } from '../errors.ts';
import { type EntityWrite, readAddressedKey, readCondition } from './write-entity.ts';

/** Deletes an entity, if it is there and its ETag matches; If-Match is mandatory (REST: Delete Entity). */
export const deleteEntity: EntityWrite = {
  name: 'DeleteEntity',
  needs: { permissions: ['d'], resource: 'object' },
  read(request) {
    const ifMatch = readCondition(request);
    if (ifMatch === undefined) throw new ServiceError('MissingRequiredHeader');
    return { verb: 'delete', key: readAddressedKey(request), ifMatch };
  },
  answer: () => ({ status: 204, headers: {} }),
};
