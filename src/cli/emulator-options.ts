import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { tableFileName } from '../azurite/table-file-name.ts';
import { settings } from '../config.ts';

/** What the emulator Azurite calls something, and what that is here. */
type EmulatorOption = { readonly flags: string; readonly choices?: readonly string[] } & (
  | {
      /** Which flag of ours it is. */
      readonly ours: string;
      /** What ours is given, where that is not the value itself. */
      readonly value?: string | true;
      readonly note?: (value: string) => string | undefined;
    }
  /** Why it does nothing. */
  | { readonly nothing: string }
);

const noOtherServices = 'this version has the Table service alone';

const emulatorOptions: readonly EmulatorOption[] = [
  { flags: '--tablePort <port>', ours: '--table-port' },
  { flags: '--tableHost <address>', ours: '--host' },
  { flags: '-l, --location <folder>', ours: '--data', note: noteOfTables },
  { flags: '--inMemoryPersistence', ours: '--memory' },
  {
    flags: '-d, --debug <file>',
    ours: '--log-level',
    value: 'debug',
    note: file => `the log goes to standard error; add 2> ${file} to have it in the file`,
  },
  { flags: '--cert <file>', ours: '--tls-cert' },
  { flags: '--key <file>', ours: '--tls-key' },
  {
    flags: '--oauth <level>',
    choices: ['basic'],
    ours: '--bearer-insecure-claims-only',
    value: true,
    note: () => 'as there, claims are looked at and signatures are not; --bearer-issuer is what verifies',
  },
  {
    flags: '--pwd <password>',
    nothing: 'certificates and keys are files in PEM, which openssl pkcs12 -nodes makes of a PFX file',
  },
  { flags: '-s, --silent', nothing: 'requests are logged only with --log-level debug' },
  { flags: '-L, --loose', nothing: 'headers and parameters that are not known are ignored anyway' },
  {
    flags: '--skipApiVersionCheck',
    nothing: 'newer versions are accepted anyway, unless --strict-api-version is given',
  },
  {
    flags: '--disableProductStyleUrl',
    nothing: 'the account is read from the host only where that is account.table.…, else from the path',
  },
  { flags: '--disableTelemetry', nothing: 'there is no telemetry' },
  { flags: '--tableKeepAliveTimeout <seconds>', nothing: 'idle connections are closed after 120 seconds' },
  { flags: '--blobHost <address>', nothing: noOtherServices },
  { flags: '--blobPort <port>', nothing: noOtherServices },
  { flags: '--blobKeepAliveTimeout <seconds>', nothing: noOtherServices },
  { flags: '--queueHost <address>', nothing: noOtherServices },
  { flags: '--queuePort <port>', nothing: noOtherServices },
  { flags: '--queueKeepAliveTimeout <seconds>', nothing: noOtherServices },
  { flags: '--extentMemoryLimit <megabytes>', nothing: 'it bounds blobs and queues, which are not here' },
];

/** Variables of the emulator that do nothing, and why. AZURITE_ACCOUNTS is the one that does something. */
const idleVariables: Readonly<Record<string, string>> = {
  AZURITE_DB: 'it is where the emulator keeps blobs',
  AZURITE_SKIP_API_VERSION_CHECK: 'newer versions are accepted anyway, unless --strict-api-version is given',
};

/** Its values are kept apart from those of our flags: some names differ by their spelling alone. */
class EmulatorCommandOption extends Option {
  override attributeName(): string {
    return `azurite:${this.name()}`;
  }
}

/**
 * Lets a command that has our settings take the emulator's flags and variables, too. Each that is given is
 * answered by one line that says what it is here. A flag of ours wins over the emulator's, and the emulator's
 * flags over our variables.
 */
export function acceptEmulatorOptions(
  command: Command,
  environment: NodeJS.ProcessEnv = process.env,
  tell: (line: string) => void = line => process.stderr.write(line),
): void {
  for (const option of emulatorOptions) command.addOption(commandOptionOf(option));
  command.hook('preAction', () => {
    const hints = [...applyFlags(command), ...applyVariables(command, environment)];
    for (const hint of hints) tell(`tabularium: ${hint}\n`);
  });
}

function commandOptionOf(option: EmulatorOption): Option {
  const command = new EmulatorCommandOption(option.flags).hideHelp();
  if (option.choices !== undefined) command.choices(option.choices);
  const setting =
    'ours' in option ? settings.find(({ flags }) => flags.split(' ')[0] === option.ours) : undefined;
  // A broken value is refused by the name under which it was given.
  const parse = setting?.parse;
  return parse === undefined ? command : command.argParser(text => parse(text, undefined));
}

function applyFlags(command: Command): string[] {
  return emulatorOptions.flatMap(option => {
    const { long, attribute } = optionOf(command, option.flags);
    const given: unknown = command.getOptionValue(attribute);
    if (given === undefined) return [];
    // Without the value, which may be a password.
    if ('nothing' in option) return [`emulator's ${long} does nothing here: ${option.nothing}`];
    const named = given === true ? `emulator's ${long}` : `emulator's ${long} ${given}`;
    const ours = optionOf(command, option.ours);
    if (command.getOptionValueSource(ours.attribute) === 'cli') {
      return [`${named} does nothing here: ${option.ours} is given, too`];
    }
    const value = option.value ?? given;
    command.setOptionValueWithSource(ours.attribute, value, 'cli');
    const note = option.note?.(given as string);
    const becomes = value === true ? option.ours : `${option.ours} ${value}`;
    return [`${named} is ${becomes} here${note === undefined ? '' : `; ${note}`}`];
  });
}

function applyVariables(command: Command, environment: NodeJS.ProcessEnv): string[] {
  const hints = Object.entries(idleVariables)
    .filter(([name]) => (environment[name] ?? '') !== '')
    .map(([name, reason]) => `emulator's ${name} does nothing here: ${reason}`);
  const accounts = (environment.AZURITE_ACCOUNTS ?? '').trim();
  if (accounts === '') return hints;
  const named = "emulator's AZURITE_ACCOUNTS";
  const attributes = ['--account', '--accounts-file'].map(flags => optionOf(command, flags).attribute);
  if (attributes.some(attribute => command.getOptionValue(attribute) !== undefined)) {
    return [...hints, `${named} does nothing here: accounts of ours are given, too`];
  }
  const each = accounts.split(';').filter(account => account !== '');
  command.setOptionValueWithSource(attributes[0] as string, each, 'env');
  return [...hints, `${named} is --account here, once for each; it is read at the start only`];
}

/** An option that the command has, by its flags or by its long name alone. */
function optionOf(command: Command, flags: string): { long: string; attribute: string } {
  const option = command.options.find(({ long, flags: all }) => all === flags || long === flags);
  if (option === undefined) throw new Error(`the command has no option ${flags}`);
  return { long: option.long as string, attribute: option.attributeName() };
}

function noteOfTables(folder: string): string | undefined {
  if (!existsSync(join(folder, tableFileName))) return undefined;
  return `it holds tables of the emulator, which 'tabularium import-azurite ${folder} --data ${folder}' takes over`;
}
