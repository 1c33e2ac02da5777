import path from 'node:path';
import { loadModules } from '@groupware/host';
import { runServices, type RunningServices } from '@groupware/service-kit';
import { until } from '@groupware/test-kit';
import { hasPgbouncer, startPgbouncer } from './pgbouncer.mjs';
import { createFixtures, type Fixtures } from '../../e2e/fixtures';
import { createEnvironment, type Environment } from '../../e2e/test-environment';

const DAY = 86_400_000;
const START = Math.ceil(Date.now() / DAY) * DAY + 7 * DAY;
const RANGE = { start: START, end: START + DAY, timezone: 'UTC' };

(hasPgbouncer ? describe : describe.skip)('the product behind PgBouncer in transaction mode', () => {
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>;
  let environment: Environment;
  let running: RunningServices;
  let cast: Fixtures;

  beforeAll(async () => {
    const programs = process.env.PROGRAMS_DIR ?? path.join(__dirname, '..', '..', '.data', 'tools');
    pooler = await startPgbouncer(programs, process.env.DATABASE_URL!);
    environment = await createEnvironment({ DATABASE_POOLER: 'transaction', GROUPWARE_LOG_LEVEL: 'fatal' });
    const { variables } = environment;
    variables.MIGRATION_DATABASE_URL = variables.DATABASE_URL!;
    variables.DATABASE_URL = pooler.url(new URL(variables.DATABASE_URL!).pathname.slice(1));
    running = await runServices(await loadModules(['gateway', 'identity', 'folders', 'calendar']), variables);
    cast = await createFixtures({
      ...environment,
      publicUrl: running.publicUrl ?? '',
      internalUrl: running.internalUrl,
      environment: variables,
      close: async () => undefined,
    });
  }, 180_000);
  afterAll(async () => {
    await running?.close();
    await environment?.drop();
    await pooler?.stop();
  }, 60_000);

  /** Titles of the day, by time. */
  async function titles(): Promise<unknown[]> {
    const { data, error } = await cast.U1.get('calendar', 'all', { ...RANGE, folder: cast.U1.folder, columns: '200' });
    if (error) throw new Error(error);
    return data.flat();
  }

  const create = (title: string, hour: number) =>
    cast.U1.call('PUT', 'calendar', 'new', RANGE, {
      folder_id: cast.U1.folder,
      title,
      start_date: START + hour * 3_600_000,
      end_date: START + (hour + 1) * 3_600_000,
      participants: [{ type: 1, id: cast.U2.userId }],
    });

  it('reads and writes, many at the same time and many times on the same connections', async () => {
    const created = await Promise.all(Array.from({ length: 20 }, (_each, hour) => create(`t${hour}`, hour)));
    expect(created.filter(({ error }) => error !== undefined)).toEqual([]);
    const all = await Promise.all(Array.from({ length: 60 }, titles));
    expect(new Set(all.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify(Array.from({ length: 20 }, (_each, hour) => `t${hour}`))]),
    );
  });

  it('finds a conflict in the transaction of the write', async () => {
    const { data } = await create('in the way', 3);
    expect(data.conflicts).toHaveLength(1);
    expect(await titles()).not.toContain('in the way');
  });

  it('goes on after a restart of PgBouncer, with everything that was acknowledged', async () => {
    const before = await titles();
    const during = Promise.allSettled([20, 21, 22].map((hour) => create(`t${hour}`, hour)));
    await pooler.restart();
    const acknowledged = (await during).flatMap((result) =>
      result.status === 'fulfilled' && result.value.error === undefined ? [result.value] : [],
    );
    await until(async () => (await titles().catch(() => [])).length >= before.length + acknowledged.length, 15_000);
    const { error } = await create('after', 23);
    expect(error).toBeUndefined();
    expect(await titles()).toContain('after');
  }, 30_000);
});
