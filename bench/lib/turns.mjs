import fs from 'node:fs';
import os from 'node:os';

/** Turns before the measured ones, unless they take too long. */
const WARM_TURNS = 30;
/** Fewest measured turns, however long they take. */
const LEAST_TURNS = 3;

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/**
 * Asks candidates by turns, each time in another order; ms of each.
 * @param {readonly ((turn: number) => Promise<unknown>)[]} candidates one that answers a number has measured itself
 * @param {number} seconds for all of them, and at most half as much before it
 * @param {{ warmTurns?: number, mostTurns?: number }} [options] mostTurns: none after these, whatever the time
 */
async function takeTurns(candidates, seconds, { warmTurns = WARM_TURNS, mostTurns = Infinity } = {}) {
  const times = candidates.map(() => []);
  let turn = 0;
  for (const end = performance.now() + seconds * 500; turn < warmTurns && performance.now() < end; turn++)
    for (const ask of candidates) await ask(turn);
  const last = turn + mostTurns;
  const end = performance.now() + seconds * 1000;
  for (const first = turn; turn < last && (performance.now() < end || turn < first + LEAST_TURNS); turn++)
    for (let index = 0; index < candidates.length; index++) {
      const next = (index + turn) % candidates.length;
      const begin = performance.now();
      const told = await candidates[next](turn);
      times[next].push(typeof told === 'number' ? told : performance.now() - begin);
    }
  return times.map((each) => {
    each.sort((left, right) => left - right);
    return { count: each.length, p50: at(each, 0.5), p99: at(each, 0.99) };
  });
}

const cell = (value) => value.toFixed(2).padStart(9);
/** Place of the titles. */
const WIDTH = 48;

/** Table of what was measured one question at a time, beside the least that gives the same answer, and of the goals. */
export class Report {
  rows = [];

  /** @param {{ seconds: string, check?: boolean, json?: string }} options seconds: of each comparison */
  constructor({ seconds, check, json }) {
    Object.assign(this, { seconds: Number(seconds), check, json });
    console.log(
      `\n${os.cpus().length} cores, Node ${process.version}, one question at a time, ms; share: p50 of the minimum / of the product`,
    );
    console.log(`${' '.repeat(WIDTH)}product p50, p99    minimum p50, p99    share   goal`);
  }

  /**
   * Compares the product with its minimum.
   * @param {string} title
   * @param {number | undefined} goal least share; undefined without goal
   * @param {readonly [product: (turn: number) => Promise<unknown>, minimum: (turn: number) => Promise<unknown>]} pair
   * @param {Parameters<typeof takeTurns>[2]} [options]
   */
  async compare(title, goal, pair, options) {
    const [product, minimum] = await takeTurns(pair, this.seconds, options);
    const share = minimum.p50 / product.p50;
    const times = `${cell(product.p50)}${cell(product.p99)}  ${cell(minimum.p50)}${cell(minimum.p99)}${cell(share)}`;
    const row = { title, goal, product, minimum, share, kept: goal === undefined || share >= goal };
    this.add(row, `${times}   ${goal === undefined ? '-' : goal.toFixed(2)}`);
  }

  /**
   * Notes one figure of the product with its limit.
   * @param {string} title
   * @param {{ value: number, limit?: number, unit: string }} figure limit: what it must stay below
   */
  note(title, { value, limit, unit }) {
    const row = { title, value, limit, unit, kept: limit === undefined || value < limit };
    this.add(row, `${cell(value)} ${unit}${limit === undefined ? '' : `, goal < ${limit} ${unit}`}`);
  }

  /** Each row is printed at once: a benchmark that is not done in time has told the others. */
  add(row, text) {
    this.rows.push(row);
    console.log(`${row.title.padEnd(WIDTH)}${text}${row.kept ? '' : '  MISSED'}`);
  }

  /** Writes the results; with `check` the program fails when a goal is missed. */
  finish() {
    if (this.json) fs.writeFileSync(this.json, JSON.stringify(this.rows, undefined, 2));
    if (this.check && this.rows.some(({ kept }) => !kept)) process.exitCode = 1;
  }
}
