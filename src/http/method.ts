import { ServiceError } from '../errors.ts';

const tunnelled = new Set(['MERGE', 'PUT', 'DELETE', 'PATCH']);

/**
 * The verb of a request, which may come through POST and X-HTTP-Method (OData: method tunnelling). Throws
 * XMethodIncorrectCount, XMethodIncorrectValue or XMethodNotUsingPost.
 */
export function readMethod(method: string, override: string | undefined): string {
  if (override === undefined) return method;
  if (override.includes(',')) throw new ServiceError('XMethodIncorrectCount');
  const verb = override.trim().toUpperCase();
  if (!tunnelled.has(verb)) throw new ServiceError('XMethodIncorrectValue');
  if (method !== 'POST') throw new ServiceError('XMethodNotUsingPost');
  return verb;
}
