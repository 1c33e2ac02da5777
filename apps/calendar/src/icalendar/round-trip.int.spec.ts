import fc from 'fast-check';
import { fileStoreFor } from '@groupware/file-store';
import { CalendarFiles } from '../testing/calendar-files';
import type { CalendarUser } from '../testing/calendar-user';
import { passOver, runCalendar, type RunningCalendar } from '../testing/running-calendar';

/** Random calendars; the number is for a deeper look by hand. */
const RUNS = Number(process.env.ICALENDAR_PROPERTY_RUNS ?? 12);
const SEED = Number(process.env.ICALENDAR_PROPERTY_SEED ?? 20_260_101);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BASE = Date.UTC(2024, 0, 1);

let running: RunningCalendar;
let files: CalendarFiles;

beforeAll(async () => {
  running = await runCalendar();
  files = new CalendarFiles(running, fileStoreFor(running.environment.FILESTORE_URL!));
}, 60_000);
afterAll(() => running?.close());

/** Texts as people and attackers write them; the API trims nothing, iCalendar knows no lone halves and no controls. */
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((value) => !/[\p{Cc}\p{Cs}]/u.test(value)),
  fc.constantFrom('a;b,c:d', 'back\\slash', 'line\nbreak', '"quoted"', 'END:VEVENT', 'ä'.repeat(80), ' spaces '),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const rule = fc.oneof(
  fc.record({ recurrence_type: fc.constant(1), interval: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    recurrence_type: fc.constant(2),
    interval: fc.integer({ min: 1, max: 3 }),
    days: fc.integer({ min: 1, max: 127 }),
  }),
  fc.record({
    recurrence_type: fc.constant(3),
    interval: fc.integer({ min: 1, max: 3 }),
    day_in_month: fc.integer({ min: 1, max: 31 }),
  }),
  fc.record({
    recurrence_type: fc.constant(3),
    interval: fc.constant(1),
    day_in_month: fc.constantFrom(1, 2, 3, 4, 5),
    days: fc.constantFrom(1, 2, 4, 8, 16, 32, 64, 62, 65),
  }),
  fc.record({
    recurrence_type: fc.constant(4),
    interval: fc.constant(1),
    day_in_month: fc.integer({ min: 1, max: 28 }),
    month: fc.integer({ min: 0, max: 11 }),
  }),
);
const limit = fc.oneof(
  fc.constant({}),
  fc.record({ occurrences: fc.integer({ min: 3, max: 12 }) }),
  fc.record({ until: fc.integer({ min: 800, max: 4_000 }).map((day) => BASE + day * DAY) }),
);

const appointment = fc.record({
  start: fc.integer({ min: 0, max: 365 * 48 }).map((half) => BASE + half * (HOUR / 2)),
  length: fc.integer({ min: 0, max: 60 }).map((half) => half * (HOUR / 2)),
  wholeDay: fc.boolean(),
  title: maybe(text),
  location: maybe(text),
  note: maybe(text),
  shown_as: fc.integer({ min: 1, max: 4 }),
  color_label: maybe(fc.integer({ min: 0, max: 10 })),
  categories: maybe(fc.constantFrom('a', 'a,b', 'ä ö,x')),
  private_flag: fc.boolean(),
  externals: fc.uniqueArray(fc.constantFrom('x@example.com', 'y@example.com', 'z@example.com'), { maxLength: 2 }),
  series: maybe(fc.tuple(rule, limit)),
  moved: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
  deleted: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 1 }),
});
type RandomAppointment = typeof appointment extends fc.Arbitrary<infer T> ? T : never;

async function store(user: CalendarUser, random: RandomAppointment): Promise<void> {
  const { start, length, wholeDay, externals, series, moved, deleted, ...fields } = random;
  const day = Math.floor(start / DAY) * DAY;
  const times = wholeDay
    ? { full_time: true, start_date: day, end_date: day + DAY * (1 + Math.floor(length / DAY)) }
    : { start_date: start, end_date: start + length };
  const id = await user.create(
    {
      ...JSON.parse(JSON.stringify(fields)),
      ...times,
      ...(series && { ...series[0], ...series[1] }),
      ...(externals.length > 0 &&
        !fields.private_flag && {
          participants: [user.participant, ...externals.map((mail) => ({ type: 5, mail, display_name: `N ${mail}` }))],
        }),
    },
    { timezone: user.principal.timeZone },
  );
  if (!series) return;
  for (const position of moved) {
    const occurrence = await user.read(id, { recurrence_position: position }).catch(passOver('APP-0098'));
    if (!occurrence) continue;
    const shift = wholeDay ? 0 : HOUR / 2;
    await user.update(id, {
      recurrence_position: position,
      title: `moved ${position}`,
      start_date: occurrence.start_date + shift,
      end_date: occurrence.end_date + shift,
    });
  }
  for (const position of deleted.filter((entry) => !moved.includes(entry)))
    await user.remove({ id, recurrence_position: position }).catch(passOver('APP-0098'));
}

/** Content of a file, event by event; stamps are of the moment of their writing, and an import takes no people. */
const contentOf = (file: string): string[] =>
  file
    .replace(/\r\n[ \t]/g, '')
    .replace(/^(DTSTAMP|LAST-MODIFIED|CREATED|X-WR-CALNAME|NAME|ORGANIZER|ATTENDEE)[:;].*\r\n/gm, '')
    .split('BEGIN:VEVENT')
    .slice(1)
    .map((event) => event.slice(0, event.lastIndexOf('END:VEVENT')))
    .sort();

/** Columns that the API answers about a calendar: everything but ids, stamps, alarms and people. */
const COLUMNS = '200,201,202,203,207,208,209,212,213,214,215,216,222,210,211,223,400,401,402,100,101,102';

describe('random calendars', () => {
  it('survive export, import and export unchanged, and views of both are the same', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
        fc.array(appointment, { minLength: 1, maxLength: 8 }),
        async (timeZone, appointments) => {
          const [ann, bob, cat] = [await files.enter(timeZone), await files.enter(timeZone), await files.enter('UTC')];
          for (const random of appointments) await store(ann, random);
          const first = await files.save(ann);
          expect(contentOf(first).length).toBeGreaterThanOrEqual(appointments.length);
          const results = await files.load(bob, first);
          expect(results.filter(({ id }) => id === undefined)).toEqual([]);
          const second = await files.save(bob);
          expect(contentOf(second)).toEqual(contentOf(first));
          // A third hand in another zone changes nothing either.
          await files.load(cat, second);
          expect(contentOf(await files.save(cat))).toEqual(contentOf(first));
          const view = { start: BASE - DAY, end: BASE + 500 * DAY, range: 'overlap' };
          const rows = (user: CalendarUser) =>
            user.all(COLUMNS, view).then((found) => found.map((row) => JSON.stringify(row)).sort());
          const shown = await rows(ann);
          expect(await rows(bob)).toEqual(shown);
          expect(await rows(cat)).toEqual(shown);
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  }, 120_000);
});
