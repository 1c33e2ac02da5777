/**
 * Spec files that take minutes whatever their size: their tests come from the contracts, need a browser, or check the types of the
 * product. They stand alone, and start first.
 */
module.exports = ['e2e/edge/hostile-values.e2e.spec.ts', 'e2e/files/hostile.e2e.spec.ts', 'tools/generate.int.spec.ts'];
