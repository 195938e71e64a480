import { parseAccessPolicies } from '../account/access-policies-xml.ts';
import { type Operation, tableOf } from './request.ts';

export const tablePermissions = 'raud';

/**
 * Replaces the stored access policies of a table; what was signed with one that is gone fails from then on
 * (REST: Set Table ACL). A key of the account is needed.
 */
export const setTableAcl: Operation = {
  name: 'SetTableAcl',
  needs: { permissions: [], resource: 'container' },
  async run(request, store) {
    const policies = parseAccessPolicies(request.body, tablePermissions);
    await store.writeAccessPolicies({ account: request.account, table: tableOf(request) }, policies);
    return { status: 204, headers: {} };
  },
};
