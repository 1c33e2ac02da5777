import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** True when this process runs as root, which PostgreSQL refuses to do. */
export const isRoot = process.getuid?.() === 0;

const usualFolders = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/**
 * Finds a program on PATH or in the folders where servers are usually installed.
 * @returns {string | undefined} the path of the executable file
 */
export function programAtHand(name) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter).filter(Boolean), ...usualFolders];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The account to run PostgreSQL as: our own, or, for root, one that may do nothing else.
 * @returns {{ uid?: number, gid?: number }} options for spawn
 */
export function unprivilegedAccount() {
  if (!isRoot) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const ask = (what) =>
        Number(execFileSync('id', [what, name], { stdio: ['ignore', 'pipe', 'ignore'] }).toString());
      return { uid: ask('-u'), gid: ask('-g') };
    } catch {
      // no such account: try the next
    }
  }
  return { uid: 65534, gid: 65534 };
}

/** True when other accounts can pass every folder above the path and read the path itself. */
export function othersCanReach(target) {
  const mode = fs.statSync(target).mode;
  const needed = fs.statSync(target).isDirectory() ? 0o001 : 0o004;
  if (!(mode & needed)) return false;
  for (let folder = path.dirname(target); ; folder = path.dirname(folder)) {
    if (!(fs.statSync(folder).mode & 0o001)) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

/** Gives a folder and all that is in it to an account. */
export function giveTree(folder, { uid, gid }) {
  fs.lchownSync(folder, uid, gid);
  if (!fs.lstatSync(folder).isDirectory()) return;
  for (const name of fs.readdirSync(folder)) giveTree(path.join(folder, name), { uid, gid });
}
