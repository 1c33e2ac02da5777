import fs from 'node:fs';
import path from 'node:path';
import { isAlive } from './processes.mjs';

/**
 * Makes a folder that is there as a whole or not at all, also when the maker is killed or two of them meet.
 * @param {string} target
 * @param {(partial: string) => Promise<void> | void} make fills the folder it is given, which does not exist yet
 */
export async function makeWhole(target, make) {
  if (fs.existsSync(target)) return;
  fs.mkdirSync(path.dirname(target), { recursive: true });
  removeAbandoned(target);
  const partial = `${target}.${process.pid}`;
  try {
    await make(partial);
    if (!fs.existsSync(target)) fs.renameSync(partial, target);
  } finally {
    fs.rmSync(partial, { recursive: true, force: true });
  }
}

function removeAbandoned(target) {
  const prefix = `${path.basename(target)}.`;
  for (const name of fs.readdirSync(path.dirname(target))) {
    const maker = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    if (/^\d+$/.test(maker) && (Number(maker) === process.pid || !isAlive(Number(maker))))
      fs.rmSync(path.join(path.dirname(target), name), { recursive: true, force: true });
  }
}
