import { ServiceError } from '../errors.ts';
import { type Operation, requireJson, tableOf } from './request.ts';
import { formatTable, jsonHeaders } from './table-body.ts';

/** One table by its name (REST: Query Tables, addressed by key). */
export const getTable: Operation = {
  name: 'GetTable',
  needs: { permissions: ['l'], resource: 'container' },
  async run(request, store) {
    const level = requireJson(request);
    const name = await store.readTable(request.account, tableOf(request));
    if (name === undefined) throw new ServiceError('ResourceNotFound');
    return { status: 200, headers: jsonHeaders(level), body: formatTable(request, level, name) };
  },
};
