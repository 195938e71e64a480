import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from './client.ts';
import type { Case } from './compose.ts';

const folder = new URL('found/', import.meta.url).pathname;
const shownBytes = 3000;

export interface CaseName {
  /** Of its file. */
  readonly name: string;
  /** How it is seen again. */
  readonly again: string;
  /** The number of the case before it on the same connection. */
  readonly before: number | undefined;
}

/** Failures as they are found: printed with all that it takes to see them again, and kept as files. */
export class Findings {
  readonly #counts = new Map<string, number>();

  /** How many were found, those that look like an earlier one included. */
  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** A failure of one case. Of those that look the same only the first three are shown. */
  add(
    problem: string,
    { name, again, before }: CaseName,
    { pieces }: Case,
    { answers }: Outcome,
    log: readonly string[],
  ): void {
    if (this.#tally(problem) > 3) return;
    const bytes = Buffer.concat([...pieces]);
    const answer = answers
      .map(({ status, body }) => `${status} ${body.toString('utf8').slice(0, 1000)}`)
      .join('\n');
    write(`FOUND ${problem}
  again: ${again}
  before it on its connection: case ${before ?? 'none'}
  bytes of the request (${bytes.length} in ${pieces.length} pieces): ${keep(name, bytes)}
${quote(bytes)}
  answer: ${answer}
  log: ${log.slice(-5).join('\n       ')}
`);
  }

  /** A failure of the whole; `amid` are the cases that were under way, any of which may be the cause. */
  addGeneral(
    problem: string,
    amid: ReadonlyMap<string, Case> = new Map(),
    log: readonly string[] = [],
  ): void {
    if (this.#tally(problem) > 3) return;
    const files = [...amid].map(([caseNumber, { pieces }]) =>
      keep(`amid-${caseNumber}`, Buffer.concat([...pieces])),
    );
    write(`FOUND ${problem}
  cases under way: ${[...amid.keys()].join(', ') || 'none'}
  bytes: ${files.join(' ') || 'none'}
  log: ${log.slice(-30).join('\n       ')}
`);
  }

  #tally(problem: string): number {
    const kind = problem.replace(/[\d"].*/s, '');
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return count;
  }
}

function keep(name: string, bytes: Buffer): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.bin`);
  writeFileSync(path, bytes);
  return path;
}

/** The bytes as a text of which each can be told. */
function quote(bytes: Buffer): string {
  const shown = bytes.subarray(0, shownBytes).toString('latin1');
  const escaped = shown.replace(
    /[\\\x00-\x09\x0b-\x1f\x7f-\xff]/g,
    character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  const lines = escaped.replaceAll('\\x0d\n', '\\r\\n\n').split('\n');
  const rest = bytes.length > shownBytes ? [`… and ${bytes.length - shownBytes} bytes more`] : [];
  return [...lines, ...rest].map(line => `    ${line}`).join('\n');
}

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}
