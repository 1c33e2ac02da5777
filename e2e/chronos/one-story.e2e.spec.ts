import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import * as calendar from '../calendar/calendar';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, answer, created, dataOf, FORCE, folderOf, type Json, refusal, remove, update } from './events';

/** Random calendars: each is one appointment or series that is written, changed, answered and deleted through either door. */
const RUNS = Number(process.env.CALENDAR_STORIES ?? 30);
/** Repeats the calendars of an earlier run. */
const SEED = process.env.CALENDAR_STORIES_SEED && Number(process.env.CALENDAR_STORIES_SEED);
const MINUTE = 60_000;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'];
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const COLOURS = [
  ...['#CFE6FF', '#9BC8F7', '#B89AE9', '#F7C7E0', '#FFE2E2'],
  ...['#FDE2B9', '#FFEEB0', '#E6EFBD', '#C5D481', '#6B6B6B'],
];
const ANSWERS = ['NEEDS-ACTION', 'ACCEPTED', 'DECLINED', 'TENTATIVE'];
const RANGE = { start: Date.UTC(2030, 11, 1), end: Date.UTC(2033, 0, 1) };
const EVENT_RANGE = { rangeStart: '20301201T000000Z', rangeEnd: '20330101T000000Z', timezone: 'UTC' };
const GUEST = 'guest@outside.test';

let world: TestEnvironment;
let cast: Fixtures;
let ann: TestUser;
let bob: TestUser;
/** Reads the calendar of Ann and takes part in nothing. */
let reader: TestUser;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
  const someone = (name: string): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, name);
  [ann, bob, reader] = await Promise.all([someone('ann'), someone('bob'), someone('reader')]);
  const permissions = [
    { entity: ann.userId, group: false, bits: 403_710_016 },
    { entity: reader.userId, group: false, bits: 1 | (2 << 7) },
  ];
  const shared = await ann.put(
    'folders',
    'update',
    { id: ann.folder, tree: 1, timestamp: calendar.FAR_FUTURE },
    { permissions },
  );
  expect(shared.error).toBeUndefined();
}, 120_000);
afterAll(() => world?.close());

const DOORS = ['calendar', 'chronos'] as const;
const door = fc.constantFrom(...DOORS);
const text = fc.oneof(
  fc.constantFrom('', 'Jour fixe', 'a, b; c', 'Zeile\nzwei', '😀 "x" \\n', '<b>&amp;</b>'),
  fc.string({ unit: 'grapheme-composite', maxLength: 20 }),
);
const content = {
  title: text,
  location: text,
  note: text,
  free: fc.boolean(),
  alarm: fc.option(fc.constantFrom(0, 5, 15, 90, 1440), { nil: -1 }),
  colour: fc.integer({ min: 0, max: 10 }),
  categories: fc.uniqueArray(fc.constantFrom('work', 'ü', 'a b'), { maxLength: 2 }),
};
type Content = {
  readonly [name in keyof typeof content]: (typeof content)[name] extends fc.Arbitrary<infer T> ? T : never;
};

const plan = fc
  .record({
    ...content,
    by: door,
    kind: fc.constantFrom('zoned', 'zoned', 'day', 'floating'),
    zone: fc.constantFrom(...ZONES),
    day: fc.integer({ min: 0, max: 364 }),
    minute: fc.integer({ min: 0, max: 287 }).map((step) => step * 5),
    length: fc.integer({ min: 0, max: 600 }).map((step) => step * 5),
    secret: fc.boolean(),
    people: fc.subarray(['bob', 'room', 'team', 'guest']),
    rule: fc.option(
      fc.record({
        type: fc.constantFrom('day', 'week', 'month', 'year'),
        interval: fc.integer({ min: 1, max: 3 }),
        count: fc.integer({ min: 2, max: 7 }),
        days: fc.subarray(WEEKDAYS),
        until: fc.boolean(),
      }),
      { nil: undefined },
    ),
    changes: fc.array(fc.record({ by: door, fields: fc.record(content, { requiredKeys: [] }) }), { maxLength: 2 }),
    occurrences: fc.uniqueArray(
      fc.record({
        by: door,
        of: fc.nat(6),
        title: fc.option(fc.constantFrom('Other', 'Moved'), { nil: undefined }),
        shift: fc.constantFrom(0, 30, -45),
      }),
      { selector: ({ of }) => of, maxLength: 3 },
    ),
    reply: fc.record({
      by: door,
      status: fc.integer({ min: 1, max: 3 }),
      message: fc.constantFrom('', 'fine', 'ß\n2'),
    }),
    deletedBy: door,
  })
  .map((drawn) => ({
    ...drawn,
    // Appointments have no floating times of their own; private ones have no participants there, and book no rooms.
    by: drawn.kind === 'floating' ? 'chronos' : drawn.by,
    people: drawn.secret ? [] : drawn.people,
    // Appointments know every year only.
    rule: drawn.rule && { ...drawn.rule, interval: drawn.rule.type === 'year' ? 1 : drawn.rule.interval },
    // Days that each month has.
    day: drawn.day - Math.max(0, new Date(Date.UTC(2031, 0, 1 + drawn.day)).getUTCDate() - 28),
  }));
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

