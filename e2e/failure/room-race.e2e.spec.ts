import { setTimeout as wait } from 'node:timers/promises';
import { calendar, directory, type DirectoryUser } from '@groupware/contracts';
import { toUserPrincipal } from '@groupware/directory';
import { Bus, Caller } from '@groupware/messaging';
import { Client as Database } from 'pg';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { DAY, FAR_FUTURE } from '../calendar/calendar';
import { createProcessWorld, type ProcessWorld } from '../processes';

/** Attempts to book the room; `E2E_ROOM_BOOKINGS=1000000` for the long form, `E2E_SEED` for another course. */
const ATTEMPTS = Number(process.env.E2E_ROOM_BOOKINGS ?? 2_000);
const SEED = Number(process.env.E2E_SEED ?? 20_260);
/** Long form, which a person watches: there is a line of progress now and then, and processes log less. */
const LONG = ATTEMPTS > 10_000;
/** A replica is killed about every so many attempts, in the long form not more often than every so many ms. */
const KILL_EVERY = 500;
const KILL_PAUSE_MS = LONG ? 20_000 : 0;
/** Some come as clients do, most of them straight to the replicas: the gateway is not what is tested. */
const CLIENTS = 8;
const CALLERS = LONG ? 48 : 24;
/** Patience of a caller whose replica died, ms. */
const PATIENCE_MS = LONG ? 3_000 : 15_000;
const QUARTER = 15 * 60_000;
let world: ProcessWorld;
let cast: Fixtures;
let database: Database;
let bus: Bus;

beforeAll(async () => {
  world = await createProcessWorld(
    ['identity,folders', 'calendar', 'calendar', 'calendar'],
    LONG ? { GROUPWARE_LOG_LEVEL: 'warn' } : {},
  );
  cast = await createFixtures(world);
  database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  const { NATS_URL, GROUPWARE_BUS_PREFIX, GROUPWARE_PRINCIPAL_KEY } = world.environment;
  // In the place of a gateway.
  const principals = { signing: Buffer.from(GROUPWARE_PRINCIPAL_KEY!, 'base64') };
  bus = await Bus.connect({ url: NATS_URL!, prefix: GROUPWARE_BUS_PREFIX!, principals });
}, 300_000);
afterAll(async () => {
  await bus?.close();
  await database?.end();
  await world?.close();
}, 60_000);

/** Numbers from 0 to 1, the same ones for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Bookings of the room by the tables, series expanded; the rules of this test are all daily. */
const BOOKINGS = `select a.id, a.start_ms + day * ${DAY}::bigint as from_ms, a.end_ms + day * ${DAY}::bigint as to_ms
  from calendar.appointment a join calendar.attendee t on t.context_id = a.context_id and t.appointment_id = a.id
  cross join generate_series(0, coalesce(substring(a.rule from 'COUNT=(\\d+)')::int, 1) - 1) as day
  where a.context_id = $1 and t.type = 3 and t.entity = $2`;
/** Bookings that begin before an earlier one has ended. */
const OVERLAPS = `select id, from_ms, before from (
    select id, from_ms, max(to_ms) over (order by from_ms, id rows between unbounded preceding and 1 preceding) as before
    from (${BOOKINGS}) b) c
  where before > from_ms limit 10`;

async function rowsOf<T extends object>(sql: string, ...params: unknown[]): Promise<T[]> {
  return (await database.query<T>(sql, [cast.contextId, cast.room, ...params])).rows;
}

/** Client that books, over HTTP or straight at the replicas. */
interface Booker {
  readonly player: TestUser;
  /** The data of the answer; throws when there is none. */
  create(body: object): Promise<any>;
  update(id: string, body: object): Promise<any>;
  remove(id: string): Promise<any>;
}

function client(player: TestUser): Booker {
  const { folder } = player;
  return {
    player,
    create: async (body) => (await player.put('calendar', 'new', {}, { ...body, folder_id: folder })).data,
    update: async (id, body) =>
      (await player.put('calendar', 'update', { id, folder, timestamp: FAR_FUTURE }, body)).data,
    remove: async (id) => (await player.put('calendar', 'delete', { timestamp: FAR_FUTURE }, [{ id, folder }])).data,
  };
}

async function direct(player: TestUser, caller: Caller): Promise<Booker> {
  const { folder } = player;
  const asked = { principal: { kind: 'internal', service: 'race', contextId: cast.contextId } as const };
  const [user] = await caller.call(directory.entities, { ...asked, query: { ids: [player.userId] } });
  const call = () => ({
    principal: toUserPrincipal(cast.contextId, user as DirectoryUser),
    deadline: Date.now() + PATIENCE_MS,
  });
  return {
    player,
    create: (body) => caller.call(calendar.new, { ...call(), query: {}, body: { ...body, folder_id: folder } }),
    update: (id, body) =>
      caller.call(calendar.update, { ...call(), query: { id, folder, timestamp: FAR_FUTURE }, body: body }),
    remove: (id) =>
      caller.call(calendar.delete, { ...call(), query: { timestamp: FAR_FUTURE }, body: [{ id, folder }] as never }),
  };
}

