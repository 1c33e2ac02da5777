import { until } from '@groupware/test-kit';
import { all, created, DAY, HOUR, read, remove, update } from '../calendar/calendar';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { schedulingMail, type SchedulingMailParts } from './scheduling-mail';
import { openEvents } from './streams';

let world: TestEnvironment;
let cast: Fixtures;
let mailServer: AdminClient;
beforeAll(async () => {
  world = await startTestEnvironment({ variables: { PUSH_MAIL_RETRY_MS: '50' } });
  cast = await createFixtures(world);
  mailServer = new AdminClient(world.internalUrl, world.service.login, world.service.password);
}, 120_000);
afterAll(() => world?.close());

const ORGANIZER = 'zoe@elsewhere.example';
const START = Date.UTC(2033, 4, 3, 9);

let players = 0;
/** A user of his own for a test; the organizer takes part in an appointment of his, and so is known. */
async function createAcquaintedUser(): Promise<TestUser> {
  const player = await createTestUser(world, cast.admin, cast.contextId, `invited${(players += 1)}`);
  const participants = [
    { type: 1, id: player.userId },
    { type: 5, mail: ORGANIZER.toUpperCase() },
  ];
  await created(player, { title: 'old', start_date: START - 100 * HOUR, end_date: START - 99 * HOUR, participants });
  return player;
}

interface Message extends Partial<Omit<SchedulingMailParts, 'events' | 'to'>> {
  readonly uid: string;
  readonly sequence?: number;
  /** Text of DTSTAMP. */
  readonly stamp?: string;
  readonly organizer?: string;
  /** Lines of ATTENDEE; the user and two others unless told otherwise. */
  readonly attendees?: readonly string[];
  readonly lines?: readonly string[];
  readonly start?: string;
  readonly end?: string;
  /** Further events of the same message. */
  readonly more?: readonly Message[];
}

function linesOf(player: TestUser, message: Message): string[] {
  return [
    `UID:${message.uid}`,
    `DTSTAMP:${message.stamp ?? '20330101T000000Z'}`,
    `SEQUENCE:${message.sequence ?? 0}`,
    `DTSTART:${message.start ?? '20330503T090000Z'}`,
    `DTEND:${message.end ?? '20330503T100000Z'}`,
    `ORGANIZER;CN=Zoe:mailto:${message.organizer ?? ORGANIZER}`,
    ...(message.attendees ?? [
      `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${ORGANIZER}`,
      `ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:MAILTO:${player.email.toUpperCase()}`,
      'ATTENDEE;CN=Yan;PARTSTAT=TENTATIVE:mailto:yan@elsewhere.example',
    ]),
    ...(message.lines ?? ['SUMMARY:Plan']),
  ];
}

/** Pushes a mail of the organizer to a user. */
async function push(player: TestUser, { more = [], ...message }: Message): Promise<void> {
  const body = schedulingMail({
    method: 'REQUEST',
    from: ORGANIZER,
    to: player.email,
    ...message,
    events: [message, ...more].map((each) => linesOf(player, each)),
  });
  expect(await mailServer.request('PUT', '/chronos/v1/itip/pushmail', { folder: 'INBOX', body })).toMatchObject({
    status: 200,
  });
}

/** Waits until all that was pushed before is done with: mails are taken one after the other. */
async function done(player: TestUser): Promise<void> {
  const uid = `done-${Math.random()}`;
  await push(player, { uid, start: '20400101T000000Z', end: '20400101T010000Z' });
  await until(async () => (await idOf(player, uid)) !== undefined);
  await remove(player, [{ id: await idOf(player, uid) }]);
}

async function idOf(player: TestUser, uid: string): Promise<string | undefined> {
  const { data } = await player.get('calendar', 'resolveuid', { uid });
  return data?.id;
}
async function waitForAppointment(player: TestUser, uid: string): Promise<string> {
  await until(async () => (await idOf(player, uid)) !== undefined);
  return (await idOf(player, uid))!;
}
const RANGE = { start: START - 50 * HOUR, end: START + 2_000 * HOUR };
/** Start (ms after the first) and title of what is in the calendar. */
const shown = async (player: TestUser): Promise<[number, string][]> =>
  (await all(player, '201,200', RANGE, { timezone: 'UTC' })).map(([start, title]) => [(start - START) / HOUR, title]);
