import { isUtf8 } from 'node:buffer';
import { ServiceError, unreadableBodyMessage } from '../../errors.ts';
import { type EdmType, isEdmType, type Property } from './edm.ts';
import { type JsonMember, parseMembers } from './json-members.ts';
import { inferType, readValue } from './property-value.ts';

/** An entity as a client sent it. Keys may be missing: the address has them in all writes but insert. */
export interface EntityBody {
  readonly partitionKey: string | undefined;
  readonly rowKey: string | undefined;
  readonly properties: readonly Property[];
}

const typeSuffix = '@odata.type';

/**
 * Reads an entity's JSON at any metadata level (REST: Inserting and Updating Entities; Payload Format).
 * Nulls are dropped, `odata.` annotations and Timestamp ignored. Throws InvalidInput for what is not JSON or
 * does not parse under its type, DuplicatePropertiesSpecified for a name given twice. An empty body is an
 * entity without properties: one client family sends it for a merge.
 */
export function parseEntity(body: Buffer): EntityBody {
  if (body.length === 0) return { partitionKey: undefined, rowKey: undefined, properties: [] };
  const members = readMembers(body);
  const types = readAnnotations(members);
  const properties: Property[] = [];
  const keys: { PartitionKey?: string; RowKey?: string } = {};
  for (const member of members) {
    if (isAnnotation(member.name) || member.name === 'Timestamp') continue;
    const type = types.get(member.name);
    if (member.name === 'PartitionKey' || member.name === 'RowKey') {
      keys[member.name] = readKey(member, type);
    } else if (member.kind !== 'null') {
      properties.push(readProperty(member, type));
    }
  }
  return { partitionKey: keys.PartitionKey, rowKey: keys.RowKey, properties };
}

/**
 * The members of a body's JSON. Throws InvalidInput for what is not an object of plain members in UTF-8,
 * DuplicatePropertiesSpecified for a name given twice.
 */
export function readMembers(body: Buffer): JsonMember[] {
  const members = isUtf8(body) ? parseMembers(withoutByteOrderMark(body.toString('utf8'))) : undefined;
  if (members === undefined) throw new ServiceError('InvalidInput', unreadableBodyMessage);
  if (new Set(members.map(({ name }) => name)).size !== members.length) {
    throw new ServiceError('DuplicatePropertiesSpecified');
  }
  return members;
}

function readAnnotations(members: readonly JsonMember[]): Map<string, EdmType> {
  const types = new Map<string, EdmType>();
  for (const { name, kind, value } of members) {
    if (!name.endsWith(typeSuffix)) continue;
    if (kind !== 'string' || !isEdmType(value)) throw new ServiceError('InvalidInput', unreadableBodyMessage);
    types.set(name.slice(0, -typeSuffix.length), value);
  }
  return types;
}

function isAnnotation(name: string): boolean {
  return name.startsWith('odata.') || name.includes('@odata.');
}

function readKey(member: JsonMember, type: EdmType | undefined): string {
  if (member.kind === 'null') throw new ServiceError('PropertiesNeedValue');
  if (member.kind !== 'string' || (type ?? 'Edm.String') !== 'Edm.String') {
    throw new ServiceError('InvalidInput');
  }
  return member.value;
}

function readProperty(member: JsonMember, annotated: EdmType | undefined): Property {
  const type = annotated ?? inferType(member);
  const json = readValue(type, member);
  if (json === undefined) throw new ServiceError('InvalidInput', unreadableBodyMessage);
  return { name: member.name, type, json };
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