describe('a room that everybody wants', () => {
  it(
    'is never booked twice, whatever replica is asked and whichever of them is killed',
    async () => {
      const random = randomNumbers(SEED);
      const replicas = world.processes.filter(({ name }) => name === 'calendar');
      const players = [cast.U1, cast.U2, cast.U3, await createTestUser(world, cast.admin, cast.contextId, 'u4')];
      const caller = new Caller(bus);
      const bookers = [
        ...Array.from({ length: CLIENTS }, (_each, index) => client(players[index % players.length]!)),
        ...(await Promise.all(
          Array.from({ length: CALLERS }, (_each, index) => direct(players[index % players.length]!, caller)),
        )),
      ];
      const first = Math.ceil(Date.now() / DAY) * DAY + 7 * DAY;
      // Some find their time free at the end, however many there are: bookings are also moved and given up.
      const quarters = Math.min(Math.max(96, ATTEMPTS), 8_000);
      const counts = { attempted: 0, booked: 0, refused: 0, unknown: 0 };
      /** Bookings by the folder of their owner, to be moved and given up. */
      const known = new Map<string, string[]>(players.map(({ folder }) => [folder, []]));
      /** Those that were confirmed, and that no client wanted to give up since. */
      const confirmed = new Set<string>();
      const givenUp = new Set<string>();

      const attempt = async ({ player, create, update, remove }: Booker): Promise<void> => {
        const start = first + Math.floor(random() * quarters) * QUARTER;
        const times = { start_date: start, end_date: start + (1 + Math.floor(random() * 4)) * QUARTER };
        const dice = random();
        const own = known.get(player.folder)!;
        const at = Math.floor(random() * own.length);
        const id = own[at];
        if (id !== undefined && dice < 0.15) {
          confirmed.delete(id);
          givenUp.add(id);
          own[at] = own.at(-1)!;
          own.pop();
          await remove(id);
          return;
        }
        const series = dice > 0.9 ? { recurrence_type: 1, interval: 1, occurrences: 2 + Math.floor(random() * 4) } : {};
        const participants = [
          { type: 1, id: player.userId },
          { type: 3, id: cast.room },
        ];
        const body = { title: 'race', ignore_conflicts: true, ...times };
        const moves = id !== undefined && dice < 0.3;
        const answer = moves ? await update(id, body) : await create({ ...body, ...series, participants });
        if (answer?.id) {
          counts.booked += 1;
          if (moves) return;
          const booked = String(answer.id);
          own.push(booked);
          // Another client may have found it in the table before its maker was told.
          if (!givenUp.has(booked)) confirmed.add(booked);
        } else if (answer?.conflicts?.some((conflict: any) => conflict.hard_conflict)) counts.refused += 1;
        else counts.unknown += 1;
      };
      const begun = performance.now();
      const writers = bookers.map(async (booker) => {
        while (counts.attempted < ATTEMPTS) {
          counts.attempted += 1;
          await attempt(booker).catch(() => (counts.unknown += 1));
        }
      });
      let over = false;
      let kills = 0;
      const tell = (): void => {
        const seconds = (performance.now() - begun) / 1000;
        const memory = Math.round(process.memoryUsage().rss / 1024 / 1024);
        process.stderr.write(
          `${JSON.stringify({ ...counts, kills })}, ${(counts.attempted / seconds).toFixed(0)} attempts/s, ${memory} MiB\n`,
        );
      };
      const progress = LONG ? setInterval(tell, 30_000) : undefined;
      const killer = (async () => {
        for (let next = KILL_EVERY / 2; !over; next = counts.attempted + KILL_EVERY * (0.5 + Math.random())) {
          while (!over && counts.attempted < next) await wait(20);
          if (over) return;
          const victim = replicas[kills % replicas.length]!;
          kills += 1;
          await victim.kill();
          await victim.start();
          // A booking stored for a client that was not told takes room, too: it must be possible to give it up.
          const stored = await rowsOf<{ id: number; folder_id: number }>(
            `select a.id, a.folder_id from calendar.appointment a join calendar.attendee t
               on t.context_id = a.context_id and t.appointment_id = a.id
             where a.context_id = $1 and t.type = 3 and t.entity = $2`,
          );
          for (const own of known.values()) own.length = 0;
          for (const { id, folder_id } of stored) known.get(String(folder_id))?.push(String(id));
          for (let waited = 0; !over && waited < KILL_PAUSE_MS; waited += 100) await wait(100);
        }
      })();
      await Promise.all(writers);
      over = true;
      await killer;
      clearInterval(progress);
      if (LONG) tell();

      expect(await rowsOf(OVERLAPS)).toEqual([]);
      // The losers were told, and something was there to be won.
      expect(kills).toBeGreaterThan(0);
      expect(counts.refused).toBeGreaterThan(ATTEMPTS / 10);
      expect(counts.booked).toBeGreaterThan(ATTEMPTS / 10);
      expect(counts.unknown).toBeLessThan(ATTEMPTS / 4);
      const stored = new Set((await rowsOf<{ id: number }>(BOOKINGS)).map(({ id }) => String(id)));
      expect([...confirmed].filter((id) => !stored.has(id))).toEqual([]);
    },
    Math.max(300_000, ATTEMPTS * 30),
  );
});
