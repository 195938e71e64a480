/** The server that a suite drives, from its environment. */
function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: clients/README.md says what a suite gets`);
  return value;
}

export const connectionString: string = variable('TABULARIUM_CONNECTION_STRING');
export const tableEndpoint: string = variable('TABULARIUM_TABLE_ENDPOINT');
export const secondaryEndpoint: string = variable('TABULARIUM_TABLE_SECONDARY_ENDPOINT');
export const accountName: string = variable('TABULARIUM_ACCOUNT_NAME');
export const accountKey: string = variable('TABULARIUM_ACCOUNT_KEY');

const run = Date.now().toString(36);
let lastName = 0;

/** A table name that nobody else uses, in this run or another. */
export function freshTableName(): string {
  lastName += 1;
  return `t${run}x${lastName}`;
}
