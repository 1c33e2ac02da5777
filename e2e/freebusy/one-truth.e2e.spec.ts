import {
  BUSY_TYPES,
  FREE_BUSY_FUTURE_WEEKS,
  FREE_BUSY_PAST_WEEKS,
  FREE_BUSY_RATE,
  INTERNET_FREE_BUSY,
  MAX_RESULTS,
  PUBLISH_FREE_BUSY,
} from '@groupware/contracts';
import ICAL from 'ical.js';
import { Temporal } from 'temporal-polyfill';
import { all, DAY, FAR_FUTURE, HOUR } from '../calendar/calendar';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { toEventTime } from '../times';

/** Random calendars: each is a month of events in the calendar of one of the users. */
const CALENDARS = Number(process.env.FREE_BUSY_CALENDARS ?? 150);
let seed = Number(process.env.FREE_BUSY_SEED ?? 20_260_907);
const MONTH = 30 * DAY;
/** Months of one user: eight years, in questions of less than the two that may be asked for. */
const MONTHS = 96;
const MONTHS_A_QUESTION = 24;
const USERS_A_BATCH = 8;
/** Now lies within, for the page for the internet. */
const BEGIN = Math.floor(Date.now() / DAY) * DAY - 40 * MONTH;
/** None is UTC at any time: so floating times are those that a view shows alike in every zone. */
const ZONES = ['America/New_York', 'Asia/Kolkata', 'Europe/Berlin', 'Pacific/Apia'] as const;

type Zone = (typeof ZONES)[number];
type Period = readonly [startMs: number, endMs: number, type: string];
interface Person {
  readonly player: TestUser;
  readonly zone: Zone;
  readonly months: number;
}

let world: TestEnvironment;
let cast: Fixtures;
let services: AdminClient;

beforeAll(async () => {
  world = await startTestEnvironment({
    properties: {
      [MAX_RESULTS.key]: '1000000',
      [INTERNET_FREE_BUSY.key]: 'true',
      [PUBLISH_FREE_BUSY.key]: 'true',
      [FREE_BUSY_RATE.key]: '1000000',
      [FREE_BUSY_PAST_WEEKS.key]: '50',
      [FREE_BUSY_FUTURE_WEEKS.key]: '50',
    },
  });
  cast = await createFixtures(world);
  services = new AdminClient(world.internalUrl, world.service.login, world.service.password);
}, 120_000);
afterAll(() => world?.close());

const random = (below: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((seed / 2 ** 31) * below);
};
const oneOf = <T>(...values: readonly T[]): T => values[random(values.length)]!;
const chance = (percent: number): boolean => random(100) < percent;
const stamp = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d+Z$/g, '');

/** A property with a wall-clock time, as days, floating, of a zone or of UTC. */
function timeOf(name: string, localMs: number, kind: string): string {
  if (kind === 'day') return `${name};VALUE=DATE:${stamp(localMs).slice(0, 8)}`;
  if (kind === 'floating') return `${name}:${stamp(localMs)}`;
  return kind === 'UTC' ? `${name}:${stamp(localMs)}Z` : `${name};TZID=${kind}:${stamp(localMs)}`;
}

