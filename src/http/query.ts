import { querySyntaxMessage, ServiceError } from '../errors.ts';

/** The decoded options of an address. Names compare ignoring case; of two of one name the first counts. */
export class Query {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string> = new Map()) {
    this.#values = values;
  }

  get(name: string): string | undefined {
    return this.#values.size === 0 ? undefined : this.#values.get(name.toLowerCase());
  }
}

const noQuery = new Query();

/** Reads what follows the question mark, where `+` is a space. Throws InvalidInput for broken encoding. */
export function parseQuery(text: string): Query {
  if (text === '') return noQuery;
  const values = new Map<string, string>();
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=');
    const name = decodeText(equals < 0 ? pair : pair.slice(0, equals)).toLowerCase();
    if (!values.has(name)) values.set(name, equals < 0 ? '' : decodeText(pair.slice(equals + 1)));
  }
  return new Query(values);
}

function decodeText(text: string): string {
  return decodePercent(text.replaceAll('+', ' '));
}

/** Percent-decodes once. Throws InvalidInput for what is not UTF-8. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServiceError('InvalidInput', querySyntaxMessage);
  }
}
