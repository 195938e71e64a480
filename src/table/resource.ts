import { querySyntaxMessage, ServiceError } from '../errors.ts';
import type { Query } from '../http/query.ts';

/** What an address below the account names (REST: Addressing Table Service Resources). */
export type Resource =
  | { readonly kind: 'service' }
  /** With `restype=service`, and `comp` of that name. */
  | { readonly kind: 'service properties' }
  | { readonly kind: 'service stats' }
  | { readonly kind: 'tables' }
  | { readonly kind: 'table'; readonly table: string }
  /** With `comp=acl`. */
  | { readonly kind: 'access policies'; readonly table: string }
  | { readonly kind: 'batch' }
  /** With a partition key alone, as the design guide writes it, the entities of that partition. */
  | { readonly kind: 'entities'; readonly table: string; readonly partitionKey: string | undefined }
  | {
      readonly kind: 'entity';
      readonly table: string;
      readonly partitionKey: string;
      readonly rowKey: string;
    };

/** The table that an address names, if it names one. */
export function tableNamed(resource: Resource): string | undefined {
  return 'table' in resource ? resource.table : undefined;
}

/**
 * What a path and the parameter `comp` name together. Throws as parsePath does, and InvalidQueryParameterValue
 * for a component that the resource has not.
 */
export function parseResource(path: string, query: Query): Resource {
  const resource = parsePath(path);
  const component = query.get('comp');
  if (component === undefined) return resource;
  if (resource.kind === 'service' && query.get('restype') === 'service') {
    if (component === 'properties') return { kind: 'service properties' };
    if (component === 'stats') return { kind: 'service stats' };
  }
  if (component === 'acl' && resource.kind === 'entities' && resource.partitionKey === undefined) {
    return { kind: 'access policies', table: resource.table };
  }
  throw new ServiceError('InvalidQueryParameterValue');
}

/**
 * Reads the path behind the account, percent-decoded once. Keys are scanned by their quotes: they may hold
 * commas, parentheses and equals signs. Throws InvalidInput for what is no address, ResourceNotFound for
 * one of more segments than any resource has.
 */
export function parsePath(path: string): Resource {
  const start = path.startsWith('/') ? 1 : 0;
  const text = path.length > start && path.endsWith('/') ? path.slice(start, -1) : path.slice(start);
  if (text === '') return { kind: 'service' };
  const opening = text.indexOf('(');
  const name = opening < 0 ? text : text.slice(0, opening);
  if (opening >= 0 && !text.endsWith(')')) throw querySyntaxError();
  if (name === '' || /[)/\\]/.test(name)) {
    throw opening < 0 ? new ServiceError('ResourceNotFound') : querySyntaxError();
  }
  const predicate = opening < 0 ? '' : text.slice(opening + 1, -1).trim();
  const lowerName = name.toLowerCase();
  if (lowerName === '$batch' && opening < 0) return { kind: 'batch' };
  if (lowerName === 'tables') {
    return predicate === '' ? { kind: 'tables' } : { kind: 'table', table: parseTableKey(predicate) };
  }
  const { partitionKey, rowKey } = parseKeys(predicate);
  if (rowKey === undefined) return { kind: 'entities', table: name, partitionKey };
  if (partitionKey === undefined) throw querySyntaxError();
  return { kind: 'entity', table: name, partitionKey, rowKey };
}

/** The one quoted literal of `Tables('name')`. */
function parseTableKey(predicate: string): string {
  const end = endOfLiteral(predicate, 0);
  if (end !== predicate.length) throw querySyntaxError();
  return readLiteral(predicate, 0, end);
}

interface NamedKeys {
  partitionKey?: string;
  rowKey?: string;
}

/** `PartitionKey='p',RowKey='r'`, in either order, with white space around the signs. */
function parseKeys(predicate: string): NamedKeys {
  const keys: NamedKeys = {};
  for (let at = 0; at < predicate.length; ) {
    const equals = predicate.indexOf('=', at);
    if (equals < 0) throw querySyntaxError();
    const member = memberNamed(predicate.slice(at, equals).trim());
    const start = skipSpaces(predicate, equals + 1);
    const end = endOfLiteral(predicate, start);
    if (keys[member] !== undefined) throw querySyntaxError();
    const key = readLiteral(predicate, start, end);
    // Stored keys hold neither (REST: Understanding the Table Service Data Model).
    if (key.includes('/') || key.includes('\\')) throw querySyntaxError();
    keys[member] = key;
    at = skipSpaces(predicate, end);
    if (at === predicate.length) return keys;
    // Another key has to follow a comma.
    if (predicate[at] !== ',' || ++at === predicate.length) throw querySyntaxError();
  }
  return keys;
}

function memberNamed(name: string): keyof NamedKeys {
  if (name === 'PartitionKey') return 'partitionKey';
  if (name === 'RowKey') return 'rowKey';
  throw querySyntaxError();
}

/** Offset behind the closing quote of the literal that opens at `start`; a doubled quote does not close it. */
function endOfLiteral(text: string, start: number): number {
  if (text[start] !== "'") throw querySyntaxError();
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf("'", at);
    if (at < 0) throw querySyntaxError();
    if (text[at + 1] !== "'") return at + 1;
  }
}

function readLiteral(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes("'") ? inner.replaceAll("''", "'") : inner;
}

function skipSpaces(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

function querySyntaxError(): ServiceError {
  return new ServiceError('InvalidInput', querySyntaxMessage);
}
