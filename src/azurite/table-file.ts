import { isMany, type Many, none, stop } from 'stream-chain/core';
import { pick } from 'stream-json/core/filters/pick.js';
import { jsonParser } from 'stream-json/core/parser.js';
import { streamValues } from 'stream-json/core/streamers/stream-values.js';
import { tableFileName } from './table-file-name.ts';

/**
 * The file in which the emulator Azurite keeps its tables: the JSON of a LokiJS database. It holds collections
 * of documents; one lists the tables, one the service properties of each account, and each table has one, named
 * `account$table`.
 *
 *     {"filename":"…","collections":[{"name":"$TABLES_COLLECTION$","data":[…],"idIndex":[…], …}, …], …}
 */
const tablesCollection = '$TABLES_COLLECTION$';
const servicesCollection = '$SERVICES_COLLECTION$';

/** Gives the file's bytes from its start, as often as it is called. */
export type ReadChunks = () => Iterable<Buffer>;

/** A file that is broken, or not what it was taken for, in words for the operator. */
export class TableFileError extends Error {
  override readonly name = 'TableFileError';
}

export interface StoredTable {
  readonly account: string;
  /** As it was created. */
  readonly name: string;
  /** As the emulator keeps them; undefined where none were set. */
  readonly accessPolicies: unknown;
  /** Place of its collection in the file; undefined where it has none. */
  readonly collection: number | undefined;
  readonly entityCount: number;
}

export interface TableFile {
  readonly tables: readonly StoredTable[];
  readonly serviceProperties: readonly StoredServiceProperties[];
}

export interface StoredServiceProperties {
  readonly account: string;
  /** As the emulator keeps them. */
  readonly document: unknown;
}

interface Collection {
  readonly name: unknown;
  /** Its place in the file. */
  readonly ordinal: number;
  documentCount: number;
  /** Of the collections that are needed whole. */
  readonly documents: unknown[];
}

/**
 * Reads the file to its end, every document included, and keeps what is not an entity: a file that is broken
 * is found out before anything of it is used. Throws TableFileError.
 */
export function readTableFile(chunks: ReadChunks, onRead?: (bytes: number) => void): TableFile {
  const collections = new Map<unknown, Collection>();
  let current: Collection | undefined;
  for (const { ordinal, isName, value } of valuesIn(chunks, () => true, onRead)) {
    if (isName) {
      current = { name: value, ordinal, documentCount: 0, documents: [] };
      collections.set(value, current);
      continue;
    }
    // LokiJS writes the name first; which documents to keep hangs on it.
    if (current?.ordinal !== ordinal) {
      throw new TableFileError('a collection has no name before its data');
    }
    current.documentCount++;
    const isKept = current.name === tablesCollection || current.name === servicesCollection;
    if (isKept) current.documents.push(value);
  }
  const tables = collections.get(tablesCollection);
  if (tables === undefined) {
    throw new TableFileError(
      `it has no collection ${tablesCollection}; is it the emulator's ${tableFileName}?`,
    );
  }
  return {
    tables: tables.documents.map(document => readTable(document, collections)),
    serviceProperties: (collections.get(servicesCollection)?.documents ?? []).map(document => {
      const { accountName } = (document ?? {}) as Record<string, unknown>;
      return { account: String(accountName), document };
    }),
  };
}

/** The documents of the collections at these places, in the file's order. Throws TableFileError. */
export function* readDocuments(
  chunks: ReadChunks,
  wanted: ReadonlySet<number>,
): Generator<{ readonly collection: number; readonly document: unknown }> {
  const isWanted = (ordinal: number): boolean => wanted.has(ordinal);
  for (const { ordinal, isName, value } of valuesIn(chunks, isWanted)) {
    if (!isName) yield { collection: ordinal, document: value };
  }
}

/** The name of a collection, or one of its documents. */
interface Found {
  /** Place of the collection in the file. */
  readonly ordinal: number;
  readonly isName: boolean;
  readonly value: unknown;
}

/** Checks the whole file, and holds no more of it than a chunk and a document. */
function* valuesIn(
  chunks: ReadChunks,
  isWanted: (ordinal: number) => boolean,
  onRead: (bytes: number) => void = () => {},
): Generator<Found> {
  const read = reader(isWanted);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let bytes = 0;
  for (const chunk of chunks()) {
    let found: readonly Found[];
    try {
      found = read(decoder.decode(chunk, { stream: true }));
    } catch (error) {
      throw new TableFileError(`not JSON, at byte ${bytes} or later: ${(error as Error).message}`);
    }
    bytes += chunk.length;
    yield* found;
    onRead(bytes);
  }
  try {
    read(decoder.decode());
    read(none);
  } catch {
    throw new TableFileError(`the JSON is cut off: it ends at byte ${bytes}, in the middle`);
  }
}

/** Takes the file's text piece by piece, then `none`. Throws where it is not JSON. */
function reader(isWanted: (ordinal: number) => boolean): (text: string | typeof none) => readonly Found[] {
  // Of the value that was selected last, whose parts come one by one.
  let ordinal = 0;
  let isName = false;
  const filter = (path: readonly unknown[]): boolean => {
    const [root, place, member] = path;
    isName = path.length === 3 && member === 'name';
    const isDocument = path.length === 4 && member === 'data';
    if (root !== 'collections' || !(isName || isDocument)) return false;
    ordinal = place as number;
    return isWanted(ordinal);
  };
  const packed = { streamValues: false };
  const parse = jsonParser(packed);
  const select = pick({ ...packed, filter });
  const assemble = streamValues();
  // Stage by stage without a chain of them, which takes half as long again.
  return text => {
    const found: Found[] = [];
    for (const token of resultsOf(parse(text as string))) {
      for (const selected of resultsOf(select(token))) {
        for (const { value } of resultsOf(assemble(selected))) found.push({ ordinal, isName, value });
      }
    }
    return found;
  };
}

const noResults: readonly never[] = [];

/** A stage of a pipeline gives nothing, one result, or many. */
function resultsOf<Result>(given: Result | Many<Result> | typeof none | typeof stop): readonly Result[] {
  if (given === none || given === stop) return noResults;
  return isMany(given) ? (given.values as Result[]) : [given as Result];
}

function readTable(document: unknown, collections: ReadonlyMap<unknown, Collection>): StoredTable {
  const { account, table, tableAcl } = (document ?? {}) as Record<string, unknown>;
  if (typeof account !== 'string' || typeof table !== 'string') {
    throw new TableFileError(`a document of ${tablesCollection} names no account or no table`);
  }
  // As the emulator looks it up: older versions named collections in lower case.
  const collection =
    collections.get(`${account}$${table.toLowerCase()}`) ?? collections.get(`${account}$${table}`);
  return {
    account,
    name: table,
    accessPolicies: tableAcl,
    collection: collection?.ordinal,
    entityCount: collection?.documentCount ?? 0,
  };
}
