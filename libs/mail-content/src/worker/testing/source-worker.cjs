// Runs the thread from its TypeScript sources, as tests do: the product runs the compiled file.
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    module: { type: 'commonjs' },
    jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
  });
  module._compile(code, filename);
};
require('../content.worker.ts');
