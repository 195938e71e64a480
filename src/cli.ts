#!/usr/bin/env node
import { Command } from 'commander';
import { importAzuriteCommand } from './cli/import-azurite.ts';
import { sasCommand } from './cli/sas.ts';
import { startCommand } from './cli/start.ts';
import { forgetFalseSwitches } from './config.ts';
import { productVersion } from './product.ts';

const program = new Command('tabularium')
  .description('Azure Table storage that you can own: durable, fast, on your own machines.')
  .version(productVersion)
  .showHelpAfterError('Try --help for the list of options.')
  .addCommand(startCommand())
  .addCommand(sasCommand())
  .addCommand(importAzuriteCommand());

// Commands that are added do not take over how errors are shown.
for (const command of program.commands) {
  for (const each of [command, ...command.commands]) each.copyInheritedSettings(program);
}
forgetFalseSwitches(process.env);
await program.parseAsync(withCommand(process.argv.slice(2)), { from: 'user' });

/** Flags without a command start a server, as they start the emulator. */
function withCommand(args: readonly string[]): string[] {
  const isOfProgram = ['-h', '--help', '-V', '--version'].includes(args[0] ?? '');
  const isCommand = args[0] !== undefined && !args[0].startsWith('-');
  return isOfProgram || isCommand ? [...args] : ['start', ...args];
}
