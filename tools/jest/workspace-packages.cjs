const fs = require('node:fs');
const path = require('node:path');

/** Maps every workspace package to its sources, so that tests need no build. */
module.exports = (root) =>
  Object.fromEntries(
    ['libs', 'apps'].flatMap((group) =>
      fs
        .readdirSync(path.join(root, group))
        .filter((name) => fs.existsSync(path.join(root, group, name, 'package.json')))
        .map((name) => [`^@groupware/${name}$`, `<rootDir>/${group}/${name}/src`]),
    ),
  );
