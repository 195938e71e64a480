import { JsonPullReader } from './json-pull-reader.ts';

/**
 * The file in which the emulator Azurite keeps its tables: the JSON of a LokiJS database. It holds collections
 * of documents; one lists the tables, one the service properties of each account, and each table has one, named
 * `account$table`.
 *
 *     {"filename":"…","collections":[{"name":"$TABLES_COLLECTION$","data":[…],"idIndex":[…], …}, …], …}
 */
export const tableFileName = '__azurite_db_table__.json';
const tablesCollection = '$TABLES_COLLECTION$';
const servicesCollection = '$SERVICES_COLLECTION$';

/** Gives the file's bytes from its start, as often as it is called. */
export type ReadChunks = () => Iterable<Buffer>;

/** A file that is not what it was taken for, in words for the operator. */
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
  name: unknown;
  documentCount: number;
  /** Of the collections that are needed whole. */
  readonly documents: unknown[];
}

/**
 * Reads the file to its end, every document included, and keeps what is not an entity: a file that is broken
 * is found out before anything of it is used. Throws TableFileError and JsonError.
 */
export function readTableFile(chunks: ReadChunks, onRead: (bytes: number) => void = () => {}): TableFile {
  const collections: Collection[] = [];
  const reader = new JsonPullReader(chunks());
  for (const ordinal of collectionsOf(reader)) {
    const collection: Collection = { name: undefined, documentCount: 0, documents: [] };
    collections[ordinal] = collection;
    for (const member of reader.members()) {
      if (member === 'name') collection.name = reader.value();
      else if (member !== 'data') reader.skip();
      else {
        // LokiJS writes the name first; which documents to keep hangs on it.
        if (collection.name === undefined)
          throw new TableFileError('a collection has no name before its data');
        const isKept = collection.name === tablesCollection || collection.name === servicesCollection;
        for (const _ of reader.elements()) {
          const document = reader.value();
          collection.documentCount++;
          if (isKept) collection.documents.push(document);
          onRead(reader.position);
        }
      }
    }
  }
  reader.end();
  const tables = collections.find(({ name }) => name === tablesCollection);
  if (tables === undefined) {
    throw new TableFileError(
      `it has no collection ${tablesCollection}; is it the emulator's ${tableFileName}?`,
    );
  }
  const services = collections.find(({ name }) => name === servicesCollection);
  return {
    tables: tables.documents.map(document => readTable(document, collections)),
    serviceProperties: (services?.documents ?? []).map(document => {
      const { accountName } = (document ?? {}) as Record<string, unknown>;
      return { account: String(accountName), document };
    }),
  };
}

/** The documents of the collections at these places, in the file's order. Throws JsonError. */
export function* readDocuments(
  chunks: ReadChunks,
  wanted: ReadonlySet<number>,
): Generator<{ readonly collection: number; readonly document: unknown }> {
  const reader = new JsonPullReader(chunks());
  for (const collection of collectionsOf(reader)) {
    for (const member of reader.members()) {
      if (member !== 'data' || !wanted.has(collection)) reader.skip();
      else for (const _ of reader.elements()) yield { collection, document: reader.value() };
    }
  }
}

/** Stands before each collection. */
function* collectionsOf(reader: JsonPullReader): Generator<number> {
  for (const member of reader.members()) {
    if (member !== 'collections') {
      reader.skip();
      continue;
    }
    let ordinal = 0;
    for (const _ of reader.elements()) yield ordinal++;
  }
}

function readTable(document: unknown, collections: readonly Collection[]): StoredTable {
  const { account, table, tableAcl } = (document ?? {}) as Record<string, unknown>;
  if (typeof account !== 'string' || typeof table !== 'string') {
    throw new TableFileError(`a document of ${tablesCollection} names no account or no table`);
  }
  // As the emulator looks it up: older versions named collections in lower case.
  const ordinalOf = (name: string): number =>
    collections.findIndex(collection => collection.name === `${account}$${name}`);
  const collection = [ordinalOf(table.toLowerCase()), ordinalOf(table)].find(ordinal => ordinal >= 0);
  return {
    account,
    name: table,
    accessPolicies: tableAcl,
    collection,
    entityCount: collection === undefined ? 0 : (collections[collection]?.documentCount ?? 0),
  };
}
