import {
  calendarEvents,
  chronos,
  chronosChanges,
  chronosItip,
  type EventMessage,
  type OutgoingScheduling,
} from '@groupware/contracts';
import { Bus, EventBus } from '@groupware/messaging';
import { until } from '@groupware/test-kit';
import { CalendarUser, FUTURE } from '../testing/calendar-user';
import { runCalendar, type RunningCalendar } from '../testing/running-calendar';

const HOUR = 3_600_000;
const START = Date.UTC(2033, 4, 2, 9);
const [ZOE, YAN] = ['zoe@outside.test', 'yan@outside.test'];
const text = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');

type Json = Record<string, any>;
interface Component {
  readonly name: string;
  readonly lines: readonly string[];
}
interface Sent extends OutgoingScheduling {
  readonly components: readonly Component[];
}

let running: RunningCalendar;
let bus: Bus;
let events: EventBus;
const sent: Sent[] = [];

/** The components of a calendar, in the order of their ends. */
function componentsOf(calendar: string): Component[] {
  const open: { name: string; lines: string[] }[] = [];
  const done: Component[] = [];
  for (const line of calendar.replace(/\r\n[ \t]/g, '').split('\r\n')) {
    const name = /^BEGIN:(.*)/.exec(line)?.[1];
    if (name) open.push({ name, lines: [] });
    else if (line.startsWith('END:')) done.push(open.pop()!);
    else open.at(-1)?.lines.push(line);
  }
  return done;
}
const countOf = ({ lines }: Component, property: string): number =>
  lines.filter((line) => line.replace(/[:;].*/, '') === property).length;
const valueOf = ({ lines }: Component, property: string): string =>
  lines.find((line) => line.replace(/[:;].*/, '') === property)!.replace(/^[^:]*:/, '');
const eventsIn = ({ components }: Sent): Component[] => components.filter(({ name }) => name === 'VEVENT');

const folderOf = (user: CalendarUser): string => `cal://0/${user.folder}`;
const create = async (user: CalendarUser, fields: Json = {}): Promise<Json> => {
  const times = { startDate: { value: text(START) }, endDate: { value: text(START + HOUR) } };
  const attendees = [ZOE, YAN].map((address) => ({ uri: `mailto:${address}` }));
  const body = { summary: 'Plan', ...times, attendees, ...fields };
  return (await user.call(chronosChanges.new, { folder: folderOf(user) }, body)).created[0];
};
const update = (user: CalendarUser, id: string, event: Json, query: Json = {}) =>
  user.call(chronosChanges.update, { folder: folderOf(user), id, timestamp: FUTURE, ...query }, { event });
const remove = (user: CalendarUser, id: string, query: Json = {}) =>
  user.call(chronosChanges.delete, { timestamp: FUTURE }, [{ events: [{ id, folder: folderOf(user), ...query }] }]);
const get = (user: CalendarUser, id: string, query: Json = {}): Promise<Json> =>
  user.call(chronos.get, { folder: folderOf(user), id, ...query });
const answersOf = ({ attendees }: Json): Json =>
  Object.fromEntries(attendees.map((each: Json) => [each.email, each.partStat]));

interface Text {
  readonly uid: string;
  readonly method: string;
  readonly organizer: string;
  readonly attendee: string;
  readonly sequence?: number;
  readonly start?: number;
  readonly stamp?: number;
  readonly lines?: readonly string[];
}
let stamps = Date.UTC(2032, 0, 1);
/** A scheduling message of a program elsewhere. */
function message({ uid, method, organizer, attendee, sequence = 0, start = START, stamp, lines = [] }: Text): string {
  return [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//elsewhere//EN', `METHOD:${method}`, 'BEGIN:VEVENT'],
    ...[`UID:${uid}`, `DTSTAMP:${text(stamp ?? (stamps += 1_000))}`, `SEQUENCE:${sequence}`],
    ...[`DTSTART:${text(start)}`, `DTEND:${text(start + HOUR)}`],
    ...[`ORGANIZER:mailto:${organizer}`, `ATTENDEE;${attendee}`, ...lines, 'END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');
}
const from = (address: string, partStat = 'NEEDS-ACTION'): string => `PARTSTAT=${partStat}:mailto:${address}`;
/** Actions of `chronos/itip` that this spec calls. */
type Action =
  | 'analyze'
  | 'accept'
  | 'accept_party_crasher'
  | 'counter'
  | 'declinecounter'
  | 'delegate'
  | 'delete'
  | 'refresh'
  | 'update';
const itip = (user: CalendarUser, action: Action, ical: string, more: Json = {}) =>
  user.ask(chronosItip[action], { dataSource: 'com.example.calendar.ical' }, { ical, ...more });
const analyze = async (user: CalendarUser, ical: string): Promise<Json> => (await itip(user, 'analyze', ical)).json[0];
const act = async (user: CalendarUser, action: Action, ical: string, more: Json = {}): Promise<Json[]> =>
  (await itip(user, action, ical, more)).json;

/** Messages of a user that leave because of some work; those of earlier tests may still leave meanwhile. */
async function sentBy(user: CalendarUser, work: () => Promise<unknown>, count: number): Promise<Sent[]> {
  const own = () => sent.filter((each) => each.from.address === user.principal.email);
  const before = own().length;
  await work();
  await until(() => Promise.resolve(own().length >= before + count));
  return own().slice(before);
}

/** Creates an event, and waits until its invitation has left. */
async function createTold(user: CalendarUser): Promise<Json> {
  const written: Json[] = [];
  await sentBy(user, async () => written.push(await create(user)), 1);
  return written[0]!;
}

/** One conversation in which each method is sent at least once. */
async function converse(): Promise<void> {
  const ann = await CalendarUser.enter(running);
  const organizer = ann.principal.email;
  const series = { rrule: 'FREQ=DAILY;COUNT=5', categories: ['a'], location: 'L', description: 'D' };
  const zone = (hour: string) => ({ value: `20330502T${hour}0000`, tzid: 'Europe/Berlin' });
  const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }];
  const { id, uid } = await create(ann, { ...series, startDate: zone('11'), endDate: zone('12'), alarms });
  await update(ann, id, { summary: 'Other' });
  await update(ann, id, { location: 'There' }, { recurrenceId: text(START + 24 * HOUR) });
  await remove(ann, id, { recurrenceId: text(START + 48 * HOUR) });
  const { sequence } = await get(ann, id);
  const ask = { uid, organizer, attendee: from(ZOE), sequence };
  await act(ann, 'refresh', message({ ...ask, method: 'REFRESH' }));
  await act(ann, 'declinecounter', message({ ...ask, method: 'COUNTER', start: START + HOUR }), { message: 'No' });
  await update(ann, id, { attendees: [{ entity: ann.id }, { uri: `mailto:${ZOE}` }] });
  await remove(ann, id);
  const invitation = { uid: 'theirs-1', method: 'REQUEST', organizer: ZOE, attendee: from(organizer) };
  const [copy] = await act(ann, 'accept', message({ ...invitation, lines: ['SUMMARY:Theirs'] }), { message: 'Yes' });
  await remove(ann, copy!['id']);
  const other = message({ ...invitation, uid: 'theirs-2', sequence: 2, lines: ['SUMMARY:Other', 'CATEGORIES:a'] });
  await act(ann, 'counter', other, { event: { location: 'Elsewhere' }, message: 'Closer' });
  await act(ann, 'delegate', other, { attendee: { uri: `mailto:${YAN}`, cn: 'Yan' }, message: 'Please' });
}

