import ICAL from 'ical.js';
import { DAY, FAR_FUTURE, HOUR } from '../calendar/calendar';
import type { AdminClient, Client, Envelope } from '../client';
import { toEventTime } from '../times';

/** Target of a free/busy request, as participants of appointments name it. */
export interface Target {
  readonly contextId: number;
  /** 1 user or guest, 2 group, 3 resource. */
  readonly type: 1 | 2 | 3;
  readonly id: number;
  readonly email: string;
}

/** Times of one day, asked for through every door alike. */
export interface Question {
  readonly target: Target;
  readonly asker: Client & { readonly folder: string };
  readonly services: AdminClient;
  readonly publicUrl: string;
  /** Begin of the day, ms UTC. */
  readonly day: number;
}

/** The hours of the day at which the target is busy, or the code of the refusal. */
export type Door = (question: Question) => Promise<number[] | string>;

const sorted = (hours: readonly number[]): number[] => [...new Set(hours)].sort((left, right) => left - right);
const rangeOf = ({ day }: Question) => ({ from: day, until: day + DAY });
const eventRangeOf = ({ day }: Question) => ({ from: toEventTime(day), until: toEventTime(day + DAY) });
const ofPeriods = ({ day }: Question, periods: any[] = []): number[] =>
  sorted(periods.flatMap(({ startTime, fbType }) => (fbType === 'FREE' ? [] : [(startTime - day) / HOUR])));
const ofOlder = ({ day }: Question, periods: any[]): number[] =>
  sorted(periods.flatMap(({ start_date, shown_as }) => (shown_as === 4 ? [] : [(start_date - day) / HOUR])));
const told = ({ code, data }: Envelope, hours: (data: any) => number[]): number[] | string =>
  data === undefined ? code! : hours(data);
const restOf = async (question: Question, query: string, hours: (body: any) => number[]) => {
  const { from, until } = rangeOf(question);
  const path = `/preliminary/chronos/v1/freebusy/${question.target.contextId}${query}from=${from}&until=${until}`;
  const { status, body } = await question.services.request('GET', path);
  return status === 200 ? hours(body) : (body.code as string);
};

/** Conflicts of an appointment of a whole day; it is deleted when there are none. */
const conflictsOf = async (question: Question, { code, data }: Envelope, undo: (id: string) => Promise<unknown>) => {
  if (code !== undefined) return code;
  if (!data.conflicts) await undo(data.id);
  return ofOlder(question, data.conflicts ?? []);
};
const remove = ({ asker }: Question, id: string) =>
  asker.put('calendar', 'delete', { timestamp: FAR_FUTURE }, { id, folder: asker.folder });
/** An appointment of the asker at any time, which meets nothing. */
const store = ({ asker }: Question, fields: object): Promise<Envelope> =>
  asker.put('calendar', 'new', {}, { folder_id: asker.folder, title: 'x', ignore_conflicts: true, ...fields });
const participantsOf = ({ asker, target }: Question) => [
  ...(asker.userId === target.id ? [] : [{ type: 1, id: asker.userId }]),
  { type: target.type, id: target.id },
];
const ofOne = ({ target, day }: Question) => ({ id: target.id, type: target.type, start: day, end: day + DAY });
const wholeDay = (day: number) => ({ start_date: day, end_date: day + DAY });

/** Kinds of attendees of events by the type of participants. */
const CALENDAR_USER_TYPES = { 1: 'INDIVIDUAL', 2: 'GROUP', 3: 'RESOURCE' } as const;

/** A time of an event in UTC, ms. */
function toInstant({ value, tzid = 'UTC' }: { value: string; tzid?: string }): number {
  if (tzid !== 'UTC') throw new Error(`the time is one of ${tzid}`);
  return Date.parse(value.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)Z?$/, '$1-$2-$3:$4:$5Z'));
}

/** Conflicts of a change of an appointment, which is undone. */
async function conflictsOfChange(question: Question, fields: object, change: object): Promise<number[] | string> {
  const { asker } = question;
  const { data, code } = await store(question, fields);
  if (!data) return code!;
  const at = { id: data.id, folder: asker.folder, timestamp: FAR_FUTURE };
  const answer = await asker.put('calendar', 'update', at, { ...change, ignore_conflicts: false });
  const hours = await conflictsOf(question, answer, () => Promise.resolve());
  await remove(question, data.id);
  return hours;
}

