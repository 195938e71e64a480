import { isAccountName } from '../auth/accounts.ts';
import { ServiceError } from '../errors.ts';
import type { Store, TableAddress } from '../store/store.ts';
import { checkTableName } from '../table/table-name.ts';
import { importAccessPolicies, importServiceProperties } from './import-settings.ts';
import { type Candidate, InsertRound, type Target } from './insert-round.ts';
import { describeKey, readStoredEntity, type StoredEntity } from './stored-entity.ts';
import { LeftOutError } from './stored-value.ts';
import { type ReadChunks, readDocuments, type StoredTable, type TableFile } from './table-file.ts';

export interface ImportOptions {
  /** Only what this account of the file has. */
  readonly account?: string | undefined;
  /** The account that gets it; else the one that the file names. */
  readonly into?: string | undefined;
  /** Adds to tables that are there what they lack; without it, such a table refuses the import. */
  readonly merge?: boolean | undefined;
}

export interface ImportReport {
  /** Tables that the import made or may have added to. */
  tables: number;
  /** Entities that it inserted. */
  entities: number;
  /** Entities that were there, just so. */
  alreadyThere: number;
  /** Tables whose access policies it set. */
  accessPolicies: number;
  /** Accounts whose service properties it set. */
  serviceProperties: number;
  /** What is in the file and not in the store now: tables, entities, settings; each was told. */
  leftOut: number;
}

export interface ImportObserver {
  /** In one line: what, and why. */
  onLeftOut(message: string): void;
  /** Told of entities of the file that are done with, now and then. */
  onProgress(entities: number, of: number): void;
}

/** Why nothing was imported, in words for the operator. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/**
 * Puts what the emulator's file holds, of which `file` was read, into a store. Rejects with ImportError before
 * anything is written; with another error where the store fails, and then what was written stays.
 */
export async function importTables(
  file: TableFile,
  chunks: ReadChunks,
  store: Store<Candidate>,
  options: ImportOptions,
  observer: ImportObserver,
): Promise<ImportReport> {
  const accounts = chooseAccounts(file, options);
  const run = new ImportRun(store, observer);
  const sources = file.tables
    .map(table => ({ table, account: accounts.get(table.account) }))
    .filter((source): source is Source => source.account !== undefined)
    .filter(source => run.hasLegalName(source));
  if (options.merge !== true) await refuseExisting(sources, store);
  for (const { account, document } of file.serviceProperties) {
    const into = accounts.get(account);
    if (into !== undefined) await run.setServiceProperties(into, document);
  }
  for (const source of sources) await run.makeTable(source);
  await run.insertEntities(
    chunks,
    sources.reduce((sum, { table }) => sum + table.entityCount, 0),
  );
  return run.report;
}

/** A table of the file, and the account that gets it. */
interface Source {
  readonly table: StoredTable;
  readonly account: string;
}

/** Which account of the store gets what an account of the file has. */
function chooseAccounts(file: TableFile, { account, into }: ImportOptions): ReadonlyMap<string, string> {
  const all = [...new Set([...file.tables, ...file.serviceProperties].map(stored => stored.account))];
  if (account !== undefined && !all.includes(account)) {
    throw new ImportError(
      `the file has nothing of an account '${account}'; it has ${all.length === 0 ? 'none' : all.join(', ')}`,
    );
  }
  if (into !== undefined && account === undefined && all.length > 1) {
    throw new ImportError(
      `the file has the accounts ${all.join(', ')}: say with --account which one goes into ${into}`,
    );
  }
  const chosen = account === undefined ? all : [account];
  for (const name of chosen.map(name => into ?? name)) {
    if (isAccountName(name)) continue;
    throw new ImportError(
      `no server can have an account '${name}': 3 to 24 lower-case letters and digits are allowed; name another with --into`,
    );
  }
  return new Map(chosen.map(name => [name, into ?? name]));
}

async function refuseExisting(sources: readonly Source[], store: Store<never>): Promise<void> {
  const existing: string[] = [];
  for (const { table, account } of sources) {
    const name = await store.readTable(account, table.name);
    if (name !== undefined) existing.push(`${account}/${name}`);
  }
  if (existing.length === 0) return;
  throw new ImportError(
    `there already: ${existing.join(', ')}; nothing was imported. With --merge, tables get what they lack and keep what they have`,
  );
}

/** One import: what it has done, and how it does each part. */
class ImportRun {
  readonly report: ImportReport = {
    tables: 0,
    entities: 0,
    alreadyThere: 0,
    accessPolicies: 0,
    serviceProperties: 0,
    leftOut: 0,
  };
  readonly #store: Store<Candidate>;
  readonly #observer: ImportObserver;
  /** By the place of their collections in the file. */
  readonly #targets = new Map<number, Target>();

  constructor(store: Store<Candidate>, observer: ImportObserver) {
    this.#store = store;
    this.#observer = observer;
  }

  hasLegalName({ table: { name } }: Source): boolean {
    try {
      checkTableName(name);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#leaveOut(`table ${name}: ${error.code}: ${error.message}`);
      return false;
    }
  }

  async makeTable({ table, account }: Source): Promise<void> {
    const address = { account, table: table.name };
    const isNew = await this.#store.createTable(account, table.name);
    this.report.tables++;
    if (table.collection !== undefined) this.#targets.set(table.collection, { address, isNew });
    try {
      const isSet = await importAccessPolicies(this.#store, address, table.accessPolicies);
      if (isSet) this.report.accessPolicies++;
    } catch (error) {
      this.#leaveOutFor(error, `${table.name}, its access policies`);
    }
  }

  async setServiceProperties(account: string, document: unknown): Promise<void> {
    try {
      const isSet = await importServiceProperties(this.#store, account, document);
      if (isSet) this.report.serviceProperties++;
    } catch (error) {
      this.#leaveOutFor(error, `service properties of ${account}`);
    }
  }

  async insertEntities(chunks: ReadChunks, of: number): Promise<void> {
    let done = 0;
    let round = new InsertRound(this.#store, this);
    for (const { collection, document } of readDocuments(chunks, new Set(this.#targets.keys()))) {
      done++;
      const target = this.#targets.get(collection) as Target;
      const entity = this.#readEntity(document, target.address);
      if (entity === undefined) continue;
      round.add(target, entity);
      if (!round.isFull) continue;
      await round.write();
      this.#observer.onProgress(done, of);
      round = new InsertRound(this.#store, this);
    }
    await round.write();
  }

  onInserted(count: number): void {
    this.report.entities += count;
  }

  onPresent({ table }: TableAddress, { key }: StoredEntity, isSame: boolean): void {
    if (isSame) this.report.alreadyThere++;
    else this.#leaveOut(`${table}, ${describeKey(key)}: it is there with other properties`);
  }

  #readEntity(document: unknown, { table }: TableAddress): StoredEntity | undefined {
    try {
      return readStoredEntity(document);
    } catch (error) {
      const { PartitionKey, RowKey } = (document ?? {}) as Record<string, unknown>;
      const key = { partitionKey: String(PartitionKey), rowKey: String(RowKey) };
      this.#leaveOutFor(error, `${table}, ${describeKey(key)}`);
      return undefined;
    }
  }

  #leaveOutFor(error: unknown, what: string): void {
    if (!(error instanceof LeftOutError)) throw error;
    this.#leaveOut(`${what}: ${error.message}`);
  }

  #leaveOut(message: string): void {
    this.report.leftOut++;
    this.#observer.onLeftOut(message);
  }
}