beforeAll(async () => {
  running = await runCalendar();
  bus = await Bus.connect({ url: running.environment.NATS_URL!, prefix: running.environment.GROUPWARE_BUS_PREFIX! });
  events = new EventBus(bus);
  await events.open();
  await events.subscribe('listener', calendarEvents['scheduling.requested'], async ({ payload }: EventMessage<any>) => {
    const message = payload as OutgoingScheduling;
    sent.push({ ...message, components: componentsOf(message.calendar) });
  });
  await converse();
  const isDone = (): boolean =>
    sent.filter(({ method }) => method === 'REPLY').length >= 3 &&
    sent.some(({ template }) => template === 'eventDelegation');
  await until(() => Promise.resolve(isDone()), 20_000);
}, 90_000);
afterAll(async () => {
  await events?.close();
  await bus?.close();
  await running?.close();
});

/** How often a property or component occurs, as the tables of RFC 5546 say it. */
type Presence = '0' | '1' | '0 or 1' | '1+';
const HOLDS: Readonly<Record<Presence, (count: number) => boolean>> = {
  '0': (count) => count === 0,
  '1': (count) => count === 1,
  '0 or 1': (count) => count <= 1,
  '1+': (count) => count >= 1,
};
/** Rows that all methods with a VEVENT that we send have in common; those of "0+" say nothing. */
const COMMON: Readonly<Record<string, Presence>> = {
  ...{ DTSTAMP: '1', ORGANIZER: '1', UID: '1', 'RECURRENCE-ID': '0 or 1', SEQUENCE: '0 or 1' },
  ...{ CLASS: '0 or 1', CREATED: '0 or 1', DESCRIPTION: '0 or 1', DTEND: '0 or 1', DURATION: '0 or 1', GEO: '0 or 1' },
  ...{ 'LAST-MODIFIED': '0 or 1', LOCATION: '0 or 1', PRIORITY: '0 or 1', RRULE: '0 or 1', STATUS: '0 or 1' },
  ...{ TRANSP: '0 or 1', URL: '0 or 1' },
};
const TABLES: Readonly<Record<string, { section: string; rows: Readonly<Record<string, Presence>> }>> = {
  REQUEST: { section: '3.2.2', rows: { ...COMMON, ATTENDEE: '1+', DTSTART: '1', SUMMARY: '1', 'REQUEST-STATUS': '0' } },
  COUNTER: {
    section: '3.2.7',
    rows: { ...COMMON, ATTENDEE: '1+', SEQUENCE: '1', DTSTART: '1', SUMMARY: '1' },
  },
  REPLY: { section: '3.2.3', rows: { ...COMMON, ATTENDEE: '1', DTSTART: '0 or 1', SUMMARY: '0 or 1' } },
  CANCEL: {
    section: '3.2.5',
    rows: { ...COMMON, ATTENDEE: '1+', SEQUENCE: '1', DTSTART: '0 or 1', SUMMARY: '0 or 1', 'REQUEST-STATUS': '0' },
  },
  DECLINECOUNTER: {
    section: '3.2.8',
    rows: { ...COMMON, SEQUENCE: '1', DTSTART: '0 or 1', SUMMARY: '0 or 1' },
  },
};

