import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { HealthChecks, PartlyDown } from './health-checks';

const TIMES = { intervalMs: 10, timeoutMs: 100 };
const down = async (): Promise<never> => {
  throw new Error('away');
};
let checks: HealthChecks;
beforeEach(() => (checks = new HealthChecks(TIMES)));
afterEach(() => checks.stop());

const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await wait(5);
};
const isDown = async (): Promise<boolean> => (await checks.listRequired()).some(({ status }) => status === 'DOWN');

describe('health checks', () => {
  it('count for readiness where they are required, and are shown all the same where not', async () => {
    checks.addCheck('files', down);
    checks.addCheck('bus', { isRequired: true, check: async () => undefined });
    expect(await checks.listResults()).toEqual([
      { name: 'bus', status: 'UP' },
      { name: 'files', status: 'DOWN', data: { error: 'away' } },
    ]);
    expect(await checks.listRequired()).toEqual([{ name: 'bus', status: 'UP' }]);
  });

  it('show a dependency that partly works as down, and stay ready', async () => {
    checks.addCheck('database', {
      isRequired: true,
      check: async () => {
        throw new PartlyDown('one of two');
      },
    });
    expect(await checks.listResults()).toMatchObject([{ status: 'DOWN', data: { error: 'one of two' } }]);
    expect(await checks.listRequired()).toMatchObject([{ status: 'UP' }]);
  });

  it('see by themselves that something fails and works again', async () => {
    let isAway = false;
    checks.addCheck('bus', { isRequired: true, check: () => (isAway ? down() : Promise.resolve()) });
    expect(await isDown()).toBe(false);
    isAway = true;
    await until(isDown);
    isAway = false;
    await until(async () => !(await isDown()));
  });

  it('run as often with a thousand probes as with none', async () => {
    let runs = 0;
    checks = new HealthChecks({ ...TIMES, intervalMs: 60_000 });
    checks.addCheck('bus', async () => void runs++);
    await Promise.all(Array.from({ length: 1_000 }, () => checks.listResults()));
    expect(runs).toBe(1);
  });

  it('count as down when they hang, delay no other, and are tried again', async () => {
    let runs = 0;
    checks.addCheck('database', {
      isRequired: true,
      check: () => (runs++ === 0 ? new Promise(() => undefined) : Promise.resolve()),
    });
    checks.addCheck('bus', async () => undefined);
    expect(await checks.listResults(['database'])).toEqual([{ name: 'bus', status: 'UP' }]);
    expect(await checks.listResults()).toContainEqual({
      name: 'database',
      status: 'DOWN',
      data: { error: 'no answer within 100 ms' },
    });
    await until(async () => !(await isDown()));
  });

  it('count no time in which the process itself could hear no answer', async () => {
    checks.addCheck('bus', async () => {
      const end = performance.now() + 3 * TIMES.timeoutMs;
      while (performance.now() < end);
      // The answer takes two round trips.
      await stat('.');
      await stat('.');
    });
    expect(await checks.listResults()).toEqual([{ name: 'bus', status: 'UP' }]);
  });

  it('are not run while they are skipped', async () => {
    let isSkipped = true;
    let runs = 0;
    checks = new HealthChecks(TIMES, () => (isSkipped ? ['files'] : []));
    checks.addCheck('files', async () => void runs++);
    checks.addCheck('bus', async () => undefined);
    expect(await checks.listResults(['files'])).toHaveLength(1);
    await wait(TIMES.intervalMs * 5);
    expect(runs).toBe(0);
    isSkipped = false;
    await until(() => runs > 0);
  });

  it('are required when one of the modules that share them says so', async () => {
    checks.addCheck('redis', { isRequired: true, check: down });
    checks.addCheck('redis', down);
    expect(await checks.listRequired()).toMatchObject([{ name: 'redis', status: 'DOWN' }]);
  });
});
