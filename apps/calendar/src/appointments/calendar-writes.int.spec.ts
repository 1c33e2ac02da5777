import { calendar, calendarAnswers } from '@groupware/contracts';
import { sentStatements } from '@groupware/test-kit';
import { CalendarUser, FUTURE, MORNING } from '../testing/calendar-user';
import { codeOf, entity, runCalendar, type RunningCalendar } from '../testing/running-calendar';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let running: RunningCalendar;

beforeAll(async () => {
  running = await runCalendar();
}, 60_000);
afterAll(() => running?.close());

const enter = () => CalendarUser.enter(running);
const daily = { recurrence_type: 1, interval: 1, occurrences: 60 };
const soon = Math.ceil(Date.now() / DAY) * DAY + 7 * DAY;

/** Round trips to Postgres that a call makes, each with its statements; without those of the relay, its load samples and alarms. */
async function roundTripsOf(call: () => Promise<unknown>): Promise<string[][]> {
  const { roundTrips } = await sentStatements(call);
  return roundTrips
    .filter((texts) => !texts.some((text) => /skip locked|from outbox|\bsent\b/.test(text)))
    .map((texts) => texts.filter((text) => /\b(appointment|attendee|folder|tombstone|outbox)/.test(text)))
    .filter((texts) => texts.length > 0);
}

describe('a writing call', () => {
  /** A series with so many guests and exceptions. */
  async function seriesOf(size: number) {
    const [ann, other] = [await enter(), await enter()];
    const guests = await Promise.all(Array.from({ length: size }, enter));
    const participants = [ann, ...guests].map(({ participant }) => participant);
    const id = await ann.create({ ...daily, participants });
    for (let position = 2; position < 2 + size; position++)
      await ann.update(id, { recurrence_position: position, title: `changed ${position}` });
    return { ann, other, guest: guests[0]!, participants, id, folder: ann.folder };
  }
  type Series = Awaited<ReturnType<typeof seriesOf>>;

  /**
   * Round trips of a write to a series of some size: the fewest of several times, until they are as few as wanted. On a busy machine an
   * answer may come between two statements that otherwise leave together, which only adds to them.
   */
  async function countRoundTrips(size: number, write: (series: Series) => Promise<unknown>, wanted: number) {
    let fewest: string[][] | undefined;
    for (let time = 0; time < 5 && (fewest?.length ?? Infinity) > wanted; time++) {
      const series = await seriesOf(size);
      const trips = await roundTripsOf(() => write(series));
      if (!fewest || trips.length < fewest.length) fewest = trips;
    }
    return fewest!;
  }

  const writes: [name: string, roundTrips: number, statements: number, (series: Series) => Promise<unknown>][] = [
    ['new with participants', 3, 7, ({ ann, participants }) => ann.create({ participants })],
    [
      'update of the time of a series',
      5,
      11,
      ({ ann, id }) => ann.update(id, { start_date: MORNING.start_date - HOUR }),
    ],
    ['update of the title of a series', 4, 10, ({ ann, id }) => ann.update(id, { title: 'new' })],
    [
      'update of the participants of a series',
      5,
      11,
      ({ ann, id, participants, other }) => ann.update(id, { participants: [...participants, other.participant] }),
    ],
    [
      'update of a rule that loses exceptions',
      5,
      13,
      ({ ann, id }) => ann.update(id, { ...daily, interval: 7, occurrences: 5 }),
    ],
    ['update of an occurrence', 4, 12, ({ ann, id }) => ann.update(id, { recurrence_position: 50, title: 'x' })],
    [
      'confirm of an occurrence',
      4,
      12,
      ({ guest, id }) =>
        guest.ask(
          calendarAnswers.confirm,
          { id, folder: guest.folder, timestamp: FUTURE, occurrence: 51 },
          { confirmation: 1 },
        ),
    ],
    [
      'copy',
      5,
      9,
      ({ ann, id, folder }) =>
        ann.ask(calendarAnswers.copy, { id, folder, ignore_conflicts: true }, { folder_id: folder }),
    ],
    ['delete of an occurrence', 3, 9, ({ ann, id }) => ann.remove({ id, pos: 52 })],
    [
      'delete of many occurrences',
      3,
      9,
      ({ ann, id, participants }) => ann.remove(...participants.map((_each, index) => ({ id, pos: 30 + index }))),
    ],
    [
      'confirm',
      4,
      10,
      ({ guest, id }) =>
        guest.ask(calendarAnswers.confirm, { id, folder: guest.folder, timestamp: FUTURE }, { confirmation: 3 }),
    ],
    ['delete of a series by somebody invited', 3, 10, ({ guest, id }) => guest.remove({ id })],
    ['delete of a series', 3, 8, ({ ann, id }) => ann.remove({ id })],
  ];

  it.each(writes)(
    '%s: %d round trips with %d statements, however many guests and exceptions there are',
    async (_name, roundTrips, statements, write) => {
      // Once before, so that nothing is prepared for the first time.
      await write(await seriesOf(1));
      const few = await countRoundTrips(2, write, roundTrips);
      const many = await countRoundTrips(8, write, roundTrips);
      // Whatever is read before the transaction, what is locked and read, the stamp, and the writes with the commit.
      expect([few.length, few.flat().length]).toEqual([roundTrips, statements]);
      expect([many.length, many.flat().length]).toEqual([roundTrips, statements]);
    },
  );
});

