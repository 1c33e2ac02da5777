/**
 * Spec files that take minutes whatever their size: their tests come from the contracts, need a browser, check the types of the
 * product, or take as long as the environment says. They stand alone, and start first.
 */
module.exports = [
  'e2e/edge/hostile-values.e2e.spec.ts',
  'e2e/files/hostile.e2e.spec.ts',
  'e2e/hostile/fuzz.e2e.spec.ts',
  'tools/generate.int.spec.ts',
];
