import fs from 'node:fs';
import path from 'node:path';
import { debianProgram } from '../services/debian.mjs';
import { programAtHand } from '../services/programs.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macOS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Finds a Chromium for tests in a browser: CHROMIUM_PATH, one that is installed, or the Debian package unpacked for us.
 * @param {string} programsDir where it is unpacked, once
 * @returns {Promise<{ file: string, how: string }>}
 * @throws when there is none, with the ways out
 */
export async function findChromium(programsDir) {
  if (process.env.CHROMIUM_PATH) return { file: process.env.CHROMIUM_PATH, how: 'CHROMIUM_PATH' };
  const installed =
    !process.env.GROUPWARE_IGNORE_INSTALLED &&
    (names.map(programAtHand).find(Boolean) ?? macOS.find((file) => fs.existsSync(file)));
  if (installed) return { file: installed, how: 'an installed program' };
  let reason = '';
  try {
    const unpacked = await unpackedChromium(programsDir);
    if (unpacked) return { file: unpacked, how: 'an unpacked Debian package' };
  } catch (error) {
    reason = ` (${error.message})`;
  }
  throw new Error(
    `no Chromium${reason}: set CHROMIUM_PATH, or apt-get install chromium, or brew install --cask chromium`,
  );
}

async function unpackedChromium(programsDir) {
  const program = await debianProgram(programsDir, 'usr/lib/chromium/chromium', ['chromium', 'fonts-dejavu-core']);
  if (!program) return undefined;
  // Callers want one file to start. Libraries and fonts lie where the package does not expect them.
  const launcher = path.join(program.root, 'chromium-launcher');
  const fonts = path.join(program.root, 'fonts.conf');
  fs.writeFileSync(
    fonts,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${program.root}/usr/share/fonts</dir>
  <cachedir>${program.root}/var/cache/fontconfig</cachedir>
</fontconfig>
`,
  );
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  fs.writeFileSync(
    launcher,
    `#!/bin/sh
export LD_LIBRARY_PATH=${quote(program.env.LD_LIBRARY_PATH)}
export FONTCONFIG_FILE=${quote(fonts)}
exec ${quote(program.file)} "$@"
`,
    { mode: 0o755 },
  );
  return launcher;
}
