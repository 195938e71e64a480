import { Command } from 'commander';
import { commandOption, settings, type TabulariumOptions } from '../config.ts';
import { DataFolderError, StartError, startTabularium, type Tabularium } from '../index.ts';
import { createLogger, type Logger, type LogLevel } from '../observe/log.ts';
import { acceptEmulatorOptions } from './emulator-options.ts';

type StartOptions = TabulariumOptions & {
  account?: string[];
  workers: number;
  quiet?: boolean;
  logLevel: LogLevel;
};

/** `tabularium start`: runs until it is told to stop. */
export function startCommand(): Command {
  const command = new Command('start')
    .description(
      'Start the server; what is done without a command, too. Every option can be given as the environment variable beside it.',
    )
    .addHelpText('after', examples)
    .action(start);
  for (const setting of settings) command.addOption(commandOption(setting));
  acceptEmulatorOptions(command);
  return command;
}

const examples = `
Examples:
  tabularium start                                the emulator's ports and account, data in ./data
  tabularium start --memory --table-port 0        for a test run: nothing is kept
  tabularium start --host 0.0.0.0 --accounts-file keys.txt
  tabularium start --tls auto                     HTTPS with a certificate of its own making

Signals: SIGTERM and SIGINT finish the requests in flight and stop; SIGHUP reads accounts, certificates and keys again.`;

async function start({ account, workers, quiet, ...settings }: StartOptions): Promise<void> {
  const options: TabulariumOptions = { ...settings, accounts: account ?? [] };
  const log = createLogger(settings.logLevel);
  let tabularium: Tabularium;
  try {
    tabularium =
      workers === 1
        ? await startTabularium(options, { log })
        : await (await import('../workers/supervisor.ts')).startWorkers(workers, options, log);
  } catch (error) {
    if (!(error instanceof StartError || error instanceof DataFolderError)) throw error;
    process.stderr.write(`tabularium: ${error.message}\n`);
    process.exitCode = 1;
    return;
  }
  // Before the banner: whoever waits for it may tell the server to stop at once.
  stopOnSignals(tabularium, log);
  process.on('SIGHUP', () => void reload(tabularium, log));
  if (quiet !== true) process.stdout.write(banner(tabularium, options));
}

function banner(tabularium: Tabularium, options: TabulariumOptions): string {
  const { connectionString, endpoints, dataFolder, authorityFile } = tabularium;
  const isStandard = endpoints.table === 'http://127.0.0.1:10002/devstoreaccount1';
  const fate = options.memory === true ? 'kept until the server stops' : 'flushed to disk before each answer';
  const certificate = authorityFile === undefined ? '' : `--cacert ${authorityFile} `;
  return [
    'Tabularium is ready.',
    '',
    `  Table service      ${endpoints.table}`,
    `  Data               ${dataFolder} (${fate})`,
    `  Connection string  ${connectionString}`,
    ...(isStandard
      ? ['                     (official clients also know it as UseDevelopmentStorage=true)']
      : []),
    ...(authorityFile === undefined ? [] : ['', ...trust(authorityFile)]),
    '',
    'Try next, in another terminal:',
    `  curl ${certificate}${new URL('/-/ready', endpoints.table)}`,
    ...(isStandard ? ['  node examples/first-entity.mjs    a first entity, with the official client'] : []),
    'Stop with Ctrl+C.',
    '',
  ].join('\n');
}

/** How clients come to trust the local authority of `--tls auto`. */
function trust(authorityFile: string): string[] {
  return [
    `Clients have to trust the authority of this machine, ${authorityFile}:`,
    `  Node       export NODE_EXTRA_CA_CERTS=${authorityFile}`,
    `  Python     export REQUESTS_CA_BUNDLE=${authorityFile}`,
    `  Go, curl   export SSL_CERT_FILE=${authorityFile}`,
    `  Java       keytool -importcert -noprompt -cacerts -storepass changeit -alias tabularium -file ${authorityFile}`,
    `  Debian     cp ${authorityFile} /usr/local/share/ca-certificates/tabularium.crt && update-ca-certificates`,
    `  macOS      security add-trusted-cert -k ~/Library/Keychains/login.keychain-db ${authorityFile}`,
    `  Windows    certutil -user -addstore Root ${authorityFile}`,
  ];
}

function stopOnSignals(tabularium: Tabularium, log: Logger): void {
  let isStopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (isStopping) process.exit(1); // asked twice: do not wait
    isStopping = true;
    log.info({ signal }, 'finishing the requests in flight');
    await tabularium.close();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

async function reload(tabularium: Tabularium, log: Logger): Promise<void> {
  try {
    await tabularium.reload();
    log.info('read the accounts, certificates and keys again');
  } catch (error) {
    log.error(`${(error as Error).message}; accounts, certificates and keys stay as they were`);
  }
}
