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
  /** A file with an account a line; read again by `reload()`. */
  accountsFile?: string;
  /** `auto` makes a local authority and a certificate, once, in the data folder. */
  tls?: 'auto';
  /** Files in PEM. */
  tlsCert?: string;
  tlsKey?: string;
  /** The `iss` of bearer tokens; without it none is taken. */
  bearerIssuer?: string;
  /** The issuer's keys, a JWKS: a file, or an address. */
  bearerKeys?: string;
  bearerAudiences?: readonly string[];
  /** Roles, each `role` or `account:role`. */
  bearerReaderRoles?: readonly string[];
  bearerContributorRoles?: readonly string[];
  /** Believe bearer tokens without a look at their signatures: for development, on this machine alone. */
  bearerInsecureClaimsOnly?: boolean;
  strictApiVersion?: boolean;
  /** How long the name of a deleted table stays taken, as the service does it: milliseconds, 0 for not at all. */
  simulateTableDeleting?: number;
  /** Tell in headers of every answer what the query cost, as answers do to requests that ask for it. */
  queryCost?: boolean;
  logLevel?: LogLevel;
}

/** What official clients ask their bearer tokens for. */
export const storageAudience = 'https://storage.azure.com';
/** As the service calls them. */
export const defaultRoles = {
  reader: 'Storage Table Data Reader',
  contributor: 'Storage Table Data Contributor',
} as const;

/** Services that this version has, in the order of their ports. */
export const implementedServices = ['table'] as const;

/** Each gets its share of the limits, which must not become too small for one request. */
const workersMax = 64;

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
    flags: '--workers <n>',
    environment: 'TABULARIUM_WORKERS',
    standard: 1,
    parse: parseWorkers,
    help: 'processes that serve requests; from 2 on, another one writes, and one supervises them',
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
    flags: '--tls <mode>',
    environment: 'TABULARIUM_TLS',
    choices: ['auto'],
    help: 'serve HTTPS with a certificate of a local authority, both made once and kept in the data folder',
  },
  {
    flags: '--tls-cert <file>',
    environment: 'TABULARIUM_TLS_CERT',
    help: 'serve HTTPS with this certificate, in PEM, those it is signed by behind it',
  },
  {
    flags: '--tls-key <file>',
    environment: 'TABULARIUM_TLS_KEY',
    help: 'the private key of --tls-cert, in PEM',
  },
  {
    flags: '--bearer-issuer <url>',
    environment: 'TABULARIUM_BEARER_ISSUER',
    help: 'take bearer tokens of this issuer; needs TLS and --bearer-keys',
  },
  {
    flags: '--bearer-keys <jwks>',
    environment: 'TABULARIUM_BEARER_KEYS',
    help: "the issuer's public keys, a JWKS: a file, or an http(s) address",
  },
  {
    flags: '--bearer-audiences <list>',
    environment: 'TABULARIUM_BEARER_AUDIENCES',
    standard: storageAudience,
    parse: parseList,
    help: 'audiences of which a token has to name one, separated by commas',
  },
  {
    flags: '--bearer-reader-roles <list>',
    environment: 'TABULARIUM_BEARER_READER_ROLES',
    standard: defaultRoles.reader,
    parse: parseList,
    help: 'roles of tokens that may read: role, or account:role, separated by commas',
  },
  {
    flags: '--bearer-contributor-roles <list>',
    environment: 'TABULARIUM_BEARER_CONTRIBUTOR_ROLES',
    standard: defaultRoles.contributor,
    parse: parseList,
    help: 'roles of tokens that may read and write',
  },
  {
    flags: '--bearer-insecure-claims-only',
    environment: 'TABULARIUM_BEARER_INSECURE_CLAIMS_ONLY',
    help: 'INSECURE, for development: believe any bearer token, signed or not; loopback addresses only',
  },
  {
    flags: '--simulate-table-deleting <duration>',
    environment: 'TABULARIUM_SIMULATE_TABLE_DELETING',
    parse: parseDurationMs,
    help: 'keep the name of a deleted table taken for so long, as the service does: 40s, 500ms, 2m',
  },
  {
    flags: '--strict-api-version',
    environment: 'TABULARIUM_STRICT_API_VERSION',
    help: 'refuse values of x-ms-version that are not versions of the service',
  },
  {
    flags: '--query-cost',
    environment: 'TABULARIUM_QUERY_COST',
    help: 'tell in headers of every answer what its query cost, not only where the request asks for it',
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
  const { standard, parse } = setting;
  if (standard !== undefined) {
    option.default(
      typeof standard === 'string' && parse ? parse(standard, undefined) : standard,
      String(standard),
    );
  }
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

function parseWorkers(text: string): number {
  const workers = Number(text);
  if (!/^\d+$/.test(text) || workers < 1 || workers > workersMax) {
    throw new InvalidArgumentError(`Workers are a number from 1 to ${workersMax}.`);
  }
  return workers;
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

function parseList(text: string): string[] {
  return text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `40s`, `1.5h`: a number and its unit. */
export function parseDurationMs(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (unit === undefined) {
    throw new InvalidArgumentError('A duration is a number and its unit: 500ms, 40s, 2m, 12h, 7d.');
  }
  return Number(number) * unitMs[unit as keyof typeof unitMs];
}

/** Several may stand in one text, separated by spaces, as an environment variable needs. */
function collectAccounts(text: string, previous: unknown): string[] {
  return [
    ...((previous as string[] | undefined) ?? []),
    ...text.split(/\s+/).filter(account => account !== ''),
  ];
}
