import { debianProgram, libraryFolders } from './debian.mjs';

/** IMAP servers other than the one of all tests: of each a program, as its path below the root, and the packages it is in. */
const SERVERS = {
  Cyrus: { program: 'usr/lib/cyrus/bin/imapd', packages: ['cyrus-imapd'] },
  Courier: { program: 'usr/bin/imapd', packages: ['courier-imap'] },
};

/**
 * Finds these servers for tests: at CYRUS_ROOT and COURIER_ROOT, or their Debian packages unpacked for us. Sets the variables that
 * the tests start them by: the roots, and the folders of libraries as CYRUS_LIBRARIES and COURIER_LIBRARIES.
 * @param {{ programsDir: string }} places
 * @returns {Promise<string[]>} what was found, for people
 * @throws when one is missing, with the ways out
 */
export async function findOtherMailServers({ programsDir }) {
  const found = [];
  for (const [name, { program, packages }] of Object.entries(SERVERS)) {
    const variable = `${name.toUpperCase()}_ROOT`;
    const given = process.env[variable];
    const root = given ?? (await unpack(programsDir, program, packages, variable));
    process.env[variable] = root;
    process.env[`${name.toUpperCase()}_LIBRARIES`] = libraryFolders(root).join(':');
    found.push(`${name}: ${given ? variable : 'an unpacked Debian package'}`);
  }
  return found;
}

async function unpack(programsDir, program, packages, variable) {
  let reason = '';
  try {
    const unpacked = await debianProgram(programsDir, program, packages);
    if (unpacked) return unpacked.root;
  } catch (error) {
    reason = ` (${error.message})`;
  }
  throw new Error(`no ${packages.join()}${reason}: set ${variable}, or apt-get install ${packages.join(' ')}`);
}
