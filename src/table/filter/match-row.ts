import { parseTicks } from '../../ticks.ts';
import type { EdmType } from '../entity/edm.ts';
import { typeOfPlain } from '../entity/row.ts';
import { RowMembers } from '../entity/row-members.ts';
import { evaluate } from './evaluate.ts';
import type { FilterNode, Value } from './nodes.ts';

/** A filter as a test of stored rows, which reads from each only the properties that the filter names. */
export function matchRow(filter: FilterNode): (row: Buffer) => boolean {
  const names = [...namesIn(filter)];
  const slots = new Map(names.map((name, slot) => [name, slot]));
  const encoded = names.map(name => Buffer.from(name));
  const values: (Value | undefined)[] = new Array(names.length);
  const lookup = (property: string): Value | undefined => values[slots.get(property) as number];

  return row => {
    values.fill(undefined);
    let missing = names.length;
    const members = new RowMembers(row);
    members.next(); // the etag, which no filter sees
    let annotation: string | undefined;
    while (missing > 0 && members.next()) {
      if (members.isAnnotation) {
        annotation = members.text;
        continue;
      }
      const slot = encoded.findIndex(name => members.nameIs(name));
      if (slot >= 0) {
        values[slot] = readStored(members, annotation);
        missing--;
      }
      annotation = undefined;
    }
    return evaluate(filter, lookup);
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

function readStored(members: RowMembers, annotation: string | undefined): Value {
  const { json } = members;
  const type = annotation ?? (members.name === 'Timestamp' ? 'Edm.DateTime' : typeOfPlain(json));
  return readValue(type as EdmType, json);
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