/** Waits until it is so. */
async function shows(player: TestUser, expected: [number, string][]): Promise<void> {
  let last: unknown;
  await until(async () => JSON.stringify((last = await shown(player))) === JSON.stringify(expected)).catch(
    () => undefined,
  );
  expect(last).toEqual(expected);
}
const DAILY = ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=4'];

describe('an invitation of an external organizer', () => {
  it('is in the calendar of the recipient, waits for his answer, and his streams hear of it', async () => {
    const player = await createAcquaintedUser();
    const stream = await openEvents(player);
    const lines = [
      'SUMMARY:Grüße\\, Plan',
      'LOCATION:Room 5',
      'DESCRIPTION:Bring\\nall',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'TRIGGER:-PT15M',
      'END:VALARM',
    ];
    await push(player, { uid: 'first', lines });
    const id = await waitForAppointment(player, 'first');
    expect(await stream.about({ id })).toMatchObject([{ event: 'ox:calendar:updates', data: { change: 'created' } }]);
    stream.close();
    const appointment = await read(player, id);
    expect(appointment).toMatchObject({
      title: 'Grüße, Plan',
      location: 'Room 5',
      note: 'Bring\nall',
      start_date: START,
      end_date: START + HOUR,
      uid: 'first',
      organizer: ORGANIZER,
      sequence: 0,
      folder_id: player.folder,
      users: [{ id: player.userId, confirm: 0 }],
      confirmations: [
        { type: 5, mail: ORGANIZER, status: 1 },
        { type: 5, mail: 'yan@elsewhere.example', display_name: 'Yan', status: 3 },
      ],
    });
    expect(appointment).not.toHaveProperty('organizerId');
    expect(appointment).not.toHaveProperty('alarm');
  });

  it('has the answer that the organizer knows of, and goes to every recipient', async () => {
    const [one, other] = [await createAcquaintedUser(), await createAcquaintedUser()];
    const attendees = [`ATTENDEE;PARTSTAT=TENTATIVE:mailto:${one.email}`, `ATTENDEE:mailto:${other.email}`];
    const to = `${one.email}, ${other.email}`;
    const body = schedulingMail({
      method: 'REQUEST',
      from: ORGANIZER,
      to,
      events: [linesOf(one, { uid: 'both', attendees })],
    });
    await mailServer.request('PUT', '/chronos/v1/itip/pushmail', { folder: 'INBOX', body });
    const mine = await read(one, await waitForAppointment(one, 'both'));
    const his = await read(other, await waitForAppointment(other, 'both'));
    expect(mine).toMatchObject({ users: [{ id: one.userId, confirm: 3 }], confirmations: [{ mail: other.email }] });
    expect(his).toMatchObject({ users: [{ id: other.userId, confirm: 0 }], confirmations: [{ mail: one.email }] });
    expect(mine.id).not.toBe(his.id);
  });

  it('is for invited users, from the organizer himself, of somebody who is known or welcome', async () => {
    const player = await createAcquaintedUser();
    const stranger = { from: 'm@else.example', organizer: 'm@else.example' };
    await push(player, { uid: 'not invited', attendees: ['ATTENDEE:mailto:yan@elsewhere.example'] });
    await push(player, { uid: 'nobody is', attendees: [] });
    await push(player, { uid: 'spoofed', from: 'mallory@elsewhere.example' });
    await push(player, { uid: 'internal', from: cast.U1.email, organizer: cast.U1.email });
    await push(player, { uid: 'stranger', ...stranger });
    for (const method of ['COUNTER', 'REFRESH', 'DECLINECOUNTER', 'PUBLISH', 'ADD', 'CANCEL', 'X'])
      await push(player, { uid: `by ${method}`, method });
    await push(player, { uid: 'bad rule', lines: ['RRULE:FREQ=SECONDLY;BYHOUR=25'] });
    await push(player, { uid: 'sent by', from: 'aid@x.example', lines: ['SUMMARY:Aid'], organizer: `${ORGANIZER}` });
    await done(player);
    await shows(player, []);
    await cast.admin.expect(
      'PUT',
      `/admin/v1/contexts/${cast.contextId}/users/${player.userId}/config/com.example.calendar.autoProcessIMip`,
      { value: 'always' },
    );
    let tries = 0;
    await until(async () => {
      // The wish is known everywhere a moment later.
      await push(player, { uid: `stranger ${(tries += 1)}`, ...stranger });
      return (
        (await idOf(player, 'stranger 1')) !== undefined || (await idOf(player, `stranger ${tries - 1}`)) !== undefined
      );
    });
  });

  it('that is private has nobody else in it here', async () => {
    const player = await createAcquaintedUser();
    await push(player, { uid: 'secret', lines: ['CLASS:PRIVATE'] });
    expect(await read(player, await waitForAppointment(player, 'secret'))).toMatchObject({
      private_flag: true,
      users: [{ id: player.userId }],
      confirmations: [],
    });
  });
});

