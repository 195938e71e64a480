/**
 * Which format an answer has (REST: Payload Format for Table Service Operations): `$format` where the query
 * has it, else Accept; without either, or with what only Atom satisfies, Atom, which we refuse.
 */
export type MetadataLevel = 'none' | 'minimal' | 'full';
export type Format = MetadataLevel | 'verbose' | 'atom';

export function negotiateFormat(format: string | undefined, accept: string | undefined): Format {
  const wanted = format ?? accept ?? '';
  if (wanted === 'application/json;odata=minimalmetadata') return 'minimal'; // what most requests say
  for (const range of wanted.split(',')) {
    const [type, ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    if (type !== 'application/json' && type !== 'json') continue;
    const odata = parameters.find(parameter => parameter.startsWith('odata='))?.slice('odata='.length);
    if (odata === 'nometadata') return 'none';
    if (odata === 'fullmetadata') return 'full';
    if (odata === 'verbose') return 'verbose';
    return 'minimal';
  }
  return 'atom';
}

export function isJson(format: Format): format is MetadataLevel {
  return format !== 'verbose' && format !== 'atom';
}

const contentTypes: Readonly<Record<MetadataLevel, string>> = {
  none: 'application/json;odata=nometadata;streaming=true;charset=utf-8',
  minimal: 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8',
  full: 'application/json;odata=fullmetadata;streaming=true;charset=utf-8',
};

/** Content-Type of JSON answers, without spaces (recorded; a legacy client looks for the exact text). */
export function jsonContentType(level: MetadataLevel): string {
  return contentTypes[level];
}
