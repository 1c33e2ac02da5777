import fs from 'node:fs';
import path from 'node:path';
import { debianProgram } from './debian.mjs';
import { programAtHand } from './programs.mjs';

const packages = ['python3-caldav'];
const modules = 'usr/lib/python3/dist-packages';

/**
 * Finds the CalDAV client of Python for tests of what other calendars read of us: CALDAV_PYTHON with CALDAV_PYTHONPATH, or the
 * Debian package unpacked for us, with all it needs.
 * @param {{ programsDir: string }} places
 * @returns {Promise<{ python: string, modules: string, libraries: string, how: string }>} modules: PYTHONPATH, libraries:
 *   LD_LIBRARY_PATH to run it with
 * @throws when there is none, with the ways out
 */
export async function findCalDavClient({ programsDir }) {
  const { CALDAV_PYTHON, CALDAV_PYTHONPATH = '', CALDAV_LIBRARIES = '' } = process.env;
  if (CALDAV_PYTHON)
    return { python: CALDAV_PYTHON, modules: CALDAV_PYTHONPATH, libraries: CALDAV_LIBRARIES, how: 'CALDAV_PYTHON' };
  let reason = '';
  try {
    const unpacked = await debianProgram(programsDir, `${modules}/caldav/davclient.py`, packages);
    // Debian's Python comes along where the machine has none; modules in C fit no other version.
    const python = ['usr/bin/python3.11', 'usr/bin/python3']
      .map((file) => path.join(unpacked?.root ?? '/', file))
      .concat('/usr/bin/python3', programAtHand('python3') ?? [])
      .find((file) => fs.existsSync(file));
    if (unpacked && python) {
      const { root, env } = unpacked;
      const libraries = env.LD_LIBRARY_PATH;
      return { python, modules: path.join(root, modules), libraries, how: 'an unpacked Debian package' };
    }
  } catch (error) {
    reason = ` (${error.message})`;
  }
  throw new Error(
    `no CalDAV client${reason}: set CALDAV_PYTHON and CALDAV_PYTHONPATH, or apt-get install ${packages[0]}`,
  );
}
