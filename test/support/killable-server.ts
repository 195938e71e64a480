import { startTabularium } from '../../src/index.ts';

/**
 * A server in a process of its own that can be told to kill itself at the nth group commit, just before the
 * flush or just after it, before anyone hears of it. Arguments: the data folder, the point, the commit.
 */
const [folder = '', point = '', commit = '0'] = process.argv.slice(2);
let commits = 0;

function dieAt(here: string): void {
  if (here === point && commits >= Number(commit)) process.kill(process.pid, 'SIGKILL');
}

const tabularium = await startTabularium(
  { data: folder, tablePort: 0, logLevel: 'silent' },
  {
    store: {
      observer: {
        onFlushing() {
          commits++;
          dieAt('before the flush');
        },
        onCommitted: () => dieAt('after the flush'),
      },
    },
  },
);
process.send?.(tabularium.endpoints.table);
