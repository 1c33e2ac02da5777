import { FileLimitErrors } from '@groupware/contracts';
import { numberName } from '../domain/file-name';
import { joinPath } from './storage-id';
import type { StorageConnection, StorageEntry } from './storage-kind';

/** The last number that is tried for the name of a folder. */
const MAX_NUMBER = 20;

/** Bounds of a walk through folders of a storage elsewhere, which is asked for each of them. */
export interface TreeBounds {
  readonly depth: number;
  readonly maxFolders: number;
}

/**
 * Lists the files and folders below a folder, those above before those below; undefined where there is no such folder.
 * @throws FILES-0001 for more folders than are asked for
 */
export async function listTree(
  connection: StorageConnection,
  path: string,
  { depth, maxFolders }: TreeBounds,
): Promise<StorageEntry[] | undefined> {
  const found = await connection.listEntries(path);
  if (!found) return undefined;
  const listed = [...found];
  let level = found;
  let visited = 1;
  for (let below = 1; below <= depth; below++) {
    const folders = level.filter(({ isFolder }) => isFolder);
    level = [];
    for (const folder of folders) {
      visited += 1;
      if (visited > maxFolders) throw FileLimitErrors.tooMany(listed.length);
      // Gone meanwhile.
      level.push(...((await connection.listEntries(folder.path)) ?? []));
    }
    listed.push(...level);
  }
  return listed;
}

/** Makes a folder, where that is wanted under the first name that is free; its path, undefined where the name is taken. */
export async function createNamedFolder(
  connection: StorageConnection,
  parent: string,
  name: string,
  autorename: boolean,
): Promise<string | undefined> {
  for (let number = 0; number === 0 || (autorename && number <= MAX_NUMBER); number++) {
    const path = joinPath(parent, numberName(name, number));
    if (await connection.createFolder(path)) return path;
  }
  return undefined;
}

/** Names as they are compared: case ignored, accents composed. */
const toComparable = (text: string): string => text.normalize('NFC').toLowerCase();

/** Whether a name holds a pattern, case ignored: `*` stands for any characters, `?` for one. */
export function holdsPattern(name: string, pattern: string): boolean {
  const [text, wanted] = [[...toComparable(name)], [...`*${toComparable(pattern)}*`]];
  // Where the pattern is continued when what follows the last star does not fit.
  let [star, retry] = [-1, 0];
  let at = 0;
  let from = 0;
  while (from < text.length)
    if (at < wanted.length && wanted[at] === '*') {
      star = at;
      retry = from;
      at += 1;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === text[from])) {
      at += 1;
      from += 1;
    } else {
      at = star + 1;
      retry += 1;
      from = retry;
    }
  return wanted.slice(at).every((character) => character === '*');
}
