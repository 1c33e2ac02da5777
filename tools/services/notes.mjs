import fs from 'node:fs';
import path from 'node:path';
import { identify, isRunning } from './processes.mjs';

const noteOf = (dataDir, name) => path.join(dataDir, `${name}.note.json`);

/** Writes down what was started, so that the next launcher can use or end what a killed one left. */
export function leaveNote(dataDir, name, pid, more = {}) {
  const file = noteOf(dataDir, name);
  const note = { process: identify(pid), launcher: identify(process.pid), ...more };
  fs.writeFileSync(`${file}.new`, JSON.stringify(note));
  fs.renameSync(`${file}.new`, file);
}

/**
 * Reads what a note says about a process that still runs.
 * @returns {{ process: { pid: number }, orphan: boolean, port?: number } | undefined} orphan: its launcher is gone
 */
export function readNote(dataDir, name) {
  try {
    const note = JSON.parse(fs.readFileSync(noteOf(dataDir, name), 'utf8'));
    return isRunning(note.process) ? { ...note, orphan: !isRunning(note.launcher) } : undefined;
  } catch {
    return undefined; // no note, or one that was cut off
  }
}

/** Removes a note; nothing happens when there is none. */
export const removeNote = (dataDir, name) => fs.rmSync(noteOf(dataDir, name), { force: true });

/** The names of all notes in a data folder. */
export const notedNames = (dataDir) =>
  fs
    .readdirSync(dataDir)
    .filter((file) => file.endsWith('.note.json'))
    .map((file) => file.slice(0, -'.note.json'.length));
