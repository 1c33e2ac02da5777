import fs from 'node:fs';
import path from 'node:path';
import { debianProgram } from './debian.mjs';
import { makeWhole } from './make-whole.mjs';
import { isRoot, othersCanReach, programAtHand } from './programs.mjs';

const packages = ['dovecot-core', 'dovecot-imapd', 'dovecot-pop3d'];
// Where the programs expect their modules, and the same place below the folder they run in: texts of equal length.
const fixedPlace = '/usr/lib/dovecot/modules';
const relativePlace = './'.padEnd(fixedPlace.length - 'modules'.length, '/') + 'modules';

/**
 * Finds a Dovecot for tests against a real mail server: DOVECOT_ROOT, one that is installed, or the Debian packages
 * unpacked for us. The root is the folder that holds usr/sbin/dovecot; tests start servers of their own from it.
 * @param {{ programsDir: string, dataDir: string }} places
 * @returns {Promise<{ root: string, how: string }>}
 * @throws when there is none, with the ways out
 */
export async function findDovecot({ programsDir, dataDir }) {
  if (process.env.DOVECOT_ROOT) return { root: process.env.DOVECOT_ROOT, how: 'DOVECOT_ROOT' };
  const installed = process.env.GROUPWARE_IGNORE_INSTALLED ? undefined : programAtHand('dovecot');
  if (installed === '/usr/sbin/dovecot') return { root: '/', how: 'an installed program' };
  let reason = '';
  try {
    const unpacked = await debianProgram(programsDir, 'dovecot', packages);
    if (unpacked)
      return { root: await movable(unpacked.root, programsDir, dataDir), how: 'an unpacked Debian package' };
  } catch (error) {
    reason = ` (${error.message})`;
  }
  throw new Error(`no Dovecot${reason}: set DOVECOT_ROOT, or apt-get install ${packages.join(' ')}`);
}

/** A copy that finds its modules below the folder it runs in, at a place that its unprivileged processes can read. */
async function movable(root, programsDir, dataDir) {
  const reachable = !isRoot || othersCanReach(root);
  const copy = path.join(reachable ? programsDir : dataDir, 'dovecot-program');
  await makeWhole(copy, (partial) => {
    fs.cpSync(root, partial, { recursive: true, verbatimSymlinks: true });
    for (const folder of ['usr/bin', 'usr/sbin', 'usr/lib/dovecot', 'usr/lib/dovecot/modules'])
      rewrite(partial, folder);
  });
  return copy;
}

function rewrite(root, folder) {
  const [from, to] = [Buffer.from(fixedPlace), Buffer.from(relativePlace)];
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(root, folder, entry.name);
    const bytes = fs.readFileSync(file);
    let found = bytes.indexOf(from);
    if (found < 0) continue;
    for (; found >= 0; found = bytes.indexOf(from, found)) to.copy(bytes, found);
    fs.writeFileSync(file, bytes);
  }
}
