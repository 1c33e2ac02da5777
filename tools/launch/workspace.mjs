import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkPackages, notInstalled } from './installed.mjs';
import { staleOutput } from './stale-output.mjs';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

/**
 * The script behind a command of an installed package, to be run with this Node.
 * @param {string} name of the package
 * @param {string} [command] when the package has another name for it
 */
export function commandOf(name, command = name) {
  const folder = path.join(root, 'node_modules', name);
  const { bin } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return path.join(folder, typeof bin === 'string' ? bin : bin[command]);
}

/**
 * Runs a program in the checkout and waits for its end.
 * @param {string} file
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @throws when it ends with anything but 0
 */
export function run(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0
        ? resolve()
        : reject(
            new Error(`${path.basename(file)} ${path.basename(args[0] ?? '')} ended with ${signal ?? `code ${code}`}`),
          ),
    );
  });
}

/**
 * Installs the dependencies when they are missing or others than the lock file wants, as after a `git pull`.
 * @param {(text: string) => void} say
 * @param {AbortSignal} [signal] ends it, with an error
 */
export async function installWhenMissing(say, signal) {
  const { packages, links } = notInstalled(root);
  if (packages.length === 0) return linkPackages(root, links);
  say('installing dependencies (npm ci); this takes a minute or two');
  const npm = process.env.npm_execpath;
  const [file, args] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  await run(file, [...args, 'ci', '--no-audit', '--no-fund'], {
    shell: process.platform === 'win32' && file === 'npm',
    signal,
  });
}

/**
 * Compiles what changed since the last time. One compiler for all packages takes a third of the time that one for each
 * would take.
 * @param {(text: string) => void} say
 * @param {AbortSignal} [signal] ends it, with an error
 */
export async function build(say, signal) {
  const folders = ['apps', 'libs']
    .flatMap((group) => fs.readdirSync(path.join(root, group)).map((name) => path.join(root, group, name)))
    .filter((folder) => fs.existsSync(path.join(folder, 'tsconfig.json')));
  for (const file of folders.flatMap(staleOutput)) fs.rmSync(file);
  say('building');
  // Reports go to the error channel: what a program prints for others to read stays clean.
  await run(process.execPath, [commandOf('typescript', 'tsc'), '-b', ...folders], { stdio: ['ignore', 2, 2], signal });
}
