import { parseServiceProperties } from '../account/service-properties-xml.ts';
import { type Operation, serviceName } from './request.ts';

/** Changes what the body mentions and leaves the rest (REST: Set Table Service Properties). */
export const setServiceProperties: Operation = {
  name: 'SetServiceProperties',
  needs: { permissions: ['w'], resource: 'service' },
  async run({ account, version, body }, store) {
    const changes = parseServiceProperties(body, version);
    await store.updateServiceProperties(account, serviceName, changes);
    return { status: 202, headers: {} };
  },
};
