import { setTimeout as wait } from 'node:timers/promises';
import { createFixtures, type Fixtures } from '../fixtures';
import { all, ALL_TIME, create, HOUR, read } from '../calendar/calendar';
import { createProcessWorld, type ProcessWorld } from '../processes';

const WRITES = 1000;
let world: ProcessWorld;
let cast: Fixtures;

beforeAll(async () => {
  world = await createProcessWorld(['identity', 'folders', 'calendar', 'calendar']);
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close(), 60_000);

describe('a killed process', () => {
  it('loses nothing acknowledged and leaves nothing half-written, whichever process it was', async () => {
    const acknowledged = new Map<string, string>();
    const participants = [cast.U1, cast.U2].map((player) => ({ type: 1, id: player.userId }));
    let attempted = 0;
    let stop = false;
    const writers = Array.from({ length: 8 }, async () => {
      while (!stop && acknowledged.size < WRITES - 50 && attempted < 5 * WRITES) {
        const number = (attempted += 1);
        const start = Date.UTC(2030, 0, 1) + number * HOUR;
        try {
          const answer = await create(cast.U1.copy() as typeof cast.U1, {
            title: `write ${number}`,
            folder_id: cast.U1.folder,
            start_date: start,
            end_date: start + HOUR / 2,
            participants,
          });
          if (answer.data?.id) acknowledged.set(String(answer.data.id), `write ${number}`);
          else await wait(20); // a service is down
        } catch {
          await wait(20); // the gateway is down: nothing was promised
        }
      }
    });
    for (const each of world.processes) {
      await wait(300);
      await each.kill();
      await each.start();
    }
    await Promise.all(writers);
    stop = true;

    const rows = await all(cast.U1, '1,200', ALL_TIME);
    const stored = new Map(rows.map(([id, title]) => [String(id), title]));
    expect([...acknowledged].filter(([id, title]) => stored.get(id) !== title)).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(WRITES / 2);
    expect(stored.size).toBeLessThanOrEqual(attempted);
    // Whole or not at all: both users have it, with their participants.
    const seen = new Set((await all(cast.U2, '1', ALL_TIME)).map(([id]) => String(id)));
    expect([...stored.keys()].filter((id) => !seen.has(id))).toEqual([]);
    const unacknowledged = [...stored.keys()].filter((id) => !acknowledged.has(id));
    for (const id of unacknowledged) expect((await read(cast.U1, id)).users).toHaveLength(2);
  }, 180_000);
});