describe('a change by the organizer', () => {
  it('counts when it is newer; the answer stands until people have to answer again', async () => {
    const player = await createAcquaintedUser();
    await push(player, { uid: 'moved', sequence: 1 });
    const id = await waitForAppointment(player, 'moved');
    expect(
      await player.put('calendar', 'confirm', { id, folder: player.folder, timestamp: 9e12 }, { confirmation: 1 }),
    ).not.toHaveProperty('error');
    expect(await update(player, id, { alarm: 15, color_label: 4 })).not.toHaveProperty('error');
    await push(player, { uid: 'moved', sequence: 1, stamp: '20330102T000000Z', lines: ['SUMMARY:Other'] });
    await until(async () => (await read(player, id)).title === 'Other');
    expect(await read(player, id)).toMatchObject({ users: [{ confirm: 1 }], alarm: 15, color_label: 4 });
    await push(player, { uid: 'moved', sequence: 2, start: '20330503T110000Z', end: '20330503T120000Z' });
    await until(async () => (await read(player, id)).start_date === START + 2 * HOUR);
    expect(await read(player, id)).toMatchObject({ users: [{ confirm: 0 }], sequence: 2, alarm: 15 });
    const before = await read(player, id);
    await push(player, { uid: 'moved', sequence: 2, start: '20330503T130000Z', end: '20330503T140000Z' });
    await push(player, { uid: 'moved', sequence: 1, stamp: '20340101T000000Z', lines: ['SUMMARY:Late'] });
    await push(player, { uid: 'moved', sequence: 3, from: 'mallory@x.example', lines: ['SUMMARY:Foreign'] });
    await push(player, {
      uid: 'moved',
      sequence: 3,
      from: 'm@x.example',
      organizer: 'm@x.example',
      lines: ['SUMMARY:Hijacked'],
    });
    await push(player, { uid: 'moved', sequence: 3, method: 'CANCEL', from: 'm@x.example', organizer: 'm@x.example' });
    await done(player);
    expect(await read(player, id)).toEqual(before);
  });

  it('changes nothing that is organized here', async () => {
    const player = await createAcquaintedUser();
    const id = await created(player, { title: 'mine', start_date: START, end_date: START + HOUR, uid: 'mine' });
    const foreign = await created(cast.X1, { title: 'his', start_date: START, end_date: START + HOUR, uid: 'his' });
    const before = [await read(player, id), await read(cast.X1, foreign)];
    for (const uid of ['mine', 'his'])
      for (const method of ['REQUEST', 'ADD', 'CANCEL'])
        await push(player, { uid, method, sequence: 9, stamp: '20400101T000000Z', start: '20330504T090000Z' });
    await push(player, { uid: 'mine', method: 'CANCEL', sequence: 9, from: player.email, organizer: player.email });
    await done(player);
    expect([await read(player, id), await read(cast.X1, foreign)]).toEqual(before);
  });

  it('of a file that was imported, and of what a client stored as his, counts as well', async () => {
    const player = await createAcquaintedUser();
    const file = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      ...linesOf(player, { uid: 'file' }),
      'END:VEVENT',
      'END:VCALENDAR',
    ];
    const form = new FormData();
    form.append('file', new Blob([file.join('\r\n')], { type: 'text/calendar' }), 'a.ics');
    const parameters = { action: 'ICAL', session: player.session, folder: player.folder };
    const imported = await player.fetch('POST', '/import', parameters, { body: form });
    expect(imported.status).toBe(200);
    const stored = await created(player, {
      title: 'stored',
      start_date: START + 2 * HOUR,
      end_date: START + 3 * HOUR,
      uid: 'stored',
      organizer: ORGANIZER,
    });
    await push(player, { uid: 'file', sequence: 1, lines: ['SUMMARY:new file'] });
    await push(player, {
      uid: 'stored',
      sequence: 1,
      lines: ['SUMMARY:new stored'],
      start: '20330503T110000Z',
      end: '20330503T120000Z',
    });
    await until(async () => (await read(player, stored)).title === 'new stored');
    await shows(player, [
      [0, 'new file'],
      [2, 'new stored'],
    ]);
    await push(player, { uid: 'file', method: 'CANCEL', sequence: 2 });
    await until(async () => (await shown(player)).length === 1);
  });
});

