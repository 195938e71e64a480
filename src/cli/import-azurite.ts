import { Command } from 'commander';
import { tableFileName } from '../azurite/table-file-name.ts';
import { commandOption, settings } from '../config.ts';
import type { ImportAzuriteOptions } from './import-azurite-file.ts';

/** `tabularium import-azurite`: takes over the tables that the emulator left on disk. */
export function importAzuriteCommand(): Command {
  const data = settings.find(({ flags }) => flags.startsWith('--data ')) as (typeof settings)[number];
  return new Command('import-azurite')
    .description(`Take over the tables of the emulator Azurite, out of its file ${tableFileName}.`)
    .argument('<file>', `the emulator's ${tableFileName}, or the folder (its --location) that it is in`)
    .addOption(commandOption(data))
    .option('--account <name>', 'only what this account of the file has')
    .option('--into <name>', 'the account that gets it, instead of the one in the file')
    .option('--merge', 'add to tables that are there what they lack; what they hold stays as it is')
    .addHelpText('after', explanation)
    .action(async (path: string, options: ImportAzuriteOptions) => {
      // Loaded here alone: no other command needs it.
      const { importAzurite } = await import('./import-azurite-file.ts');
      await importAzurite(path, options);
    });
}

const explanation = `
Stop the emulator first, so that its file is complete, and the tabularium server of the data folder.
Exit codes: 0 all is imported, 1 nothing is or the import stopped, 2 some entities or tables are left out.

Example:
  tabularium import-azurite ./azurite --data ./data`;
