import { debianProgram, libraryFolders } from './debian.mjs';

const PACKAGE = 'cyrus-imapd';

/**
 * Finds a Cyrus IMAP server for tests against another mail server than Dovecot: CYRUS_ROOT, or the Debian package unpacked for
 * us. The root is the folder that holds usr/lib/cyrus.
 * @param {{ programsDir: string }} places
 * @returns {Promise<{ root: string, libraries: string, how: string }>} libraries: folders of them, for LD_LIBRARY_PATH
 * @throws when there is none, with the ways out
 */
export async function findCyrus({ programsDir }) {
  const found = (root, how) => ({ root, libraries: libraryFolders(root).join(':'), how });
  if (process.env.CYRUS_ROOT) return found(process.env.CYRUS_ROOT, 'CYRUS_ROOT');
  let reason = '';
  try {
    const unpacked = await debianProgram(programsDir, 'usr/lib/cyrus/bin/imapd', [PACKAGE]);
    if (unpacked) return found(unpacked.root, 'an unpacked Debian package');
  } catch (error) {
    reason = ` (${error.message})`;
  }
  throw new Error(`no Cyrus${reason}: set CYRUS_ROOT, or apt-get install ${PACKAGE}`);
}
