import type { Key } from '../../store/key.ts';
import { formatTicks, parseTicks, type Ticks } from '../../ticks.ts';
import { isAnnotated, isEdmType, type Property } from './edm.ts';
import { RowMembers } from './row-members.ts';

/**
 * The stored form of an entity, the same bytes in every store: its JSON at minimal metadata, canonical, as a
 * page of a query carries it. So it is exact for every type, and a page is close to copying bytes.
 *
 *     {"odata.etag":"W/\"datetime'2026-11-20T08%3A21%3A08.123Z'\"","PartitionKey":"p","RowKey":"r",
 *      "Timestamp":"2026-11-20T08:21:08.123Z","age@odata.type":"Edm.Int64","age":"39","name":"Ann"}
 */
const etagStart = '{"odata.etag":"W/\\"datetime\'';
const etagEnd = '\'\\""';

/** Members before the first custom property: etag, both keys and the timestamp. */
const systemMembers = 4;

export function formatRow(key: Key, tick: Ticks, propertiesText: string): Buffer {
  const { timestamp, escaped } = formatTick(tick);
  return Buffer.from(
    `${etagStart}${escaped}${etagEnd},"PartitionKey":${JSON.stringify(key.partitionKey)},"RowKey":${JSON.stringify(key.rowKey)},"Timestamp":"${timestamp}"${propertiesText}}`,
  );
}

/** The members of the properties, each with a comma before it. */
export function formatProperties(properties: readonly Property[]): string {
  let text = '';
  for (const property of properties) text += formatProperty(property);
  return text;
}

/** The member of a property, and before it that of its type where the value does not show it; with commas. */
export function formatProperty({ name, type, json }: Property): string {
  const member = `,"${name}":${json}`;
  return isAnnotated(type, json) ? `,"${name}@odata.type":"${type}"${member}` : member;
}

/** `W/"datetime'2020-07-24T14%3A34%3A48.4767Z'"` (REST: Common Response Headers; recorded). */
export function formatEtag(tick: Ticks): string {
  return `W/"datetime'${formatTick(tick).escaped}'"`;
}

/** The ETag of a stored row. */
export function readEtag(row: Buffer): string {
  return `W/"datetime'${readEscapedTick(row)}'"`;
}

/** When a stored row was written. */
export function readTick(row: Buffer): Ticks {
  const tick = parseTicks(readEscapedTick(row).replaceAll('%3A', ':'));
  if (tick === undefined) throw new Error('a stored row has no timestamp');
  return tick;
}

const apostrophe = 0x27;

function readEscapedTick(row: Buffer): string {
  return row.toString('latin1', etagStart.length, row.indexOf(apostrophe, etagStart.length));
}

/** The custom properties of a stored row, in its order. */
export function readProperties(row: Buffer): Property[] {
  const properties: Property[] = [];
  const members = new RowMembers(row);
  for (let skipped = 0; skipped < systemMembers; skipped++) members.next();
  let annotation: string | undefined;
  while (members.next()) {
    if (members.isAnnotation) {
      annotation = members.text;
      continue;
    }
    const json = members.json;
    const type = annotation ?? typeOfPlain(json);
    if (!isEdmType(type)) throw new Error(`a stored row names the type ${type}`);
    properties.push({ name: members.name, type, json });
    annotation = undefined;
  }
  return properties;
}

/** The type of a value that needs no annotation, from its JSON. */
export function typeOfPlain(json: string): 'Edm.String' | 'Edm.Boolean' | 'Edm.Double' | 'Edm.Int32' {
  const first = json[0];
  if (first === '"') return 'Edm.String';
  if (first === 't' || first === 'f') return 'Edm.Boolean';
  return /[.E]/.test(json) ? 'Edm.Double' : 'Edm.Int32';
}

let lastTick: Ticks | undefined;
let lastTexts = { timestamp: '', escaped: '' };

/** All entities of a transaction carry one tick, and so do the headers of a write: its texts are kept. */
function formatTick(tick: Ticks): { timestamp: string; escaped: string } {
  if (tick !== lastTick) {
    const timestamp = formatTicks(tick);
    lastTick = tick;
    lastTexts = { timestamp, escaped: timestamp.replaceAll(':', '%3A') };
  }
  return lastTexts;
}
