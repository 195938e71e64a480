import { Command, InvalidArgumentError, Option } from 'commander';
import type { Account } from '../auth/accounts.ts';
import { signSas } from '../auth/shared-access-signature.ts';
import { commandOption, parseDurationMs, settings } from '../config.ts';
import { readAccounts } from '../credentials.ts';

interface CommonOptions {
  account?: string[];
  accountsFile?: string;
  accountName?: string;
  start?: string;
  expiry?: string;
  ip?: string;
  httpsOnly?: boolean;
  apiVersion: string;
  endpoint?: string;
}

interface TableOptions extends CommonOptions {
  permissions?: string;
  policy?: string;
  startPk?: string;
  startRk?: string;
  endPk?: string;
  endRk?: string;
}

interface AccountOptions extends CommonOptions {
  permissions: string;
  services: string;
  resourceTypes: string;
}

/** `tabularium sas`: prints shared access signatures, made with a key of an account; no server is asked. */
export function sasCommand(): Command {
  return new Command('sas')
    .description(
      'Print a shared access signature: access without a key, bounded in what, when and from where.',
    )
    .addCommand(tableCommand())
    .addCommand(accountCommand());
}

function tableCommand(): Command {
  const command = new Command('table')
    .description('For one table, or a range of its keys.')
    .argument('<table>', 'name of the table')
    .option(
      '--permissions <letters>',
      'r read, a add, u update, d delete (or from --policy)',
      lettersOf('raud'),
    )
    .option('--policy <id>', 'stored access policy that gives what is not given here, and can be revoked')
    .option('--start-pk <key>', 'first partition key')
    .option('--start-rk <key>', 'first row key, in the first partition; needs --start-pk')
    .option('--end-pk <key>', 'last partition key')
    .option('--end-rk <key>', 'last row key, in the last partition; needs --end-pk')
    .addHelpText('after', examples)
    .action(printTableSas);
  return withCommonOptions(command);
}

function accountCommand(): Command {
  const command = new Command('account')
    .description('For services of an account.')
    .requiredOption(
      '--permissions <letters>',
      'r read, w write, d delete, l list, a add, c create, u update, p process',
      lettersOf('rwdlacup'),
    )
    .option('--services <letters>', 'b blob, q queue, t table', lettersOf('bqt'), 't')
    .option(
      '--resource-types <letters>',
      's service, c container (table), o object (entity)',
      lettersOf('sco'),
      'sco',
    )
    .addHelpText('after', examples)
    .action(printAccountSas);
  return withCommonOptions(command);
}

const examples = `
Examples:
  tabularium sas table people --permissions r --expiry 1h
  tabularium sas table people --permissions raud --expiry 7d --start-pk Sales --end-pk Sales
  tabularium sas table people --policy readers
  tabularium sas account --permissions rl --resource-types co --expiry 2030-01-01
Times are ISO 8601 in UTC, or durations from now: 30m, 12h, 7d.`;

function withCommonOptions(command: Command): Command {
  for (const setting of settings) {
    if (/^--accounts?(?:-file)? /.test(setting.flags)) command.addOption(commandOption(setting));
  }
  return command
    .option('--account-name <name>', 'which of several accounts signs (default: the first)')
    .option('--start <time>', 'not before', readTime)
    .option('--expiry <time>', 'until', readTime)
    .option('--ip <address>', 'only from this IPv4 address, or range a-b')
    .option('--https-only', 'not over plain HTTP')
    .addOption(
      new Option('--api-version <version>', 'signed version').default('2020-12-06').argParser(readVersion),
    )
    .option(
      '--endpoint <url>',
      'print the address of the table or account with the token, not the token alone',
    );
}

function printTableSas(table: string, options: TableOptions, command: Command): void {
  const { permissions, policy, startPk, startRk, endPk, endRk } = options;
  if (policy === undefined && (permissions === undefined || options.expiry === undefined)) {
    command.error('error: give --permissions and --expiry, or a --policy that has them');
  }
  if (startRk !== undefined && startPk === undefined) command.error('error: --start-rk needs --start-pk');
  if (endRk !== undefined && endPk === undefined) command.error('error: --end-rk needs --end-pk');
  const fields = {
    tn: table,
    sp: permissions,
    si: policy,
    spk: startPk,
    srk: startRk,
    epk: endPk,
    erk: endRk,
  };
  print(
    signSas(signingAccount(options, command), { ...commonFields(options), ...fields }),
    options,
    `/${table}`,
  );
}

function printAccountSas(options: AccountOptions, command: Command): void {
  if (options.expiry === undefined) command.error('error: give --expiry');
  const { permissions, services, resourceTypes } = options;
  const fields = { ss: services, srt: resourceTypes, sp: permissions };
  print(signSas(signingAccount(options, command), { ...commonFields(options), ...fields }), options, '/');
}

function commonFields({ apiVersion, start, expiry, ip, httpsOnly }: CommonOptions) {
  return { sv: apiVersion, st: start, se: expiry, sip: ip, spr: httpsOnly === true ? 'https' : undefined };
}

function print(token: string, { endpoint }: CommonOptions, path: string): void {
  const address = endpoint === undefined ? '' : `${endpoint.replace(/\/$/, '')}${path}?`;
  process.stdout.write(`${address}${token}\n`);
}

function signingAccount(options: CommonOptions, command: Command): Account {
  const { account: accounts = [], accountsFile, accountName } = options;
  try {
    const all = readAccounts({ accounts, ...(accountsFile === undefined ? {} : { accountsFile }) });
    const account = all.find(({ name }) => accountName === undefined || name === accountName);
    if (account !== undefined) return account;
  } catch (error) {
    return command.error(`error: ${(error as Error).message}`);
  }
  return command.error(`error: there is no account '${accountName}'`);
}

/** The letters in the service's order, each once. */
function lettersOf(allowed: string): (text: string) => string {
  return text => {
    const unknown = [...text].find(letter => !allowed.includes(letter));
    if (unknown !== undefined || text === '') {
      throw new InvalidArgumentError(`The letters are: ${[...allowed].join(', ')}.`);
    }
    return [...allowed].filter(letter => text.includes(letter)).join('');
  };
}

/** ISO 8601, passed on as it is written, or a duration from now. */
function readTime(text: string): string {
  if (
    /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,7})?)?Z)?$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  ) {
    return text;
  }
  let durationMs: number;
  try {
    durationMs = parseDurationMs(text);
  } catch {
    throw new InvalidArgumentError(
      'A time is 2030-01-01, 2030-01-01T12:00:00Z, or a duration from now: 30m, 12h, 7d.',
    );
  }
  return new Date(Date.now() + durationMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

function readVersion(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text))
    throw new InvalidArgumentError('A version is a date, such as 2020-12-06.');
  return text;
}
