/**
 * Runs the checklist's tests and writes docs/conformance.md: `npm run conformance`. With `--check` it writes
 * nothing and fails where the page differs from what the tests say.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { checklist, notes } from '../test/conformance/checklist.ts';

const page = new URL('../docs/conformance.md', import.meta.url);
const runner = new URL('./test.ts', import.meta.url).pathname;

/** Numbers of the assertions whose tests passed. */
async function runChecklist(): Promise<Set<number>> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--test-reporter=tap', runner, 'conformance/'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await new Promise(resolve => child.on('close', resolve));
  const outcomes = [...output.matchAll(/^\s*(not ok|ok) \d+ - (\d+)\. \[([^#\n]*)(# SKIP)?/gm)];
  const passed = outcomes.filter(([, outcome, , , skip]) => outcome === 'ok' && skip === undefined);
  const failed = new Set(outcomes.filter(outcome => !passed.includes(outcome)).map(([, , number]) => number));
  return new Set(
    passed
      .map(([, , number]) => number)
      .filter(number => !failed.has(number))
      .map(Number),
  );
}

function formatPage(passed: ReadonlySet<number>): string {
  const sections = [...new Set(checklist.map(({ section }) => section))].map(section => {
    const rows = checklist
      .filter(assertion => assertion.section === section)
      .map(({ number, operation, text }) => {
        const outcome = passed.has(number) ? 'pass' : '**fail**';
        return `| ${number} | ${operation} | ${escapeCell(text)} | ${outcome} | ${notes[number] ?? ''} |`;
      });
    return `## ${section}\n\n| # | Operation | Assertion | Outcome | Note |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# Conformance

Written by \`npm run conformance\` from the tests in \`test/conformance/\`, one for each assertion, over raw HTTP.
A note says what we chose where the service's behaviour is not public. "min" is \`minimalmetadata\`.

**${passed.size} of ${checklist.length} assertions pass.**

${sections.join('\n')}`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

const passed = await runChecklist();
const text = formatPage(passed);
process.stdout.write(`${passed.size} of ${checklist.length} assertions pass\n`);
for (const { number, text: assertion } of checklist) {
  if (!passed.has(number)) process.stdout.write(`  not ${number}: ${assertion}\n`);
}
if (!process.argv.includes('--check')) {
  writeFileSync(page, text);
} else if (readFileSync(page, 'utf8') !== text) {
  process.stdout.write('docs/conformance.md is stale: run `npm run conformance`\n');
  process.exitCode = 1;
}
if (passed.size < checklist.length) process.exitCode = 1;
