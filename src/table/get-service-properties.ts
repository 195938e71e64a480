import { defaultServiceProperties } from '../account/service-properties.ts';
import { formatServiceProperties } from '../account/service-properties-xml.ts';
import { type Operation, serviceName } from './request.ts';

/** Logging, metrics and CORS, as they were set (REST: Get Table Service Properties). */
export const getServiceProperties: Operation = {
  name: 'GetServiceProperties',
  needs: { permissions: ['r'], resource: 'service' },
  async run({ account, version }, store) {
    const properties = await store.readServiceProperties(account, serviceName);
    return {
      status: 200,
      headers: { 'Content-Type': 'application/xml' },
      body: formatServiceProperties(properties ?? defaultServiceProperties, version),
    };
  },
};
