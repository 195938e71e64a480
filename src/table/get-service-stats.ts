import { ServiceError } from '../errors.ts';
import { formatText, xmlOpening } from '../http/xml.ts';
import type { Operation } from './request.ts';

/**
 * How far the secondary has come (REST: Get Table Service Stats): it is the primary's own store, hence always
 * live and in step. Throws InvalidQueryParameterValue on the primary address.
 */
export const getServiceStats: Operation = {
  name: 'GetServiceStats',
  needs: { permissions: ['r'], resource: 'service' },
  async run({ isSecondary, nowMs }) {
    if (!isSecondary) throw new ServiceError('InvalidQueryParameterValue');
    const replication = `${formatText('Status', 'live')}${formatText('LastSyncTime', new Date(nowMs).toUTCString())}`;
    return {
      status: 200,
      headers: { 'Content-Type': 'application/xml' },
      body: `${xmlOpening}<StorageServiceStats><GeoReplication>${replication}</GeoReplication></StorageServiceStats>`,
    };
  },
};
