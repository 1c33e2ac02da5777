const fs = require('node:fs');
const path = require('node:path');

/** Maps every workspace package, by the name in its package.json, to its sources, so that tests need no build. */
module.exports = (root) =>
  Object.fromEntries(
    ['libs', 'apps'].flatMap((group) =>
      fs
        .readdirSync(path.join(root, group))
        .map((folder) => ({ folder, file: path.join(root, group, folder, 'package.json') }))
        .filter(({ file }) => fs.existsSync(file))
        .map(({ folder, file }) => {
          const { name } = JSON.parse(fs.readFileSync(file, 'utf8'));
          return [`^${name}$`, `<rootDir>/${group}/${folder}/src`];
        }),
    ),
  );
