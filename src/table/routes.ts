import { ServiceError } from '../errors.ts';
import { createTable } from './create-table.ts';
import { deleteEntity } from './delete-entity.ts';
import { deleteTable } from './delete-table.ts';
import { getEntity } from './get-entity.ts';
import { getTable } from './get-table.ts';
import { insertEntity } from './insert-entity.ts';
import { insertOrMergeEntity } from './insert-or-merge-entity.ts';
import { insertOrReplaceEntity } from './insert-or-replace-entity.ts';
import { mergeEntity } from './merge-entity.ts';
import { queryEntities } from './query-entities.ts';
import { queryTables } from './query-tables.ts';
import type { Operation } from './request.ts';
import type { Resource } from './resource.ts';
import { updateEntity } from './update-entity.ts';
import { type EntityWrite, single } from './write-entity.ts';

interface Route<Target> {
  readonly method: string;
  readonly resource: Resource['kind'];
  /** Whether If-Match must be there, or must not; either, where this is absent. */
  readonly isConditional?: boolean;
  readonly target: Target;
}

/** The writes of one entity: alone, or as operations of a transaction. */
const entityWrites: readonly Route<EntityWrite>[] = [
  { method: 'POST', resource: 'entities', target: insertEntity },
  { method: 'PUT', resource: 'entity', isConditional: true, target: updateEntity },
  { method: 'PUT', resource: 'entity', isConditional: false, target: insertOrReplaceEntity },
  { method: 'PATCH', resource: 'entity', isConditional: true, target: mergeEntity },
  { method: 'PATCH', resource: 'entity', isConditional: false, target: insertOrMergeEntity },
  { method: 'MERGE', resource: 'entity', isConditional: true, target: mergeEntity },
  { method: 'MERGE', resource: 'entity', isConditional: false, target: insertOrMergeEntity },
  { method: 'DELETE', resource: 'entity', target: deleteEntity },
];

/** Every operation of the Table service but the transaction, which is made of these. */
const operations: readonly Route<Operation>[] = [
  { method: 'GET', resource: 'tables', target: queryTables },
  { method: 'POST', resource: 'tables', target: createTable },
  { method: 'GET', resource: 'table', target: getTable },
  { method: 'DELETE', resource: 'table', target: deleteTable },
  { method: 'GET', resource: 'entities', target: queryEntities },
  { method: 'GET', resource: 'entity', target: getEntity },
  ...entityWrites.map(route => ({ ...route, target: single(route.target) })),
];

/** Throws NotImplemented for what has no such resource here, MethodNotAllowed for a verb that it lacks. */
export function routeOperation(method: string, resource: Resource, isConditional: boolean): Operation {
  const operation = find(operations, method, resource, isConditional);
  if (operation !== undefined) return operation;
  const isKnown = operations.some(route => route.resource === resource.kind);
  throw new ServiceError(isKnown ? 'MethodNotAllowed' : 'NotImplemented');
}

/** Undefined for what is not a write of one entity. */
export function routeEntityWrite(
  method: string,
  resource: Resource,
  isConditional: boolean,
): EntityWrite | undefined {
  return find(entityWrites, method, resource, isConditional);
}

function find<Target>(
  routes: readonly Route<Target>[],
  method: string,
  resource: Resource,
  isConditional: boolean,
): Target | undefined {
  return routes.find(
    route =>
      route.method === method &&
      route.resource === resource.kind &&
      (route.isConditional ?? isConditional) === isConditional,
  )?.target;
}