/** One event, single or a series, with what happened to single occurrences. */
function eventText(uid: string, monthMs: number): string[] {
  const kind = oneOf('day', 'floating', 'UTC', ...ZONES, ...ZONES);
  const isDay = kind === 'day';
  const start = monthMs + random(30) * DAY + (isDay ? 0 : random(48) * (HOUR / 2));
  const length = isDay ? (1 + random(3)) * DAY : oneOf(0, 1, 2, 3, 4, 5, 30, 60) * (HOUR / 2);
  const isPrivate = chance(10);
  const common = (from: number, title: string) => [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20200101T000000Z',
    `SUMMARY:${isPrivate ? 'private' : title}`,
    timeOf('DTSTART', from, kind),
    timeOf('DTEND', from + length, kind),
    ...(isPrivate ? ['CLASS:PRIVATE'] : chance(10) ? ['CLASS:CONFIDENTIAL'] : []),
    oneOf(
      'TRANSP:OPAQUE',
      'TRANSP:TRANSPARENT',
      'X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE',
      'X-MICROSOFT-CDO-BUSYSTATUS:OOF',
    ),
  ];
  const master = common(start, chance(15) ? 'declined' : 'event');
  if (chance(45)) return [...master, 'END:VEVENT'];
  const end = oneOf(
    `;COUNT=${1 + random(12)}`,
    `;UNTIL=${stamp(start + random(40) * DAY).slice(0, 8)}${isDay ? '' : kind === 'floating' ? 'T120000' : 'T120000Z'}`,
  );
  const step = 1 + random(3);
  const [rule, every] = oneOf<readonly [string, number | undefined]>(
    [`FREQ=DAILY;INTERVAL=${step}`, step * DAY],
    [`FREQ=DAILY;INTERVAL=${step}`, step * DAY],
    [`FREQ=WEEKLY;INTERVAL=${step}`, step * 7 * DAY],
    [`FREQ=WEEKLY;BYDAY=MO,WE,FR`, undefined],
    [`FREQ=MONTHLY;BYDAY=${oneOf('1MO', '-1FR', '2TU')}`, undefined],
    [`FREQ=MONTHLY;BYMONTHDAY=-1`, undefined],
  );
  const occurrence = (position: number): number => start + position * (every ?? 0);
  const lines = [...master, `RRULE:${rule}${end}`];
  if (every && chance(40)) lines.push(timeOf('EXDATE', occurrence(random(4)), kind));
  if (chance(15)) lines.push(timeOf('RDATE', start + random(20) * DAY, kind));
  lines.push('END:VEVENT');
  if (every && chance(40)) {
    const position = random(4);
    const moved = occurrence(position) + (isDay ? (random(3) - 1) * DAY : (random(12) - 6) * HOUR);
    lines.push(...common(moved, 'changed'), timeOf('RECURRENCE-ID', occurrence(position), kind), 'END:VEVENT');
  }
  return lines;
}

