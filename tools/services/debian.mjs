import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeWhole } from './make-whole.mjs';
import { programAtHand } from './programs.mjs';

const run = promisify(execFile);
const programFolders = ['usr/bin', 'usr/sbin', 'bin', 'sbin'];
const listsAreFreshForMs = 60 * 60 * 1000;
/** Pauses before package lists and packages are asked for again, ms: mirrors are away for moments. */
const pausesMs = [2_000, 10_000];

/** True where Debian packages can be fetched and unpacked. */
export const hasDebianTools = () =>
  process.platform === 'linux' && Boolean(programAtHand('apt-get') && programAtHand('dpkg-deb'));

// Two unpackings of one process share the package lists, so they go one after the other.
let queue = Promise.resolve();
const inTurn = (work) => {
  const turn = queue.then(work);
  queue = turn.catch(() => {});
  return turn;
};

/**
 * Finds a program of Debian packages below a folder, and unpacks them first when it is not there yet. Nothing is installed:
 * no root, no service, no configuration. What the packages need and the machine lacks is unpacked beside them.
 * @param {string} folder kept between runs
 * @param {string} program name of the file, or its path inside the packages ("usr/lib/chromium/chromium")
 * @param {string[]} packages
 * @returns {Promise<{ file: string, root: string, env: NodeJS.ProcessEnv } | undefined>} undefined where there is no Debian;
 *   env holds the library path to run the program with
 * @throws when the packages cannot be fetched or don't hold the program
 */
export async function debianProgram(folder, program, packages) {
  const root = path.join(folder, 'debian', packages.join('+'));
  if (!fs.existsSync(root)) {
    if (!hasDebianTools()) return undefined;
    await inTurn(() => makeWhole(root, (partial) => unpack(folder, packages, partial)));
  }
  const candidates = program.includes('/') ? [program] : programFolders.map((place) => path.join(place, program));
  const file = candidates.map((candidate) => path.join(root, candidate)).find((candidate) => fs.existsSync(candidate));
  if (!file) throw new Error(`the Debian packages ${packages.join(', ')} hold no ${program}`);
  return { file, root, env: { ...process.env, LD_LIBRARY_PATH: libraryFolders(root).join(':') } };
}

async function unpack(folder, packages, target) {
  const downloads = fs.mkdtempSync(path.join(makeFolder(folder, 'debian', 'apt'), 'downloads-'));
  try {
    const apt = aptGet(path.dirname(downloads), downloads);
    await apt.refresh();
    await apt.download(packages);
    for (const file of fs.readdirSync(downloads)) await run('dpkg-deb', ['-x', path.join(downloads, file), target]);
  } finally {
    fs.rmSync(downloads, { recursive: true, force: true });
  }
}

function aptGet(stateDir, workingDir) {
  for (const name of ['lists/partial', 'archives/partial']) makeFolder(stateDir, name);
  const status = process.env.DPKG_STATUS ?? '/var/lib/dpkg/status'; // tells apt what need not be fetched
  const options = [
    `Dir::State=${stateDir}`,
    `Dir::State::status=${status}`,
    `Dir::Cache=${stateDir}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=root',
    'Acquire::Retries=2',
  ].flatMap((option) => ['-o', option]);
  const ask = async (...args) => {
    for (const pauseMs of pausesMs) {
      try {
        return await askOnce(...args);
      } catch {
        await setTimeout(pauseMs);
      }
    }
    return askOnce(...args);
  };
  const askOnce = async (...args) => {
    try {
      return (await run('apt-get', ['-qq', ...options, ...args], { cwd: workingDir, maxBuffer: 2 ** 26 })).stdout;
    } catch (error) {
      throw new Error(`apt-get ${args[0]} failed: ${String(error.stderr || error.message).trim()}`, { cause: error });
    }
  };
  const refreshed = path.join(stateDir, 'refreshed');
  return {
    async refresh() {
      const age = Date.now() - (fs.statSync(refreshed, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      if (age < listsAreFreshForMs) return;
      await ask('update');
      fs.writeFileSync(refreshed, '');
    },
    async download(packages) {
      const plan = await ask('-s', '--no-install-recommends', 'install', ...packages);
      // "Inst name (version …)" is new; "Inst name [installed] (version …)" would replace something of the machine, such
      // as the C library, whose loader would not match: the installed one has to do.
      const missing = [...plan.matchAll(/^Inst (\S+) \((\S+)/gm)].map(([, name, version]) => `${name}=${version}`);
      const asked = packages.filter((name) => !missing.some((entry) => entry.startsWith(`${name}=`)));
      await ask('download', ...missing, ...asked);
    },
  };
}

/**
 * Folders with libraries below the root of unpacked packages. Some packages keep those that only they use in a folder of their
 * own (`pulseaudio`), which their other libraries know by its path on a machine where they are installed.
 */
export function libraryFolders(root) {
  const foldersIn = (place) =>
    fs
      .readdirSync(place, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => path.join(place, name));
  const hasLibraries = (place) => fs.readdirSync(place).some((name) => /^lib.*\.so(\.|$)/.test(name));
  const folders = [];
  for (const place of ['usr/lib', 'lib'].map((name) => path.join(root, name))) {
    if (!fs.existsSync(place)) continue;
    folders.push(place);
    for (const folder of foldersIn(place))
      if (path.basename(folder).includes('linux-gnu')) folders.push(folder, ...foldersIn(folder).filter(hasLibraries));
  }
  return folders;
}

function makeFolder(...parts) {
  const folder = path.join(...parts);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}
