import { ServiceError } from '../errors.ts';
import { type Operation, tableOf } from './request.ts';
import { checkTableName } from './table-name.ts';

/** Drops a table of any size at once; its name is free at once, too (REST: Delete Table). */
export const deleteTable: Operation = {
  name: 'DeleteTable',
  needs: { permissions: ['d'], resource: 'container' },
  async run(request, store) {
    const name = tableOf(request);
    checkTableName(name);
    if (!(await store.deleteTable(request.account, name))) throw new ServiceError('ResourceNotFound');
    return { status: 204, headers: {} };
  },
};
