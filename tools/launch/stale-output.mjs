import fs from 'node:fs';
import path from 'node:path';

const compiled = /\.(d\.ts|js)(\.map)?$/;

/**
 * Compiled files whose source is gone. The compiler leaves them, and a service would still load their handlers.
 * @param {string} project folder of a package with `src` and `dist`
 * @returns {string[]} absolute paths
 */
export function staleOutput(project) {
  const dist = path.join(project, 'dist');
  if (!fs.existsSync(dist)) return [];
  return fs
    .readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && compiled.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => {
      const source = path.join(project, 'src', path.relative(dist, file).replace(compiled, ''));
      return !['.ts', '.js'].some((extension) => fs.existsSync(`${source}${extension}`));
    });
}
