import { ServiceError } from '../errors.ts';
import { jsonContentType } from '../http/media-type.ts';
import type { QueryCost } from '../query-cost.ts';
import { formatElement } from './element.ts';
import { projectRow } from './entity/project.ts';
import { readEtag } from './entity/row.ts';
import { entityOf, type Operation, requireJson } from './request.ts';
import { parseSelect, selectSuffix } from './select.ts';
import { isReached } from './signed-range.ts';
import { entityUrls } from './urls.ts';

/** One entity by its keys (REST: Query Entities, a point query). */
export const getEntity: Operation = {
  name: 'GetEntity',
  needs: { permissions: ['r'], resource: 'object' },
  async run(request, store) {
    const level = requireJson(request);
    const { table, partitionKey, rowKey } = entityOf(request);
    const selectText = request.query.get('$select');
    const select = parseSelect(selectText);
    // What lies outside a signed range is not there (observed).
    if (!isReached(request.grant, { partitionKey, rowKey })) throw new ServiceError('ResourceNotFound');
    const urls = entityUrls(request.base, request.account, table);
    const answer = await store.read({ account: request.account, table }, { partitionKey, rowKey }, row => ({
      status: 200,
      headers: { ETag: readEtag(row), 'Content-Type': jsonContentType(level) },
      body: formatElement(projectRow(row, { level, select }, urls), level, request, selectSuffix(selectText)),
      cost,
    }));
    if (answer === undefined) throw new ServiceError('ResourceNotFound');
    return answer;
  },
};

const cost: QueryCost = {
  class: 'point',
  examined: 1,
  returned: 1,
  end: 'range end',
  searchedTable: undefined,
};
