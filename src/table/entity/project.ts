import type { MetadataLevel } from '../../http/media-type.ts';
import type { EntityUrls } from '../urls.ts';
import { RowMembers } from './row-members.ts';

/** How an answer shows entities: the metadata level, and the names of `$select`, if any. */
export interface Projection {
  readonly level: MetadataLevel;
  readonly select: readonly string[] | undefined;
}

/**
 * A stored row as an answer shows it, without `odata.metadata` (REST: Payload Format for Table Service
 * Operations). A selected property that the entity lacks is null.
 */
export function projectRow(row: Buffer, { level, select }: Projection, urls: EntityUrls): Buffer {
  if (level === 'minimal' && select === undefined) return row;
  return Buffer.from(`{${selectMembers(readMembers(row), level, select, urls).join(',')}}`);
}

interface Member {
  readonly name: string;
  readonly json: string;
  /** The JSON of its type, where the row names it. */
  readonly annotation: string | undefined;
}

function selectMembers(
  [etag, ...members]: readonly Member[],
  level: MetadataLevel,
  select: readonly string[] | undefined,
  urls: EntityUrls,
): string[] {
  const parts: string[] = [];
  if (level === 'full') {
    const [partitionKey, rowKey] = members;
    const url = urls.relative(parse(partitionKey), parse(rowKey));
    parts.push(
      `"odata.type":${JSON.stringify(urls.type)}`,
      `"odata.id":${JSON.stringify(`${urls.base}/${url}`)}`,
      `"odata.etag":${etag?.json}`,
      `"odata.editLink":${JSON.stringify(url)}`,
    );
  } else if (level === 'minimal') {
    parts.push(`"odata.etag":${etag?.json}`);
  }
  const byName = select && new Map(members.map(member => [member.name, member]));
  const shown = select?.map(name => byName?.get(name) ?? { name, json: 'null', annotation: undefined });
  for (const { name, json, annotation } of shown ?? members) {
    const quoted = JSON.stringify(name);
    if (level !== 'none' && annotation !== undefined) {
      parts.push(`${JSON.stringify(`${name}@odata.type`)}:${annotation}`);
    } else if (level === 'full' && name === 'Timestamp') {
      parts.push('"Timestamp@odata.type":"Edm.DateTime"');
    }
    parts.push(`${quoted}:${json}`);
  }
  return parts;
}

function readMembers(row: Buffer): Member[] {
  const members: Member[] = [];
  const cursor = new RowMembers(row);
  let annotation: string | undefined;
  while (cursor.next()) {
    if (cursor.isAnnotation) {
      annotation = cursor.json;
      continue;
    }
    members.push({ name: cursor.name, json: cursor.json, annotation });
    annotation = undefined;
  }
  return members;
}

function parse(member: Member | undefined): string {
  return JSON.parse(member?.json ?? '""') as string;
}
