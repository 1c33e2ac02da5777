import { setTimeout as wait } from 'node:timers/promises';
import { createFixtures, type Fixtures } from '../fixtures';
import { created, DAY, HOUR } from '../calendar/calendar';
import { createProcessWorld, type ProcessWorld } from '../processes';
import { toEventTime } from '../times';

const QUESTIONS = Number(process.env.FREE_BUSY_QUESTIONS ?? 240);
const MONDAY = Date.UTC(2030, 0, 7);
let world: ProcessWorld;
let cast: Fixtures;

beforeAll(async () => {
  world = await createProcessWorld(['identity,folders,calendar', 'freebusy', 'freebusy', 'freebusy']);
  cast = await createFixtures(world);
}, 180_000);
afterAll(() => world?.close(), 60_000);

describe('free/busy in three processes', () => {
  it('answers every question that is asked again while its processes are killed one after the other', async () => {
    await created(cast.U1, { start_date: MONDAY + 9 * HOUR, end_date: MONDAY + 10 * HOUR });
    let asked = 0;
    let answered = 0;
    let tries = 0;
    const wrong: unknown[] = [];
    const ask = () =>
      cast.U2.put(
        'chronos',
        'freeBusy',
        { from: toEventTime(MONDAY), until: toEventTime(MONDAY + DAY), merge: true },
        { attendees: [{ entity: cast.U1.userId }] },
      );
    const asker = async (): Promise<void> => {
      while ((asked += 1) <= QUESTIONS) {
        for (let attempt = 1; attempt <= 20; attempt += 1) {
          tries += 1;
          const answer = await ask();
          if (answer.data) {
            answered += 1;
            if (answer.data[0]?.freeBusyTime?.length !== 1) wrong.push(answer.data);
            break;
          }
          await wait(20);
        }
      }
    };
    const askers = Array.from({ length: 6 }, asker);
    const replicas = world.processes.filter(({ name }) => name === 'freebusy');
    // Two of three at once are gone for a while: the third answers.
    for (const [index, each] of replicas.entries()) {
      while (answered < ((index + 1) * QUESTIONS) / 5) await wait(5);
      await each.kill();
      if (index > 0) await replicas[index - 1]!.start();
    }
    await Promise.all(askers);
    expect({ answered, wrong }).toEqual({ answered: QUESTIONS, wrong: [] });
    // Most were answered at once: the bus asks another process.
    expect(tries - answered).toBeLessThan(QUESTIONS / 2);
  }, 120_000);
});
