/** The eight types of a property (REST: Understanding the Table Service Data Model). */
const edmTypes = [
  'Edm.Binary',
  'Edm.Boolean',
  'Edm.DateTime',
  'Edm.Double',
  'Edm.Guid',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.String',
] as const;

export type EdmType = (typeof edmTypes)[number];

export function isEdmType(text: string): text is EdmType {
  return (edmTypes as readonly string[]).includes(text);
}

/** A property with its value as canonical JSON text, which is exact for every type. */
export interface Property {
  readonly name: string;
  readonly type: EdmType;
  readonly json: string;
}

/** Types whose JSON form does not show them, so that minimal metadata names them. */
export function isAnnotated(type: EdmType, json: string): boolean {
  switch (type) {
    case 'Edm.Binary':
    case 'Edm.DateTime':
    case 'Edm.Guid':
    case 'Edm.Int64':
      return true;
    case 'Edm.Double':
      return json.startsWith('"'); // NaN and the infinities
    default:
      return false;
  }
}

/** A Double always shows a point or an exponent: 3 is `3.0`, as clients tell it from an Int32. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (value === Number.POSITIVE_INFINITY) return '"Infinity"';
  if (value === Number.NEGATIVE_INFINITY) return '"-Infinity"';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value).replace('e', 'E');
  return /[.E]/.test(text) ? text : `${text}.0`;
}
