import { randomUUID } from 'node:crypto';
import { until } from '@groupware/test-kit';
import { connect } from 'nats';
import { Client as Database } from 'pg';
import { created, HOUR } from '../../e2e/calendar/calendar';
import { createFixtures, type Fixtures } from '../../e2e/fixtures';
import { OwnNats } from './own-nats';
import { startTestEnvironment, type TestEnvironment } from '../../e2e/test-environment';
import { openEvents, openSocket, type OpenStream } from '../../e2e/push/streams';

let nats: OwnNats;
let world: TestEnvironment;
let cast: Fixtures;
let database: Database;
let streams: OpenStream[];

beforeAll(async () => {
  nats = await OwnNats.start();
  world = await startTestEnvironment({
    variables: { NATS_URL: nats.url, EVENTS_CHECK_MS: '200', GATEWAY_STREAM_CHECK_MS: '400' },
  });
  cast = await createFixtures(world);
  database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  streams = [await openEvents(cast.U1), await openSocket(cast.U2)];
}, 120_000);
afterAll(async () => {
  for (const stream of streams ?? []) stream.close();
  await database?.end();
  await world?.close();
  await nats?.close();
}, 60_000);

/** An appointment of both users. */
const appointment = (title: string, day: number) =>
  created(cast.U1, {
    title,
    start_date: Date.UTC(2034, 0, day, 9),
    end_date: Date.UTC(2034, 0, day, 9) + HOUR,
    participants: [cast.U1, cast.U2].map(({ userId }) => ({ id: userId, type: 1 })),
  });

const resyncs = (stream: OpenStream) => stream.events.filter(({ event }) => event === 'resync').length;
const idsOf = (stream: OpenStream) => stream.notices.map(({ data }) => String(data.id));

/** Ids of the events that JetStream has. */
async function storedEvents(): Promise<string[]> {
  const connection = await connect({ servers: nats.url });
  try {
    const manager = await connection.jetstreamManager();
    const name = `${world.environment.GROUPWARE_BUS_PREFIX}-events`;
    const { state } = await manager.streams.info(name);
    const ids: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++)
      ids.push((await manager.streams.getMessage(name, { seq })).json<{ id: string }>().id);
    return ids;
  } finally {
    await connection.close();
  }
}

const waiting = async () => Number((await database.query('select count(*) from calendar.outbox')).rows[0].count);
const sent = async () =>
  (await database.query<{ id: string }>(`select message->>'id' as id from calendar.sent_event`)).rows.map(
    ({ id }) => id,
  );

describe('JetStream that comes back without its store', () => {
  it('is filled again from the outbox, clients are told to load anew, and no change of then or later stays untold', async () => {
    const before = await appointment('before', 1);
    for (const stream of streams) await stream.about({ id: String(before) });
    await until(async () => (await waiting()) === 0);
    const confirmed = await sent();
    expect(confirmed.length).toBeGreaterThan(0);

    await nats.kill();
    nats.loseStore();
    // A change that was committed and could not be sent: what a process leaves that ends at this moment.
    const unsent = randomUUID();
    await database.query(
      `insert into calendar.outbox (id, context_id, name, payload, occurred_at)
       select $1, (message->>'contextId')::int, 'calendar.appointment.changed',
         jsonb_set(message->'payload', '{id}', '424242'), $2::bigint
       from calendar.sent_event where message->>'name' = 'calendar.appointment.created' order by seq desc limit 1`,
      [unsent, Date.now()],
    );
    await nats.startAgain();

    for (const stream of streams) {
      await until(() => resyncs(stream) > 0, 30_000);
      await stream.about({ id: '424242' });
    }
    await until(async () => (await waiting()) === 0, 30_000);
    expect(await storedEvents()).toEqual(expect.arrayContaining([...confirmed, unsent]));

    const after = await appointment('after', 2);
    for (const stream of streams) {
      await stream.about({ id: String(after) });
      // The change that was sent again was told before it was lost.
      for (const id of [String(before), '424242', String(after)])
        expect(idsOf(stream).filter((told) => told === id)).toHaveLength(1);
    }
  }, 120_000);
});
