import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authorize, contributorPermissions, type Grant, readerPermissions } from '../../src/auth/grant.ts';
import { createTable } from '../../src/table/create-table.ts';
import { deleteEntity } from '../../src/table/delete-entity.ts';
import { deleteTable } from '../../src/table/delete-table.ts';
import { getEntity } from '../../src/table/get-entity.ts';
import { getServiceProperties } from '../../src/table/get-service-properties.ts';
import { getServiceStats } from '../../src/table/get-service-stats.ts';
import { getTable } from '../../src/table/get-table.ts';
import { getTableAcl } from '../../src/table/get-table-acl.ts';
import { insertEntity } from '../../src/table/insert-entity.ts';
import { insertOrMergeEntity } from '../../src/table/insert-or-merge-entity.ts';
import { insertOrReplaceEntity } from '../../src/table/insert-or-replace-entity.ts';
import { mergeEntity } from '../../src/table/merge-entity.ts';
import { queryEntities } from '../../src/table/query-entities.ts';
import { queryTables } from '../../src/table/query-tables.ts';
import { setServiceProperties } from '../../src/table/set-service-properties.ts';
import { setTableAcl } from '../../src/table/set-table-acl.ts';
import { updateEntity } from '../../src/table/update-entity.ts';

/** Every subset of letters that suffices, and the resource type, of the reference's table. */
const operations = [
  [getServiceProperties, 's', ['r']],
  [getServiceStats, 's', ['r']],
  [setServiceProperties, 's', ['w']],
  [queryTables, 'c', ['l']],
  [getTable, 'c', ['l']],
  [createTable, 'c', ['c', 'w']],
  [deleteTable, 'c', ['d']],
  [queryEntities, 'o', ['r']],
  [getEntity, 'o', ['r']],
  [insertEntity, 'o', ['a']],
  [insertOrReplaceEntity, 'o', ['au']],
  [insertOrMergeEntity, 'o', ['au']],
  [updateEntity, 'o', ['u']],
  [mergeEntity, 'o', ['u']],
  [deleteEntity, 'o', ['d']],
] as const;

const letters = 'rwdlacup';

function subsets(text: string): string[] {
  let found = [''];
  for (const letter of text) found = found.flatMap(subset => [subset, subset + letter]);
  return found;
}

function outcome(grant: Grant, { needs }: (typeof operations)[number][0], table?: string): string {
  try {
    authorize(grant, needs, table);
    return 'granted';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('a grant', () => {
  for (const [operation, resourceType, sufficient] of operations) {
    it(`of an account SAS opens ${operation.name} with exactly the permissions and the type that it needs`, () => {
      for (const permissions of subsets(letters)) {
        const isEnough = sufficient.some(some => [...some].every(letter => permissions.includes(letter)));
        const grant: Grant = { by: 'account SAS', permissions, resourceTypes: resourceType };
        assert.equal(
          outcome(grant, operation),
          isEnough ? 'granted' : 'AuthorizationPermissionMismatch',
          permissions,
        );
      }
      const others = [...'sco'].filter(type => type !== resourceType).join('');
      assert.equal(
        outcome({ by: 'account SAS', permissions: letters, resourceTypes: others }, operation),
        'AuthorizationResourceTypeMismatch',
      );
    });

    it(`of a service SAS ${resourceType === 'o' ? 'opens' : 'never opens'} ${operation.name}`, () => {
      for (const permissions of subsets('raud')) {
        const isEnough =
          resourceType === 'o' &&
          sufficient.some(some => [...some].every(letter => permissions.includes(letter)));
        const grant: Grant = { ...wholeTable, permissions };
        assert.equal(
          outcome(grant, operation, 'PEOPLE'),
          isEnough
            ? 'granted'
            : resourceType === 'o'
              ? 'AuthorizationPermissionMismatch'
              : 'AuthorizationFailure',
          permissions,
        );
        assert.equal(outcome(grant, operation, 'people2'), 'AuthorizationFailure');
      }
    });

    it(`of a bearer token opens ${operation.name} to the roles that may`, () => {
      const reader: Grant = { by: 'bearer token', permissions: readerPermissions };
      const isRead = sufficient.some(some => /^[rl]$/.test(some));
      assert.equal(outcome(reader, operation), isRead ? 'granted' : 'AuthorizationPermissionMismatch');
      const contributor: Grant = { by: 'bearer token', permissions: contributorPermissions };
      assert.equal(outcome(contributor, operation), 'granted');
      const nobody: Grant = { by: 'bearer token', permissions: '' };
      assert.equal(outcome(nobody, operation), 'AuthorizationPermissionMismatch');
    });
  }

  it('of an account key alone opens access policies', () => {
    for (const operation of [getTableAcl, setTableAcl]) {
      authorize({ by: 'account key' }, operation.needs, 'people');
      const refusals = [
        [{ by: 'account SAS', permissions: letters, resourceTypes: 'sco' }, 'AuthorizationFailure'],
        [{ ...wholeTable, permissions: 'raud' }, 'AuthorizationFailure'],
        [{ by: 'bearer token', permissions: contributorPermissions }, 'ResourceNotFound'],
      ] as const;
      for (const [grant, code] of refusals) {
        assert.throws(() => authorize(grant, operation.needs, 'people'), { code });
      }
    }
  });
});

const wholeTable = {
  by: 'service SAS',
  table: 'People',
  startPartitionKey: undefined,
  startRowKey: undefined,
  endPartitionKey: undefined,
  endRowKey: undefined,
} as const;
