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
const isDown = async (): Promise<boolean> => (await checks.required()).some(({ status }) => status === 'DOWN');

describe('health checks', () => {
  it('count for readiness where they are required, and are shown all the same where not', async () => {
    checks.add('files', down);
    checks.add('bus', { isRequired: true, check: async () => undefined });
    expect(await checks.results()).toEqual([
      { name: 'bus', status: 'UP' },
      { name: 'files', status: 'DOWN', data: { error: 'away' } },
    ]);
    expect(await checks.required()).toEqual([{ name: 'bus', status: 'UP' }]);
  });

  it('show a dependency that partly works as down, and stay ready', async () => {
    checks.add('database', {
      isRequired: true,
      check: async () => {
        throw new PartlyDown('one of two');
      },
    });
    expect(await checks.results()).toMatchObject([{ status: 'DOWN', data: { error: 'one of two' } }]);
    expect(await checks.required()).toMatchObject([{ status: 'UP' }]);
  });

  it('see by themselves that something fails and works again', async () => {
    let isAway = false;
    checks.add('bus', { isRequired: true, check: () => (isAway ? down() : Promise.resolve()) });
    expect(await isDown()).toBe(false);
    isAway = true;
    await until(isDown);
    isAway = false;
    await until(async () => !(await isDown()));
  });

  it('run as often with a thousand probes as with none', async () => {
    let runs = 0;
    checks = new HealthChecks({ ...TIMES, intervalMs: 60_000 });
    checks.add('bus', async () => void runs++);
    await Promise.all(Array.from({ length: 1_000 }, () => checks.results()));
    expect(runs).toBe(1);
  });

  it('count as down when they hang, delay no other, and are tried again', async () => {
    let runs = 0;
    checks.add('database', {
      isRequired: true,
      check: () => (runs++ === 0 ? new Promise(() => undefined) : Promise.resolve()),
    });
    checks.add('bus', async () => undefined);
    expect(await checks.results(['database'])).toEqual([{ name: 'bus', status: 'UP' }]);
    expect(await checks.results()).toContainEqual({
      name: 'database',
      status: 'DOWN',
      data: { error: 'no answer within 100 ms' },
    });
    await until(async () => !(await isDown()));
  });

  it('are not run while they are skipped', async () => {
    let isSkipped = true;
    let runs = 0;
    checks = new HealthChecks(TIMES, () => (isSkipped ? ['files'] : []));
    checks.add('files', async () => void runs++);
    checks.add('bus', async () => undefined);
    expect(await checks.results(['files'])).toHaveLength(1);
    await wait(TIMES.intervalMs * 5);
    expect(runs).toBe(0);
    isSkipped = false;
    await until(() => runs > 0);
  });

  it('are required when one of the modules that share them says so', async () => {
    checks.add('redis', { isRequired: true, check: down });
    checks.add('redis', down);
    expect(await checks.required()).toMatchObject([{ name: 'redis', status: 'DOWN' }]);
  });
});
