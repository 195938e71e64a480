import { ServiceError } from '../errors.ts';
import type { Key } from '../store/key.ts';
import { checkEntity, checkKey } from '../table/entity/check-entity.ts';
import { type EdmType, isEdmType, type Property } from '../table/entity/edm.ts';
import type { JsonValue } from '../table/entity/json-members.ts';
import { inferType, readValue } from '../table/entity/property-value.ts';
import { parseTicks, type Ticks } from '../ticks.ts';
import { isObject, LeftOutError } from './stored-value.ts';

/** An entity out of the emulator's file, of which everything is checked that an insert would check. */
export interface StoredEntity {
  readonly key: Key;
  readonly properties: readonly Property[];
  /** When the emulator wrote it; undefined where it does not say. */
  readonly tick: Ticks | undefined;
}

const typeSuffix = '@odata.type';
const systemProperties = new Set(['PartitionKey', 'RowKey', 'Timestamp']);

/**
 * Reads a document of a table's collection:
 *
 *     {"PartitionKey":"p","RowKey":"r","properties":{"PartitionKey":"p","RowKey":"r","age":34,
 *      "id":"MGY4…","id@odata.type":"Edm.Guid"},"lastModifiedTime":"…","eTag":"…","meta":{…},"$loki":1}
 *
 * Throws LeftOutError.
 */
export function readStoredEntity(document: unknown): StoredEntity {
  const { PartitionKey, RowKey, properties, lastModifiedTime } = (document ?? {}) as Record<string, unknown>;
  if (typeof PartitionKey !== 'string' || typeof RowKey !== 'string' || !isObject(properties)) {
    throw new LeftOutError('it has no keys or no properties');
  }
  const key = { partitionKey: PartitionKey, rowKey: RowKey };
  const read: Property[] = [];
  for (const [name, value] of Object.entries(properties)) {
    // Annotations are read with their property; a null is the absence of one.
    if (name.startsWith('odata.') || name.includes('@odata.') || systemProperties.has(name)) continue;
    if (value === null) continue;
    read.push(readProperty(name, value, properties[`${name}${typeSuffix}`]));
  }
  check(key, read);
  return {
    key,
    properties: read,
    tick: typeof lastModifiedTime === 'string' ? parseTicks(lastModifiedTime) : undefined,
  };
}

/** Where the key stands in a message for the operator. */
export function describeKey({ partitionKey, rowKey }: Key): string {
  return `PartitionKey ${JSON.stringify(partitionKey)}, RowKey ${JSON.stringify(rowKey)}`;
}

function readProperty(name: string, value: unknown, annotation: unknown): Property {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new LeftOutError(`property '${name}' is an object or an array`);
  }
  const member: JsonValue = {
    kind: typeof value as JsonValue['kind'],
    value: String(value),
    json: JSON.stringify(value),
  };
  if (annotation !== undefined && !(typeof annotation === 'string' && isEdmType(annotation))) {
    throw new LeftOutError(`property '${name}' has a type that is none: ${JSON.stringify(annotation)}`);
  }
  const type = annotation ?? inferType(member);
  const json = readTypedValue(type, member);
  if (json !== undefined) return { name, type, json };
  throw new LeftOutError(`property '${name}' is no ${type}: ${shorten(member.json)}`);
}

function readTypedValue(type: EdmType, member: JsonValue): string | undefined {
  const json = readValue(type, member);
  if (json !== undefined || type !== 'Edm.Guid') return json;
  // Newer versions of the emulator keep the Base64 of a Guid's text, older ones the text.
  const text = Buffer.from(member.value, 'base64').toString();
  return readValue(type, { ...member, value: text, json: JSON.stringify(text) });
}

function check(key: Key, properties: readonly Property[]): void {
  try {
    checkKey(key);
    checkEntity(key, properties);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const culprit = properties.find(property => isRefused(key, property));
    const place = culprit === undefined ? '' : `property '${shorten(culprit.name)}': `;
    throw new LeftOutError(`${place}${error.code}: ${error.message}`);
  }
}

function isRefused(key: Key, property: Property): boolean {
  try {
    checkEntity(key, [property]);
    return false;
  } catch {
    return true;
  }
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
