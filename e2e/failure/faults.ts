import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BreakableLink } from '@groupware/test-kit';
import type { HostProcess } from '../processes';
import type { HealthReport } from './health-watch';
import type { Stored } from './writes';

/** Targets of faults. */
export interface Targets {
  /** Processes by the name of their modules; there may be several of one. */
  readonly processes: readonly HostProcess[];
  readonly links: Readonly<Record<'Postgres' | 'Redis' | 'NATS' | 'the mail server', BreakableLink>>;
  /** Folder of the file store. */
  readonly fileStore: string;
  /** Removes the stream of events with all that is in it. */
  loseEvents(): Promise<unknown>;
}

/** One fault of the matrix. */
export interface Fault {
  readonly name: string;
  /** In the short form that runs with all other tests. */
  readonly isShort?: boolean;
  /**
   * How long what it hits is away by the fault itself, ms: recovery counts from its end. `measured`: as long as the making of the
   * fault says, such as the start of the only process of a module, which takes what the machine has left for it.
   */
  readonly downMs: number | 'measured';
  /** Processes that it stops: they can't tell how they are. */
  readonly stops?: string;
  /** Check of `/health` that tells it, by the beginning of its name. */
  readonly check?: string;
  make(targets: Targets): Promise<unknown>;
}

/** The module that runs three times: it is not away when one of them is. */
const REPLICATED = 'calendar';
const DOWN_MS = 2_000;
const FROZEN_MS = 8_000;
const SLOW_MS = 50;

const processOf = ({ processes }: Targets, name: string): HostProcess => {
  const found = processes.find((each) => each.name === name);
  if (!found) throw new Error(`no process ${name}`);
  return found;
};

/** How a process ends. */
interface Ending {
  readonly isShort?: boolean;
  readonly signal?: NodeJS.Signals;
}

const kill = (name: string, { isShort = false, signal = 'SIGKILL' }: Ending = {}): Fault => ({
  name: `${name} ${signal === 'SIGKILL' ? 'killed' : 'ended in order'} and started`,
  isShort,
  downMs: name === REPLICATED ? 0 : 'measured',
  make: async (targets) => {
    const hit = processOf(targets, name);
    const began = performance.now();
    await hit.kill(signal);
    await hit.start();
    return performance.now() - began;
  },
});

/** All processes of a module end at once: until one is there again, its calls are refused. */
const killAll = (name: string): Fault => ({
  name: `all of ${name} killed and started`,
  downMs: 'measured',
  make: async ({ processes }) => {
    const hit = processes.filter((each) => each.name === name);
    const began = performance.now();
    await Promise.all(hit.map((each) => each.kill()));
    const starts = hit.map((each) => each.start());
    await Promise.any(starts);
    const downMs = performance.now() - began;
    await Promise.all(starts);
    return downMs;
  },
});

