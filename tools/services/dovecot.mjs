import fs from 'node:fs';
import path from 'node:path';
import { debianProgram } from './debian.mjs';
import { makeWhole } from './make-whole.mjs';
import { isRoot, othersCanReach, programAtHand } from './programs.mjs';

const packages = [
  'dovecot-core',
  'dovecot-imapd',
  'dovecot-pop3d',
  'dovecot-lmtpd',
  'dovecot-sieve',
  'dovecot-managesieved',
];
// Places where programs expect modules and one another, and the same below the folder they run in: texts of equal length.
const places = ['/usr/lib/dovecot/modules', '/usr/lib/dovecot/managesieve', '/usr/bin/doveconf'].map((fixed) => {
  const name = path.basename(fixed);
  return { fixed: Buffer.from(fixed), relative: Buffer.from('./'.padEnd(fixed.length - name.length, '/') + name) };
});

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
  const copy = path.join(reachable ? programsDir : dataDir, 'dovecot-pigeonhole');
  await makeWhole(copy, (partial) => {
    fs.cpSync(root, partial, { recursive: true, verbatimSymlinks: true });
    for (const folder of [
      'usr/bin',
      'usr/sbin',
      'usr/lib/dovecot',
      'usr/lib/dovecot/modules',
      'usr/lib/dovecot/modules/settings',
    ])
      rewrite(partial, folder);
  });
  return copy;
}

function rewrite(root, folder) {
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(root, folder, entry.name);
    const bytes = fs.readFileSync(file);
    let isChanged = false;
    for (const { fixed, relative } of places)
      for (let found = bytes.indexOf(fixed); found >= 0; found = bytes.indexOf(fixed, found)) {
        relative.copy(bytes, found);
        isChanged = true;
      }
    if (isChanged) fs.writeFileSync(file, bytes);
  }
}