/** Start and end on the clock of the appointment, as if that were UTC. */
function localTimes({ kind, day, minute, length }: Plan): [startMs: number, endMs: number] {
  const midnight = Date.UTC(2031, 0, 1 + day);
  if (kind === 'day') return [midnight, midnight + (1 + (length % 3)) * calendar.DAY];
  return [midnight + minute * MINUTE, midnight + (minute + length) * MINUTE];
}

const instantOf = (localMs: number, zone: string): number =>
  Temporal.PlainDateTime.from(new Date(localMs).toISOString().slice(0, -1)).toZonedDateTime(zone).epochMilliseconds;
const localOf = (ms: number, zone: string): number =>
  ms + Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
const basic = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '');

/** A time as events write it. */
function dateTime({ kind, zone }: Plan, localMs: number): Json {
  if (kind === 'day') return { value: basic(localMs).slice(0, 8) };
  if (kind === 'floating') return { value: basic(localMs).slice(0, 15) };
  return zone === 'UTC' ? { value: basic(localMs) } : { value: basic(localMs).slice(0, 15), tzid: zone };
}

/** A time that an event tells; of days and floating ones as if they were UTC. */
function msOf({ value, tzid }: Json): number {
  const [, y, mo, d, h = 0, mi = 0, s = 0] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d))?/.exec(value)!;
  const ms = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
  return tzid ? instantOf(ms, tzid) : ms;
}

/** The content as appointments name it. */
const appointmentFields = ({ free, alarm, colour, categories, ...texts }: Partial<Content>): Json => ({
  ...texts,
  ...(free !== undefined && { shown_as: free ? 4 : 1 }),
  ...(alarm !== undefined && { alarm }),
  ...(colour !== undefined && { color_label: colour }),
  ...(categories !== undefined && { categories: categories.join(',') }),
});
/** The same as events name it. */
const eventFields = ({ title, location, note, free, alarm, colour, categories }: Partial<Content>): Json => ({
  ...(title !== undefined && { summary: title }),
  ...(location !== undefined && { location }),
  ...(note !== undefined && { description: note }),
  ...(free !== undefined && { transp: free ? 'TRANSPARENT' : 'OPAQUE' }),
  ...(alarm !== undefined && {
    alarms: alarm < 0 ? [] : [{ action: 'DISPLAY', trigger: { duration: `-PT${alarm}M`, related: 'START' } }],
  }),
  ...(colour !== undefined && { color: colour === 0 ? null : COLOURS[colour - 1] }),
  ...(categories !== undefined && { categories }),
});

/** The rule in the numbers of appointments, and as RFC 5545 writes it. */
function rules(drawn: Plan): [Json, Json] {
  const { rule, kind } = drawn;
  if (!rule) return [{}, {}];
  const [start] = localTimes(drawn);
  const date = new Date(start);
  const [month, dayOfMonth] = [date.getUTCMonth(), date.getUTCDate()];
  const weekdays = WEEKDAYS.filter((name, index) => index === date.getUTCDay() || rule.days.includes(name));
  const bits = weekdays.reduce((sum, name) => sum + 2 ** WEEKDAYS.indexOf(name), 0);
  const lastDay = Math.floor(start / calendar.DAY) * calendar.DAY + 40 * calendar.DAY;
  const until = rule.until && rule.type !== 'year';
  const lastMs = kind === 'zoned' ? instantOf(lastDay + calendar.DAY - 1000, drawn.zone) : lastDay;
  const end: [Json, string] = until
    ? [{ until: lastDay }, `UNTIL=${kind === 'zoned' ? basic(lastMs) : basic(lastMs).slice(0, 8)}`]
    : [{ occurrences: rule.count }, `COUNT=${rule.count}`];
  const forms: Readonly<Record<string, [fields: Json, parts: string]>> = {
    day: [{ recurrence_type: 1 }, 'FREQ=DAILY'],
    week: [{ recurrence_type: 2, days: bits }, `FREQ=WEEKLY;BYDAY=${weekdays.join(',')}`],
    month: [{ recurrence_type: 3, day_in_month: dayOfMonth }, `FREQ=MONTHLY;BYMONTHDAY=${dayOfMonth}`],
    year: [
      { recurrence_type: 4, day_in_month: dayOfMonth, month },
      `FREQ=YEARLY;BYMONTH=${month + 1};BYMONTHDAY=${dayOfMonth}`,
    ],
  };
  const [fields, parts] = forms[rule.type]!;
  return [{ ...fields, interval: rule.interval, ...end[0] }, { rrule: `${parts};INTERVAL=${rule.interval};${end[1]}` }];
}

