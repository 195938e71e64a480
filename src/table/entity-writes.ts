import { deleteEntity } from './delete-entity.ts';
import { insertEntity } from './insert-entity.ts';
import { insertOrMergeEntity } from './insert-or-merge-entity.ts';
import { insertOrReplaceEntity } from './insert-or-replace-entity.ts';
import { mergeEntity } from './merge-entity.ts';
import type { Resource } from './resource.ts';
import { updateEntity } from './update-entity.ts';
import type { EntityWrite } from './write-entity.ts';

export interface Route<Target> {
  readonly method: string;
  readonly resource: Resource['kind'];
  /** Whether If-Match must be there, or must not; either, where this is absent. */
  readonly isConditional?: boolean;
  readonly target: Target;
}

/** The writes of one entity: alone, or as operations of a transaction. */
export const entityWrites: readonly Route<EntityWrite>[] = [
  { method: 'POST', resource: 'entities', target: insertEntity },
  { method: 'PUT', resource: 'entity', isConditional: true, target: updateEntity },
  { method: 'PUT', resource: 'entity', isConditional: false, target: insertOrReplaceEntity },
  { method: 'PATCH', resource: 'entity', isConditional: true, target: mergeEntity },
  { method: 'PATCH', resource: 'entity', isConditional: false, target: insertOrMergeEntity },
  { method: 'MERGE', resource: 'entity', isConditional: true, target: mergeEntity },
  { method: 'MERGE', resource: 'entity', isConditional: false, target: insertOrMergeEntity },
  { method: 'DELETE', resource: 'entity', target: deleteEntity },
];

/** Undefined where no route leads. */
export function findRoute<Target>(
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