/** Doors for users with a session. */
export const COLLEAGUES: Readonly<Record<string, Door>> = {
  'chronos freeBusy': async (question) =>
    told(
      await question.asker.put('chronos', 'freeBusy', eventRangeOf(question), {
        attendees: [{ entity: question.target.id }],
      }),
      ([{ freeBusyTime }]) => ofPeriods(question, freeBusyTime),
    ),
  'chronos freeBusy by address': async (question) =>
    told(
      await question.asker.put('chronos', 'freeBusy', eventRangeOf(question), {
        attendees: [{ uri: `mailto:${question.target.email}` }],
      }),
      ([{ freeBusyTime }]) => ofPeriods(question, freeBusyTime),
    ),
  'freebusy get': async (question) =>
    told(
      await question.asker.get('freebusy', 'get', { participant: question.target.id, ...rangeOf(question) }),
      (periods) => ofOlder(question, periods),
    ),
  'freebusy get by address': async (question) =>
    told(
      await question.asker.get('freebusy', 'get', { participant: question.target.email, ...rangeOf(question) }),
      (periods) => ofOlder(question, periods),
    ),
  'freebusy list': async (question) =>
    told(
      await question.asker.put('freebusy', 'list', rangeOf(question), [String(question.target.id)]),
      ({ [question.target.id]: { data } }) => ofOlder(question, data),
    ),
  'calendar freebusy': async (question) =>
    told(await question.asker.get('calendar', 'freebusy', ofOne(question)), (periods) => ofOlder(question, periods)),
  'calendar freebusy in a batch': async (question) =>
    told(
      (
        (await question.asker.call('PUT', 'multiple', undefined as never, {}, [
          { module: 'calendar', action: 'freebusy', ...ofOne(question) },
        ])) as unknown as Envelope[]
      )[0]!,
      (periods) => ofOlder(question, periods),
    ),
  'conflicts of a new appointment': async (question) => {
    const answer = await store(question, {
      ...{ ...wholeDay(question.day), participants: participantsOf(question), ignore_conflicts: false },
    });
    return conflictsOf(question, answer, (id) => remove(question, id));
  },
  'conflicts of a new event': async ({ asker, target, day }) => {
    const folder = `cal://0/${asker.folder}`;
    const time = (ms: number) => ({ value: new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '') });
    const { data, code } = await asker.put<any>(
      'chronos',
      'new',
      { folder, checkConflicts: true },
      {
        ...{ summary: 'x', startDate: time(day), endDate: time(day + DAY) },
        attendees: [
          ...(asker.userId === target.id ? [] : [{ entity: asker.userId }]),
          { entity: target.id, cuType: CALENDAR_USER_TYPES[target.type] },
        ],
      },
    );
    if (!data) return code!;
    for (const { id } of data.created ?? [])
      await asker.put('chronos', 'delete', { timestamp: FAR_FUTURE }, { events: [{ id, folder }] });
    return sorted(
      (data.conflicts ?? []).flatMap(({ event }: any) =>
        event.transp === 'TRANSPARENT' ? [] : [(toInstant(event.startDate) - day) / HOUR],
      ),
    );
  },
  'conflicts of a changed time': (question) =>
    conflictsOfChange(
      question,
      { ...wholeDay(question.day + DAY), participants: participantsOf(question) },
      wholeDay(question.day),
    ),
  'conflicts of a new participant': (question) =>
    conflictsOfChange(question, wholeDay(question.day), { participants: participantsOf(question) }),
};

/** Doors for cooperating services and the internet. */
export const OUTSIDERS: Readonly<Record<string, Door>> = {
  'REST user': (question) =>
    restOf(question, `/${question.target.id}?`, ({ freeBusyTime }) => ofPeriods(question, freeBusyTime)),
  'REST attendees': (question) =>
    restOf(question, `?attendees=${question.target.id}&`, ([{ freeBusyTime }]) => ofPeriods(question, freeBusyTime)),
  'REST attendees by address': (question) =>
    restOf(question, `?attendees=${question.target.email}&`, ([{ freeBusyTime }]) => ofPeriods(question, freeBusyTime)),
  'the page for the internet': async ({ target, publicUrl, day }) => {
    const [userName, server] = target.email.split('@') as [string, string];
    const parameters = new URLSearchParams({ contextId: String(target.contextId), userName, server, simple: 'true' });
    const response = await fetch(`${publicUrl}/servlet/webdav.freebusy?${parameters}`);
    if (response.status !== 200) return ((await response.json()) as Envelope).code!;
    const calendar = new ICAL.Component(ICAL.parse(await response.text()) as unknown[]);
    const starts = calendar
      .getFirstSubcomponent('vfreebusy')!
      .getAllProperties('freebusy')
      .map((each) => Date.parse(String((each.getFirstValue() as unknown as { start: object }).start)));
    // It covers weeks.
    return sorted(starts.map((start) => (start - day) / HOUR).filter((hour) => hour >= 0 && hour < 24));
  },
};

/** Doors to what is one's own, which tell nothing of others. */
export const OWN: Readonly<Record<string, Door>> = {
  newappointments: async ({ asker, day }) =>
    told(
      await asker.get('calendar', 'newappointments', { columns: '201', start: day, end: day + DAY, limit: 50 }),
      (rows: [number][]) => sorted(rows.map(([start]) => (start - day) / HOUR)),
    ),
  has: async ({ asker, day }) =>
    told(await asker.get('calendar', 'has', { start: day, end: day + DAY }), (days: boolean[]) =>
      days.flatMap((isTaken, index) => (isTaken ? [index] : [])),
    ),
};
