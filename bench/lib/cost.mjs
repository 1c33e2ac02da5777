import { inParallel } from './client.mjs';
import { cpuOfTree } from './processes.mjs';

const round = (value, digits) => Number(value.toFixed(digits));

/**
 * Measures CPU time of a call by process, ms, and calls per second, after the compiler has seen the code.
 * @param {readonly { name: string, pid: number }[]} parts
 * @param {number} calls
 * @param {(index: number) => Promise<unknown>} call
 */
export async function costOf(parts, calls, call) {
  const many = (count) => inParallel(Array.from({ length: count }), 16, (_each, index) => call(index));
  await many(calls / 2);
  const before = parts.map(({ pid }) => cpuOfTree(pid));
  const begun = performance.now();
  await many(calls);
  const perSecond = round(calls / ((performance.now() - begun) / 1000), 0);
  const cpuMs = parts.map(({ name, pid }, index) => [name, round((cpuOfTree(pid) - before[index]) / 1000 / calls, 3)]);
  return { perSecond, cpuMs: Object.fromEntries(cpuMs) };
}
