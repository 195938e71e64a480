/**
 * Does a start take longer, and does the server hold more memory, when there is much on disk? It should not:
 * the data is mapped, and nothing of it is read before it is asked for. Full and empty starts take turns.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Child } from './child.ts';
import { type Layout, layOut } from './entities.ts';
import { endWithHelp, positive } from './options.ts';
import { Progress } from './progress.ts';
import { aligned } from './report.ts';
import { buildTabularium, startTabularium } from './servers.ts';
import { measureStart, medians, type Start } from './start-up.ts';

const startDifferenceMsMax = 300;
const memoryDifferenceMiBMax = 30;
const readCount = 20;

const help = `npm run bench:start -- [options]
  --rounds N            starts with an empty folder, and as many with a full one, in turns (7)
  --entities N          of 1 KiB in the full one (200000)
  --no-build            measure dist/ as it is
`;

async function fill(dataFolder: string, layout: Layout, progress: Progress): Promise<void> {
  const load = new Child('load.ts');
  const server = await startTabularium(dataFolder);
  await load.ask({ kind: 'preload', port: server.port, layout }, done =>
    progress.show(`loading ${done} of ${layout.entityCount} entities`),
  );
  await server.stop();
  load.stop();
}

function rowOf(label: string, start: Start): string[] {
  return [label, start.readyMs.toFixed(0), start.readyMiB.toFixed(1), start.readMiB.toFixed(1)];
}

function verdict(title: string, difference: number, differenceMax: number, unit: string): string {
  const word = difference <= differenceMax ? 'pass' : 'MISS';
  return `  ${word}   ${title}: full less empty is ${difference.toFixed(1)} ${unit}, at most ${differenceMax}`;
}

function report(entityCount: number, empty: Start, full: Start): string {
  const rows = [
    ['', 'ready ms', 'MiB when ready', `MiB after ${readCount} reads`],
    rowOf('empty', empty),
    rowOf(`${entityCount} entities`, full),
  ];
  return [
    ...aligned(rows),
    '',
    verdict('start', full.readyMs - empty.readyMs, startDifferenceMsMax, 'ms'),
    verdict('memory when ready', full.readyMiB - empty.readyMiB, memoryDifferenceMiBMax, 'MiB'),
    verdict('memory after reads', full.readMiB - empty.readMiB, memoryDifferenceMiBMax, 'MiB'),
    '',
  ].join('\n');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '7' },
      entities: { type: 'string', default: '200000' },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) endWithHelp(help);
  const rounds = positive('rounds', values.rounds);
  const layout = layOut(positive('entities', values.entities));
  const progress = new Progress();
  if (!values['no-build']) buildTabularium();
  const folder = mkdtempSync(join(tmpdir(), 'tabularium-start-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  await fill(join(folder, 'full'), layout, progress);
  const starts: { empty: Start[]; full: Start[] } = { empty: [], full: [] };
  for (let round = 0; round < rounds; round += 1) {
    const kinds = round % 2 === 0 ? (['empty', 'full'] as const) : (['full', 'empty'] as const);
    for (const kind of kinds) {
      const dataFolder = join(folder, kind === 'full' ? 'full' : `empty-${round}`);
      const start = await measureStart(dataFolder, layout, kind === 'full', readCount);
      starts[kind].push(start);
      progress.step(`round ${round + 1}, ${kind}: ${rowOf('', start).slice(1).join(' / ')}`);
    }
  }
  progress.clear();
  process.stdout.write(report(layout.entityCount, medians(starts.empty), medians(starts.full)));
}

await main();