/** Writes the plan through its door. */
async function write(drawn: Plan): Promise<string> {
  const [start, end] = localTimes(drawn);
  const { title, location, note, free, alarm, colour, categories, people, kind, zone, secret } = drawn;
  const fields = { title, location, note, free, alarm, colour, categories };
  const [numbers, rule] = rules(drawn);
  if (drawn.by === 'chronos') {
    const attendees = people.map(
      (name) =>
        ({
          bob: { entity: bob.userId },
          room: { entity: cast.room, cuType: 'RESOURCE' },
          team: { entity: cast.team, cuType: 'GROUP' },
          guest: { uri: `mailto:${GUEST}` },
        })[name],
    );
    const times = { startDate: dateTime(drawn, start), endDate: dateTime(drawn, end) };
    const body = { ...eventFields(fields), ...times, class: secret ? 'CONFIDENTIAL' : 'PUBLIC', attendees, ...rule };
    return (await created(ann, body)).id;
  }
  const participants = people.map(
    (name) =>
      ({
        bob: { type: 1, id: bob.userId },
        room: { type: 3, id: cast.room },
        team: { type: 2, id: cast.team },
        guest: { type: 5, mail: GUEST },
      })[name],
  );
  const instant = (ms: number): number => (kind === 'day' ? ms : instantOf(ms, zone));
  return calendar.created(
    ann,
    {
      ...appointmentFields(fields),
      ...{ start_date: instant(start), end_date: Math.max(instant(start), instant(end)) },
      ...{ full_time: kind === 'day', timezone: zone, private_flag: secret, participants },
      ...numbers,
    },
    { timezone: 'UTC' },
  );
}

const nothing = (value: string | undefined): string | undefined => value || undefined;
const listed = (categories: string | undefined): string[] => (categories ? categories.split(',') : []);
const sorted = (list: readonly unknown[]): string[] => list.map((each) => JSON.stringify(each)).sort();

/** Tells what an appointment says. */
function storyOfAppointment(data: Json, id: string): Json {
  return {
    id,
    title: nothing(data.title),
    location: nothing(data.location),
    note: nothing(data.note),
    free: data.shown_as === 4,
    secret: data.private_flag,
    wholeDay: data.full_time,
    lengthMs: data.end_date - data.start_date,
    startMs: data.start_date,
    alarm: data.alarm ?? -1,
    colour: data.color_label ?? 0,
    categories: listed(data.categories),
    uid: data.uid,
    sequence: data.sequence,
    stamp: data.last_modified,
    creator: Number(data.created_by),
    answers: sorted([
      ...(data.users ?? []).map(({ id: who, confirm, confirmmessage }: Json) => [who, confirm, confirmmessage ?? '']),
      ...(data.confirmations ?? []).map(({ mail, status, message }: Json) => [mail, status, message ?? '']),
    ]),
    listed: sorted(
      (data.participants ?? [])
        .filter(({ type }: Json) => type === 2 || type === 3)
        .map(({ type, id: who }: Json) => [type, who]),
    ),
    series: data.recurrence_type > 0,
    changed: data.change_exceptions ?? [],
    deleted: data.delete_exceptions ?? [],
  };
}

