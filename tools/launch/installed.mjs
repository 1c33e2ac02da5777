import fs from 'node:fs';
import path from 'node:path';

const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8')).packages;

/**
 * How far the installed packages are from what package-lock.json wants, as after a `git pull`.
 * @param {string} root the checkout
 * @returns {{ packages: string[], links: string[] }} packages: missing or of another version (every one, when nothing is
 *   installed or an installation was interrupted); links: packages of this checkout that nothing links to
 */
export function notInstalled(root) {
  const wanted = Object.entries(read(path.join(root, 'package-lock.json'))).filter(([place]) =>
    place.startsWith('node_modules/'),
  );
  const note = path.join(root, 'node_modules', '.package-lock.json'); // npm writes it at the end
  const installed = fs.existsSync(note) ? read(note) : {};
  return {
    packages: wanted
      // Optional packages are absent on other platforms.
      .filter(([, { link, optional, devOptional }]) => !link && !optional && !devOptional)
      .filter(([place, { version }]) => installed[place]?.version !== version)
      .map(([place]) => place),
    links: wanted.filter(([place, { link }]) => link && !fs.existsSync(path.join(root, place))).map(([place]) => place),
  };
}

/** Links packages of the checkout as npm would, without asking it. */
export function linkPackages(root, places) {
  const locked = read(path.join(root, 'package-lock.json'));
  for (const place of places) {
    const link = path.join(root, place);
    fs.mkdirSync(path.dirname(link), { recursive: true });
    fs.rmSync(link, { force: true }); // one whose target moved
    fs.symlinkSync(path.relative(path.dirname(link), path.join(root, locked[place].resolved)), link, 'junction');
  }
}
