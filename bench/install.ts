/**
 * What we are compared with is no dependency of ours: it is installed on first use into bench/installed/,
 * which has a package.json of its own and is in nobody's lock.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const folder: string = join(import.meta.dirname, 'installed');
const versions: Record<string, string> = { azurite: '3.37.0', fastify: '5.12.8' };

function packageFolder(name: string): string {
  return join(folder, 'node_modules', name);
}

function isInstalled(name: string): boolean {
  const manifest = join(packageFolder(name), 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === versions[name];
}

function installAll(): void {
  process.stderr.write('installing what we compare with (once): this takes a minute\n');
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, dependencies: versions };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', folder, ...options], { stdio: ['ignore', 2, 2] });
}

/** The script of a command that a package brings. */
export function installedCommand(name: string, command: string): string {
  if (!isInstalled(name)) installAll();
  const { bin } = JSON.parse(readFileSync(join(packageFolder(name), 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  return join(packageFolder(name), bin[command]!);
}

/** The main export of a package. */
export function installedModule(name: string): unknown {
  if (!isInstalled(name)) installAll();
  return createRequire(join(folder, 'package.json'))(name);
}
