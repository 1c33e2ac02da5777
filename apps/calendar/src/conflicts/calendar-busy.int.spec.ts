import { calendar, calendarBusy, calendarViews } from '@groupware/contracts';
import fc from 'fast-check';
import { CalendarUser } from '../testing/calendar-user';
import { runCalendar, type RunningCalendar } from '../testing/running-calendar';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Two weeks around the autumn change of clocks in Europe and the one in America. */
const FROM = Date.UTC(2020, 9, 20);
const RUNS = Number(process.env.BUSY_RUNS ?? 30);
let running: RunningCalendar;

beforeAll(async () => {
  running = await runCalendar();
}, 60_000);
afterAll(() => running?.close());

/** One appointment or series, and what happens to it. */
interface Entry {
  readonly startHours: number;
  readonly hours: number;
  readonly fullTime: boolean;
  /** 0 single, 1 daily, 2 weekly, 3 monthly. */
  readonly rule: number;
  readonly interval: number;
  readonly occurrences: number | undefined;
  readonly zone: string;
  readonly shownAs: number;
  readonly isPrivate: boolean;
  /** Of another calendar: the answer of the invited user. */
  readonly invited: number | undefined;
  readonly floating: boolean;
  readonly deleted: readonly number[];
  readonly changed: readonly { readonly position: number; readonly shiftHours: number; readonly shownAs: number }[];
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'];
const position = fc.integer({ min: 1, max: 6 });
const entry: fc.Arbitrary<Entry> = fc.record({
  startHours: fc.integer({ min: -24 * 30, max: 24 * 16 }),
  hours: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 60 })),
  fullTime: fc.boolean(),
  rule: fc.nat(3),
  interval: fc.integer({ min: 1, max: 3 }),
  occurrences: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  zone: fc.constantFrom(...ZONES),
  shownAs: fc.integer({ min: 1, max: 4 }),
  isPrivate: fc.boolean(),
  invited: fc.option(fc.nat(3), { nil: undefined }),
  floating: fc.boolean(),
  deleted: fc.uniqueArray(position, { maxLength: 2 }),
  changed: fc.uniqueArray(
    fc.record({ position, shiftHours: fc.integer({ min: -40, max: 40 }), shownAs: fc.integer({ min: 1, max: 4 }) }),
    { maxLength: 2, selector: (change) => change.position },
  ),
});
const range = fc.record({
  fromHours: fc.integer({ min: -48, max: 24 * 16 }),
  hours: fc.integer({ min: 0, max: 24 * 10 }),
  zone: fc.constantFrom(...ZONES),
});

async function store(user: CalendarUser, host: CalendarUser, wish: Entry): Promise<void> {
  const length = wish.fullTime ? Math.max(DAY, Math.ceil(wish.hours / 24) * DAY) : wish.hours * HOUR;
  const start_date = wish.fullTime ? FROM + Math.round(wish.startHours / 24) * DAY : FROM + wish.startHours * HOUR;
  const floating = wish.floating && !wish.fullTime;
  const owner = wish.invited === undefined ? user : host;
  const rules = [
    {},
    { recurrence_type: 1, interval: wish.interval },
    { recurrence_type: 2, interval: wish.interval, days: 42 },
    { recurrence_type: 3, interval: wish.interval, day_in_month: 29 },
  ];
  const id = await owner.create({
    start_date,
    end_date: start_date + length,
    full_time: wish.fullTime,
    timezone: floating ? 'UTC' : wish.zone,
    shown_as: wish.shownAs,
    private_flag: wish.isPrivate && wish.invited === undefined,
    ...(wish.invited !== undefined && { participants: [host.participant, user.participant] }),
    ...(wish.rule > 0 && { ...rules[wish.rule], ...(wish.occurrences && { occurrences: wish.occurrences }) }),
  });
  const folder = user.folder;
  if (wish.rule > 0) {
    // Positions that the series does not have are no matter here.
    for (const pos of wish.deleted) await owner.remove({ id, pos }).catch(() => undefined);
    for (const { position: recurrence_position, shiftHours, shownAs: shown_as } of wish.changed)
      await change(owner, id, recurrence_position, shiftHours, shown_as).catch(() => undefined);
  }
  const stored = await owner.read(id).catch(() => undefined);
  if (!stored) return;
  if (wish.invited) await user.update(id, { users: [{ id: user.id, confirm: wish.invited }] }, { folder });
  // Clients can not make floating appointments with a time of day: imports do.
  if (floating)
    await running.sql('update appointment set floating = true where id = $1 or series_id = $1', [Number(id)]);
}

