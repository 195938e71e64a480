import { formatAccessPolicies } from '../account/access-policies-xml.ts';
import { type Operation, tableOf } from './request.ts';

/** The stored access policies of a table (REST: Get Table ACL). A key of the account is needed. */
export const getTableAcl: Operation = {
  name: 'GetTableAcl',
  needs: { permissions: [], resource: 'container' },
  async run(request, store) {
    const policies = await store.readAccessPolicies({ account: request.account, table: tableOf(request) });
    return {
      status: 200,
      headers: { 'Content-Type': 'application/xml' },
      body: formatAccessPolicies(policies),
    };
  },
};
