const fs = require('node:fs');
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const slowSpecs = require('./slow-specs.cjs');

/** How long a spec file takes for its size: those with whole products longest, those without servers shortest. */
const weightOf = (file) =>
  slowSpecs.some((slow) => file.endsWith(path.normalize(`/${slow}`)))
    ? Infinity
    : fs.statSync(file).size * (file.includes('.e2e.') ? 3 : file.includes('.int.') ? 2 : 1);

/** The spec files behind one file of Jest's: see groups.mjs. */
const filesOf = (file) => {
  const required = [...fs.readFileSync(file, 'utf8').matchAll(/^ {2}require\((".+")\);$/gm)];
  return required.length > 0 ? required.map(([, name]) => JSON.parse(name)) : [file];
};

/** Longest first, by what a fresh clone knows: a long group at the end would leave the other processors idle. */
module.exports = class extends Sequencer {
  sort(tests) {
    const weights = new Map(
      [...tests].map((test) => [test, filesOf(test.path).reduce((sum, file) => sum + weightOf(file), 0)]),
    );
    return [...tests].sort((a, b) => weights.get(b) - weights.get(a));
  }
};