/** Tells what an event says, in the words of appointments. */
function storyOfEvent(event: Json, owner: number): Json {
  const start = msOf(event.startDate);
  const days = (list: string[] = []): number[] =>
    list.map((value) => {
      const ms = msOf({ value });
      const local = value.endsWith('Z') && event.startDate.tzid ? localOf(ms, event.startDate.tzid) : ms;
      return Math.floor(local / calendar.DAY) * calendar.DAY;
    });
  const minutes = (event.alarms ?? []).map(({ trigger }: Json) => Number(/^-PT(\d+)M$/.exec(trigger.duration)?.[1]));
  const people: Json[] = event.attendees ?? [{ entity: owner, cuType: 'INDIVIDUAL', partStat: 'ACCEPTED' }];
  return {
    id: event.id,
    title: event.summary,
    location: event.location,
    note: event.description,
    free: event.transp === 'TRANSPARENT',
    secret: event.class !== 'PUBLIC',
    wholeDay: event.startDate.value.length === 8,
    lengthMs: msOf(event.endDate) - start,
    startMs: start,
    alarm: minutes[0] ?? -1,
    colour: event.color === undefined ? 0 : COLOURS.indexOf(event.color) + 1,
    categories: event.categories ?? [],
    uid: event.uid,
    sequence: event.sequence,
    stamp: event.timestamp,
    creator: event.createdBy.entity,
    answers: sorted(
      people
        .filter(({ cuType }) => cuType === 'INDIVIDUAL' || cuType === undefined)
        .map(({ entity, email, partStat, comment }) => [entity ?? email, ANSWERS.indexOf(partStat), comment ?? '']),
    ),
    listed: sorted(
      people
        .filter(({ cuType }) => cuType === 'GROUP' || cuType === 'RESOURCE' || cuType === 'ROOM')
        .map(({ cuType, entity }) => [cuType === 'GROUP' ? 2 : 3, entity]),
    ),
    series: event.rrule !== undefined,
    changed: days(event.changeExceptionDates),
    deleted: days(event.deleteExceptionDates),
  };
}

/** Occurrences and single ones that the older door shows, with their original days. */
async function rowsOfAppointments(player: TestUser, folder = ann.folder): Promise<unknown[]> {
  const columns = '201,202,200,1,208';
  const query = { folder, timezone: 'UTC', range: 'overlap', showPrivate: true };
  const rows = await calendar.all(player, columns, RANGE, query);
  return sorted(rows.map(([start, end, title, id, day]) => [start, end, title || null, String(id), day ?? null]));
}

/** The same of the newer door. */
async function rowsOfEvents(player: TestUser, zone: string, folder = folderOf(ann)): Promise<unknown[]> {
  const events = await all(player, { folder, ...EVENT_RANGE, expand: true });
  return sorted(
    events.map(({ startDate, endDate, summary, id, recurrenceId }) => {
      const ms = recurrenceId === undefined ? undefined : msOf({ value: recurrenceId });
      const local = ms !== undefined && recurrenceId.endsWith('Z') ? localOf(ms, zone) : ms;
      const day = local === undefined ? null : Math.floor(local / calendar.DAY) * calendar.DAY;
      return [msOf(startDate), msOf(endDate), summary ?? null, id, day];
    }),
  );
}

/** Both doors say the same to a user of what he sees in a folder; returns the story, or undefined where both refuse it. */
async function readBoth(player: TestUser, id: string, folder: string): Promise<Json | undefined> {
  const [old, young] = await Promise.all([
    player.get('calendar', 'get', { id, folder, timezone: 'UTC' }),
    player.get('chronos', 'get', { id, folder: `cal://0/${folder}`, timezone: 'UTC' }),
  ]);
  expect([id, young.code === undefined]).toEqual([id, old.code === undefined]);
  if (old.code !== undefined) return undefined;
  const story = storyOfAppointment(old.data, String(old.data.id));
  const told = storyOfEvent(young.data, ann.userId);
  if (old.data.uid === undefined) {
    // Of private ones others learn the time only.
    const seen = ['id', 'title', 'free', 'secret', 'wholeDay', 'lengthMs', 'startMs', 'series', 'stamp', 'creator'];
    for (const name of seen) expect([name, told[name]]).toEqual([name, story[name]]);
    expect([told.location, told.note, young.data.attendees]).toEqual([undefined, undefined, undefined]);
    return story;
  }
  expect(told).toEqual(story);
  return story;
}

