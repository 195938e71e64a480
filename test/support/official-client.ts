import {
  RestError,
  TableClient,
  TableServiceClient,
  type TableServiceClientOptions,
} from '@azure/data-tables';
import { freshTableName, type useServer } from './server.ts';

/** The official client, pointed at the server of a test file. */
export type Server = ReturnType<typeof useServer>;

/** Failures are what the tests look for: none is tried again. */
export const clientOptions: TableServiceClientOptions = {
  allowInsecureConnection: true,
  retryOptions: { maxRetries: 0 },
};

export async function serviceClient(server: Server): Promise<TableServiceClient> {
  const { connectionString } = await server();
  return TableServiceClient.fromConnectionString(connectionString, clientOptions);
}

/** A client of a table, which may not be there. */
export async function tableClient(server: Server, name: string = freshTableName()): Promise<TableClient> {
  const { connectionString } = await server();
  return TableClient.fromConnectionString(connectionString, name, clientOptions);
}

/** A client of an empty table of the test's own. */
export async function freshTable(server: Server): Promise<TableClient> {
  const table = await tableClient(server);
  await table.createTable();
  return table;
}

/** For assert.rejects: an answer of the service, with its status and code. */
export function refusal(status: number, code: string): (error: unknown) => boolean {
  return error => {
    if (!(error instanceof RestError)) return false;
    // Of XML, which the client does not read, the code stands in the header alone.
    const details = error.details as { odataError?: { code: string }; errorCode?: string } | undefined;
    const actual = details?.odataError?.code ?? error.code ?? details?.errorCode;
    if (error.statusCode === status && actual === code) return true;
    throw new Error(`expected ${status} ${code}, but the answer is ${error.statusCode} ${actual}`);
  };
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
