import { InvalidArgumentError, Option } from 'commander';
import { type LogLevel, logLevels } from './observe/log.ts';

/** What `tabularium start` and startTabularium() can be told. Every setting is described once, in `settings`. */
export interface TabulariumOptions {
  /** Address to listen on. */
  host?: string;
  services?: readonly string[];
  /** TCP port of the Table service; 0 picks a free one. */
  tablePort?: number;
  /** Data folder, made where it is missing. */
  data?: string;
  /** Keep everything in a temporary folder that is never flushed and deleted at the end. */
  memory?: boolean;
  /** Accounts, each `name:key` or `name:key1:key2`; without any, the public development account. */
  accounts?: readonly string[];
  /** A file with an account a line; read again by `reloadAccounts()`. */
  accountsFile?: string;
  strictApiVersion?: boolean;
  logLevel?: LogLevel;
}

/** Services that this version has, in the order of their ports. */
export const implementedServices = ['table'] as const;

interface Setting {
  readonly flags: string;
  readonly environment: string;
  readonly help: string;
  readonly standard?: string | number | readonly string[];
  readonly parse?: (text: string, previous: unknown) => unknown;
  readonly choices?: readonly string[];
}

/** Every setting: its flag, its environment variable, its default, and what it does. README lists the same. */
export const settings: readonly Setting[] = [
  {
    flags: '--host <address>',
    environment: 'TABULARIUM_HOST',
    standard: '127.0.0.1',
    help: 'address to listen on',
  },
  {
    flags: '--services <list>',
    environment: 'TABULARIUM_SERVICES',
    standard: implementedServices,
    parse: parseServices,
    help: 'services to run, separated by commas',
  },
  {
    flags: '--table-port <port>',
    environment: 'TABULARIUM_TABLE_PORT',
    standard: 10002,
    parse: parsePort,
    help: 'TCP port of the Table service; 0 picks a free one',
  },
  {
    flags: '--data <folder>',
    environment: 'TABULARIUM_DATA',
    standard: './data',
    help: 'data folder, made where it is missing',
  },
  {
    flags: '--memory',
    environment: 'TABULARIUM_MEMORY',
    help: 'keep nothing: a temporary folder, never flushed, deleted at the end',
  },
  {
    flags: '--account <name:key[:key2]...>',
    environment: 'TABULARIUM_ACCOUNT',
    parse: collectAccounts,
    help: 'an account and its keys; may be given often (default: the public development account)',
  },
  {
    flags: '--accounts-file <file>',
    environment: 'TABULARIUM_ACCOUNTS_FILE',
    help: 'a file with an account a line, as --account takes it; read again on SIGHUP',
  },
  {
    flags: '--strict-api-version',
    environment: 'TABULARIUM_STRICT_API_VERSION',
    help: 'refuse values of x-ms-version that are not versions of the service',
  },
  {
    flags: '--log-level <level>',
    environment: 'TABULARIUM_LOG_LEVEL',
    standard: 'info',
    choices: logLevels,
    help: 'what to log, as JSON lines on standard error; debug logs every request',
  },
  {
    flags: '--quiet',
    environment: 'TABULARIUM_QUIET',
    help: 'print nothing on standard output',
  },
];

/** A setting as an option of the command line, which reads its environment variable, too. */
export function commandOption(setting: Setting): Option {
  const option = new Option(setting.flags, setting.help).env(setting.environment);
  if (setting.standard !== undefined) option.default(setting.standard, String(setting.standard));
  if (setting.choices !== undefined) option.choices(setting.choices);
  if (setting.parse !== undefined) option.argParser(setting.parse);
  return option;
}

/** A switch is on where its variable is set: so `TABULARIUM_MEMORY=false` must count as not set. */
export function forgetFalseSwitches(environment: NodeJS.ProcessEnv): void {
  for (const { flags, environment: name } of settings) {
    const isSwitch = !flags.includes('<');
    if (isSwitch && /^(?:|0|false|no|off)$/i.test(environment[name] ?? '')) delete environment[name];
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

function parseServices(text: string): string[] {
  const services = text.split(',').map(name => name.trim());
  const unknown = services.find(name => !(implementedServices as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(
      `There is no service '${unknown}' here; this version has: ${implementedServices.join(', ')}.`,
    );
  }
  return services;
}

/** Several may stand in one text, separated by spaces, as an environment variable needs. */
function collectAccounts(text: string, previous: unknown): string[] {
  return [
    ...((previous as string[] | undefined) ?? []),
    ...text.split(/\s+/).filter(account => account !== ''),
  ];
}