describe('a series of an external organizer', () => {
  it('comes with its exceptions, gets others, and is replaced', async () => {
    const player = await createAcquaintedUser();
    const third = {
      uid: 'series',
      lines: ['SUMMARY:Third', 'RECURRENCE-ID:20330505T090000Z'],
      start: '20330505T150000Z',
      end: '20330505T160000Z',
    };
    await push(player, { ...third, more: [{ uid: 'series', lines: DAILY }] });
    const id = await waitForAppointment(player, 'series');
    const planned: [number, string][] = [
      [0, 'Daily'],
      [24, 'Daily'],
      [54, 'Third'],
      [72, 'Daily'],
    ];
    await shows(player, planned);
    await push(player, {
      uid: 'series',
      sequence: 1,
      lines: ['SUMMARY:Second', 'RECURRENCE-ID:20330504T090000Z'],
      start: '20330504T090000Z',
      end: '20330504T100000Z',
    });
    await push(player, { ...third, sequence: 1, start: '20330505T170000Z', end: '20330505T180000Z' });
    await shows(player, [
      [0, 'Daily'],
      [24, 'Second'],
      [56, 'Third'],
      [72, 'Daily'],
    ]);
    // The user takes one out, which stays so; what he did to it is no newer message.
    await remove(player, [{ id, recurrence_position: 4 }]);
    await push(player, {
      uid: 'series',
      sequence: 2,
      lines: ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=4', 'LOCATION:There'],
    });
    await until(async () => (await read(player, id)).location === 'There');
    await shows(player, [
      [0, 'Daily'],
      [24, 'Second'],
      [56, 'Third'],
    ]);
    await push(player, {
      ...third,
      sequence: 1,
      stamp: '20340101T000000Z',
      lines: ['SUMMARY:Late', 'RECURRENCE-ID:20330505T090000Z'],
    });
    await push(player, { uid: 'series', sequence: 3, lines: ['SUMMARY:Weekly', 'RRULE:FREQ=WEEKLY;COUNT=2'] });
    await until(async () => (await read(player, id)).title === 'Weekly');
    await shows(player, [
      [0, 'Weekly'],
      [168, 'Weekly'],
    ]);
    await push(player, { uid: 'series', sequence: 4, lines: ['SUMMARY:Once'] });
    await until(async () => (await read(player, id)).title === 'Once');
    await shows(player, [[0, 'Once']]);
  });

  it('loses what is called off, and never finds it again', async () => {
    const player = await createAcquaintedUser();
    const on = (day: string, fields: Partial<Message> = {}) => ({
      uid: 'off',
      start: `203305${day}T090000Z`,
      end: `203305${day}T100000Z`,
      lines: ['SUMMARY:Off', `RECURRENCE-ID:203305${day}T090000Z`],
      ...fields,
    });
    await push(player, { uid: 'off', lines: DAILY, more: [on('04')] });
    await shows(player, [
      [0, 'Daily'],
      [24, 'Off'],
      [48, 'Daily'],
      [72, 'Daily'],
    ]);
    await push(player, on('04', { method: 'CANCEL', sequence: 1 }));
    await push(player, on('05', { method: 'CANCEL', sequence: 1 }));
    await shows(player, [
      [0, 'Daily'],
      [72, 'Daily'],
    ]);
    await push(player, on('05', { stamp: '20330101T010000Z' }));
    await done(player);
    expect(await shown(player)).toHaveLength(2);
    await push(player, on('05', { sequence: 2 }));
    await until(async () => (await shown(player)).length === 3);
    await push(player, { uid: 'off', method: 'CANCEL', sequence: 0, stamp: '20320101T000000Z', attendees: [] });
    await done(player);
    expect(await shown(player)).toHaveLength(3);
    await push(player, { uid: 'off', method: 'CANCEL', sequence: 3, attendees: [] });
    await until(async () => (await shown(player)).length === 0);
    await push(player, { uid: 'off', sequence: 2, lines: DAILY });
    // One that was called off before its invitation came.
    await push(player, { uid: 'never', method: 'CANCEL', sequence: 1 });
    await push(player, { uid: 'never', sequence: 0 });
    await done(player);
    await shows(player, []);
    await push(player, { uid: 'never', sequence: 2 });
    await waitForAppointment(player, 'never');
  });

  it('may be known by single occurrences only, until it comes', async () => {
    const player = await createAcquaintedUser();
    const occurrence = (day: string, sequence = 0): Message => ({
      uid: 'single',
      sequence,
      start: `203305${day}T${sequence > 0 ? '12' : '09'}0000Z`,
      end: `203305${day}T130000Z`,
      lines: ['SUMMARY:One', `RECURRENCE-ID:203305${day}T090000Z`],
    });
    await push(player, occurrence('04'));
    await push(player, occurrence('05'));
    await push(player, occurrence('05', 1));
    await shows(player, [
      [24, 'One'],
      [51, 'One'],
    ]);
    await push(player, { ...occurrence('04', 1), method: 'CANCEL' });
    await until(async () => (await shown(player)).length === 1);
    await push(player, { uid: 'single', sequence: 1, lines: DAILY });
    await shows(player, [
      [0, 'Daily'],
      [24, 'Daily'],
      [51, 'One'],
      [72, 'Daily'],
    ]);
    const exceptions = await player.get('calendar', 'getChangeExceptions', {
      id: (await idOf(player, 'single'))!,
      folder: player.folder,
      columns: '201,207',
    });
    expect(exceptions.data).toEqual([[expect.any(Number), 3]]);
  });

  it('gets occurrences outside of its rule', async () => {
    const player = await createAcquaintedUser();
    await push(player, { uid: 'add', lines: DAILY });
    const id = await waitForAppointment(player, 'add');
    const extra: Message = {
      uid: 'add',
      method: 'ADD',
      sequence: 1,
      start: '20330510T110000Z',
      end: '20330510T140000Z',
      lines: ['SUMMARY:Extra'],
    };
    await push(player, extra);
    await push(player, { ...extra, sequence: 2 });
    await until(async () => (await shown(player)).length === 5);
    await done(player);
    expect((await shown(player)).at(-1)).toEqual([170, 'Extra']);
    expect(await shown(player)).toHaveLength(5);
    await push(player, { uid: 'plain', start: '20330601T090000Z', end: '20330601T100000Z' });
    await push(player, { ...extra, uid: 'plain', start: '20330602T090000Z', end: '20330602T100000Z' });
    await until(async () => (await shown(player)).length === 7);
    expect(await read(player, id)).toMatchObject({ title: 'Daily' });
  });

  it('is the same however often each mail comes', async () => {
    const player = await createAcquaintedUser();
    const series: Message = {
      uid: 'again',
      lines: DAILY,
      more: [
        {
          uid: 'again',
          lines: ['SUMMARY:X', 'RECURRENCE-ID:20330504T090000Z'],
          start: '20330504T100000Z',
          end: '20330504T110000Z',
        },
      ],
    };
    await push(player, series);
    const id = await waitForAppointment(player, 'again');
    await done(player);
    const before = [await read(player, id), await shown(player)];
    await push(player, { ...series, messageId: '<again@elsewhere.example>' });
    await push(player, { ...series, messageId: '<again@elsewhere.example>' });
    await done(player);
    expect([await read(player, id), await shown(player)]).toEqual(before);
  });
});

