import { ServiceError } from '../errors.ts';

/** What an operation needs of the caller, as the account SAS names it (REST: Create an account SAS). */
export interface Needs {
  /** Any of these suffices; of one that is several letters, all are needed. None: a key of the account only. */
  readonly permissions: readonly string[];
  readonly resource: 'service' | 'container' | 'object';
}

/** What a verified credential allows. */
export type Grant =
  /** Everything in the account. */
  | { readonly by: 'account key' }
  | { readonly by: 'bearer token'; readonly permissions: string }
  /** Resource types by their first letters. */
  | { readonly by: 'account SAS'; readonly permissions: string; readonly resourceTypes: string }
  | TableGrant;

/** One table, or a range of its keys, both ends included; a bound that is absent does not bound. */
export interface TableGrant {
  readonly by: 'service SAS';
  readonly permissions: string;
  /** As the token spells it. */
  readonly table: string;
  readonly startPartitionKey: string | undefined;
  readonly startRowKey: string | undefined;
  readonly endPartitionKey: string | undefined;
  readonly endRowKey: string | undefined;
}

/** All that a bearer token can be granted: a reader's permissions, and a contributor's. */
export const readerPermissions = 'rl';
export const contributorPermissions = 'raudlcw';

/**
 * Throws AuthorizationFailure, AuthorizationPermissionMismatch or AuthorizationResourceTypeMismatch where the
 * grant does not reach (REST: Create a service SAS, Create an account SAS); of a bearer token, ResourceNotFound
 * for what only a key of the account opens (recorded).
 */
export function authorize(grant: Grant, needs: Needs, table: string | undefined): void {
  if (grant.by === 'account key') return;
  const isEnough = needs.permissions.some(letters =>
    [...letters].every(letter => grant.permissions.includes(letter)),
  );
  switch (grant.by) {
    case 'bearer token':
      if (needs.permissions.length === 0) throw new ServiceError('ResourceNotFound');
      if (!isEnough) throw new ServiceError('AuthorizationPermissionMismatch');
      return;
    case 'account SAS':
      if (needs.permissions.length === 0) throw new ServiceError('AuthorizationFailure');
      if (!grant.resourceTypes.includes(needs.resource.charAt(0))) {
        throw new ServiceError('AuthorizationResourceTypeMismatch');
      }
      if (!isEnough) throw new ServiceError('AuthorizationPermissionMismatch');
      return;
    case 'service SAS': {
      const isTable = table === undefined || table.toLowerCase() === grant.table.toLowerCase();
      if (needs.resource !== 'object' || !isTable) throw new ServiceError('AuthorizationFailure');
      if (!isEnough) throw new ServiceError('AuthorizationPermissionMismatch');
    }
  }
}
