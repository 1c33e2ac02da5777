const fs = require('node:fs');
const path = require('node:path');

/** Maps every workspace package to its sources, so that tests need no build. */
module.exports = (root) =>
  Object.fromEntries(
    ['libs', 'apps'].flatMap((group) =>
      fs
        .readdirSync(path.join(root, group))
        .map((folder) => [`${group}/${folder}`, path.join(root, group, folder, 'package.json')])
        .filter(([, manifest]) => fs.existsSync(manifest))
        .map(([folder, manifest]) => {
          const { name } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
          return [`^${name}$`, `<rootDir>/${folder}/src`];
        }),
    ),
  );
