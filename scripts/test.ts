/**
 * Runs the tests, all files in one process: `npm test`, or `npm test -- table/filter` for the files whose
 * path contains a text. Starting a process for each file would take most of the time.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('../test/', import.meta.url).pathname;
const wanted = process.argv.slice(2);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .filter(name => wanted.length === 0 || wanted.some(text => name.includes(text)))
  .sort();

if (files.length === 0) {
  process.stderr.write(`no test file has a path with: ${wanted.join(', ')}\n`);
  process.exit(1);
}
for (const file of files) await import(join(root, file));