describe('RFC 5546: messages that leave', () => {
  const rows = Object.entries(TABLES).flatMap(([method, { section, rows: properties }]) =>
    Object.entries(properties).map(([property, presence]) => [section, method, property, presence] as const),
  );
  it.each(rows)('%s %s: each VEVENT has %s %s', (_section, method, property, presence) => {
    const found = sent.filter((each) => each.method === method);
    expect(found).not.toEqual([]);
    for (const event of found.flatMap(eventsIn))
      expect([event.lines, HOLDS[presence](countOf(event, property))]).toEqual([event.lines, true]);
  });

  it.each(Object.entries(TABLES).map(([method, { section }]) => [section, method] as const))(
    '%s %s: METHOD 1, VEVENT 1+ of one UID, VTIMEZONE where a time names one, no VALARM of the organizer, nothing else',
    (_section, method) => {
      for (const message of sent.filter((each) => each.method === method)) {
        const { components } = message;
        const calendar = components.at(-1)!;
        expect([calendar.name, countOf(calendar, 'METHOD'), valueOf(calendar, 'METHOD')]).toEqual([
          'VCALENDAR',
          1,
          method,
        ]);
        const found = eventsIn(message);
        expect(new Set(found.map((each) => valueOf(each, 'UID'))).size).toBe(1);
        const zones = components.filter(({ name }) => name === 'VTIMEZONE').map((each) => valueOf(each, 'TZID'));
        for (const line of found.flatMap(({ lines }) => lines)) {
          const zone = /^[A-Z-]+;[^:]*TZID=([^;:]+)/.exec(line)?.[1];
          if (zone) expect(zones).toContain(zone);
        }
        const known = new Set(['VCALENDAR', 'VEVENT', 'VTIMEZONE', 'STANDARD', 'DAYLIGHT']);
        expect(components.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
      }
    },
  );

  it('3.2.2, 3.2.5 REQUEST, CANCEL, COUNTER: DTEND and DURATION exclude each other, STATUS is one of its method', () => {
    for (const message of sent)
      for (const event of eventsIn(message)) {
        expect(countOf(event, 'DTEND') + countOf(event, 'DURATION')).toBeLessThanOrEqual(1);
        if (message.method === 'REQUEST' && countOf(event, 'STATUS') > 0)
          expect(['TENTATIVE', 'CONFIRMED']).toContain(valueOf(event, 'STATUS'));
      }
  });

  it('3.2.3 REPLY: the only ATTENDEE is who answers, with COMMENT', () => {
    const replies = sent.filter(({ method }) => method === 'REPLY');
    const partStats = replies.flatMap(eventsIn).map(({ lines }) => {
      const [attendee] = lines.filter((line) => line.startsWith('ATTENDEE'));
      return /PARTSTAT=([A-Z]+)/.exec(attendee!)?.[1];
    });
    expect(partStats).toEqual(['ACCEPTED', 'DECLINED', 'DELEGATED']);
    expect(valueOf(eventsIn(replies[0]!)[0]!, 'COMMENT')).toBe('Yes');
    expect(replies.map(({ recipients }) => recipients)).toEqual(replies.map(() => [{ address: ZOE }]));
  });

  it('3.2.7 COUNTER: goes to the organizer with the SEQUENCE of his message, the proposal and COMMENT', () => {
    const [proposal, ...more] = sent.filter(({ method }) => method === 'COUNTER');
    expect([more, proposal!.recipients, proposal!.template]).toEqual([[], [{ address: ZOE }], 'eventCounter']);
    const [event] = eventsIn(proposal!) as [Component];
    expect(['UID', 'SEQUENCE', 'LOCATION', 'SUMMARY', 'COMMENT'].map((name) => valueOf(event, name))).toEqual([
      ...['theirs-2', '2', 'Elsewhere', 'Other', 'Closer'],
    ]);
    expect(countOf(event, 'ATTENDEE')).toBe(1);
  });

  it('3.2.2.3 REQUEST: who delegates tells the organizer, and invites the delegate in his name', () => {
    const replies = sent.filter(({ method }) => method === 'REPLY');
    const attendeesOf = (each: Sent): string[] =>
      eventsIn(each)[0]!.lines.filter((line) => line.startsWith('ATTENDEE'));
    expect(attendeesOf(replies[2]!)[0]).toContain(`DELEGATED-TO="mailto:${YAN}"`);
    const [request, ...more] = sent.filter(({ template }) => template === 'eventDelegation');
    expect([more, request!.recipients]).toEqual([[], [{ address: YAN, name: 'Yan' }]]);
    const [event] = eventsIn(request!) as [Component];
    expect(['ORGANIZER', 'SEQUENCE', 'COMMENT'].map((name) => valueOf(event, name))).toEqual([
      ...[`mailto:${ZOE}`, '2', 'Please'],
    ]);
    const [delegator] = attendeesOf(request!).filter((line) => line.includes('PARTSTAT=DELEGATED'));
    expect(delegator).toContain(`DELEGATED-TO="mailto:${YAN}"`);
    const [delegate] = attendeesOf(request!).filter((line) => line.endsWith(`:mailto:${YAN}`));
    expect(delegate).toMatch(/PARTSTAT=NEEDS-ACTION/);
    expect(delegate).toMatch(/DELEGATED-FROM="mailto:[^"]+"/);
  });

  it('3.2.5 CANCEL: STATUS CANCELLED, to whom it concerns', () => {
    const cancellations = sent.filter(({ method }) => method === 'CANCEL');
    expect(cancellations.flatMap(eventsIn).map((each) => valueOf(each, 'STATUS'))).not.toContain('CONFIRMED');
    expect(cancellations.map(({ recipients }) => recipients.map(({ address }) => address))).toEqual([
      [ZOE, YAN],
      [YAN],
      [ZOE],
    ]);
  });

  it('3.2.8 DECLINECOUNTER: goes to the attendee who proposed, with COMMENT', () => {
    const [declined, ...more] = sent.filter(({ method }) => method === 'DECLINECOUNTER');
    expect([more, declined!.recipients]).toEqual([[], [{ address: ZOE }]]);
    expect(valueOf(eventsIn(declined!)[0]!, 'COMMENT')).toBe('No');
  });
});

describe('RFC 5546: messages that arrive', () => {
  const invitation = (ann: CalendarUser, uid: string, more: Partial<Text> = {}): string =>
    message({ uid, method: 'REQUEST', organizer: ZOE, attendee: from(ann.principal.email), ...more });

  it('3.2.1 PUBLISH: is taken over as a REQUEST is', async () => {
    const ann = await CalendarUser.enter(running);
    const ical = invitation(ann, 'published', { method: 'PUBLISH' });
    expect(await analyze(ann, ical)).toMatchObject({ changes: [{ type: 'create' }] });
    expect(await act(ann, 'accept', ical)).toMatchObject([{ uid: 'published' }]);
  });

  it('3.2.1 PUBLISH: ATTENDEE 0, ORGANIZER 1: an event that nobody is invited to', async () => {
    const ann = await CalendarUser.enter(running);
    const ical = invitation(ann, 'open to all', { method: 'PUBLISH' }).replace(/ATTENDEE.*\r\n/, '');
    expect(await analyze(ann, ical)).toMatchObject({ changes: [{ type: 'create' }] });
    const [event] = await act(ann, 'accept', ical);
    expect(event).toMatchObject({ uid: 'open to all', organizer: { email: ZOE } });
    // A later publication of the same event replaces it.
    await act(ann, 'update', ical.replace('SEQUENCE:0', 'SEQUENCE:1\r\nSUMMARY:Newer'));
    expect((await get(ann, event!['id'])).summary).toBe('Newer');
  });

  it('3.2.2 REQUEST: DTEND or DURATION; SUMMARY and STATUS as they are; no ORGANIZER is none', async () => {
    const ann = await CalendarUser.enter(running);
    const lasting = invitation(ann, 'lasting', { lines: ['SUMMARY:S', 'STATUS:TENTATIVE'] });
    const [event] = await act(ann, 'accept', lasting.replace(/DTEND:.*/, 'DURATION:PT2H'));
    expect(event).toMatchObject({ summary: 'S', status: 'TENTATIVE' });
    const length = ({ value }: Json): string => value.slice(9, 15);
    expect([length(event!['startDate']), length(event!['endDate'])]).toEqual(['090000', '110000']);
    const anonymous = invitation(ann, 'anonymous').replace(/ORGANIZER.*\r\n/, '');
    expect((await analyze(ann, anonymous)).changes).toBeUndefined();
    await expect(act(ann, 'accept', anonymous)).rejects.toMatchObject({ code: 'ITIP-0102' });
  });

  it('3.2.2.1 REQUEST, rescheduling: a higher SEQUENCE with another time asks again', async () => {
    const ann = await CalendarUser.enter(running);
    const [{ id }] = (await act(ann, 'accept', invitation(ann, 'moved'))) as [Json];
    const [after] = await act(ann, 'update', invitation(ann, 'moved', { sequence: 1, start: START - HOUR }));
    expect(after).toMatchObject({ id, startDate: { value: expect.stringContaining(text(START - HOUR).slice(0, 15)) } });
    expect(answersOf(await get(ann, id))[ann.principal.email]).toBe('NEEDS-ACTION');
  });

  it('3.2.2.2 REQUEST, reconfirmation: the same SEQUENCE with a later DTSTAMP changes content and keeps the answer', async () => {
    const ann = await CalendarUser.enter(running);
    const [{ id }] = (await act(ann, 'accept', invitation(ann, 'described'))) as [Json];
    const alarms = ['-PT5M', '-PT10M'].map((duration) => ({ action: 'DISPLAY', trigger: { duration } }));
    await update(ann, id, { alarms });
    await act(ann, 'update', invitation(ann, 'described', { lines: ['DESCRIPTION:New'] }));
    const event = await get(ann, id);
    expect(event.alarms).toHaveLength(2);
    expect(event.description).toBe('New');
    expect(answersOf(event)[ann.principal.email]).toBe('ACCEPTED');
  });

  it('3.2.2 REQUEST that was accepted: what the organizer decides does not change in the copy (CAL-4038)', async () => {
    const ann = await CalendarUser.enter(running);
    const lines = ['SUMMARY:Theirs', 'RRULE:FREQ=DAILY;COUNT=4', `ATTENDEE;${from(YAN, 'ACCEPTED')}`];
    const [{ id }] = (await act(ann, 'accept', invitation(ann, 'theirs alone', { lines }))) as [Json];
    const copy = await get(ann, id);
    const [second, third] = [24, 48].map((hours) => text(START + hours * HOUR)) as [string, string];
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }];
    const times = { startDate: { value: text(START - HOUR) }, endDate: { value: text(START) } };
    const people = [
      { entity: ann.id, partStat: 'TENTATIVE' },
      { uri: `mailto:${YAN}`, partStat: 'DECLINED' },
    ];
    const attachments = [{ uri: 'https://example.org/x' }];
    const added = [...people, { uri: `mailto:${ZOE}` }];
    for (const fields of [{ summary: 'x' }, times, { attendees: added }, { attachments }, { rrule: null }])
      await expect(update(ann, id, { alarms, ...fields })).rejects.toMatchObject({ code: 'CAL-4038' });
    const once = update(ann, id, { location: 'x' }, { recurrenceId: second });
    await expect(once).rejects.toMatchObject({ code: 'CAL-4038' });
    const following = update(ann, id, { alarms }, { recurrenceId: second, recurrenceRange: 'THISANDFUTURE' });
    await expect(following).rejects.toMatchObject({ code: 'CAL-4038' });
    for (const fields of [{ title: 'x' }, { participants: [ann.participant, { type: 5, mail: ZOE }] }])
      await expect(ann.update(id, fields)).rejects.toMatchObject({ code: 'CAL-4038' });
    expect(await get(ann, id)).toEqual(copy);
    const own = { alarms, color: 'teal', attendees: people, deleteExceptionDates: [second] };
    const told = await sentBy(ann, () => update(ann, id, { ...copy, ...own }), 1);
    const [whole, one] = told.flatMap(eventsIn) as [Component, Component];
    const answer = (partStat: string) => expect.stringContaining(`PARTSTAT=${partStat}:mailto:${ann.principal.email}`);
    expect([countOf(whole, 'RECURRENCE-ID'), whole.lines]).toEqual([0, expect.arrayContaining([answer('TENTATIVE')])]);
    expect([valueOf(one, 'RECURRENCE-ID'), one.lines]).toEqual([second, expect.arrayContaining([answer('DECLINED')])]);
    const changed = await get(ann, id);
    expect(changed).toMatchObject({ summary: 'Theirs', sequence: 0, color: 'teal', deleteExceptionDates: [second] });
    expect(answersOf(changed)).toEqual({ [ann.principal.email]: 'TENTATIVE', [YAN]: 'ACCEPTED' });
    expect(changed.alarms).toHaveLength(1);
    await expect(update(ann, id, { deleteExceptionDates: [] })).rejects.toMatchObject({ code: 'CAL-4038' });
    await update(ann, id, { alarms: [] }, { recurrenceId: third });
    expect((await get(ann, id)).changeExceptionDates).toEqual([third]);
    await update(ann, id, { deleteExceptionDates: [second, third] });
    expect(await get(ann, id)).toMatchObject({ sequence: 0, deleteExceptionDates: [second, third] });
    await ann.update(id, { color_label: 4, alarm: 15, participants: [{ type: 5, mail: YAN }] });
    expect(await ann.read(id)).toMatchObject({ color_label: 4, alarm: 15, title: 'Theirs' });
  });

  it('3.2.2 REQUEST: EXDATE calls a changed occurrence off, too, and is told as another recurrence', async () => {
    const ann = await CalendarUser.enter(running);
    const [uid, organizer, attendee] = ['called-off', ZOE, from(ann.principal.email)];
    const day = (n: number): string => text(START + n * 24 * HOUR);
    const series = (sequence: number, ...lines: string[]): string =>
      message({ uid, method: 'REQUEST', organizer, attendee, sequence, lines: ['RRULE:FREQ=DAILY;COUNT=5', ...lines] });
    const change = { uid, method: 'REQUEST', organizer, attendee, start: START + 26 * HOUR };
    const occurrences = async () => {
      const range = { rangeStart: '20330501T000000Z', rangeEnd: '20330601T000000Z', expand: true };
      const rows: Json[] = await ann.call(chronos.all, { folder: folderOf(ann), ...range });
      return rows.map(({ startDate }) => startDate.value);
    };
    await act(ann, 'accept', series(0));
    await act(ann, 'accept', message({ ...change, lines: [`RECURRENCE-ID:${day(1)}`] }));
    expect(await occurrences()).toEqual([day(0), text(START + 26 * HOUR), day(2), day(3), day(4)]);
    const newer = series(1, `EXDATE:${day(1)}`, `EXDATE:${day(3)}`);
    expect((await analyze(ann, newer)).changes[0].diffDescription).toHaveLength(1);
    const [event] = await act(ann, 'accept', newer);
    expect(event).toMatchObject({ deleteExceptionDates: [day(1), day(3)] });
    expect(event).not.toHaveProperty('changeExceptionDates');
    expect(await occurrences()).toEqual([day(0), day(2), day(4)]);
    // A change that is newer than what calls its occurrence off stays.
    await act(ann, 'accept', message({ ...change, sequence: 3, lines: [`RECURRENCE-ID:${day(1)}`] }));
    await act(ann, 'accept', series(2, `EXDATE:${day(1)}`, `EXDATE:${day(3)}`));
    expect(await occurrences()).toEqual([day(0), text(START + 26 * HOUR), day(2), day(4)]);
  });

  it('3.2.2 REQUEST: CATEGORIES are those of the newest message, of an occurrence its own', async () => {
    const ann = await CalendarUser.enter(running);
    const base = { uid: 'categories', method: 'REQUEST', organizer: ZOE, attendee: from(ann.principal.email) };
    const rule = 'RRULE:FREQ=DAILY;COUNT=3';
    const take = async (sequence: number, ...lines: string[]): Promise<unknown> =>
      (await act(ann, 'accept', message({ ...base, sequence, lines })))[0]!['categories'];
    expect(await take(0, rule, 'CATEGORIES:Sales\\, EMEA,Other')).toEqual(['Sales, EMEA', 'Other']);
    expect(await take(1, rule, 'CATEGORIES:Sales\\, EMEA')).toEqual(['Sales, EMEA']);
    expect(await take(1, `RECURRENCE-ID:${text(START)}`)).toBeUndefined();
    expect(await take(2, rule)).toBeUndefined();
  });

  it('3.2.2.3 REPLY of an attendee who delegates, and of the delegate, who is let in', async () => {
    const ann = await CalendarUser.enter(running);
    const { id, uid } = await create(ann);
    const organizer = ann.principal.email;
    const delegate = 'deputy@outside.test';
    const delegating = `PARTSTAT=DELEGATED;DELEGATED-TO="mailto:${delegate}":mailto:${ZOE}`;
    await act(ann, 'update', message({ uid, method: 'REPLY', organizer, attendee: delegating }));
    expect(answersOf(await get(ann, id))).toMatchObject({ [ZOE]: 'DELEGATED', [YAN]: 'NEEDS-ACTION' });
    const accepting = `PARTSTAT=ACCEPTED;DELEGATED-FROM="mailto:${ZOE}":mailto:${delegate}`;
    const ical = message({ uid, method: 'REPLY', organizer, attendee: accepting });
    expect((await analyze(ann, ical)).actions).toEqual(['accept_party_crasher']);
    await act(ann, 'accept_party_crasher', ical);
    expect(answersOf(await get(ann, id))).toMatchObject({ [ZOE]: 'DELEGATED', [delegate]: 'ACCEPTED' });
    const told = await sentBy(ann, () => update(ann, id, { summary: 'Renamed' }), 1);
    const attendees = told.flatMap(eventsIn)[0]!.lines.filter((line) => line.startsWith('ATTENDEE'));
    expect(attendees.find((line) => line.endsWith(ZOE))).toContain(`DELEGATED-TO="mailto:${delegate}"`);
    expect(attendees.find((line) => line.endsWith(delegate))).toContain(`DELEGATED-FROM="mailto:${ZOE}"`);
  });

  it('3.2.2.3 REQUEST that is delegated: stays so by what changes no time, and is asked anew by what does', async () => {
    const ann = await CalendarUser.enter(running);
    const ical = invitation(ann, 'passed on');
    const [{ id }] = (await act(ann, 'delegate', ical, { attendee: { email: YAN } })) as [Json];
    const answer = async (): Promise<string> => answersOf(await get(ann, id))[ann.principal.email];
    expect(await answer()).toBe('DELEGATED');
    await act(ann, 'update', invitation(ann, 'passed on', { lines: ['DESCRIPTION:New'] }));
    expect(await answer()).toBe('DELEGATED');
    await act(ann, 'update', invitation(ann, 'passed on', { sequence: 1, start: START - HOUR }));
    expect(await answer()).toBe('NEEDS-ACTION');
    await act(ann, 'delegate', invitation(ann, 'passed on', { sequence: 2 }), { attendee: { email: YAN } });
    await act(ann, 'accept', invitation(ann, 'passed on', { sequence: 3 }));
    expect(await answer()).toBe('ACCEPTED');
  });

  it('3.2.2.4 REQUEST of another organizer: is not applied, and says so', async () => {
    const ann = await CalendarUser.enter(running);
    const [{ id }] = (await act(ann, 'accept', invitation(ann, 'abdicated'))) as [Json];
    const ical = invitation(ann, 'abdicated', { organizer: YAN, sequence: 1, start: START - HOUR });
    const analysis = await analyze(ann, ical);
    expect(analysis).toMatchObject({ actions: ['ignore'], annotations: [{ message: expect.stringContaining(ZOE) }] });
    expect(analysis).not.toHaveProperty('changes');
    await expect(act(ann, 'accept', ical)).rejects.toMatchObject({ code: 'ITIP-0102' });
    expect((await get(ann, id)).organizer.email).toBe(ZOE);
  });

  it('3.2.2.5 REQUEST on behalf of the organizer: SENT-BY leaves and arrives', async () => {
    const ann = await CalendarUser.enter(running);
    const ical = invitation(ann, 'behalf').replace(
      `ORGANIZER:mailto:${ZOE}`,
      `ORGANIZER;SENT-BY="mailto:${YAN}":mailto:${ZOE}`,
    );
    const [event] = await act(ann, 'accept', ical);
    expect(event!['organizer']).toMatchObject({ email: ZOE });
  });

  it('3.2.2.6 REQUEST that was forwarded: who was not invited may accept it, and the organizer let him in', async () => {
    const [ann, bob] = [await CalendarUser.enter(running), await CalendarUser.enter(running)];
    const forwarded = invitation(ann, 'forwarded');
    expect((await analyze(bob, forwarded)).actions).toContain('accept');
    const told = await sentBy(bob, () => act(bob, 'accept', forwarded), 1);
    const [reply] = told.filter(({ method }) => method === 'REPLY');
    expect([reply!.from.address, reply!.recipients]).toEqual([bob.principal.email, [{ address: ZOE }]]);
  });

  it('3.2.2.7 REQUEST, the status of attendees: who was let in is told to the others', async () => {
    const ann = await CalendarUser.enter(running);
    const { uid } = await createTold(ann);
    const crasher = message({
      uid,
      method: 'REPLY',
      organizer: ann.principal.email,
      attendee: from('x@y.test', 'ACCEPTED'),
    });
    const told = await sentBy(ann, () => act(ann, 'accept_party_crasher', crasher), 1);
    const recipients = told.filter(({ method }) => method === 'REQUEST').flatMap((each) => each.recipients);
    expect(recipients.map(({ address }) => address)).toEqual(expect.arrayContaining([ZOE, YAN]));
  });

  it('3.2.2.7 REQUEST, the status of attendees: who was let into a series is told with its exceptions, into an occurrence alone', async () => {
    const ann = await CalendarUser.enter(running);
    const written: Json[] = [];
    const recurrenceId = text(START + 24 * HOUR);
    const invite = async () => {
      const { id, uid } = await create(ann, { rrule: 'FREQ=DAILY;COUNT=4' });
      await update(ann, id, { location: 'There' }, { recurrenceId });
      written.push({ id, uid });
    };
    await sentBy(ann, invite, 2);
    const { uid } = written[0]!;
    const reply = { uid, method: 'REPLY', organizer: ann.principal.email };
    const requestsTo = (told: readonly Sent[], address: string): Component[][] =>
      told
        .filter(({ method, recipients }) => method === 'REQUEST' && recipients.some((each) => each.address === address))
        .map(eventsIn);
    const whole = message({ ...reply, attendee: from('x@y.test', 'ACCEPTED') });
    const ofSeries = await sentBy(ann, () => act(ann, 'accept_party_crasher', whole), 2);
    for (const address of ['x@y.test', ZOE]) {
      const [components] = requestsTo(ofSeries, address);
      expect(components!.map((each) => countOf(each, 'RECURRENCE-ID'))).toEqual([0, 1]);
      for (const each of components!) expect(each.lines.join()).toContain('x@y.test');
    }
    const third = START + 48 * HOUR;
    const lines = [`RECURRENCE-ID:${text(third)}`];
    const single = message({ ...reply, attendee: from('w@y.test', 'ACCEPTED'), start: third, lines });
    const ofOccurrence = await sentBy(ann, () => act(ann, 'accept_party_crasher', single), 2);
    for (const address of ['w@y.test', ZOE]) {
      const [components] = requestsTo(ofOccurrence, address);
      expect(components!.map((each) => valueOf(each, 'RECURRENCE-ID'))).toEqual([text(third)]);
    }
  });

  it('3.2.3 REPLY: ATTENDEE 1, COMMENT 0+: his answer alone changes; an older one, and one of two, is none', async () => {
    const ann = await CalendarUser.enter(running);
    const organizer = ann.principal.email;
    const { id, uid, sequence } = await createTold(ann);
    const reply = (partStat: string, more: Partial<Text> = {}): string =>
      message({ uid, method: 'REPLY', organizer, attendee: from(ZOE, partStat), ...more });
    const newer = reply('TENTATIVE', { lines: ['COMMENT:Perhaps', 'SUMMARY:Not his to change'] });
    const older = reply('DECLINED', { stamp: Date.UTC(2031, 0, 1) });
    expect(await analyze(ann, newer)).toMatchObject({ actions: ['update'], changes: [{ type: 'update' }] });
    await act(ann, 'update', newer);
    const event = await get(ann, id);
    expect(answersOf(event)).toEqual({ [organizer]: 'ACCEPTED', [ZOE]: 'TENTATIVE', [YAN]: 'NEEDS-ACTION' });
    expect(event.attendees.find((each: Json) => each.email === ZOE).comment).toBe('Perhaps');
    expect([event.summary, event.sequence]).toEqual(['Plan', sequence]);
    expect((await analyze(ann, older)).actions).toEqual(['ignore']);
    const two = reply('ACCEPTED').replace('END:VEVENT', `ATTENDEE;${from(YAN, 'ACCEPTED')}\r\nEND:VEVENT`);
    await expect(analyze(ann, two)).rejects.toMatchObject({ code: 'ITIP-0100' });
    const unknown = message({ uid: 'nobody knows', method: 'REPLY', organizer, attendee: from(ZOE, 'ACCEPTED') });
    expect((await analyze(ann, unknown)).changes).toBeUndefined();
    expect(answersOf(await get(ann, id))[ZOE]).toBe('TENTATIVE');
  });

  it('3.2.2.7 REQUEST, the status of attendees: what one answered is told to the others, once and with the same SEQUENCE', async () => {
    const ann = await CalendarUser.enter(running);
    const [organizer, second] = [ann.principal.email, START + 24 * HOUR];
    const written: Json[] = [];
    await sentBy(ann, async () => written.push(await create(ann, { rrule: 'FREQ=DAILY;COUNT=3' })), 1);
    const { uid, sequence } = written[0]!;
    const reply = (partStat: string, more: Partial<Text> = {}): string =>
      message({ uid, method: 'REPLY', organizer, attendee: from(ZOE, partStat), ...more });
    const accepted = reply('ACCEPTED', { stamp: Date.UTC(2034, 0, 1) });
    const ofOne = { start: second, lines: [`RECURRENCE-ID:${text(second)}`], stamp: Date.UTC(2034, 0, 2) };
    const told = await sentBy(
      ann,
      async () => {
        await act(ann, 'update', accepted);
        await act(ann, 'update', accepted);
        await act(ann, 'update', reply('DECLINED', ofOne));
      },
      2,
    );
    expect(told.map(({ method, recipients }) => [method, recipients.map(({ address }) => address)])).toEqual(
      Array(2).fill(['REQUEST', [YAN]]),
    );
    const [whole, single] = told.map((each) => eventsIn(each));
    for (const [[component], partStat] of [
      [whole!, 'ACCEPTED'],
      [single!, 'DECLINED'],
    ] as const) {
      const line = component!.lines.find((each) => each.startsWith('ATTENDEE') && each.endsWith(ZOE));
      expect([line, valueOf(component!, 'SEQUENCE')]).toEqual([
        expect.stringContaining(`PARTSTAT=${partStat}`),
        String(sequence),
      ]);
    }
    expect(valueOf(single![0]!, 'RECURRENCE-ID')).toBe(text(second));
  });

  it('3.2.3 REPLY: RECURRENCE-ID 0 or 1: an answer for one occurrence', async () => {
    const ann = await CalendarUser.enter(running);
    const organizer = ann.principal.email;
    const { id, uid } = await create(ann, { rrule: 'FREQ=DAILY;COUNT=3' });
    const second = START + 24 * HOUR;
    const lines = [`RECURRENCE-ID:${text(second)}`];
    const attendee = from(ZOE, 'DECLINED');
    await act(ann, 'update', message({ uid, method: 'REPLY', organizer, attendee, start: second, lines }));
    expect(answersOf(await get(ann, id))[ZOE]).toBe('NEEDS-ACTION');
    expect(answersOf(await get(ann, id, { recurrenceId: text(second) }))[ZOE]).toBe('DECLINED');
  });

  it('3.2.4 ADD: another occurrence of a series that is known', async () => {
    const ann = await CalendarUser.enter(running);
    const series = { lines: ['RRULE:FREQ=DAILY;COUNT=3'] };
    const [{ id }] = (await act(ann, 'accept', invitation(ann, 'grown', series))) as [Json];
    const ical = invitation(ann, 'grown', { method: 'ADD', sequence: 1, start: START + 10 * 24 * HOUR });
    expect((await analyze(ann, ical)).changes).toHaveLength(1);
    await act(ann, 'update', ical);
    const range = { rangeStart: text(START - HOUR), rangeEnd: text(START + 20 * 24 * HOUR) };
    const found = await ann.call(chronos.all, { folder: folderOf(ann), ...range, expand: true });
    expect(found.map((each: Json) => each.seriesId)).toEqual([id, id, id, id]);
  });

  it('3.2.5 CANCEL: of one occurrence, and of all; not of an older revision, of others, nor of what is not known', async () => {
    const ann = await CalendarUser.enter(running);
    const series = { lines: ['RRULE:FREQ=DAILY;COUNT=3'] };
    const [{ id }] = (await act(ann, 'accept', invitation(ann, 'off', { ...series, sequence: 1 }))) as [Json];
    const second = START + 24 * HOUR;
    const cancel = (more: Partial<Text> = {}): string =>
      invitation(ann, 'off', { method: 'CANCEL', sequence: 2, ...more });
    const one = cancel({ start: second, lines: [`RECURRENCE-ID:${text(second)}`] });
    expect(await analyze(ann, one)).toMatchObject({
      actions: ['delete'],
      changes: [{ type: 'create_delete_exception' }],
    });
    await act(ann, 'delete', one);
    expect((await get(ann, id)).deleteExceptionDates).toEqual([text(second)]);
    expect((await analyze(ann, cancel({ sequence: 0 }))).actions).toEqual(['ignore']);
    expect((await analyze(ann, cancel({ organizer: YAN }))).actions).not.toContain('delete');
    expect((await analyze(ann, cancel({ uid: 'never seen' }))).actions).toEqual(['ignore']);
    const all = cancel({ sequence: 3, lines: ['STATUS:CANCELLED'] });
    expect(await analyze(ann, all)).toMatchObject({ actions: ['delete'], changes: [{ type: 'delete' }] });
    await act(ann, 'delete', all);
    await expect(get(ann, id)).rejects.toMatchObject({ code: 'CAL-4040' });
  });

  it('3.2.5 CANCEL: of others alone leaves the event, unless its status says that it is called off', async () => {
    const ann = await CalendarUser.enter(running);
    await act(ann, 'accept', invitation(ann, 'uninvited'));
    const cancel = (...lines: string[]): string =>
      message({ uid: 'uninvited', method: 'CANCEL', organizer: ZOE, attendee: from(YAN), sequence: 1, lines });
    expect(await analyze(ann, cancel())).toMatchObject({ actions: ['ignore'], annotations: [{}] });
    await expect(act(ann, 'delete', cancel())).rejects.toMatchObject({ code: 'ITIP-0102' });
    expect((await analyze(ann, cancel('STATUS:CANCELLED'))).actions).toEqual(['delete']);
  });

  it('3.2.6 REFRESH: an attendee gets the event as it is now; others do not', async () => {
    const ann = await CalendarUser.enter(running);
    const organizer = ann.principal.email;
    const { uid } = await createTold(ann);
    const ask = (attendee: string, of = uid) =>
      message({ uid: of, method: 'REFRESH', organizer, attendee: from(attendee) });
    const analysis = await analyze(ann, ask(YAN));
    expect(analysis).toMatchObject({ actions: ['refresh'], annotations: [{ message: expect.stringContaining(YAN) }] });
    expect(analysis).not.toHaveProperty('changes');
    const [again] = await sentBy(ann, () => act(ann, 'refresh', ask(YAN)), 1);
    expect(again).toMatchObject({ method: 'REQUEST', recipients: [{ address: YAN }] });
    expect((await analyze(ann, ask('stranger@outside.test'))).actions ?? []).not.toContain('refresh');
    expect((await analyze(ann, ask(YAN, 'unknown'))).actions).toEqual(['ignore']);
    await expect(act(ann, 'update', ask(YAN))).rejects.toMatchObject({ code: 'ITIP-0102' });
  });

  it('3.2.7 COUNTER: another time is proposed, and taken over with a REQUEST to all, or not', async () => {
    const ann = await CalendarUser.enter(running);
    const organizer = ann.principal.email;
    const { id, uid } = await createTold(ann);
    const propose = (more: Partial<Text> = {}) =>
      message({ uid, method: 'COUNTER', organizer, attendee: from(ZOE), start: START + 2 * HOUR, ...more });
    const analysis = await analyze(ann, propose({ lines: ['LOCATION:Elsewhere', 'COMMENT:Later'] }));
    expect(analysis).toMatchObject({
      actions: ['update', 'declinecounter'],
      changes: [{ type: 'update', currentEvent: { id }, newEvent: { location: 'Elsewhere', summary: 'Plan' } }],
    });
    expect(analysis.changes[0].introduction).toContain(ZOE);
    expect((await get(ann, id)).location).toBeUndefined();
    const told = await sentBy(ann, () => act(ann, 'update', propose({ lines: ['LOCATION:Elsewhere'] })), 1);
    expect(told.flatMap(({ method, recipients }) => recipients.map(({ address }) => [method, address]))).toEqual([
      ['REQUEST', ZOE],
      ['REQUEST', YAN],
    ]);
    const event = await get(ann, id);
    expect(event).toMatchObject({ location: 'Elsewhere', summary: 'Plan', sequence: 1 });
    expect(event.startDate.value).toContain(text(START + 2 * HOUR).slice(0, 15));
    // Of an older event, and of one that is not there.
    expect((await analyze(ann, propose())).actions).toEqual(['ignore']);
    expect((await analyze(ann, propose({ uid: 'unknown' }))).actions).toEqual(['ignore']);
  });

  it('3.2.7 COUNTER: of one occurrence', async () => {
    const ann = await CalendarUser.enter(running);
    const { id, uid } = await create(ann, { rrule: 'FREQ=DAILY;COUNT=3' });
    const recurrenceId = text(START + 24 * HOUR);
    const ical = message({
      ...{ uid, method: 'COUNTER', organizer: ann.principal.email, attendee: from(ZOE) },
      ...{ start: START + 26 * HOUR, lines: [`RECURRENCE-ID:${recurrenceId}`] },
    });
    expect(await analyze(ann, ical)).toMatchObject({ changes: [{ exception: true, masterEvent: { id } }] });
    await act(ann, 'update', ical);
    const moved = await get(ann, id, { recurrenceId });
    expect(moved.startDate.value).toContain(text(START + 26 * HOUR).slice(0, 15));
    expect((await get(ann, id)).startDate.value).toContain(text(START).slice(0, 15));
  });

  it('3.2.8 DECLINECOUNTER: changes nothing, and says that the organizer does not want the change', async () => {
    const ann = await CalendarUser.enter(running);
    await act(ann, 'accept', invitation(ann, 'proposed'));
    const analysis = await analyze(ann, invitation(ann, 'proposed', { method: 'DECLINECOUNTER' }));
    expect(analysis).toMatchObject({ actions: ['ignore'], annotations: [{ message: expect.stringContaining(ZOE) }] });
    expect(analysis).not.toHaveProperty('changes');
  });
});
