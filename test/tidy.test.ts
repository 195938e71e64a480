import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';

/** The house rules, held by reading our own source. */
const root = new URL('../', import.meta.url).pathname;
const sourceLinesMax = 400;
const otherLinesMax = 600;

interface SourceFile {
  /** From the project's root. */
  readonly path: string;
  readonly text: string;
}

function filesIn(...folders: string[]): SourceFile[] {
  return folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        name =>
          /\.(?:ts|mjs)$/.test(name) &&
          !name.includes('node_modules') &&
          !/(?:^|\/)(?:installed|results)\//.test(name),
      )
      .map(name => ({ path: join(folder, name), text: readFileSync(join(root, folder, name), 'utf8') })),
  );
}

/**
 * The parts of the house, and which parts each may import: only those below it. The first pattern that a path
 * begins with names its part.
 */
const parts: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly mayImport: readonly string[];
}[] = [
  // An import writes to a store without a server, so the command line opens one.
  {
    name: 'cli',
    paths: ['src/cli'],
    mayImport: ['config', 'credentials', 'workers', 'index', 'azurite', 'auth', 'observe', 'lmdb', 'ground'],
  },
  {
    name: 'workers',
    paths: ['src/workers/'],
    mayImport: [
      'index',
      'serving',
      'config',
      'credentials',
      'table',
      'account',
      'observe',
      'contract',
      'lmdb',
      'ground',
    ],
  },
  {
    name: 'index',
    paths: ['src/index.ts'],
    mayImport: ['serving', 'config', 'server', 'table', 'observe', 'contract', 'lmdb'],
  },
  {
    name: 'serving',
    paths: ['src/serving.ts'],
    mayImport: ['config', 'credentials', 'server', 'auth', 'observe'],
  },
  { name: 'credentials', paths: ['src/credentials.ts', 'src/tls/'], mayImport: ['config', 'auth'] },
  { name: 'config', paths: ['src/config.ts'], mayImport: ['observe'] },
  {
    name: 'server',
    paths: ['src/server.ts', 'src/exchange.ts', 'src/operator.ts'],
    mayImport: ['table', 'auth', 'account', 'http', 'observe', 'contract', 'ground'],
  },
  // What it reads is checked as what a client sends, and becomes the same rows.
  { name: 'azurite', paths: ['src/azurite/'], mayImport: ['table', 'auth', 'account', 'contract', 'ground'] },
  { name: 'table', paths: ['src/table/'], mayImport: ['auth', 'account', 'http', 'contract', 'ground'] },
  { name: 'lmdb', paths: ['src/store/lmdb/'], mayImport: ['contract', 'account', 'ground'] },
  { name: 'model', paths: ['src/store/model.ts'], mayImport: ['contract', 'account', 'ground'] },
  { name: 'contract', paths: ['src/store/'], mayImport: ['account', 'ground'] },
  { name: 'observe', paths: ['src/observe/'], mayImport: ['contract', 'ground'] },
  { name: 'auth', paths: ['src/auth/'], mayImport: ['account', 'http', 'ground'] },
  { name: 'account', paths: ['src/account/'], mayImport: ['http', 'ground'] },
  { name: 'http', paths: ['src/http/'], mayImport: ['ground'] },
  { name: 'ground', paths: ['src/'], mayImport: [] },
];

function partOf(path: string): (typeof parts)[number] {
  return parts.find(({ paths }) => paths.some(start => path.startsWith(start))) as (typeof parts)[number];
}

function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/(?:from|import)\s+'(\.[^']+)'/g)].map(([, target]) =>
    relative(root, join(root, dirname(path), target as string)),
  );
}

const source = filesIn('src');
const everything = filesIn('src', 'test', 'scripts', 'bench', 'clients', 'examples');

