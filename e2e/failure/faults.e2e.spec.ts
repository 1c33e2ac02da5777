import { MAX_RESULTS } from '@groupware/contracts';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BreakableLink, redisUrl, until } from '@groupware/test-kit';
import { connect } from 'nats';
import { createFixtures, type Fixtures } from '../fixtures';
import { MAIL_PASSWORD, startOutside, type Outside } from '../mail-account/outside';
import { createProcessWorld, type ProcessWorld } from '../processes';
import { CLOCK_JUMP_MS, faults, judge, tableOf, type FaultReport, type LoadCall, type Targets } from './faults';
import { watchHealth } from './health-watch';
import { appointments, idOf, otherWrites, type Stored, type Write } from './writes';

/** The whole matrix over all modules that write, as `npm run test:faults` runs it; else its short form over calendars. */
const isWhole = process.env.FAULTS === 'all';
const chosen = faults
  .filter((fault) => isWhole || fault.isShort)
  .filter(({ name }) => new RegExp(process.env.FAULTS_ONLY ?? '').test(name));
const CALENDARS = ['identity', 'folders', 'calendar', 'calendar', 'calendar'];
const OTHERS = ['contacts', 'tasks', 'files', 'settings', 'mail-account', 'mail', 'push,attachments'];
/** Of appointments; each other kind of objects has one. */
const WRITERS = 6;
const BEFORE_MS = 1_000;
/**
 * After a fault everything works again within so long, without hands. Only the whole matrix, which has the machine for itself,
 * is held to it.
 */
const RECOVERY_S = isWhole ? Number(process.env.FAULTS_RECOVERY_S ?? 10) : Infinity;
/** Load after the fault: a recovery that does not come would be seen. */
const AFTER_MS = Number(process.env.FAULTS_AFTER_MS ?? (isWhole ? 12_000 : 8_000));
const PATIENCE_MS = 40_000;
/** So much later everything tells that it is well: the checks of a machine without any room take their time. */
const HEALTH_PATIENCE_MS = isWhole ? 3_000 : 30_000;
/** Pause of a writer between two calls: a machine without any room tells of itself, not of the fault. */
const PAUSE_MS = 50;

const links = {} as Record<keyof Targets['links'], BreakableLink>;
const reports: FaultReport[] = [];
let outside: Outside | undefined;
let world: ProcessWorld;
let cast: Fixtures;
let writes: Write[];
let number = 0;

/** The way of the users to their mailboxes. */
async function mailSettings(): Promise<Record<string, string>> {
  outside = await startOutside(['ann']);
  const { imaps } = outside.dovecot;
  links['the mail server'] = await BreakableLink.openTo(`imaps://127.0.0.1:${imaps}`);
  return {
    ...outside.variables,
    MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
    MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: `imaps://mail.test:${portOfMail()}`,
  };
}

const portOfMail = (): number => Number(new URL(links['the mail server'].url('tcp://127.0.0.1:1')).port);

