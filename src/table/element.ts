import type { MetadataLevel } from '../http/media-type.ts';
import { type TableRequest, tableOf } from './request.ts';
import { metadataUrl } from './urls.ts';

/** One entity as a body of its own: with `odata.metadata` before its members, unless there is no metadata. */
export function formatElement(
  entity: Buffer,
  level: MetadataLevel,
  request: TableRequest,
  select: string | undefined,
): Buffer {
  if (level === 'none') return entity;
  const url = metadataUrl(request.base, tableOf(request), true, select);
  const isEmpty = entity.length === 2;
  const opening = `{"odata.metadata":${JSON.stringify(url)}${isEmpty ? '' : ','}`;
  const openingBytes = Buffer.byteLength(opening);
  const body = Buffer.allocUnsafe(openingBytes + entity.length - 1);
  body.write(opening);
  entity.copy(body, openingBytes, 1);
  return body;
}
