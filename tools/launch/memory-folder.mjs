import fs from 'node:fs';
import os from 'node:os';

/** The folder of Linux whose files are in memory. Runs that were killed may have left something there. */
export const MEMORY_FOLDER = '/dev/shm';

const GIB = 1024 ** 3;
/** Free bytes of the folder: servers of a whole run have written less. */
const NEEDED_BYTES = 6 * GIB;
/** Memory that the run needs beside it. */
const LEFT_BYTES = 6 * GIB;

/**
 * Finds a folder for the files of servers that end with a run: in memory, where there is enough of it, else the one of the
 * system. Each product of a test makes 1,400 files of a database and removes them; some file systems look for a free entry
 * behind all those that were just removed, which took up to two seconds of processor time for each database.
 * @param {{ mounts?: () => string, availableBytes?: () => number, freeBytes?: (folder: string) => number }} [machine]
 */
export function memoryFolder({
  mounts = () => fs.readFileSync('/proc/mounts', 'utf8'),
  availableBytes = () => Number(/^MemAvailable: +(\d+) kB/m.exec(fs.readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024,
  freeBytes = (folder) => {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize;
  },
} = {}) {
  try {
    const [, , type, options] =
      mounts()
        .split('\n')
        .map((line) => line.split(' '))
        .findLast(([, place]) => place === MEMORY_FOLDER) ?? [];
    // Copies of programs lie beside the data.
    const isUsable = type === 'tmpfs' && options.split(',').includes('rw') && !options.split(',').includes('noexec');
    if (isUsable && freeBytes(MEMORY_FOLDER) >= NEEDED_BYTES && availableBytes() >= NEEDED_BYTES + LEFT_BYTES)
      return MEMORY_FOLDER;
  } catch {
    // Another system.
  }
  return os.tmpdir();
}
