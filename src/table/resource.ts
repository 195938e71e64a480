import { querySyntaxMessage, ServiceError } from '../errors.ts';

/** What an address below the account names (REST: Addressing Table Service Resources). */
export type Resource =
  | { readonly kind: 'service' }
  | { readonly kind: 'tables' }
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'batch' }
  /** With a partition key alone, as the design guide writes it, the entities of that partition. */
  | { readonly kind: 'entities'; readonly table: string; readonly partitionKey: string | undefined }
  | {
      readonly kind: 'entity';
      readonly table: string;
      readonly partitionKey: string;
      readonly rowKey: string;
    };

const shape = /^([^()/\\]+)(?:\((.*)\))?$/s;
const namedKey = /\s*(PartitionKey|RowKey)\s*=\s*'((?:[^']|'')*)'\s*(,|$)/y;
const tableKey = /^\s*'((?:[^']|'')*)'\s*$/;

/**
 * Reads the path behind the account, percent-decoded once. Keys are scanned by their quotes: they may hold
 * commas, parentheses and equals signs. Throws InvalidInput for what is no address, ResourceNotFound for
 * one of more segments than any resource has.
 */
export function parseResource(path: string): Resource {
  const text = path.replace(/^\//, '').replace(/\/$/, '');
  if (text === '') return { kind: 'service' };
  if (text.toLowerCase() === '$batch') return { kind: 'batch' };
  const match = shape.exec(text);
  if (match === null) throw text.includes('(') ? querySyntaxError() : new ServiceError('ResourceNotFound');
  const name = match[1] as string;
  const predicate = match[2]?.trim() ?? '';
  if (name.toLowerCase() === 'tables') {
    if (predicate === '') return { kind: 'tables' };
    const table = tableKey.exec(predicate)?.[1];
    if (table === undefined) throw querySyntaxError();
    return { kind: 'table', table: table.replaceAll("''", "'") };
  }
  const keys = parseKeys(predicate);
  const partitionKey = keys.get('PartitionKey');
  const rowKey = keys.get('RowKey');
  if (rowKey === undefined) return { kind: 'entities', table: name, partitionKey };
  if (partitionKey === undefined) throw querySyntaxError();
  return { kind: 'entity', table: name, partitionKey, rowKey };
}

function parseKeys(predicate: string): Map<string, string> {
  const keys = new Map<string, string>();
  namedKey.lastIndex = 0;
  for (let at = 0; at < predicate.length; at = namedKey.lastIndex) {
    const match = namedKey.exec(predicate);
    const isTrailingComma = match?.[3] === ',' && namedKey.lastIndex === predicate.length;
    if (match === null || isTrailingComma || keys.has(match[1] as string)) throw querySyntaxError();
    const key = (match[2] as string).replaceAll("''", "'");
    // Stored keys hold neither (REST: Understanding the Table Service Data Model).
    if (/[/\\]/.test(key)) throw querySyntaxError();
    keys.set(match[1] as string, key);
  }
  return keys;
}

function querySyntaxError(): ServiceError {
  return new ServiceError('InvalidInput', querySyntaxMessage);
}
