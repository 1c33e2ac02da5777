import autocannon from 'autocannon';
import { cpuOf, cpuOfTree, memoryOf } from './processes.mjs';

/** The middle one. */
export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * One run of load against one address.
 * @returns {Promise<{ rps: number, p50: number, p99: number, cpu?: number, memory?: number, parts: Record<string, number> }>} requests per second,
 *   latencies in ms, CPU time in µs per request (also that of each part), resident memory in MiB
 */
async function run({ request, processes, parts = [] }, { connections, seconds }) {
  const before = cpuOf(processes);
  const beforeOf = parts.map(({ pid }) => cpuOfTree(pid));
  const own = process.cpuUsage();
  const result = await autocannon({ ...request, connections, duration: seconds, timeout: 20 });
  if (result.errors + result.non2xx + result.mismatches > 0)
    throw new Error(
      `${request.url}: ${result.errors} errors, ${result.non2xx} bad answers, ${result.mismatches} wrong bodies`,
    );
  const after = cpuOf(processes);
  const { user, system } = process.cpuUsage(own);
  const perRequest = (us) => Math.round(us / result.requests.total);
  return {
    rps: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpu: before === undefined ? undefined : (after - before) / result.requests.total,
    memory: memoryOf(processes),
    parts: {
      ...Object.fromEntries(parts.map(({ name, pid }, index) => [name, perRequest(cpuOfTree(pid) - beforeOf[index])])),
      'load generator': perRequest(user + system),
    },
  };
}

/** Answers after which the compiler has seen the code often enough. */
const WARM = 3_000;
/** Longest wait for that, s. */
const LONGEST_WARM_UP = 12;

/** At least the asked seconds; on a slow or busy machine until enough was answered, else the compiler is measured. */
async function warmUp(candidate, options) {
  let answered = 0;
  for (let seconds = 0; seconds === 0 || (answered < WARM && seconds < LONGEST_WARM_UP); seconds += options.warmup)
    answered += (await run(candidate, { ...options, seconds: options.warmup })).rps * options.warmup;
}

/**
 * Measures candidates side by side: every round runs each of them once, so that a machine that is busy for a while is
 * busy for all. Answers medians over the rounds.
 */
export async function compare(candidates, options) {
  for (const candidate of candidates) await warmUp(candidate, options);
  const runs = candidates.map(() => []);
  for (let round = 0; round < options.rounds; round++) {
    // The order turns, so that no candidate always runs after the same neighbour.
    for (let index = 0; index < candidates.length; index++) {
      const at = (index + round) % candidates.length;
      runs[at].push(await run(candidates[at], options));
    }
  }
  return candidates.map((candidate, index) => {
    const all = runs[index];
    const middle = (key) => (all[0][key] === undefined ? undefined : median(all.map((each) => each[key])));
    return {
      name: candidate.name,
      rps: middle('rps'),
      low: Math.min(...all.map((each) => each.rps)),
      high: Math.max(...all.map((each) => each.rps)),
      p50: middle('p50'),
      p99: middle('p99'),
      cpu: middle('cpu'),
      memory: middle('memory'),
      parts: Object.fromEntries(
        Object.keys(all[0].parts).map((name) => [name, median(all.map((each) => each.parts[name]))]),
      ),
      runs: all,
    };
  });
}
