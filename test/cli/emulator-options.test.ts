import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Command } from 'commander';
import { acceptEmulatorOptions } from '../../src/cli/emulator-options.ts';
import { commandOption, settings } from '../../src/config.ts';
import { run, until } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Parsed {
  readonly options: Record<string, unknown>;
  /** Without what they all begin with. */
  readonly hints: readonly string[];
}

/** Parses a command that has our settings and takes the emulator's. */
function parse(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Parsed {
  const lines: string[] = [];
  const command = new Command('start').exitOverride().configureOutput({ writeErr: () => {} });
  for (const setting of settings) command.addOption(commandOption(setting));
  acceptEmulatorOptions(command, environment, line => lines.push(line));
  command.action(() => {}).parse(args, { from: 'user' });
  const start = "tabularium: emulator's ";
  for (const line of lines) assert.equal(line.startsWith(start) && line.endsWith('\n'), true, line);
  return { options: command.opts(), hints: lines.map(line => line.slice(start.length, -1)) };
}

function folder(t: TestContext): string {
  const { path, remove } = temporaryFolder();
  t.after(remove);
  return path;
}

describe("the emulator's options", () => {
  it('are ours by other names, where they say the same', () => {
    const { options, hints } = parse([
      '--tablePort',
      '0',
      '--tableHost',
      '0.0.0.0',
      '-l',
      'x',
      '--inMemoryPersistence',
      '-d',
      'debug.log',
    ]);
    assert.equal(options.tablePort, 0);
    assert.equal(options.host, '0.0.0.0');
    assert.equal(options.data, 'x');
    assert.equal(options.memory, true);
    assert.equal(options.logLevel, 'debug');
    assert.deepEqual(hints, [
      '--tablePort 0 is --table-port 0 here',
      '--tableHost 0.0.0.0 is --host 0.0.0.0 here',
      '--location x is --data x here',
      '--inMemoryPersistence is --memory here',
      '--debug debug.log is --log-level debug here; the log goes to standard error; add 2> debug.log to have it in the file',
    ]);
  });

  it('bring TLS and bearer tokens', () => {
    const { options, hints } = parse([
      '--cert',
      'c.pem',
      '--key',
      'k.pem',
      '--pwd',
      'secret',
      '--oauth',
      'basic',
    ]);
    assert.equal(options.tlsCert, 'c.pem');
    assert.equal(options.tlsKey, 'k.pem');
    assert.equal(options.bearerInsecureClaimsOnly, true);
    assert.equal(hints.length, 4);
    assert.equal(hints[0], '--cert c.pem is --tls-cert c.pem here');
    assert.equal(hints[1], '--key k.pem is --tls-key k.pem here');
    assert.match(hints[2] as string, /^--oauth basic is --bearer-insecure-claims-only here; /);
    assert.match(hints[3] as string, /^--pwd does nothing here: /);
    assert.doesNotMatch(hints.join(), /secret/);
    assert.throws(() => parse(['--oauth', 'strict']), /'strict' is invalid. Allowed choices are basic/);
  });

  it('do nothing, and say why, where they mean nothing here', () => {
    const before = parse([]);
    assert.deepEqual(before.hints, []);
    const switches = ['-s', '-L', '--skipApiVersionCheck', '--disableProductStyleUrl', '--disableTelemetry'];
    const values = [
      '--tableKeepAliveTimeout',
      '--blobPort',
      '--blobKeepAliveTimeout',
      '--queuePort',
      '--queueKeepAliveTimeout',
      '--extentMemoryLimit',
    ];
    const hosts = ['--blobHost', '127.0.0.1', '--queueHost', '127.0.0.1'];
    const { options, hints } = parse([...switches, ...values.flatMap(name => [name, '5']), ...hosts]);
    for (const [name, value] of Object.entries(before.options)) assert.deepEqual(options[name], value);
    assert.equal(hints.length, switches.length + values.length + 2);
    for (const hint of hints) assert.match(hint, /^--\w+ does nothing here: ./);
  });

  it('give way to a flag of ours, and go before a variable of ours', t => {
    const { options, hints } = parse([
      '--table-port',
      '1',
      '--tablePort',
      '2',
      '--data',
      'ours',
      '--location',
      'x',
    ]);
    assert.equal(options.tablePort, 1);
    assert.equal(options.data, 'ours');
    assert.deepEqual(hints, [
      '--tablePort 2 does nothing here: --table-port is given, too',
      '--location x does nothing here: --data is given, too',
    ]);
    process.env.TABULARIUM_TABLE_PORT = '3';
    t.after(() => delete process.env.TABULARIUM_TABLE_PORT);
    assert.equal(parse([]).options.tablePort, 3);
    assert.equal(parse(['--tablePort', '2']).options.tablePort, 2);
  });

  it('are refused by their own names', () => {
    assert.throws(
      () => parse(['--tablePort', 'many']),
      /option '--tablePort <port>' argument 'many' is invalid/,
    );
    assert.throws(() => parse(['--location']), /option '-l, --location <folder>' argument missing/);
  });

  it('name the accounts in AZURITE_ACCOUNTS, unless ours name some, and print no key', () => {
    const environment = { AZURITE_ACCOUNTS: ' first:Zmlyc3Q=;second:c2Vjb25k:Zm91cnRo; ' };
    const { options, hints } = parse([], environment);
    assert.deepEqual(options.account, ['first:Zmlyc3Q=', 'second:c2Vjb25k:Zm91cnRo']);
    assert.deepEqual(hints, [
      'AZURITE_ACCOUNTS is --account here, once for each; it is read at the start only',
    ]);
    for (const ours of [
      ['--account', 'mine:a2V5'],
      ['--accounts-file', 'keys.txt'],
    ]) {
      const { options, hints } = parse(ours, environment);
      assert.deepEqual(options.account, ours[0] === '--account' ? ['mine:a2V5'] : undefined);
      assert.deepEqual(hints, ['AZURITE_ACCOUNTS does nothing here: accounts of ours are given, too']);
    }
  });

  it('say that the other variables do nothing', () => {
    const { hints } = parse([], {
      AZURITE_DB: 'mysql://x',
      AZURITE_SKIP_API_VERSION_CHECK: 'true',
      AZURITE_ACCOUNTS: '',
    });
    assert.equal(hints.length, 2);
    assert.match(hints[0] as string, /^AZURITE_DB does nothing here: /);
    assert.match(hints[1] as string, /^AZURITE_SKIP_API_VERSION_CHECK does nothing here: /);
  });

  it('point to the import where the location holds tables of the emulator', t => {
    const location = folder(t);
    const fixture = new URL('../azurite/fixtures/table-file.json', import.meta.url);
    copyFileSync(fixture, join(location, '__azurite_db_table__.json'));
    const { hints } = parse(['--location', location]);
    assert.deepEqual(hints, [
      `--location ${location} is --data ${location} here; it holds tables of the emulator, which 'tabularium import-azurite ${location} --data ${location}' takes over`,
    ]);
  });

  it('are all in docs/from-azurite.md', () => {
    const page = readFileSync(new URL('../../docs/from-azurite.md', import.meta.url), 'utf8');
    const command = new Command('start');
    acceptEmulatorOptions(command);
    assert.equal(command.options.length, 22);
    for (const { long, short } of command.options) {
      for (const name of [long, short]) {
        if (name) assert.match(page, new RegExp(`^\\|.*\`${name}( \\w+)?\`.*\\|.*\\|$`, 'm'));
      }
    }
  });

  it('are not in the help', () => {
    const command = new Command('start');
    for (const setting of settings) command.addOption(commandOption(setting));
    const before = command.helpInformation();
    acceptEmulatorOptions(command);
    assert.equal(command.helpInformation(), before);
  });
});

describe('tabularium without a command', { timeout: 60_000 }, () => {
  it('starts a server as the emulator starts', async t => {
    const location = folder(t);
    const server = run(t, ['--silent', '--location', location, '--tablePort', '0', '--skipApiVersionCheck'], {
      AZURITE_ACCOUNTS: 'mine:a2V5',
    });
    await until(server, () => server.output.includes('Stop with'));
    assert.match(server.output, /Table service\s+http:\/\/127\.0\.0\.1:\d+\/mine\n/);
    assert.match(server.output, new RegExp(`Data\\s+${location} `));
    assert.equal(server.errors.match(/^tabularium: emulator's /gm)?.length, 5);
    server.process.kill('SIGTERM');
    assert.equal(await server.exited, 0);
  });

  it('still prints the help and the version, and refuses commands that are none', async t => {
    const help = run(t, ['--help']);
    assert.equal(await help.exited, 0);
    assert.match(help.output, /Commands:\n\s+start .*import-azurite/s);
    const version = run(t, ['--version']);
    assert.equal(await version.exited, 0);
    assert.match(version.output, /^\d+\.\d+\.\d+\n$/);
    const unknown = run(t, ['strat']);
    assert.equal(await unknown.exited, 1);
    assert.match(unknown.errors, /unknown command 'strat'\n\(Did you mean start\?\)/);
    const surplus = run(t, ['start', 'strat']);
    assert.equal(await surplus.exited, 1);
    assert.match(surplus.errors, /too many arguments for 'start'/);
  });
});
