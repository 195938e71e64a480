import { isUtf8 } from 'node:buffer';
import { ServiceError, unreadableBodyMessage } from '../../errors.ts';
import { type EdmType, isAnnotated, isEdmType, type Property } from './edm.ts';
import { type JsonMember, parseMembers } from './json-members.ts';
import { inferType, readValue } from './property-value.ts';
import { formatProperty } from './row.ts';

/** An entity as a client sent it. Keys may be missing: the address has them in all writes but insert. */
export interface EntityBody {
  readonly partitionKey: string | undefined;
  readonly rowKey: string | undefined;
  readonly properties: readonly Property[];
  /** formatProperties of them. */
  readonly text: string;
}

const typeSuffix = '@odata.type';

/**
 * Reads an entity's JSON at any metadata level (REST: Inserting and Updating Entities; Payload Format).
 * Nulls are dropped, `odata.` annotations and Timestamp ignored. Throws InvalidInput for what is not JSON or
 * does not parse under its type, DuplicatePropertiesSpecified for a name given twice. An empty body is an
 * entity without properties: one client family sends it for a merge.
 */
export function parseEntity(body: Buffer): EntityBody {
  if (body.length === 0) return { partitionKey: undefined, rowKey: undefined, properties: [], text: '' };
  const source = decodeBody(body);
  const members = readMembers(source);
  const annotations = readAnnotations(members);
  const properties: Property[] = [];
  const text = new RowText(source);
  let partitionKey: string | undefined;
  let rowKey: string | undefined;
  for (const member of members) {
    const { name } = member;
    if (isAnnotation(name) || name === 'Timestamp') continue;
    const annotation = annotations.get(name);
    const annotated = annotation?.value as EdmType | undefined;
    if (name === 'PartitionKey') partitionKey = readKey(member, annotated);
    else if (name === 'RowKey') rowKey = readKey(member, annotated);
    else if (member.kind !== 'null') {
      const property = readProperty(member, annotated);
      properties.push(property);
      text.add(property, member, annotation);
    }
  }
  return { partitionKey, rowKey, properties, text: text.end() };
}

/**
 * The members of a row, cut out of the body in as few pieces as its writing allows: most clients write most of
 * them as a row has them, and to join a hundred small pieces costs more than to have read them.
 */
class RowText {
  readonly #source: string;
  #text = '';
  /** The piece that may grow; none where it is empty. */
  #start = 0;
  #end = 0;

  constructor(source: string) {
    this.#source = source;
  }

  add(property: Property, member: JsonMember, annotation: JsonMember | undefined): void {
    const isNamed = isAnnotated(property.type, property.json);
    const start = isNamed ? startOfPair(annotation, member) : member.start;
    if (start < 0 || property.json !== member.json) {
      this.#text = this.end() + formatProperty(property);
      this.#start = this.#end = 0;
      return;
    }
    // With one sign between them, that is a comma.
    if (this.#end === 0 || start !== this.#end + 1) {
      this.#text = this.end();
      this.#start = start;
    }
    this.#end = member.end;
  }

  end(): string {
    if (this.#end === 0) return this.#text;
    return `${this.#text},${this.#source.slice(this.#start, this.#end)}`;
  }
}

/** Where a member begins together with its type, if that stands right before it; -1 where it does not. */
function startOfPair(annotation: JsonMember | undefined, member: JsonMember): number {
  return annotation !== undefined && annotation.end + 1 === member.start ? annotation.start : -1;
}

/** Throws InvalidInput for what is not UTF-8. */
function decodeBody(body: Buffer): string {
  if (!isUtf8(body)) throw unreadable();
  return withoutByteOrderMark(body.toString('utf8'));
}

/**
 * The members of a body's JSON. Throws InvalidInput for what is not an object of plain members,
 * DuplicatePropertiesSpecified for a name given twice.
 */
function readMembers(text: string): JsonMember[] {
  const members = parseMembers(text);
  if (members === undefined) throw unreadable();
  const names = new Set<string>();
  for (const { name } of members) names.add(name);
  if (names.size !== members.length) throw new ServiceError('DuplicatePropertiesSpecified');
  return members;
}

/** The members of a body. Throws InvalidInput or DuplicatePropertiesSpecified, as parseEntity does. */
export function parseBody(body: Buffer): JsonMember[] {
  return readMembers(decodeBody(body));
}

/** Those that name a type, by the name of their property. */
function readAnnotations(members: readonly JsonMember[]): Map<string, JsonMember> {
  const annotations = new Map<string, JsonMember>();
  for (const member of members) {
    const { name, kind, value } = member;
    if (!name.endsWith(typeSuffix)) continue;
    if (kind !== 'string' || !isEdmType(value)) throw unreadable();
    annotations.set(name.slice(0, -typeSuffix.length), member);
  }
  return annotations;
}

function unreadable(): ServiceError {
  return new ServiceError('InvalidInput', unreadableBodyMessage);
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
  if (json === undefined) throw unreadable();
  return { name: member.name, type, json };
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
