#!/usr/bin/env node
import { Command } from 'commander';
import { sasCommand } from './cli/sas.ts';
import { startCommand } from './cli/start.ts';
import { forgetFalseSwitches } from './config.ts';
import { productVersion } from './product.ts';

const program = new Command('tabularium')
  .description('Azure Table storage that you can own: durable, fast, on your own machines.')
  .version(productVersion)
  .showHelpAfterError('Try --help for the list of options.')
  .addCommand(startCommand())
  .addCommand(sasCommand());

forgetFalseSwitches(process.env);
await program.parseAsync();
