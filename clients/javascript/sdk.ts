/**
 * The version of the SDK that this run is about, and all that its majors have different. Types are those of 13:
 * what 12 lacks is asked for in `has` before it is used.
 */
import assert from 'node:assert/strict';
import type * as Sdk from '@azure/data-tables';
import {
  accountKey,
  accountName,
  connectionString,
  freshTableName,
  secondaryEndpoint,
  tableEndpoint,
} from '../server-under-test.ts';

const packageName = process.argv[2] ?? 'data-tables-13';
const sdk: typeof Sdk = await import(packageName);
const is12 = packageName === 'data-tables-12';

export const { AzureNamedKeyCredential, generateAccountSas, generateTableSas, odata, TableTransaction } = sdk;
export type { AccountSasOptions, TableEntity, TransactionAction } from '@azure/data-tables';
export type TableClient = Sdk.TableClient;
export type TableServiceClient = Sdk.TableServiceClient;
export type Entity = Sdk.TableEntityResult<Record<string, unknown>>;

export const has = {
  /** 12 has no options for an update inside a transaction. */
  etagsInTransactions: !is12,
  /** 12 refuses to update or upsert an entity that has an empty key. */
  updatesOfEmptyKeys: !is12,
  /** 12 signs the ranges of a table SAS and then forgets them when it writes the token. */
  rangesInSas: !is12,
  /** 12 takes typed values that are 0, false or '' for objects that it does not know. */
  typedFalsyValues: !is12,
};

/**
 * Failures are what the cases look for: none is tried again. Made anew for each client, for 12 writes the address
 * of the first client into them and all others follow it.
 */
function options(): Sdk.TableServiceClientOptions {
  return { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
}

export const credential = new AzureNamedKeyCredential(accountName, accountKey);

/** A client of a table, which may not be there. */
export function tableClient(name: string = freshTableName()): TableClient {
  return sdk.TableClient.fromConnectionString(connectionString, name, options());
}

/** A client of an empty table of the case's own. */
export async function freshTable(): Promise<TableClient> {
  const table = tableClient();
  await table.createTable();
  return table;
}

export function serviceClient(): TableServiceClient {
  return sdk.TableServiceClient.fromConnectionString(connectionString, options());
}

export function secondaryTableClient(name: string): TableClient {
  return new sdk.TableClient(secondaryEndpoint, name, credential, options());
}

export function secondaryServiceClient(): TableServiceClient {
  return new sdk.TableServiceClient(secondaryEndpoint, credential, options());
}

export function tableClientWithKey(name: string, key: string): TableClient {
  return new sdk.TableClient(tableEndpoint, name, new AzureNamedKeyCredential(accountName, key), options());
}

export function tableClientWithSas(name: string, sas: string, endpoint: string = tableEndpoint): TableClient {
  return new sdk.TableClient(endpoint, name, new sdk.AzureSASCredential(sas), options());
}

export function serviceClientWithSas(sas: string, endpoint: string = tableEndpoint): TableServiceClient {
  return new sdk.TableServiceClient(endpoint, new sdk.AzureSASCredential(sas), options());
}

/** A key as an address takes it: users of 12 double the quotes themselves. */
export function addressKey(key: string): string {
  return is12 ? key.replaceAll("'", "''") : key;
}

/** An entity as update, upsert and delete take it, for its keys go into an address. */
export function addressed<E extends Sdk.TableEntity>(entity: E): E {
  const { partitionKey, rowKey } = entity;
  return { ...entity, partitionKey: addressKey(partitionKey), rowKey: addressKey(rowKey) };
}

/** A table SAS whose times and permissions stand in the policy: 12 adds its own where it is not told not to. */
export function policySas(tableName: string, identifier: string): string {
  const nothing = { expiresOn: null, permissions: {} } as unknown as Sdk.TableSasSignatureValues;
  return generateTableSas(tableName, credential, is12 ? { identifier, ...nothing } : { identifier });
}

export interface Page<Item> {
  readonly items: Item[];
  /** Where the next page begins; absent on the last. */
  readonly token: string | undefined;
}

/** 12 tells the token in properties of the page and takes it back in options that it does not declare. */
function tokenOf12(page: object, names: readonly string[]): string | undefined {
  const entries = names.map(name => [name, (page as Record<string, string | undefined>)[name]] as const);
  return entries[0]?.[1] === undefined ? undefined : JSON.stringify(Object.fromEntries(entries));
}

export async function readPage(
  table: TableClient,
  maxPageSize: number,
  token?: string,
  listOptions: Sdk.ListTableEntitiesOptions = {},
): Promise<Page<Entity>> {
  if (is12) {
    const resumed = { ...listOptions, ...(token === undefined ? {} : JSON.parse(token)) };
    const { value } = await table.listEntities(resumed).byPage({ maxPageSize }).next();
    return { items: [...value], token: tokenOf12(value, ['nextPartitionKey', 'nextRowKey']) };
  }
  const settings = { maxPageSize, ...(token === undefined ? {} : { continuationToken: token }) };
  const { value } = await table.listEntities(listOptions).byPage(settings).next();
  return { items: [...value], token: value.continuationToken };
}

export async function readTablesPage(
  service: TableServiceClient,
  maxPageSize: number,
  token?: string,
): Promise<Page<string>> {
  const settings = is12 || token === undefined ? { maxPageSize } : { maxPageSize, continuationToken: token };
  const resumed = is12 && token !== undefined ? JSON.parse(token) : {};
  const { value } = await service.listTables(resumed).byPage(settings).next();
  return {
    items: value.map(({ name }: Sdk.TableItem) => name as string),
    token: is12 ? tokenOf12(value, ['nextTableName']) : value.continuationToken,
  };
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** For assert.rejects: an answer of the service as the SDK's own exception, with its status and code. */
export function refusal(status: number, code?: string): (error: unknown) => boolean {
  return error => {
    assert.ok(error instanceof Error);
    const { name, statusCode } = error as Sdk.RestError;
    const expected = code === undefined ? `${status}` : `${status} ${code}`;
    const actual = code === undefined ? `${statusCode}` : `${statusCode} ${codeOf(error)}`;
    if (name === 'RestError' && actual === expected) return true;
    throw new Error(`expected ${expected}, but the answer is ${name} ${actual}: ${error.message}`);
  };
}

/** For assert.rejects: what only an account key may see is either refused or not there at all. */
export function hiddenOrRefused(error: unknown): boolean {
  return (error as Sdk.RestError).statusCode === 404
    ? refusal(404, 'ResourceNotFound')(error)
    : refusal(403)(error);
}

/** Parsed by the SDK from JSON, from XML with or without a prefix, or from the part of a transaction. */
function codeOf(error: Error): unknown {
  const { code, details } = error as Sdk.RestError;
  const { odataError, ...members } = (details ?? {}) as Record<string, unknown>;
  return (odataError as { code?: string } | undefined)?.code ?? members['m:code'] ?? members.code ?? code;
}
