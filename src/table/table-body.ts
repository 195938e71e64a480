import { jsonContentType, type MetadataLevel } from '../http/media-type.ts';
import type { TableRequest } from './request.ts';
import { metadataUrl } from './urls.ts';

/** The members that show one table at a metadata level (REST: Query Tables). */
export function tableMembers(request: TableRequest, level: MetadataLevel, name: string): object {
  if (level !== 'full') return { TableName: name };
  const path = `Tables('${name}')`;
  return {
    'odata.type': `${request.account}.Tables`,
    'odata.id': `${request.base}/${path}`,
    'odata.editLink': path,
    TableName: name,
  };
}

/** One table as a body of its own. */
export function formatTable(request: TableRequest, level: MetadataLevel, name: string): string {
  const metadata = { 'odata.metadata': metadataUrl(request.base, 'Tables', true, undefined) };
  return JSON.stringify({ ...(level === 'none' ? {} : metadata), ...tableMembers(request, level, name) });
}

export function tableUrl(request: TableRequest, name: string): string {
  return `${request.base}/Tables('${name}')`;
}

export function jsonHeaders(level: MetadataLevel): Record<string, string> {
  return { 'Content-Type': jsonContentType(level) };
}
