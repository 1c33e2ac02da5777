const preset = require('./tools/jest/preset.cjs')(__dirname);

/** One run holds every kind of test: unit and integration specs beside the code, end-to-end specs in e2e/. */
module.exports = {
  ...preset,
  testMatch: [
    '<rootDir>/coverage/groups/*.spec.js',
    '<rootDir>/{apps,libs}/*/src/**/*.spec.ts',
    '<rootDir>/e2e/**/*.spec.ts',
    '<rootDir>/tools/**/*.spec.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/.data/'],
  moduleNameMapper: {
    ...preset.moduleNameMapper,
    '^fast-check$': '<rootDir>/tools/jest/fast-check.cjs',
    ...require('./tools/jest/workspace-packages.cjs')(__dirname),
  },
  testSequencer: '<rootDir>/tools/jest/sequencer.cjs',
  testTimeout: 60_000,
  // Whole products leave something behind in a worker; one that holds so much makes way for a fresh one.
  workerIdleMemoryLimit: '1.5GB',
};
