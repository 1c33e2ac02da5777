'use strict';
/** A work that is always the same: how fast the machine is at the moment. */

/** Of an odd number of runs the median counts. */
const RUNS = 7;
const OBJECTS = 20_000;

/** CPU time of the reference work on a machine of the usual speed, ms. */
exports.REFERENCE_MS = 20;

/**
 * Measures the reference work.
 * @param {() => number} used CPU time so far, ms
 * @returns {number} what it took, ms
 */
exports.measureReference = (used) => {
  const objects = Array.from({ length: OBJECTS }, (_none, id) => ({
    ...{ id, name: `name ${id}`, list: [id, id + 1, 'x'.repeat(20)] },
  }));
  const text = JSON.stringify(objects);
  const times = Array.from({ length: RUNS }, () => {
    const before = used();
    JSON.parse(text);
    return used() - before;
  });
  return times.sort((one, other) => one - other)[(RUNS - 1) / 2];
};
