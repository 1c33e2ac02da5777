const fs = require('node:fs');
const path = require('node:path');

/**
 * Maps every workspace package, by the name in its package.json, to its sources, so that tests need no build. Jest tries each
 * pattern for each name that a module requires, so the packages whose folders have their names share one.
 */
module.exports = (root) => {
  const packages = ['libs', 'apps'].flatMap((group) =>
    fs
      .readdirSync(path.join(root, group))
      .map((folder) => ({ group, folder, file: path.join(root, group, folder, 'package.json') }))
      .filter(({ file }) => fs.existsSync(file))
      .map(({ file, ...place }) => ({ ...place, name: JSON.parse(fs.readFileSync(file, 'utf8')).name })),
  );
  const patterns = new Map();
  for (const { group, folder, name } of packages) {
    const scope = name.endsWith(`/${folder}`) ? name.slice(0, -folder.length) : undefined;
    const [key, target] = scope
      ? [`${group} ${scope}`, `<rootDir>/${group}/$1/src`]
      : [name, `<rootDir>/${group}/${folder}/src`];
    const pattern = patterns.get(key) ?? { scope: scope ?? '', names: [], target };
    pattern.names.push(scope ? folder : name);
    patterns.set(key, pattern);
  }
  return Object.fromEntries(
    [...patterns.values()].map(({ scope, names, target }) => [`^${scope}(${names.join('|')})$`, target]),
  );
};
