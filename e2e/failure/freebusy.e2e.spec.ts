import { setTimeout as wait } from 'node:timers/promises';
import { createCast, type Cast } from '../cast';
import { created, DAY, HOUR } from '../calendar/calendar';
import { freePort, HostProcess } from '../processes';
import { createEnvironment, type World } from '../world';

const QUESTIONS = Number(process.env.FREE_BUSY_QUESTIONS ?? 240);
const MONDAY = Date.UTC(2030, 0, 7);
let world: World;
let cast: Cast;
let replicas: HostProcess[];

beforeAll(async () => {
  const environment = await createEnvironment();
  const [port, internalPort] = [await freePort(), await freePort()];
  const host = (modules: string, ports: Record<string, string> = {}) =>
    new HostProcess(modules, { ...environment.variables, GROUPWARE_MODULES: modules, ...ports });
  replicas = [host('freebusy'), host('freebusy'), host('freebusy')];
  const processes = [
    host('identity,folders,calendar'),
    ...replicas,
    host('gateway', { PORT: String(port), INTERNAL_PORT: String(internalPort) }),
  ];
  for (const each of processes) await each.start();
  world = {
    ...environment,
    publicUrl: `http://127.0.0.1:${port}`,
    internalUrl: `http://127.0.0.1:${internalPort}`,
    environment: environment.variables,
    close: async () => {
      await Promise.all(processes.map((each) => each.kill('SIGTERM')));
      await environment.drop();
    },
  };
  cast = await createCast(world);
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
        { from: MONDAY, until: MONDAY + DAY, merge: true },
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