async function change(owner: CalendarUser, id: string, position: number, shiftHours: number, shown_as: number) {
  const { start_date, end_date, full_time } = await owner.read(id, { recurrence_position: position });
  const shift = full_time ? Math.round(shiftHours / 24) * DAY : shiftHours * HOUR;
  await owner.update(id, {
    recurrence_position: position,
    start_date: start_date + shift,
    end_date: end_date + shift,
    shown_as,
  });
}

/** Times that overlap or touch become one. */
function merged(times: readonly (readonly [number, number])[]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of [...times].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

type Row = [from: number, to: number, shownAs: number, users: { id: number; confirm: number }[]];
type Period = readonly [number, number, number];
const byTime = (left: Period, right: Period): number => left[0] - right[0] || left[1] - right[1] || left[2] - right[2];

/** A zone whose clocks never change: there every time of a view, floating or not, is the same distance from its instant. */
const STEADY = { timezone: 'Asia/Kolkata', aheadMs: 5.5 * HOUR };

/** Periods of a range on the steady clock that other services are told, on that clock. */
async function periodsOf({ id, inside }: CalendarUser, start: number, end: number): Promise<Period[]> {
  const from = start - STEADY.aheadMs;
  const query = { entities: [{ type: 1, id, timeZone: STEADY.timezone }], from, until: end - STEADY.aheadMs };
  const [flat] = await running.call(calendarBusy.periods, { principal: inside, query });
  return Array.from({ length: flat!.length / 3 }, (_each, index): Period => {
    const [after, length, shownAs] = flat!.slice(3 * index, 3 * index + 3) as [number, number, number];
    return [start + after, start + after + length, shownAs];
  }).sort(byTime);
}

/** The same from the view, cut to the range. */
async function viewedPeriods(user: CalendarUser, start: number, end: number): Promise<Period[]> {
  const query = {
    start,
    end,
    timezone: STEADY.timezone,
    columns: ['201', '202', '402', '221'],
    range: 'overlap',
  };
  const rows: Row[] = await user.call(calendar.all, query);
  return rows
    .filter(([, , , users]) => users.find(({ id }) => id === user.id)?.confirm !== 2)
    .map(([from, to, shownAs]): Period => [Math.max(from, start), Math.min(to, end), shownAs])
    .filter(([from, to]) => from < to)
    .sort(byTime);
}

describe('busy times', () => {
  it('are the times of the appointments in the view that are not declined, for clients and for other services', async () => {
    const viewer = await CalendarUser.enter(running);
    const property = fc.asyncProperty(
      fc.array(entry, { minLength: 1, maxLength: 10 }),
      fc.array(range, { minLength: 3, maxLength: 6 }),
      async (entries, ranges) => {
        const [user, host] = [await CalendarUser.enter(running), await CalendarUser.enter(running)];
        await Promise.all(entries.map((wish) => store(user, host, wish)));
        for (const { fromHours, hours, zone: timezone } of ranges) {
          const start = FROM + fromHours * HOUR;
          const query = { start, end: start + hours * HOUR, timezone };
          const columns = ['201', '202', '402', '221'];
          const rows: Row[] = await user.call(calendar.all, { ...query, columns, range: 'overlap' });
          const expected = rows
            .filter(([, , shownAs, users]) => shownAs !== 4 && users.find(({ id }) => id === user.id)?.confirm !== 2)
            .map(([from, to]) => [from, to] as const);
          const viewed = await viewedPeriods(user, start, query.end);
          expect({ query, periods: await periodsOf(user, start, query.end) }).toEqual({ query, periods: viewed });
          for (const asker of [viewer, user]) {
            const busy = await asker.call(calendarViews.freebusy, { ...query, id: user.id, type: 1 });
            const times = (busy as any[]).map(({ start_date, end_date }) => [start_date, end_date] as const);
            expect({ query, busy: merged(times) }).toEqual({ query, busy: merged(expected) });
          }
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  }, 600_000);
});