/** An iCalendar file with so many months of events. */
function calendarText(index: number, months: number): string {
  const lines = Array.from({ length: months }, (_month, month) =>
    Array.from({ length: 4 + random(4) }, (_event, event) =>
      eventText(`${index}-${month}-${event}`, BEGIN + month * MONTH),
    ),
  ).flat(2);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//T//T//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

async function createPerson(index: number, months: number, text: string): Promise<Person> {
  const zone = ZONES[index % ZONES.length]!;
  const player = await createTestUser(world, cast.admin, cast.contextId, `truth${index}`, zone);
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/calendar' }), 'calendar.ics');
  const parameters = { action: 'ICAL', session: player.session, folder: player.folder, plainJson: true };
  const response = await player.fetch('POST', '/import', parameters, { body: form });
  const answer = (await response.json()) as any;
  expect([response.status, answer.error]).toEqual([200, undefined]);
  const rows = await all(player, '1,200', undefined, { recurrence_master: true });
  const declined = [...new Set(rows.filter(([, title]) => title === 'declined').map(([id]) => String(id)))];
  const answers = await player.fetch(
    'PUT',
    '/multiple',
    { session: player.session },
    {
      body: JSON.stringify(
        declined.map((id) => ({
          module: 'calendar',
          action: 'confirm',
          id,
          folder: player.folder,
          timestamp: FAR_FUTURE,
          data: { confirmation: 2 },
        })),
      ),
    },
  );
  expect(((await answers.json()) as any[]).filter(({ error }) => error)).toEqual([]);
  return { player, zone, months };
}

const instant = (localMs: number, zone: Zone): number =>
  new Temporal.PlainDateTime(1970, 1, 1).add({ milliseconds: localMs }).toZonedDateTime(zone).epochMilliseconds;

const byTime = (left: Period, right: Period): number =>
  left[0] - right[0] || left[1] - right[1] || (left[2] < right[2] ? -1 : left[2] > right[2] ? 1 : 0);
const cut = (periods: readonly Period[], from: number, until: number): Period[] =>
  periods
    .map(([start, end, type]): Period => [Math.max(start, from), Math.min(end, until), type])
    .filter(([start, end]) => start < end)
    .sort(byTime);

const SHOWN_AS = ['', 'BUSY', 'BUSY-TENTATIVE', 'BUSY-UNAVAILABLE', 'FREE'];

/** How often each kind of row was met: a generator that makes none of a kind proves nothing about it. */
const met = { periods: 0, private: 0, declined: 0, floating: 0, changed: 0, series: 0 };

/** Reads what the view shows, as periods: instants of whole days and floating times are those of the clock of the user. */
async function viewed({ player, zone }: Person, from: number, until: number): Promise<Period[]> {
  const range = { start: from - 4 * DAY, end: until + 4 * DAY };
  const rows = (timezone: string, { start, end } = range) =>
    all(player, '1,207,201,202,402,221,200', { start, end }, { range: 'overlap', timezone });
  // Whole days touch a range on the clock of the question: the second one has them all.
  const [inUtc, inZone] = await Promise.all([
    rows('UTC'),
    rows(zone, { start: range.start - 2 * DAY, end: range.end + 2 * DAY }),
  ]);
  const keyed = new Map(inZone.map((row) => [`${row[0]} ${row[1]}`, row]));
  return inUtc.flatMap(([id, position, start, end, shownAs, users, title]): Period[] => {
    const isDeclined = users.find((user: any) => user.id === player.userId)?.confirm === 2;
    if (title === 'private') met.private++;
    else if (isDeclined) met.declined++;
    if (title === 'private' || isDeclined) return [];
    const [, , localStart] = keyed.get(`${id} ${position}`)!;
    const type = SHOWN_AS[shownAs]!;
    met.periods++;
    if (localStart === start) met.floating++;
    if (title === 'changed') met.changed++;
    if (position > 1) met.series++;
    return localStart === start ? [[instant(start, zone), instant(end, zone), type]] : [[start, end, type]];
  });
}

/** Slices between all boundaries with the most conflicting type of each, joined: slow, and plainly right. */
function merged(periods: readonly Period[]): Period[] {
  const edges = [...new Set(periods.flatMap(([start, end]) => [start, end]))].sort((a, b) => a - b);
  const result: [number, number, string][] = [];
  let first = 0;
  const sorted = [...periods].sort(byTime);
  const longest = Math.max(0, ...sorted.map(([start, end]) => end - start));
  for (const [index, start] of edges.slice(0, -1).entries()) {
    const end = edges[index + 1]!;
    while (first < sorted.length && sorted[first]![0] + longest <= start) first++;
    const over = new Set<string>();
    for (let at = first; at < sorted.length && sorted[at]![0] <= start; at++)
      if (sorted[at]![1] >= end) over.add(sorted[at]![2]);
    const type = BUSY_TYPES.find((each) => over.has(each));
    const last = result.at(-1);
    if (type && last && last[1] === start && last[2] === type) last[1] = end;
    else if (type) result.push([start, end, type]);
  }
  return result;
}

function fromRest(answer: any): Period[] {
  if (!answer?.freeBusyTime) throw new Error(`no times: ${JSON.stringify(answer)}`);
  return answer.freeBusyTime.map(({ startTime, endTime, fbType }: any) => [startTime, endTime, fbType]);
}
function fromOlder(answer: any): Period[] {
  if (!answer?.data) throw new Error(`no times: ${JSON.stringify(answer)}`);
  return answer.data.map(({ start_date, end_date, shown_as }: any) => [start_date, end_date, SHOWN_AS[shown_as]!]);
}
const sorted = (periods: Period[]): Period[] => [...periods].sort(byTime);

/** One question about several people through every door, and what their views show. */
async function compare(people: readonly Person[], from: number, until: number): Promise<void> {
  const context = `/preliminary/chronos/v1/freebusy/${cast.contextId}`;
  const ids = people.map(({ player }) => player.userId);
  const range = `from=${from}&until=${until}`;
  const inEvents = { from: toEventTime(from), until: toEventTime(until) };
  const chronos = async (merge: boolean) =>
    (
      await cast.U2.put('chronos', 'freeBusy', { ...inEvents, merge }, { attendees: ids.map((entity) => ({ entity })) })
    ).data.map(fromRest);
  const list = (merge: boolean) => cast.U2.put('freebusy', 'list', { from, until, merged: merge }, ids.map(String));
  const rest = async (merge: boolean) =>
    (await services.request('GET', `${context}?attendees=${ids.join()}&${range}&merge=${merge}`)).body.map(fromRest);
  const views = await Promise.all(people.map((person) => viewed(person, from, until)));
  for (const merge of [false, true]) {
    const [events, older, services] = await Promise.all([chronos(merge), list(merge), rest(merge)]);
    for (const [index, { player, zone }] of people.entries()) {
      const expected = cut(views[index]!, from, until);
      const periods = merge ? merged(expected) : expected;
      const at = { user: player.userId, zone, from, until, merge };
      // Events are told whole, and none that is free.
      const opaque = expected.filter(([, , type]) => type !== 'FREE');
      const told = cut(events[index], from, until);
      expect({ ...at, periods: sorted(told) }).toEqual({ ...at, periods: merge ? merged(opaque) : opaque });
      expect({ ...at, periods: sorted(services[index]) }).toEqual({ ...at, periods });
      expect({ ...at, periods: sorted(fromOlder(older.data?.[String(player.userId)] ?? older)) }).toEqual({
        ...at,
        periods,
      });
    }
  }
  await Promise.all(people.map((person, index) => compareOne(person, cut(views[index]!, from, until), from, until)));
}

/** The doors that answer for one user only. */
async function compareOne({ player, zone }: Person, expected: Period[], from: number, until: number): Promise<void> {
  const rest = `/preliminary/chronos/v1/freebusy/${cast.contextId}/${player.userId}?from=${from}&until=${until}`;
  const own = { id: player.userId, type: 1, start: from, end: until, timezone: 'UTC' };
  const [one, get, calendar] = await Promise.all([
    services.request('GET', rest),
    cast.U2.get('freebusy', 'get', { participant: player.userId, from, until, merged: true }),
    cast.U2.get('calendar', 'freebusy', { ...own, timezone: zone }),
  ]);
  expect(fromRest(one.body)).toEqual(merged(expected));
  expect(fromOlder(get)).toEqual(merged(expected));
  // Wall-clock times of the user, as his view has them: nothing that is free.
  const opaque = (periods: Period[]): Period[] =>
    merged(periods.filter(([, , type]) => type !== 'FREE').map(([start, end]): Period => [start, end, 'BUSY']));
  const inner = (periods: Period[]): Period[] => opaque(cut(periods, from + 2 * DAY, until - 2 * DAY));
  const told = (calendar.data as any[]).map(({ start_date, end_date, shown_as }): Period => [
    instant(start_date, zone),
    instant(end_date, zone),
    SHOWN_AS[shown_as]!,
  ]);
  const noFold = (periods: Period[]): Period[] =>
    // An hour that the clock shows twice can't be told from wall-clock times.
    periods.map(([start, end, type]) => [instant(localOf(start, zone), zone), instant(localOf(end, zone), zone), type]);
  expect({ zone, from, told: inner(told) }).toEqual({ zone, from, told: inner(noFold(expected)) });
}

const localOf = (ms: number, zone: Zone): number =>
  ms + Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;

/** The page for the internet. */
async function comparePage(person: Person): Promise<void> {
  const [userName, server] = person.player.email.split('@') as [string, string];
  const parameters = {
    contextId: String(cast.contextId),
    userName,
    server,
    weeksIntoPast: '50',
    weeksIntoFuture: '50',
  };
  const response = await fetch(`${world.publicUrl}/servlet/webdav.freebusy?${new URLSearchParams(parameters)}`);
  const calendar = new ICAL.Component(ICAL.parse(await response.text()) as unknown[]);
  const page = calendar.getFirstSubcomponent('vfreebusy')!;
  const bound = (name: string): number => Date.parse(String(page.getFirstPropertyValue(name)));
  const told = page.getAllProperties('freebusy').map((property): Period => {
    const { start, end } = property.getFirstValue() as unknown as { start: object; end: object };
    return [Date.parse(String(start)), Date.parse(String(end)), String(property.getFirstParameter('fbtype'))];
  });
  const [from, until] = [bound('dtstart'), bound('dtend')];
  const inner = (periods: readonly Period[]): Period[] => cut(periods, from + DAY, until - DAY);
  expect(inner(told)).toEqual(inner(await viewed(person, from, until)));
}

describe('free/busy: one truth', () => {
  it(
    `of ${CALENDARS} random calendars every door tells the merged occurrences of the view`,
    async () => {
      let made = 0;
      let people = 0;
      while (made < CALENDARS) {
        const making: Promise<Person>[] = [];
        while (making.length < USERS_A_BATCH && made < CALENDARS) {
          const months = Math.min(MONTHS, Math.max(12, Math.ceil(CALENDARS / 4)), CALENDARS - made);
          making.push(createPerson(people, months, calendarText(people, months)));
          people++;
          made += months;
        }
        const batch = await Promise.all(making);
        const most = Math.max(...batch.map(({ months }) => months));
        for (let month = 0; month < most; month += MONTHS_A_QUESTION) {
          const from = BEGIN + month * MONTH - random(10 * 24) * HOUR;
          await compare(batch, from, BEGIN + Math.min(most, month + MONTHS_A_QUESTION) * MONTH);
          // A range somewhere within, at any half-hour.
          const begin = from + random(20 * 30 * 48) * (HOUR / 2);
          await compare(batch, begin, begin + (1 + random(30 * 48)) * (HOUR / 2));
        }
        for (const person of batch) await comparePage(person);
        if (CALENDARS > 1000) console.log(`${made} of ${CALENDARS} calendars, ${people} users`);
      }
      expect(made).toBe(CALENDARS);
      for (const [kind, count] of Object.entries(met)) expect([kind, count > CALENDARS / 4]).toEqual([kind, true]);
      if (CALENDARS > 1000) console.log(met);
    },
    120_000 + CALENDARS * 2_000,
  );
});