describe('the quota of a context', () => {
  afterAll(() => quota(-1));
  const quota = (calendar: number) =>
    cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/quota`, { filestoreMb: -1, items: { calendar } });

  it('holds for invitations by mail, whatever they bring; what is there is changed all the same', async () => {
    const player = await createAcquaintedUser();
    const known = { uid: 'known to the quota', lines: ['SUMMARY:Plan', 'RRULE:FREQ=DAILY;COUNT=5'] };
    await push(player, known);
    await until(async () => (await idOf(player, known.uid)) !== undefined);
    const own = await created(player, {
      ...{ uid: 'own', start_date: START + 100 * DAY, end_date: START + 100 * DAY + HOUR },
      ...{ recurrence_type: 1, interval: 1, occurrences: 5 },
      participants: [
        { type: 1, id: player.userId },
        { type: 5, mail: ORGANIZER },
      ],
    });
    const reply = (lines: string[]): Message => ({
      ...{ uid: 'own', method: 'REPLY', lines },
      attendees: [`ATTENDEE;PARTSTAT=ACCEPTED:mailto:${ORGANIZER}`],
    });
    await quota(0);
    const named = new Date(START + 101 * DAY).toISOString().replace(/[-:]|\.000/g, '');
    await push(player, reply([`RECURRENCE-ID:${named}`]));
    await push(player, reply([]));
    await until(async () => (await read(player, own)).confirmations[0].status === 1);
    expect(await read(player, own)).not.toHaveProperty('change_exceptions');
    const occurrence = 'RECURRENCE-ID:20330504T090000Z';
    await push(player, { uid: 'beyond the quota' });
    await push(player, { uid: 'beyond, one of a series', lines: [occurrence, 'SUMMARY:One'] });
    await push(player, { ...known, sequence: 1, lines: [occurrence, 'SUMMARY:Other'] });
    const following = occurrence.replace(':', ';RANGE=THISANDFUTURE:');
    const times = { start: '20330504T090000Z', end: '20330504T100000Z' };
    await push(player, { ...known, ...times, sequence: 1, lines: [following, 'SUMMARY:Rest'] });
    await push(player, { ...known, sequence: 2, lines: ['SUMMARY:Newer', 'RRULE:FREQ=DAILY;COUNT=5'] });
    await until(async () => (await read(player, (await idOf(player, known.uid))!)).title === 'Newer');
    const shown = await all(player, '1,200', { start: START - DAY, end: START + 20 * DAY });
    expect(shown.map(([, title]) => title)).toEqual(Array.from({ length: 5 }, () => 'Newer'));
    for (const uid of ['beyond the quota', 'beyond, one of a series']) expect(await idOf(player, uid)).toBeUndefined();
    await quota(-1);
    await push(player, { uid: 'beyond the quota' });
    await until(async () => (await idOf(player, 'beyond the quota')) !== undefined);
  });
});
