import { ServiceError } from '../errors.ts';
import * as limits from '../limits.ts';
import { successor } from '../store/key.ts';
import type { Store } from '../store/store.ts';
import { decodeToken, encodeToken } from './continuation.ts';
import { evaluate } from './filter/evaluate.ts';
import type { FilterNode } from './filter/nodes.ts';
import { parseFilter } from './filter/parse-filter.ts';
import { type Operation, requireJson, type TableRequest } from './request.ts';
import { parseTop, refuseLackingOptions } from './select.ts';
import { jsonHeaders, tableMembers } from './table-body.ts';
import { metadataUrl } from './urls.ts';

/** A page of the account's tables, ascending by name ignoring case (REST: Query Tables). */
export const queryTables: Operation = {
  name: 'QueryTables',
  needs: { permissions: ['l'], resource: 'container' },
  async run(request, store) {
    const level = requireJson(request);
    refuseLackingOptions(request.query);
    const top = parseTop(request.query.get('$top'));
    if (top === 0) throw new ServiceError('InvalidInput');
    const filter = readFilter(request);
    const token = request.query.get('NextTableName');
    // One more than the page holds tells whether, and where, the next one begins.
    const names = await readNames(request, store, filter, token ? decodeToken(token) : '', top + 1);
    const next = names[top]?.toLowerCase();
    const value = names.slice(0, top).map(name => tableMembers(request, level, name));
    const metadata = { 'odata.metadata': metadataUrl(request.base, 'Tables', false, undefined) };
    return {
      status: 200,
      headers: {
        ...jsonHeaders(level),
        ...(next === undefined ? {} : { 'x-ms-continuation-NextTableName': encodeToken(next) }),
      },
      body: JSON.stringify({ ...(level === 'none' ? {} : metadata), value }),
    };
  },
};

async function readNames(
  { account }: TableRequest,
  store: Store<never>,
  filter: FilterNode | undefined,
  first: string,
  count: number,
): Promise<string[]> {
  const found: string[] = [];
  let from = first;
  for (;;) {
    const names = await store.listTables(account, from, limits.pageEntitiesMax);
    found.push(...names.filter(name => filter === undefined || matches(filter, name)));
    const last = names.at(-1);
    if (last === undefined || names.length < limits.pageEntitiesMax || found.length >= count) return found;
    from = successor(last.toLowerCase());
  }
}

/** A filter that is wrong in whatever way is NotImplemented here, as on the service (observed). */
function readFilter({ query }: TableRequest): FilterNode | undefined {
  let filter: FilterNode | undefined;
  try {
    filter = parseFilter(query.get('$filter') ?? '');
  } catch (error) {
    throw error instanceof ServiceError ? new ServiceError('NotImplemented') : error;
  }
  return filter && ignoringCase(filter);
}

/** Names compare ignoring case. Throws InvalidInput for a property that tables do not have. */
function ignoringCase(node: FilterNode): FilterNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { ...node, left: ignoringCase(node.left), right: ignoringCase(node.right) };
    case 'not':
      return { ...node, operand: ignoringCase(node.operand) };
    case 'constant':
      return node;
    default:
      if (node.property !== 'TableName') throw new ServiceError('InvalidInput');
      if (node.kind === 'property' || node.literal.type !== 'Edm.String') return node;
      return { ...node, literal: { type: 'Edm.String', value: node.literal.value.toLowerCase() } };
  }
}

function matches(filter: FilterNode, name: string): boolean {
  return evaluate(filter, () => ({ type: 'Edm.String', value: name.toLowerCase() }));
}
