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
  const { isIgnored, annotations } = readShape(members);
  const properties: Property[] = [];
  const text = new RowText(source);
  let partitionKey: string | undefined;
  let rowKey: string | undefined;
  for (let index = 0; index < members.length; index++) {
    if (isIgnored[index]) continue;
    const member = members[index] as JsonMember;
    const { name } = member;
    const typedAt = annotations[index] as number;
    const annotation = typedAt < 0 ? undefined : members[typedAt];
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

/** Throws InvalidInput for what is not an object of plain members. */
function readMembers(text: string): JsonMember[] {
  const members = parseMembers(text);
  if (members === undefined) throw unreadable();
  return members;
}

/** The members of a body. Throws InvalidInput or DuplicatePropertiesSpecified, as parseEntity does. */
export function parseBody(body: Buffer): JsonMember[] {
  const members = readMembers(decodeBody(body));
  shapeOf(members);
  return members;
}

/** What the names of the members say, member by member. */
interface Shape {
  readonly names: readonly string[];
  /** Not of the entity: annotations, and the Timestamp, which the service gives. */
  readonly isIgnored: readonly boolean[];
  /** Where the annotation of its type is; -1 where it has none. */
  readonly annotations: readonly number[];
}

/** Throws InvalidInput for an annotation that names no type, and as shapeOf does. */
function readShape(members: readonly JsonMember[]): Shape {
  const shape = shapeOf(members);
  for (let index = 0; index < members.length; index++) {
    if (!shape.isIgnored[index]) continue;
    const { name, kind, value } = members[index] as JsonMember;
    if (name.endsWith(typeSuffix) && !(kind === 'string' && isEdmType(value))) throw unreadable();
  }
  return shape;
}

let lastShape: Shape = { names: [], isIgnored: [], annotations: [] };

/** Entities of one kind come in runs: the last shape is kept. Throws DuplicatePropertiesSpecified. */
function shapeOf(members: readonly JsonMember[]): Shape {
  if (!hasShape(members, lastShape)) {
    const names = members.map(({ name }) => name);
    const positions = new Map(names.map((name, index) => [name, index]));
    if (positions.size !== names.length) throw new ServiceError('DuplicatePropertiesSpecified');
    lastShape = {
      names,
      isIgnored: names.map(name => isAnnotation(name) || name === 'Timestamp'),
      annotations: names.map(name => positions.get(name + typeSuffix) ?? -1),
    };
  }
  return lastShape;
}

function hasShape(members: readonly JsonMember[], { names }: Shape): boolean {
  if (members.length !== names.length) return false;
  for (let index = 0; index < names.length; index++) {
    if ((members[index] as JsonMember).name !== names[index]) return false;
  }
  return true;
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
