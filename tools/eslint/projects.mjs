import fs from 'node:fs';
import path from 'node:path';

/** The folder that holds the workspace's package.json, found from any file inside. */
function workspaceRoot(file) {
  for (let dir = path.dirname(file); ; dir = path.dirname(dir)) {
    const manifest = path.join(dir, 'package.json');
    if (fs.existsSync(manifest) && JSON.parse(fs.readFileSync(manifest, 'utf8')).workspaces) return dir;
    if (dir === path.dirname(dir)) return undefined;
  }
}

const cache = new Map();

/** Every project of the workspace: name, folder and Nx tags, as its package.json says. */
export function projectsOf(file) {
  const root = workspaceRoot(file);
  if (!root) return [];
  const known = cache.get(root);
  if (known) return known;
  const projects = ['apps', 'libs'].flatMap((group) => {
    const base = path.join(root, group);
    if (!fs.existsSync(base)) return [];
    return fs
      .readdirSync(base)
      .map((folder) => path.join(base, folder))
      .filter((folder) => fs.existsSync(path.join(folder, 'package.json')))
      .map((folder) => {
        const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
        return { name: manifest.name, folder, tags: manifest.nx?.tags ?? [] };
      });
  });
  cache.set(root, projects);
  return projects;
}