describe('writes at the same time', () => {
  it('let exactly one of many updates with the same timestamp win, again and again', async () => {
    const ann = await enter();
    const id = await ann.create();
    for (let round = 0; round < 5; round++) {
      const { last_modified_utc: timestamp } = await ann.read(id);
      const racing = Array.from({ length: 12 }, (_, index) => {
        const query = { id, folder: ann.folder, timestamp };
        const body = { title: `${round} ${index}`, ignore_conflicts: true };
        return ann.ask(calendar.update, query, body).then(
          () => body.title,
          (error: { code: string }) => error.code,
        );
      });
      const outcomes = await Promise.all(racing);
      const winners = outcomes.filter((outcome) => outcome !== 'CAL-4120');
      expect(winners).toHaveLength(1);
      expect((await ann.read(id)).title).toBe(winners[0]);
    }
  });

  it('lose no answer: everybody answers at once, for the series and for one occurrence', async () => {
    const ann = await enter();
    const guests = await Promise.all(Array.from({ length: 8 }, enter));
    const participants = [ann, ...guests].map(({ participant }) => participant);
    const id = await ann.create({ ...daily, participants });
    await Promise.all(
      guests.flatMap((guest, index) =>
        [undefined, 4].map((occurrence) =>
          guest.ask(
            calendarAnswers.confirm,
            { id, folder: guest.folder, timestamp: FUTURE, occurrence },
            { confirmation: occurrence ? 2 : 1, confirmmessage: `${index}` },
          ),
        ),
      ),
    );
    const answers = async (query: object) =>
      (await ann.read(id, query)).users.map(({ confirm, confirmmessage }: any) => [confirm, confirmmessage]);
    expect(await answers({})).toEqual([[1, undefined], ...guests.map((_, index) => [1, `${index}`])]);
    const declined = (await answers({ recurrence_position: 4 })).slice(1);
    expect(declined).toEqual(guests.map((_, index) => [2, `${index}`]));
    const { change_exceptions } = await ann.read(id);
    expect(change_exceptions).toHaveLength(1);
  });

  it('book a room once: single appointments, series, copies and moves at the same time', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, enter));
    const room = {
      type: 3,
      id: entity({ kind: 'resource', id: 990_001, displayName: 'R', email: 'r990001@example.com', room: true }),
    };
    const hour = (index: number) => ({ start_date: soon + index * HOUR, end_date: soon + (index + 1) * HOUR });
    const prepared = await Promise.all(
      users.map((user) => user.create({ ...hour(0), shown_as: 4, participants: [user.participant, room] })),
    );
    await Promise.all(
      users.flatMap((user, index) => [
        user.call(calendar.new, {}, { title: 'new', folder_id: user.folder, ...hour(0), participants: [room] }),
        user.call(
          calendar.new,
          {},
          { title: 's', folder_id: user.folder, ...hour(-24), ...daily, occurrences: 3, participants: [room] },
        ),
        user.update(prepared[index]!, { shown_as: 1 }),
        user.update(prepared[index]!, { ...hour(index % 2), shown_as: 1 }),
        user.ask(
          calendarAnswers.copy,
          { id: prepared[index]!, folder: user.folder, ignore_conflicts: true },
          { folder_id: user.folder },
        ),
      ]),
    );
    expect(await overlapsOf(room.id)).toEqual([]);
    expect(await bookingsOf(room.id)).not.toHaveLength(0);
  });

  it('refuse what must not be, and leave no trace of it', async () => {
    const ann = await enter();
    const id = await ann.create(daily);
    const before = await rows();
    expect(await codeOf(ann.update(id, { recurrence_position: 61, title: 'x' }))).toBe('APP-0074');
    expect(await codeOf(ann.remove({ id }, { id: '999999' }))).toBe('OX-0001');
    expect(await codeOf(ann.update(id, { participants: [{ type: 1, id: 1_234_567 }] }))).toBe('APP-0103');
    expect(await rows()).toEqual(before);
  });
});

/** Numbers of rows of every table that calls write. */
const rows = () =>
  running.sql(`select (select count(*) from appointment) as appointments, (select count(*) from attendee) as attendees,
    (select count(*) from tombstone) as tombstones, (select sum(last_stamp) from appointment_counter) as stamps`);

/** Times of all bookings of a room, series expanded day by day. */
const bookingsOf = (room: number) =>
  running.sql(
    `select a.id, a.start_ms + day * ${DAY} as from_ms, a.end_ms + day * ${DAY} as to_ms
     from appointment a join attendee t on t.context_id = a.context_id and t.appointment_id = a.id
     cross join generate_series(0, case when a.is_series then 2 else 0 end) as day
     where t.type = 3 and t.entity = $1 and a.shown_as <> 4 order by 2`,
    [room],
  );

async function overlapsOf(room: number): Promise<unknown[]> {
  const bookings = await bookingsOf(room);
  return bookings.filter((booking, index) => index > 0 && Number(bookings[index - 1].to_ms) > Number(booking.from_ms));
}
