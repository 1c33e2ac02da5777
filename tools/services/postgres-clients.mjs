import fs from 'node:fs';
import path from 'node:path';
import { debianProgram } from './debian.mjs';
import { isRoot, othersCanReach } from './programs.mjs';

const PROGRAMS = ['postgres', 'initdb', 'pg_dump', 'pg_restore'];
const packages = ['postgresql'];

/**
 * Finds a PostgreSQL that has its client programs beside it, for tests of backups: pg_dump refuses servers that are newer than
 * itself, and the PostgreSQL that npm ships has none. An installed one, or the Debian package unpacked for us.
 * @param {{ programsDir: string, home: string }} places home: a folder that the account of the server can reach
 * @returns {Promise<{ bin: string, how: string }>}
 * @throws when there is none, with the ways out
 */
export async function findPostgresWithClients({ programsDir, home }) {
  const installed = process.env.GROUPWARE_IGNORE_INSTALLED ? undefined : newestBelow('/usr/lib/postgresql');
  if (installed) return { bin: installed, how: 'an installed PostgreSQL' };
  let reason = '';
  try {
    const unpacked = await debianProgram(programsDir, 'usr/share/doc/postgresql', packages);
    if (unpacked) return { bin: runnable(unpacked, home), how: 'an unpacked Debian package' };
  } catch (error) {
    reason = ` (${error.message})`;
  }
  throw new Error(`no PostgreSQL with pg_dump${reason}: apt-get install ${packages.join(' ')}`);
}

function newestBelow(folder) {
  if (!fs.existsSync(folder)) return undefined;
  return fs
    .readdirSync(folder)
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    .map((version) => path.join(folder, version, 'bin'))
    .find((bin) => PROGRAMS.every((name) => fs.existsSync(path.join(bin, name))));
}

/** Programs that find the libraries unpacked with them, whatever the environment of who starts them. */
function runnable({ root, env }, home) {
  let place = root;
  if (isRoot && !othersCanReach(root)) {
    place = path.join(home, 'postgresql');
    fs.cpSync(root, place, { recursive: true, verbatimSymlinks: true });
  }
  const bin = newestBelow(path.join(place, 'usr/lib/postgresql'));
  if (!bin) throw new Error(`the packages ${packages.join(', ')} hold no PostgreSQL with pg_dump`);
  const libraries = env.LD_LIBRARY_PATH.replaceAll(root, place);
  const wrappers = path.join(home, 'postgresql-bin');
  fs.mkdirSync(wrappers, { recursive: true });
  for (const name of PROGRAMS)
    fs.writeFileSync(
      path.join(wrappers, name),
      `#!/bin/sh\nexport LD_LIBRARY_PATH='${libraries}'\nexec '${path.join(bin, name)}' "$@"\n`,
      { mode: 0o755 },
    );
  return wrappers;
}
