import { existsSync, readdirSync } from 'node:fs';

/** Names of all files below a folder, in which others may be at work; none where there is no folder. */
export function filesBelow(folder: string): string[] {
  while (existsSync(folder))
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name);
    } catch (error) {
      // A folder went away while it was read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  return [];
}