/** Both doors show the same, to all who see something of it. */
async function expectOneStory(id: string, zone: string, takesPart: boolean): Promise<Json> {
  const [story] = await Promise.all([
    readBoth(ann, id, ann.folder),
    readBoth(reader, id, ann.folder),
    takesPart ? readBoth(bob, id, bob.folder) : undefined,
  ]);
  const views = [
    [ann, ann.folder],
    [reader, ann.folder],
    [bob, bob.folder],
  ] as const;
  await Promise.all(
    views.map(async ([player, folder]) => {
      const shown = [rowsOfEvents(player, zone, `cal://0/${folder}`), rowsOfAppointments(player, folder)];
      const [young, old] = await Promise.all(shown);
      expect(young).toEqual(old);
    }),
  );
  return story!;
}

/** Changes or deletes occurrences, each through its door. */
async function changeOccurrences(id: string, { occurrences, rule }: Plan): Promise<void> {
  if (!rule) return;
  const shown = (await all(ann, { ...EVENT_RANGE, expand: true }))
    .filter((event) => event.seriesId === id)
    .sort((a, b) => msOf(a.startDate) - msOf(b.startDate));
  for (const { by, of, title, shift } of occurrences) {
    const occurrence = shown[of];
    if (!occurrence || shown.length < 4) continue;
    const { recurrenceId } = occurrence;
    const position = of + 1;
    if (title === undefined) {
      if (by === 'chronos')
        dataOf(await remove(ann, [{ id, recurrenceId }])).forEach(({ error }: Json) => expect(error).toBeUndefined());
      else expect((await calendar.remove(ann, [{ id, pos: position }])).code).toBeUndefined();
      continue;
    }
    const move = occurrence.startDate.value.length > 8 && shift !== 0;
    const [start, end] = [occurrence.startDate, occurrence.endDate].map((time) => msOf(time) + shift * MINUTE);
    if (by === 'chronos') {
      const times = move && {
        startDate: { value: basic(start!) },
        endDate: { value: basic(end!) },
      };
      const floating = move && !occurrence.startDate.tzid && !occurrence.startDate.value.endsWith('Z');
      dataOf(await update(ann, id, { summary: title, ...(!floating && times) }, { recurrenceId }));
    } else {
      const times = move && { start_date: start, end_date: end };
      const parameters = { timezone: 'UTC' };
      const reply = await calendar.update(ann, id, { title, recurrence_position: position, ...times }, parameters);
      expect(reply.code).toBeUndefined();
    }
  }
}

it('CE-22 both doors tell the same story of what either of them wrote', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (drawn) => {
      const takesPart = drawn.people.includes('bob');
      const id = await write(drawn);
      let wanted: Partial<Content> = drawn;
      try {
        const first = await expectOneStory(id, drawn.zone, takesPart);
        expect(first).toMatchObject({ secret: drawn.secret, wholeDay: drawn.kind === 'day', series: !!drawn.rule });
        for (const { by, fields } of drawn.changes) {
          if (by === 'chronos') dataOf(await update(ann, id, eventFields(fields)));
          else expect((await calendar.update(ann, id, appointmentFields(fields))).code).toBeUndefined();
          wanted = { ...wanted, ...fields };
          await expectOneStory(id, drawn.zone, takesPart);
        }
        if (takesPart) {
          const { by, status, message } = drawn.reply;
          const attendee = { entity: bob.userId, partStat: ANSWERS[status], comment: message };
          if (by === 'chronos') dataOf(await answer(bob, id, { attendee }));
          else {
            const query = { id, folder: bob.folder, timestamp: calendar.FAR_FUTURE };
            const body = { confirmation: status, confirmmessage: message };
            expect((await bob.put('calendar', 'confirm', query, body)).code).toBeUndefined();
          }
        }
        await changeOccurrences(id, drawn);
        const last = await expectOneStory(id, drawn.zone, takesPart);
        expect(last).toMatchObject({
          title: nothing(wanted.title),
          location: nothing(wanted.location),
          note: nothing(wanted.note),
          ...{ free: wanted.free, alarm: wanted.alarm, colour: wanted.colour, categories: wanted.categories },
        });
        if (takesPart)
          expect(last.answers).toContain(JSON.stringify([bob.userId, drawn.reply.status, drawn.reply.message]));
      } finally {
        if (drawn.deletedBy === 'chronos') await remove(ann, [{ id }], { timestamp: FORCE });
        else await calendar.remove(ann, [{ id }]);
      }
      expect([await rowsOfEvents(ann, drawn.zone), await rowsOfAppointments(ann)]).toEqual([[], []]);
      expect(await refusal(ann, id)).toBe('CAL-4040');
    }),
    { numRuns: RUNS, ...(SEED && { seed: SEED }) },
  );
}, 3_600_000);
