import type { RawResponse } from './raw-client.ts';

/** Of the connection and the clock, not of the answer. */
const unlisted = new Set(['connection', 'date', 'keep-alive']);

/** Ids, times, versions of ours and the base address as the same text in every run. */
export function mask(text: string, base: string): string {
  return text
    .replaceAll(base, '<base>')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<guid>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d+)?Z/g, '<time>')
    .replaceAll(/Tabularium\/[\w.-]+/g, 'Tabularium/<version>')
    .replaceAll('\ufeff', '<BOM>');
}

/**
 * A whole answer as text to compare: status line, headers by name, an empty line, the body to the byte. What
 * differs from run to run is masked, and the given table stands as `<table>`.
 */
export function golden(response: RawResponse, base: string, table?: string): string {
  const { status, statusMessage, rawHeaders, body } = response;
  const headers: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!unlisted.has(name)) headers.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  const text = mask([`${status} ${statusMessage}`, ...headers.toSorted(), '', body].join('\n'), base);
  return table === undefined ? text : text.replaceAll(table, '<table>');
}
