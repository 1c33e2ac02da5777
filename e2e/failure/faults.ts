import { setTimeout as wait } from 'node:timers/promises';
import type { BreakableLink } from '@groupware/test-kit';
import type { HostProcess } from '../processes';

/** Targets of faults. */
export interface Targets {
  /** Processes by the name of their modules; there may be several of one. */
  readonly processes: readonly HostProcess[];
  readonly links: Readonly<Record<'Postgres' | 'Redis' | 'NATS', BreakableLink>>;
}

/** One fault of the matrix. */
export interface Fault {
  readonly name: string;
  /** In the short form that runs with all other tests. */
  readonly isShort?: boolean;
  /** How long what it hits is away by the fault itself, ms: recovery counts from its end. */
  readonly downMs: number;
  make(targets: Targets): Promise<unknown>;
}

const DOWN_MS = 2_000;
const FROZEN_MS = 8_000;
const SLOW_MS = 50;

const processOf = ({ processes }: Targets, name: string): HostProcess => {
  const found = processes.find((each) => each.name === name);
  if (!found) throw new Error(`no process ${name}`);
  return found;
};

const kill = (name: string, isShort = false): Fault => ({
  name: `${name} killed and started`,
  isShort,
  downMs: 0,
  make: async (targets) => {
    const hit = processOf(targets, name);
    await hit.kill();
    await hit.start();
  },
});

const freeze = (name: string, forMs: number, downMs: number, isShort = false): Fault => ({
  name: `${name} stopped for ${forMs / 1000} s`,
  isShort,
  downMs,
  make: async (targets) => {
    const { pid } = processOf(targets, name);
    process.kill(pid!, 'SIGSTOP');
    try {
      await wait(forMs);
    } finally {
      process.kill(pid!, 'SIGCONT');
    }
  },
});

const silence = (server: keyof Targets['links'], isShort = false): Fault => ({
  name: `connections to ${server} silent`,
  isShort,
  downMs: 0,
  make: async ({ links }) => links[server].silence(),
});

const refuse = (server: keyof Targets['links']): Fault => ({
  name: `${server} ended all connections, refused new ones`,
  downMs: DOWN_MS,
  make: ({ links }) => links[server].break(DOWN_MS),
});

const slow = (server: keyof Targets['links']): Fault => ({
  name: `${server} ${SLOW_MS} ms away`,
  downMs: DOWN_MS,
  make: async ({ links }) => {
    links[server].slow(SLOW_MS);
    await links[server].break(0);
    await wait(DOWN_MS);
    links[server].slow(0);
    await links[server].break(0);
  },
});

/** The matrix: processes and servers by faults. Of three calendars one is hit; the others have one process. */
export const faults: readonly Fault[] = [
  freeze('calendar', FROZEN_MS, 0, true),
  kill('calendar', true),
  silence('NATS', true),
  silence('Postgres', true),
  silence('Redis'),
  kill('identity'),
  kill('folders'),
  kill('gateway'),
  freeze('identity', DOWN_MS, DOWN_MS),
  freeze('folders', DOWN_MS, DOWN_MS),
  freeze('gateway', DOWN_MS, DOWN_MS),
  refuse('Postgres'),
  refuse('Redis'),
  refuse('NATS'),
  slow('Postgres'),
  slow('Redis'),
  slow('NATS'),
];

/** One call of the load. */
export interface LoadCall {
  readonly title: string;
  readonly beganAt: number;
  readonly endedAt: number;
  /** `ok`, a code of the API, or the name of a failure of the connection. */
  readonly code: string;
  readonly id?: string;
}

/** Report of what a fault did. */
export interface FaultReport {
  readonly fault: string;
  /** From the end of what the fault explains to the end of the last call that failed or was held up, s. */
  readonly recoveryS: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** Calls that failed and were done all the same. */
  readonly unknownDone: number;
  readonly longestMs: number;
  readonly codes: Readonly<Record<string, number>>;
}

/** A call that takes longer is one that the fault still holds up, ms; a busy machine takes a second by itself. */
const SLOW_CALL_MS = 3_000;

/**
 * Judges the calls around one fault.
 * @param stored ids by title, as the calendar has them afterwards
 */
export function judge(
  fault: Fault,
  faultAt: number,
  calls: readonly LoadCall[],
  stored: ReadonlyMap<string, readonly string[]>,
): FaultReport {
  const codes: Record<string, number> = {};
  for (const { code } of calls) codes[code] = (codes[code] ?? 0) + 1;
  const hit = calls.filter((call) => call.code !== 'ok' || call.endedAt - call.beganAt > SLOW_CALL_MS);
  const last = Math.max(faultAt, ...hit.map(({ endedAt }) => endedAt));
  const acknowledged = calls.filter(({ id }) => id !== undefined);
  const idsOf = (title: string) => stored.get(title) ?? [];
  return {
    fault: fault.name,
    recoveryS: Math.max(0, Math.round((last - faultAt - fault.downMs) / 100) / 10),
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ id, title }) => !idsOf(title).includes(id!)).length,
    doubled: calls.filter(({ title }) => idsOf(title).length > 1).length,
    unknownDone: calls.filter(({ id, title }) => id === undefined && idsOf(title).length > 0).length,
    longestMs: Math.round(Math.max(0, ...calls.map(({ beganAt, endedAt }) => endedAt - beganAt))),
    codes,
  };
}

/** The reports as lines of a table. */
export function tableOf(reports: readonly FaultReport[]): string {
  const head = ['fault', 'recovery s', 'acknowledged', 'lost', 'doubled', 'failed but done', 'longest ms', 'codes'];
  const rows = reports.map((report) => [
    report.fault,
    report.recoveryS.toFixed(1),
    ...[report.acknowledged, report.lost, report.doubled, report.unknownDone, report.longestMs].map(String),
    Object.entries(report.codes)
      .map(([code, count]) => `${code} ${count}`)
      .join(', '),
  ]);
  const widths = head.map((_each, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  return [head, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')).join('\n');
}
