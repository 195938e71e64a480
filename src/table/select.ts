import { ServiceError } from '../errors.ts';
import type { Query } from '../http/query.ts';
import * as limits from '../limits.ts';

/**
 * The names of `$select` (REST: Querying Tables and Entities); undefined for all, which is what a blank list
 * or `*` asks for. Names are not checked against the rules of property names: unknown ones are simply not
 * there. Annotations cannot be selected; one client family sends `odata.etag`.
 */
export function parseSelect(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const names = text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && !name.startsWith('odata.'));
  if (names.length === 0 || names.includes('*')) return undefined;
  if (names.length > limits.customPropertiesMax + 3) throw new ServiceError('InvalidInput');
  return [...new Set(names)];
}

/** The list as `odata.metadata` repeats it: as it was given, and empty for a blank one (recorded). */
export function selectSuffix(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text.trim();
}

const lacking = ['$orderby', '$skip', '$expand', '$inlinecount', '$count'];

/** Throws NotImplemented for the options of OData that the Table service lacks (observed for `$orderby`). */
export function refuseLackingOptions(query: Query): void {
  if (lacking.some(name => query.get(name) !== undefined)) throw new ServiceError('NotImplemented');
}

/** `$top`: 0 to 1,000, absent 1,000. Throws InvalidInput. */
export function parseTop(text: string | undefined): number {
  if (text === undefined) return limits.pageEntitiesMax;
  if (!/^\d{1,4}$/.test(text.trim()) || Number(text) > limits.pageEntitiesMax) {
    throw new ServiceError('InvalidInput');
  }
  return Number(text);
}