const freeze = (name: string, forMs: number, downMs: number, isShort = false): Fault => ({
  name: `${name} stopped for ${forMs / 1000} s`,
  isShort,
  downMs,
  stops: name,
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

const refuse = (server: keyof Targets['links'], check?: string): Fault => ({
  name: `${server} ended all connections, refused new ones`,
  downMs: DOWN_MS,
  ...(check === undefined ? {} : { check }),
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

/** How far a clock jumps; the processes of the matrix load `clock.cjs` with it. */
export const CLOCK_JUMP_MS = 3_600_000;

const jump = (name: string): Fault => ({
  name: `clock of ${name} an hour ahead for ${DOWN_MS / 1000} s`,
  downMs: DOWN_MS,
  make: async (targets) => {
    const { pid } = processOf(targets, name);
    process.kill(pid!, 'SIGUSR2');
    await wait(DOWN_MS);
    process.kill(pid!, 'SIGUSR2');
  },
});

/** A folder that cannot be reached, as one on a server that is away. */
const loseFiles: Fault = {
  name: 'file store away',
  downMs: DOWN_MS,
  check: 'filestore',
  make: async ({ fileStore }) => {
    fs.renameSync(fileStore, `${fileStore}.away`);
    fs.writeFileSync(fileStore, '');
    await wait(DOWN_MS);
    fs.rmSync(fileStore);
    fs.renameSync(`${fileStore}.away`, fileStore);
  },
};

const mountFull = (folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', folder], { stdio: 'ignore' }).status === 0;
const unmount = (folder: string) => execFileSync('umount', ['--lazy', folder]);

/** Whether the test may mount a disk of its own: in a container without rights it may not. */
function mayMount(): boolean {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mount-'));
  const isMounted = mountFull(folder);
  if (isMounted) unmount(folder);
  fs.rmdirSync(folder);
  return isMounted;
}

/** A disk without room: what is written to it fails with ENOSPC. */
const fillFiles: Fault = {
  name: 'disk of the file store full',
  downMs: DOWN_MS,
  make: async ({ fileStore }) => {
    const kept = `${fileStore}.kept`;
    fs.renameSync(fileStore, kept);
    fs.mkdirSync(fileStore);
    mountFull(fileStore);
    // Two files of a page each would fit at most: one takes the room.
    fs.writeFileSync(path.join(fileStore, 'room'), 'x');
    await wait(DOWN_MS);
    unmount(fileStore);
    fs.rmdirSync(fileStore);
    fs.renameSync(kept, fileStore);
  },
};

const loseEvents: Fault = {
  name: 'stream of events lost',
  downMs: 0,
  make: (targets) => targets.loseEvents(),
};

/** Modules with one process each. */
const SINGLE_PROCESSES = [
  'identity',
  'folders',
  'contacts',
  'tasks',
  'files',
  'settings',
  'mail-account',
  'mail',
  'push,attachments',
  'gateway',
];

/**
 * The matrix: processes and servers by faults. Of three calendars one is hit, unless a fault is about all; the others have one
 * process. The short form has no more than identity, folders and calendars.
 */
export const faults: readonly Fault[] = [
  freeze(REPLICATED, FROZEN_MS, 0, true),
  kill(REPLICATED, { isShort: true }),
  silence('NATS', true),
  silence('Postgres', true),
  silence('Redis'),
  silence('the mail server'),
  ...SINGLE_PROCESSES.map((name) => kill(name)),
  killAll(REPLICATED),
  kill(REPLICATED, { signal: 'SIGTERM' }),
  kill('gateway', { signal: 'SIGTERM' }),
  ...SINGLE_PROCESSES.map((name) => freeze(name, DOWN_MS, DOWN_MS)),
  refuse('Postgres', 'postgres-'),
  refuse('Redis', 'redis'),
  refuse('NATS', 'nats'),
  refuse('the mail server'),
  slow('Postgres'),
  slow('Redis'),
  slow('NATS'),
  slow('the mail server'),
  jump('calendar'),
  jump('identity'),
  jump('gateway'),
  loseFiles,
  ...(process.env.FAULTS === 'all' && mayMount() ? [fillFiles] : []),
  loseEvents,
];

/** One call of the load. */
export interface LoadCall {
  /** The module that it writes to. */
  readonly module: string;
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
  /** How long what it hit was away by the fault itself, s. */
  readonly downS: number;
  /** From the end of what the fault explains to the end of the last call that failed or was held up, s. */
  readonly recoveryS: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** Calls that failed and were done all the same. */
  readonly unknownDone: number;
  readonly longestMs: number;
  /** Longest time that a process took to tell its health, ms. */
  readonly healthMs: number;
  /** Checks that were down. */
  readonly down: readonly string[];
  readonly codes: Readonly<Record<string, number>>;
  /** Calls that failed, by module. */
  readonly failed: Readonly<Record<string, number>>;
}

/** A call that takes longer is one that the fault still holds up, ms; a busy machine takes a second by itself. */
const SLOW_CALL_MS = 3_000;

/** The fault as it was made: when, on the clock of `performance.now`, and how long what it hit was away by it, ms. */
export interface MadeFault {
  readonly fault: Fault;
  readonly at: number;
  readonly downMs: number;
}

const toSeconds = (ms: number): number => Math.max(0, Math.round(ms / 100) / 10);

/**
 * Judges the calls around one fault.
 * @param stored ids by title, as the modules have them afterwards
 */
export function judge(
  { fault, at, downMs }: MadeFault,
  calls: readonly LoadCall[],
  stored: Stored,
  health: HealthReport,
): FaultReport {
  const codes: Record<string, number> = {};
  const failed: Record<string, number> = {};
  for (const { code, module } of calls) {
    codes[code] = (codes[code] ?? 0) + 1;
    if (code !== 'ok') failed[module] = (failed[module] ?? 0) + 1;
  }
  const hit = calls.filter((call) => call.code !== 'ok' || call.endedAt - call.beganAt > SLOW_CALL_MS);
  const last = Math.max(at, ...hit.map(({ endedAt }) => endedAt));
  const acknowledged = calls.filter(({ id }) => id !== undefined);
  const idsOf = (title: string) => stored.get(title) ?? [];
  return {
    fault: fault.name,
    downS: toSeconds(downMs),
    recoveryS: toSeconds(last - at - downMs),
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ id, title }) => !idsOf(title).includes(id!)).length,
    doubled: calls.filter(({ title }) => idsOf(title).length > 1).length,
    unknownDone: calls.filter(({ id, title }) => id === undefined && idsOf(title).length > 0).length,
    longestMs: Math.round(Math.max(0, ...calls.map(({ beganAt, endedAt }) => endedAt - beganAt))),
    healthMs: health.longestMs,
    down: [...health.down].sort(),
    codes,
    failed,
  };
}

/** The reports as lines of a table. */
export function tableOf(reports: readonly FaultReport[]): string {
  const head = [
    'fault',
    'down s',
    'recovery s',
    'acknowledged',
    'lost',
    'doubled',
    'failed but done',
    'longest ms',
    'health ms',
    'down',
    'codes',
    'failed',
  ];
  const rows = reports.map((report) => [
    report.fault,
    report.downS.toFixed(1),
    report.recoveryS.toFixed(1),
    ...[report.acknowledged, report.lost, report.doubled, report.unknownDone, report.longestMs].map(String),
    String(report.healthMs),
    report.down.join(' '),
    ...[report.codes, report.failed].map((counts) =>
      Object.entries(counts)
        .map(([name, count]) => `${name} ${count}`)
        .join(', '),
    ),
  ]);
  const widths = head.map((_each, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  return [head, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')).join('\n');
}
