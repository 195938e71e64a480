import { ServiceError } from '../errors.ts';
import { createTable } from './create-table.ts';
import { deleteTable } from './delete-table.ts';
import { entityGroupTransaction } from './entity-group-transaction.ts';
import { entityWrites, findRoute, type Route } from './entity-writes.ts';
import { getEntity } from './get-entity.ts';
import { getServiceProperties } from './get-service-properties.ts';
import { getServiceStats } from './get-service-stats.ts';
import { getTable } from './get-table.ts';
import { getTableAcl } from './get-table-acl.ts';
import { queryEntities } from './query-entities.ts';
import { queryTables } from './query-tables.ts';
import type { Operation } from './request.ts';
import type { Resource } from './resource.ts';
import { setServiceProperties } from './set-service-properties.ts';
import { setTableAcl } from './set-table-acl.ts';
import { single } from './write-entity.ts';

/** Every operation of the Table service but the preflight, which any address answers. */
const operations: readonly Route<Operation>[] = [
  { method: 'GET', resource: 'service properties', target: getServiceProperties },
  { method: 'PUT', resource: 'service properties', target: setServiceProperties },
  { method: 'GET', resource: 'service stats', target: getServiceStats },
  { method: 'GET', resource: 'tables', target: queryTables },
  { method: 'POST', resource: 'tables', target: createTable },
  { method: 'GET', resource: 'table', target: getTable },
  { method: 'DELETE', resource: 'table', target: deleteTable },
  { method: 'GET', resource: 'access policies', target: getTableAcl },
  { method: 'HEAD', resource: 'access policies', target: getTableAcl },
  { method: 'PUT', resource: 'access policies', target: setTableAcl },
  { method: 'GET', resource: 'entities', target: queryEntities },
  { method: 'GET', resource: 'entity', target: getEntity },
  { method: 'POST', resource: 'batch', target: entityGroupTransaction },
  ...entityWrites.map(route => ({ ...route, target: single(route.target) })),
];

/** Throws NotImplemented for what has no such resource here, MethodNotAllowed for a verb that it lacks. */
export function routeOperation(method: string, resource: Resource, isConditional: boolean): Operation {
  const operation = findRoute(operations, method, resource, isConditional);
  if (operation !== undefined) return operation;
  const isKnown = operations.some(route => route.resource === resource.kind);
  throw new ServiceError(isKnown ? 'MethodNotAllowed' : 'NotImplemented');
}
