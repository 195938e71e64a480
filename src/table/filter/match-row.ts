import { parseTicks } from '../../ticks.ts';
import type { EdmType } from '../entity/edm.ts';
import { typeOfPlain } from '../entity/row.ts';
import { valueEnd } from '../entity/row-members.ts';
import { evaluate, type Lookup } from './evaluate.ts';
import type { FilterNode, Value } from './nodes.ts';

/** A filter as a test of stored rows, which reads from each only the properties that the filter names. */
export function matchRow(filter: FilterNode): (row: Buffer) => boolean {
  const readers = new Map([...namesIn(filter)].map(name => [name, propertyReader(name)]));
  let current: Buffer;
  const lookup: Lookup = name => (readers.get(name) as PropertyReader)(current);
  return row => {
    current = row;
    return evaluate(filter, lookup);
  };
}

type PropertyReader = (row: Buffer) => Value | undefined;

const annotationEnd = Buffer.from('",');

/**
 * Finds a property in the bytes of a row, without walking those before it: in canonical JSON the bytes
 * `,"name":` stand at the property and nowhere else, since a quote inside a string has a backslash before it.
 */
function propertyReader(name: string): PropertyReader {
  if (!isPropertyName(name)) return () => undefined;
  const member = Buffer.from(`,"${name}":`);
  const annotation = Buffer.from(`,"${name}@odata.type":"`);
  return row => {
    const at = row.indexOf(member);
    if (at < 0) return undefined;
    const start = at + member.length;
    const end = valueEnd(row, start);
    const json = row.toString('utf8', start, end);
    if (name === 'Timestamp') return readValue('Edm.DateTime', json);
    // Types that are named belong to values in quotes, and stand right before them.
    const typeStart = json.startsWith('"') ? row.lastIndexOf(annotation, at) : -1;
    if (typeStart < 0) return readValue(typeOfPlain(json), json);
    const typeEnd = row.indexOf(annotationEnd, typeStart + annotation.length);
    return readValue(row.toString('latin1', typeStart + annotation.length, typeEnd) as EdmType, json);
  };
}

/** A name that needs no escape in JSON, as all names of stored properties; and not the etag, which no filter sees. */
function isPropertyName(name: string): boolean {
  return JSON.stringify(name).length === name.length + 2 && !name.startsWith('odata.');
}

function namesIn(node: FilterNode, names: Set<string> = new Set()): Set<string> {
  if (node.kind === 'and' || node.kind === 'or') {
    namesIn(node.left, names);
    namesIn(node.right, names);
  } else if (node.kind === 'not') {
    namesIn(node.operand, names);
  } else if (node.kind !== 'constant') {
    names.add(node.property);
  }
  return names;
}

function readValue(type: EdmType, json: string): Value {
  switch (type) {
    case 'Edm.String':
      return { type, value: JSON.parse(json) as string };
    case 'Edm.Guid':
      return { type, value: json.slice(1, -1) };
    case 'Edm.Boolean':
      return { type, value: json === 'true' };
    case 'Edm.Int32':
      return { type, value: Number(json) };
    case 'Edm.Double':
      return { type, value: Number(json.replaceAll('"', '')) };
    case 'Edm.Int64':
      return { type, value: BigInt(json.slice(1, -1)) };
    case 'Edm.DateTime':
      return { type, value: parseTicks(json.slice(1, -1)) as bigint };
    case 'Edm.Binary':
      return { type, value: Buffer.from(json.slice(1, -1), 'base64') };
  }
}
