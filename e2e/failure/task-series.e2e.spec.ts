import { setTimeout as wait } from 'node:timers/promises';
import { createProcessWorld, type ProcessWorld } from '../processes';
import { all, change, create, createTaskFixtures, DAY, type TaskFixtures } from '../tasks/tasks';

const SERIES = 40;
const COMPLETIONS = 25;
let world: ProcessWorld;
let cast: TaskFixtures;

beforeAll(async () => {
  world = await createProcessWorld(['identity,folders,calendar', 'tasks', 'tasks', 'tasks']);
  cast = await createTaskFixtures(world);
}, 180_000);
afterAll(() => world?.close(), 60_000);

describe('series of tasks', () => {
  it('get their next instance once, whatever is killed while a thousand requests complete and reopen them', async () => {
    const dates = { start_date: 0, end_date: DAY, recurrence_type: 1, interval: 1 };
    const ids: string[] = [];
    for (let series = 0; series < SERIES; series += 1)
      ids.push((await create(cast.U1, cast.T1, { ...dates, title: `s${series}` })).id);
    const attempts = Array.from({ length: COMPLETIONS }, () => ids)
      .flat()
      .map((id, index) => ({ id, status: index % 7 === 3 ? 2 : 3 }));
    let failed = 0;
    const complete = async (): Promise<void> => {
      for (let attempt = attempts.pop(); attempt; attempt = attempts.pop()) {
        const { id, status } = attempt;
        const answer = await change(cast.U1, cast.T1, id, { status }).catch(() => undefined);
        if (answer?.timestamp === undefined) failed += 1;
      }
    };
    const kill = async (): Promise<void> => {
      for (const replica of world.processes.slice(1, 4)) {
        const before = attempts.length;
        while (attempts.length > 0 && before - attempts.length < 60) await wait(5);
        await replica.kill();
        await replica.start();
      }
    };
    await Promise.all([...Array.from({ length: 12 }, complete), kill()]);
    // Whatever was lost with a process is asked for again, as clients do.
    for (const id of ids) expect((await change(cast.U1, cast.T1, id, { status: 3 })).error).toBeUndefined();

    expect(failed).toBeLessThan((SERIES * COMPLETIONS) / 2);
    const starts = new Map<string, number[]>();
    for (const [title, start] of (await all(cast.U1, cast.T1, '200,201')).data!)
      starts.set(title as string, [...(starts.get(title as string) ?? []), start as number]);
    expect(starts.size).toBe(SERIES);
    for (const found of starts.values()) expect(found.sort((a, b) => a - b)).toEqual([0, DAY]);
  }, 240_000);
});
