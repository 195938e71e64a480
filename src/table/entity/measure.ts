import type { Property } from './edm.ts';

/**
 * Bytes an entity counts against limits.entityBytesMax, by the published estimate: 4 bytes, the keys and the
 * names in UTF-16, 8 bytes a property, and its value.
 */
export function measureEntity(partitionKey: string, rowKey: string, properties: readonly Property[]): number {
  let bytes = 4 + (partitionKey.length + rowKey.length) * 2;
  for (const property of properties) bytes += 8 + property.name.length * 2 + measureValue(property);
  return bytes;
}

function measureValue({ type, json }: Property): number {
  switch (type) {
    case 'Edm.String':
      return stringUnits(json) * 2 + 4;
    case 'Edm.Binary':
      return binaryBytes(json) + 4;
    case 'Edm.Guid':
      return 16;
    case 'Edm.Boolean':
      return 1;
    case 'Edm.Int32':
      return 4;
    default:
      return 8;
  }
}

/** UTF-16 code units of a JSON string. */
export function stringUnits(json: string): number {
  return json.includes('\\') ? (JSON.parse(json) as string).length : json.length - 2;
}

/** Bytes that a JSON string of padded Base64 decodes to. */
export function binaryBytes(json: string): number {
  return Buffer.byteLength(json.slice(1, -1), 'base64');
}