describe('the house', () => {
  it('has imports that point downward only', () => {
    for (const file of source) {
      const part = partOf(file.path);
      for (const target of importsOf(file)) {
        const { name } = partOf(target);
        assert.ok(name === part.name || part.mayImport.includes(name), `${file.path} imports ${target}`);
      }
    }
  });

  it('has no circles among its imports', () => {
    const imports = new Map(source.map(file => [file.path, importsOf(file)]));
    const done = new Set<string>();
    const visit = (path: string, way: readonly string[]): void => {
      assert.ok(!way.includes(path), `a circle: ${[...way, path].join(' -> ')}`);
      if (done.has(path)) return;
      for (const target of imports.get(path) ?? []) visit(target, [...way, path]);
      done.add(path);
    };
    for (const path of imports.keys()) visit(path, []);
  });

  it('has no long files', () => {
    for (const { path, text } of everything) {
      const linesMax = path.startsWith('src/') ? sourceLinesMax : otherLinesMax;
      assert.ok(text.split('\n').length <= linesMax, `${path} has more than ${linesMax} lines`);
    }
  });

  it('names its files in kebab-case, and none after nothing in particular', () => {
    for (const { path } of everything) {
      assert.match(path, /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test)?\.(?:ts|mjs)$/);
      assert.doesNotMatch(path, /(?:^|\/)(?:utils?|common|helpers?|core|shared|manager|factory)(?:\/|\.)/);
    }
  });

  it('leaves nothing promised and not done, and no code commented out', () => {
    const promise = new RegExp(
      `\\b(?:${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')}|X{3}|${['HA', 'CK'].join('')})\\b`,
    );
    for (const { path, text } of everything) {
      assert.doesNotMatch(text, promise, path);
      assert.doesNotMatch(text, /^\s*\/\/.*[;{]\s*$/m, path);
    }
  });

  it('has one name for each thing it exports, and no default exports', () => {
    for (const { path, text } of everything) assert.doesNotMatch(text, /^export default/m, path);
  });

  it('exports nothing that no other file uses', () => {
    const unused: string[] = [];
    const doors = ['src/index.ts', 'src/store/store.ts', 'src/store/model.ts'];
    for (const { path, text } of source.filter(file => !doors.includes(file.path))) {
      const exported = [
        ...text.matchAll(/^export (?:declare )?(?:async )?(?:abstract )?(?:const|function\*?|class) (\w+)/gm),
      ];
      for (const [, name] of exported) {
        const isUsed = everything.some(
          other => other.path !== path && new RegExp(`\\b${name}\\b`).test(other.text),
        );
        if (!isUsed) unused.push(`${path}: ${name}`);
      }
    }
    assert.deepEqual(unused, []);
  });

  it('reads the clock, ids and random numbers at the edges only', () => {
    const edges = [
      'src/server.ts',
      'src/index.ts',
      'src/serving.ts',
      'src/cli/sas.ts',
      'src/store/lmdb/lmdb-store.ts',
      'src/table/batch-response.ts',
    ];
    for (const { path, text } of source) {
      if (edges.includes(path)) continue;
      assert.doesNotMatch(text, /Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(/, path);
    }
  });

  it('documents every error of the catalogue, and no other', async () => {
    const { catalogue } = await import('../src/errors.ts');
    const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (.*?) \|/gm)].map(
      ([, code, status, message]) => ({ code, status, message }),
    );
    const expected = Object.entries(catalogue).map(([code, [status, message]]) => ({
      code,
      status: String(status),
      message,
    }));
    assert.deepEqual(rows, expected);
  });

  it('lists every setting in the README, with its variable and default', async () => {
    const { settings } = await import('../src/config.ts');
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    for (const { flags, environment, standard } of settings) {
      const row = readme.split('\n').find(line => line.startsWith(`| \`${flags}\``));
      assert.ok(row, `README has no row for ${flags}`);
      assert.ok(row.includes(`\`${environment}\``), row);
      if (standard !== undefined) assert.ok(row.includes(`\`${standard}\``), row);
    }
  });

  it('gives a reason for each of its dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    const installed = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];
    assert.deepEqual(listed.toSorted(), installed.toSorted());
  });
});
