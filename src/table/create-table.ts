import { ServiceError } from '../errors.ts';
import { parseBody } from './entity/parse-entity.ts';
import { type Operation, preferenceHeaders, preferenceOf, requireJson, requireJsonBody } from './request.ts';
import { formatTable, jsonHeaders, tableUrl } from './table-body.ts';
import { checkTableName } from './table-name.ts';

/** Makes a table, whose name keeps its case and is compared without it (REST: Create Table). */
export const createTable: Operation = {
  name: 'CreateTable',
  needs: { permissions: ['c', 'w'], resource: 'container' },
  async run(request, store) {
    requireJsonBody(request);
    const preference = preferenceOf(request.header('prefer'));
    const wantsContent = preference !== 'return-no-content';
    const level = wantsContent ? requireJson(request) : 'none';
    const name = readTableName(request.body);
    checkTableName(name);
    if (!(await store.createTable(request.account, name))) throw new ServiceError('TableAlreadyExists');
    const location = tableUrl(request, name);
    const headers = { ...preferenceHeaders(preference), Location: location };
    if (!wantsContent) return { status: 204, headers: { ...headers, DataServiceId: location } };
    return {
      status: 201,
      headers: { ...headers, ...jsonHeaders(level) },
      body: formatTable(request, level, name),
    };
  },
};

/** Other members are ignored. */
function readTableName(body: Buffer): string {
  const member = parseBody(body).find(({ name }) => name === 'TableName');
  if (member === undefined || member.kind === 'null') throw new ServiceError('PropertiesNeedValue');
  if (member.kind !== 'string') throw new ServiceError('InvalidInput');
  return member.value;
}