beforeAll(async () => {
  const preload = `${process.env.NODE_OPTIONS ?? ''} --require ${path.join(__dirname, 'clock.cjs')}`;
  const settings = isWhole
    ? { ...(await mailSettings()), NODE_OPTIONS: preload, CLOCK_JUMP_MS: String(CLOCK_JUMP_MS) }
    : {};
  const groups = isWhole ? [...CALENDARS, ...OTHERS] : CALENDARS;
  world = await createProcessWorld(groups, settings, async (variables) => {
    links.Postgres = await BreakableLink.openTo(variables.DATABASE_URL!);
    links.Redis = await BreakableLink.openTo(redisUrl());
    links.NATS = await BreakableLink.openTo(variables.NATS_URL!);
    variables.DATABASE_URL = links.Postgres.url(variables.DATABASE_URL!);
    variables.REDIS_URL = links.Redis.url(variables.REDIS_URL!);
    variables.NATS_URL = links.NATS.url(variables.NATS_URL!);
    variables.GROUPWARE_PROPERTIES_FILE = path.join(variables.DATA_DIR!, 'server.properties');
    // A quick machine writes more than there is room for by default.
    const properties = ['com.example.mail.passwordSource=global', 'com.example.snippet.maxPerUser=100000'];
    fs.writeFileSync(variables.GROUPWARE_PROPERTIES_FILE, properties.join('\n'));
  });
  cast = await createFixtures(world);
  // Nor more than a view gives by default.
  const limit = `/admin/v1/contexts/${cast.contextId}/config/${MAX_RESULTS.key}`;
  await cast.admin.expect('PUT', limit, { value: '1000000' });
  writes = [appointments(cast.U1)];
  if (!isWhole) return;
  await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${cast.U1.userId}/mail-account`, {
    imap: { host: 'mail.test', port: portOfMail(), secure: true, login: 'ann' },
  });
  writes.push(...(await otherWrites(cast.U1)));
}, 240_000);
afterAll(async () => {
  if (reports.length > 0) {
    const table = `${tableOf(reports)}\n`;
    process.stderr.write(`\n${table}`);
    if (process.env.FAULTS_REPORT) fs.writeFileSync(process.env.FAULTS_REPORT, table);
  }
  await world?.close();
  await Promise.all(Object.values(links).map((link) => link.close()));
  await outside?.close();
}, 60_000);

/** Removes the stream of events, as a server of NATS that lost its disk. */
async function loseEvents(): Promise<void> {
  const { host, username, password } = new URL(process.env.NATS_URL!);
  const connection = await connect({ servers: host, user: username, pass: password });
  try {
    const manager = await connection.jetstreamManager();
    await manager.streams.delete(`${world.environment.GROUPWARE_BUS_PREFIX}-events`);
  } finally {
    await connection.close();
  }
}

/** Creates objects of one kind until it is told to stop; every call is noted. */
async function writeUntil(isOver: () => boolean, { module, create }: Write, calls: LoadCall[]): Promise<void> {
  while (!isOver()) {
    const title = `write ${(number += 1)}`;
    const beganAt = performance.now();
    let id: string | undefined;
    let code: string;
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await Promise.race([
        create(title, number),
        new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ]);
      id = idOf(answer);
      code = id === undefined ? String(answer.code ?? 'no code') : 'ok';
    } catch (error) {
      code = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
    }
    calls.push({ module, title, beganAt, endedAt: performance.now(), code, ...(id === undefined ? {} : { id }) });
    await wait(PAUSE_MS);
  }
}

/** Creates objects of all kinds until it is told to stop. */
async function load(isOver: () => boolean): Promise<LoadCall[]> {
  const calls: LoadCall[] = [];
  const [first, ...others] = writes;
  const writers = [...Array.from({ length: WRITERS }, () => first!), ...others];
  await Promise.all(writers.map((write) => writeUntil(isOver, write, calls)));
  return calls;
}

/** Ids of what is stored, by title: titles differ over all kinds. */
async function storedByTitle(): Promise<Stored> {
  const parts: Stored[] = [];
  for (const { readStored } of writes) {
    let failure: unknown;
    const isRead = async (): Promise<boolean> => {
      try {
        parts.push(await readStored());
        return true;
      } catch (error) {
        failure = error;
        return false;
      }
    };
    // A machine that has more to do than it can may refuse a look.
    await until(isRead, 60_000).catch(() => {
      throw failure;
    });
  }
  return new Map(parts.flatMap((part) => [...part]));
}

describe('a fault under load', () => {
  it.each(chosen.map((fault) => [fault.name, fault] as const))(
    '%s: nothing is lost or doubled, and all is well soon',
    async (_name, fault) => {
      const fileStore = new URL(world.environment.FILESTORE_URL!).pathname;
      let isOver = false;
      const calls = load(() => isOver);
      const watched = watchHealth(world.processes, () => isOver, HEALTH_PATIENCE_MS);
      await wait(BEFORE_MS);
      const at = performance.now();
      const measured = await fault.make({ processes: world.processes, links, fileStore, loseEvents });
      const downMs = fault.downMs === 'measured' ? Number(measured) : fault.downMs;
      await wait(Math.max(0, at + downMs + AFTER_MS - performance.now()));
      isOver = true;
      const health = await watched;
      const report = judge({ fault, at, downMs }, await calls, await storedByTitle(), health);
      reports.push(report);
      expect(report).toMatchObject({ lost: 0, doubled: 0 });
      expect(report.acknowledged).toBeGreaterThan(0);
      expect(report.recoveryS).toBeLessThanOrEqual(RECOVERY_S);
      // Health is told all the while, and is the truth: what was away is named, and no longer afterwards.
      expect([...health.silent].filter((name) => name !== fault.stops)).toEqual([]);
      if (fault.check) expect(report.down).toContainEqual(expect.stringMatching(`^${fault.check}`));
      expect(health.stillDown).toEqual([]);
    },
    120_000,
  );
});
