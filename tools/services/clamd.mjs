import { debianProgram } from './debian.mjs';
import { programAtHand } from './programs.mjs';

const packages = ['clamav-daemon'];

/**
 * Finds the daemon of ClamAV for tests of the virus scan: CLAMD_PROGRAM, one that is installed, or the Debian package
 * unpacked for us. Tests start daemons of their own, with signatures of their own.
 * @param {{ programsDir: string }} places
 * @returns {Promise<{ file: string, libraries: string, how: string }>} libraries: LD_LIBRARY_PATH to run it with
 * @throws when there is none, with the ways out
 */
export async function findClamd({ programsDir }) {
  const libraries = process.env.CLAMD_LIBRARIES ?? '';
  if (process.env.CLAMD_PROGRAM) return { file: process.env.CLAMD_PROGRAM, libraries, how: 'CLAMD_PROGRAM' };
  const installed = process.env.GROUPWARE_IGNORE_INSTALLED ? undefined : programAtHand('clamd');
  if (installed) return { file: installed, libraries: process.env.LD_LIBRARY_PATH ?? '', how: 'an installed program' };
  let reason = '';
  try {
    const unpacked = await debianProgram(programsDir, 'clamd', packages);
    if (unpacked)
      return { file: unpacked.file, libraries: unpacked.env.LD_LIBRARY_PATH, how: 'an unpacked Debian package' };
  } catch (error) {
    reason = ` (${error.message})`;
  }
  throw new Error(`no ClamAV${reason}: set CLAMD_PROGRAM, or apt-get install ${packages.join(' ')}`);
}
