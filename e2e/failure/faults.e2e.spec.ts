import { MAX_RESULTS } from '@groupware/contracts';
import fs from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { BreakableLink, redisUrl } from '@groupware/test-kit';
import { all, ALL_TIME, create, HOUR } from '../calendar/calendar';
import { createFixtures, type Fixtures } from '../fixtures';
import { createProcessWorld, type ProcessWorld } from '../processes';
import { faults, judge, tableOf, type FaultReport, type LoadCall, type Targets } from './faults';

/** `all`: the whole matrix, as `npm run test:faults` runs it. */
const chosen = faults.filter((fault) => process.env.FAULTS === 'all' || fault.isShort);
const WRITERS = 6;
const BEFORE_MS = 1_000;
/**
 * After a fault everything works again within so long, without hands. Only the whole matrix, which has the machine for itself,
 * is held to it.
 */
const RECOVERY_S = process.env.FAULTS === 'all' ? 10 : Infinity;
/** Load after the fault: a recovery that does not come would be seen. */
const AFTER_MS = Number(process.env.FAULTS_AFTER_MS ?? (process.env.FAULTS === 'all' ? 12_000 : 8_000));
const PATIENCE_MS = 40_000;

const links = {} as Record<keyof Targets['links'], BreakableLink>;
const reports: FaultReport[] = [];
let world: ProcessWorld;
let cast: Fixtures;
let number = 0;

beforeAll(async () => {
  world = await createProcessWorld(
    ['identity', 'folders', 'calendar', 'calendar', 'calendar'],
    {},
    async (variables) => {
      links.Postgres = await BreakableLink.openTo(variables.DATABASE_URL!);
      links.Redis = await BreakableLink.openTo(redisUrl());
      links.NATS = await BreakableLink.openTo(variables.NATS_URL!);
      variables.DATABASE_URL = links.Postgres.url(variables.DATABASE_URL!);
      variables.REDIS_URL = links.Redis.url(variables.REDIS_URL!);
      variables.NATS_URL = links.NATS.url(variables.NATS_URL!);
    },
  );
  cast = await createFixtures(world);
  // A quick machine writes more than a view gives by default.
  const limit = `/admin/v1/contexts/${cast.contextId}/config/${MAX_RESULTS.key}`;
  await cast.admin.expect('PUT', limit, { value: '1000000' });
}, 120_000);
afterAll(async () => {
  if (reports.length > 0) {
    const table = `${tableOf(reports)}\n`;
    process.stderr.write(`\n${table}`);
    if (process.env.FAULTS_REPORT) fs.writeFileSync(process.env.FAULTS_REPORT, table);
  }
  await world?.close();
  await Promise.all(Object.values(links).map((link) => link.close()));
}, 60_000);

/** Creates appointments until it is told to stop; every call is noted. */
async function load(isOver: () => boolean): Promise<LoadCall[]> {
  const calls: LoadCall[] = [];
  const writers = Array.from({ length: WRITERS }, async () => {
    while (!isOver()) {
      const title = `write ${(number += 1)}`;
      const start = Date.UTC(2030, 0, 1) + (number % 8_000) * HOUR;
      const beganAt = performance.now();
      let id: string | undefined;
      let code: string;
      try {
        const fields = { title, folder_id: cast.U1.folder, start_date: start, end_date: start + HOUR / 2 };
        const signal = AbortSignal.timeout(PATIENCE_MS);
        const answer = await Promise.race([
          create(cast.U1.copy() as typeof cast.U1, fields),
          new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        ]);
        id = answer.data?.id === undefined ? undefined : String(answer.data.id);
        code = id === undefined ? String(answer.code ?? 'no code') : 'ok';
      } catch (error) {
        code = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
      }
      calls.push({ title, beganAt, endedAt: performance.now(), code, ...(id === undefined ? {} : { id }) });
      if (code !== 'ok') await wait(50);
    }
  });
  await Promise.all(writers);
  return calls;
}

/** Ids of what is stored, by title. */
async function storedByTitle(): Promise<Map<string, string[]>> {
  const stored = new Map<string, string[]>();
  for (const [id, title] of await all(cast.U1, '1,200', ALL_TIME))
    stored.set(title as string, [...(stored.get(title as string) ?? []), String(id)]);
  return stored;
}

describe('a fault under load', () => {
  it.each(chosen.map((fault) => [fault.name, fault] as const))(
    '%s: nothing is lost or doubled, and all is well soon',
    async (_name, fault) => {
      let isOver = false;
      const calls = load(() => isOver);
      await wait(BEFORE_MS);
      const faultAt = performance.now();
      await Promise.all([fault.make({ processes: world.processes, links }), wait(AFTER_MS + fault.downMs)]);
      isOver = true;
      const report = judge(fault, faultAt, await calls, await storedByTitle());
      reports.push(report);
      expect(report).toMatchObject({ lost: 0, doubled: 0 });
      expect(report.acknowledged).toBeGreaterThan(0);
      expect(report.recoveryS).toBeLessThanOrEqual(RECOVERY_S);
    },
    120_000,
  );
});
