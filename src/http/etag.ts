import { ServiceError } from '../errors.ts';
import { parseTicks, type Ticks } from '../ticks.ts';

/**
 * What If-Match asks for: any entity, or the one written at a tick. A well-formed tag that names no tick
 * matches nothing.
 */
export type IfMatch = '*' | { readonly tick: Ticks | undefined };

const weakTag = /^W\/"([^"]*)"$/i;
const datetime = /^datetime'(.*)'$/;

/**
 * Reads an If-Match header (REST: Specifying Conditional Headers). Tags are compared as instants: clients
 * that make one from a Timestamp leave its colons unescaped. Throws InvalidInput for a strong tag, bare
 * text, several tags or none.
 */
export function parseIfMatch(header: string): IfMatch {
  const text = header.trim();
  if (text === '*') return '*';
  const tag = weakTag.exec(text)?.[1];
  if (tag === undefined) {
    throw new ServiceError(
      'InvalidInput',
      `The etag value '${header}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.`,
    );
  }
  const date = datetime.exec(tag)?.[1]?.replaceAll(/%3a/gi, ':');
  return { tick: date === undefined ? undefined : parseTicks(date) };
}
