import { parseTicks } from '../../ticks.ts';
import type { EdmType } from '../entity/edm.ts';
import { typeOfPlain } from '../entity/row.ts';
import { isMemberName, RowMember } from '../entity/row-member.ts';
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

function propertyReader(name: string): PropertyReader {
  if (!isMemberName(name)) return () => undefined;
  const member = new RowMember(name);
  return row => {
    if (!member.find(row)) return undefined;
    const json = row.toString('utf8', member.valueStart, member.valueEnd);
    if (name === 'Timestamp') return readValue('Edm.DateTime', json);
    return readValue((member.typeOf(row) as EdmType | undefined) ?? typeOfPlain(json), json);
  };
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
