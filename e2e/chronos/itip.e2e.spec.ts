import { attachFiles } from '../attachments/attachments';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, created, dataOf, folderOf, get, type Json, remove, THIRTIES, update } from './events';

let environment: TestEnvironment;
let cast: Fixtures;
let count = 0;

beforeAll(async () => {
  environment = await shareTestEnvironment();
  cast = await createFixtures(environment);
}, 120_000);
afterAll(() => environment?.close());

const ORGANIZER = 'zoe@elsewhere.test';
const source = { dataSource: 'com.example.calendar.ical', descriptionFormat: 'html' };
const freshUid = (): string => `itip-${(count += 1)}@elsewhere.test`;

interface Text {
  readonly uid: string;
  readonly method?: string;
  readonly sequence?: number;
  readonly stamp?: string;
  /** None where it is empty. */
  readonly start?: string;
  readonly lines?: readonly string[];
  readonly organizer?: string;
  /** Parameters of the organizer, each after a semicolon. */
  readonly organizerParameters?: string;
  readonly attendees?: readonly string[];
}

/** A scheduling message of events, by default of an hour each. */
const message = (...texts: readonly [Text, ...Text[]]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//elsewhere//EN',
    `METHOD:${texts[0].method ?? 'REQUEST'}`,
    ...texts.flatMap(eventLines),
    'END:VCALENDAR',
    '',
  ].join('\r\n');
function eventLines(text: Text): string[] {
  const { uid, sequence = 0, stamp = '20310101T000000Z', start = '20310705T080000Z' } = text;
  const {
    organizer = ORGANIZER,
    organizerParameters = '',
    attendees = [`PARTSTAT=NEEDS-ACTION:mailto:${cast.U1.email}`],
  } = text;
  const end = start.replace(/T(\d\d)/, (_all, hour: string) => `T${String(Number(hour) + 1).padStart(2, '0')}`);
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${stamp}`,
    `SEQUENCE:${sequence}`,
    ...(start ? [`DTSTART:${start}`, `DTEND:${end}`] : []),
    `ORGANIZER${organizerParameters}:mailto:${organizer}`,
    ...attendees.map((attendee) => `ATTENDEE;${attendee}`),
    ...(text.lines ?? ['SUMMARY:Theirs']),
    'END:VEVENT',
  ];
}
const call = (user: TestUser, action: string, ical: string, more: Json = {}) =>
  user.put('chronos/itip', action, source, { ical, ...more });
const act = async (action: string, text: Text, more: Json = {}): Promise<Json[]> =>
  dataOf(await call(cast.U1, action, message(text), more));
async function analyze(text: Text, user = cast.U1): Promise<Json> {
  const analyses: Json[] = dataOf(await call(user, 'analyze', message(text)));
  expect(analyses).toHaveLength(1);
  return analyses[0]!;
}
const messagesOf = ({ annotations = [] }: Json): string[] => annotations.map((each: Json) => each.message);
/** Times of day are written with spaces of several kinds. */
const withPlainSpaces = (text: string): string => text.replace(/\s/g, ' ');
async function importFile(text: string, events = 1): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([text.replace(/METHOD:.*\r\n/, '')], { type: 'text/calendar' }), 'invite.ics');
  const query = { action: 'ICAL', session: cast.U1.session, folder: cast.U1.folder, plainJson: 'true' };
  const answer = await cast.U1.fetch('POST', '/import', query, { body: form });
  expect(await answer.json()).toMatchObject({
    data: Array.from({ length: events }, () => ({ id: expect.anything() })),
  });
}
const stored = async (uid: string): Promise<Json[]> => (await all(cast.U1)).filter((each) => each.uid === uid);

describe('invitations that users decide on', () => {
  it('CI-01 RFC 5546 3.2.2: an unknown event is a creation to be accepted or declined, and nothing is stored', async () => {
    const uid = freshUid();
    const analysis = await analyze({ uid });
    expect(analysis).toMatchObject({ uid, changes: [{ type: 'create', exception: false }] });
    expect(analysis.changes[0].newEvent).toMatchObject({ uid, summary: 'Theirs' });
    expect(analysis.changes[0].newEvent).not.toHaveProperty('id');
    expect(analysis.changes[0].currentEvent).toBeUndefined();
    expect(analysis.actions).toEqual(['accept', 'decline', 'tentative', 'delegate', 'counter']);
    expect(await stored(uid)).toEqual([]);
  });

  it.each([
    ['accept', 'ACCEPTED'],
    ['accept_and_ignore_conflicts', 'ACCEPTED'],
    ['tentative', 'TENTATIVE'],
    ['decline', 'DECLINED'],
  ])('CI-02 %s stores the event with that answer', async (action, partStat) => {
    const uid = freshUid();
    const [event] = await act(action, { uid }, { message: 'maybe' });
    expect(event).toMatchObject({ uid, folder: `cal://0/${cast.U1.folder}` });
    const [found] = await stored(uid);
    const { attendees, organizer } = await get(cast.U1, found!.id);
    expect(attendees.find((each: Json) => each.entity === cast.U1.userId)).toMatchObject({
      partStat,
      comment: 'maybe',
    });
    expect(organizer).toMatchObject({ email: ORGANIZER });
    expect(organizer.entity).toBeUndefined();
  });

  it('CI-02 names, kinds and roles are those of the message, and so is who acts for the organizer', async () => {
    const uid = freshUid();
    const text: Text = {
      uid,
      organizerParameters: ';CN=Zoe Z.;SENT-BY="mailto:desk@elsewhere.test"',
      attendees: [
        `ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION:mailto:${cast.U1.email}`,
        'CN=Hall;CUTYPE=ROOM;ROLE=NON-PARTICIPANT:mailto:hall@elsewhere.test',
        'CN=Team;CUTYPE=GROUP;RSVP=TRUE:mailto:team@elsewhere.test',
        'CN=Ann:mailto:ann@elsewhere.test',
      ],
    };
    const organizer = {
      ...{ cn: 'Zoe Z.', email: ORGANIZER, uri: `mailto:${ORGANIZER}` },
      sentBy: { email: 'desk@elsewhere.test', uri: 'mailto:desk@elsewhere.test' },
    };
    const people = [
      { entity: cast.U1.userId, cuType: 'INDIVIDUAL', role: 'OPT-PARTICIPANT' },
      { email: 'hall@elsewhere.test', cn: 'Hall', cuType: 'ROOM', role: 'NON-PARTICIPANT' },
      { email: 'team@elsewhere.test', cn: 'Team', cuType: 'GROUP', role: 'REQ-PARTICIPANT', rsvp: true },
      { email: 'ann@elsewhere.test', cn: 'Ann', cuType: 'INDIVIDUAL', role: 'REQ-PARTICIPANT' },
    ];
    const expected = { organizer, attendees: people.map((each) => expect.objectContaining(each)) };
    expect((await analyze(text)).changes[0].newEvent).toMatchObject(expected);
    const [{ id }] = (await act('tentative', text)) as [Json];
    const event = await get(cast.U1, id);
    expect(event).toMatchObject(expected);
    const query = { action: 'ICAL', folder: folderOf(cast.U1), session: cast.U1.session };
    const file = (await (await cast.U1.fetch('GET', '/export', query)).text()).replace(/\r\n[ \t]/g, '');
    expect(file).toMatch(new RegExp(`^ORGANIZER;.*CN="?Zoe Z\\."?.*:mailto:${ORGANIZER}`, 'm'));
    // Sending back what is shown changes nothing.
    const { attendees } = event;
    dataOf(await update(cast.U1, id, { organizer: event.organizer, attendees, color: 'teal' }));
    expect(await get(cast.U1, id)).toMatchObject(expected);
    const later = { ...text, sequence: 1, organizerParameters: ';CN=Zoe' };
    await act('accept', later);
    const { organizer: renamed } = await get(cast.U1, id);
    expect(renamed).toEqual({ cn: 'Zoe', email: ORGANIZER, uri: `mailto:${ORGANIZER}` });
  });

  it('what is taken over and not declined has the alarms that the user wants of new events', async () => {
    const alarm = (duration: string): Json => ({ action: 'DISPLAY', trigger: { duration, related: 'START' } });
    const wishes = (chronos: Json) => cast.U1.put('jslob', 'update', { id: 'io.ox/calendar' }, { chronos });
    const alarmsOf = async (action: string, text: Partial<Text> = {}): Promise<string[] | undefined> => {
      const [event] = await act(action, { uid: freshUid(), ...text });
      const { alarms } = await get(cast.U1, event!.id);
      return alarms?.map(({ trigger }: Json) => trigger.duration);
    };
    dataOf(
      await wishes({ defaultAlarmDateTime: [alarm('-PT20M'), alarm('-PT1H')], defaultAlarmDate: [alarm('-PT12H')] }),
    );
    expect(await alarmsOf('accept')).toEqual(['-PT20M', '-PT1H']);
    expect(await alarmsOf('tentative')).toEqual(['-PT20M', '-PT1H']);
    expect(await alarmsOf('decline')).toBeUndefined();
    const uid = freshUid();
    expect(await alarmsOf('accept', { uid })).toHaveLength(2);
    const [{ id }] = (await stored(uid)) as [Json];
    dataOf(await update(cast.U1, id, { alarms: [] }));
    // A change of what is known has none of its own.
    expect(await alarmsOf('accept', { uid, sequence: 1, start: '20310705T100000Z' })).toBeUndefined();
    // Clients may keep other values there.
    dataOf(await wishes({ defaultAlarmDateTime: 'none' }));
    expect(await alarmsOf('accept')).toBeUndefined();
  });

  it('RFC 5546 3.2.7: a proposal takes the event over without an answer; nothing, or no valid time, is none', async () => {
    const uid = freshUid();
    const propose = (event: Json) => call(cast.U1, 'counter', message({ uid }), { event, message: 'Later' });
    expect(await propose({})).toMatchObject({ code: 'SVL-0002' });
    expect(await call(cast.U1, 'counter', message({ uid }))).toMatchObject({ code: 'SVL-0002' });
    expect(await propose({ endDate: { value: '20310705T070000Z' } })).toMatchObject({ code: 'CAL-4221' });
    expect(await stored(uid)).toEqual([]);
    const times = { startDate: { value: '20310705T100000Z' }, endDate: { value: '20310705T110000Z' } };
    expect(dataOf(await propose(times))).toMatchObject([{ uid, startDate: { value: expect.stringContaining('T08') } }]);
    const [event] = await stored(uid);
    const { attendees } = await get(cast.U1, event!.id);
    expect(attendees.find((each: Json) => each.entity === cast.U1.userId)).toMatchObject({ partStat: 'NEEDS-ACTION' });
  });

  it('RFC 5546 3.2.2.3: who delegates is DELEGATED; a delegate has an address and is another one', async () => {
    const uid = freshUid();
    const delegate = (attendee: Json) => call(cast.U1, 'delegate', message({ uid }), { attendee });
    for (const attendee of [{}, { uri: 'mailto:' }, { email: 'x' }, { entity: 999_999 }, { entity: cast.U1.userId }])
      expect(await delegate(attendee)).toMatchObject({ code: 'CAL-4034' });
    expect(await stored(uid)).toEqual([]);
    dataOf(await delegate({ entity: cast.U2.userId }));
    const [event] = await stored(uid);
    const { attendees } = await get(cast.U1, event!.id);
    expect(attendees.find((each: Json) => each.entity === cast.U1.userId)).toMatchObject({ partStat: 'DELEGATED' });
    const waiting = dataOf(await cast.U1.get('chronos', 'needsAction', THIRTIES));
    expect(waiting.map((each: Json) => each.uid)).not.toContain(uid);
  });

  it('CI-03 a newer message with another time is an update with what is different', async () => {
    const uid = freshUid();
    await act('accept', { uid });
    const moved = { uid, sequence: 1, start: '20310705T060000Z', lines: ['SUMMARY:<b>New</b>'] };
    const { changes, actions } = await analyze(moved);
    expect(changes).toMatchObject([{ type: 'update', currentEvent: { summary: 'Theirs' } }]);
    expect(changes[0].newEvent.startDate.value).toContain('20310705T060000');
    expect(changes[0].diffDescription.map(withPlainSpaces)).toEqual([
      'The title is now “&lt;b&gt;New&lt;/b&gt;”.',
      'The event now takes place Saturday, July 5, 2031, 6:00 – 7:00 AM (UTC).',
    ]);
    const zoned = { ...source, timezone: 'Europe/Berlin' };
    const [inBerlin] = dataOf(await cast.U1.put('chronos/itip', 'analyze', zoned, { ical: message(moved) }));
    expect(withPlainSpaces(inBerlin.changes[0].diffDescription[1])).toContain('8:00 – 9:00 AM (Europe/Berlin)');
    expect(actions).toEqual(expect.arrayContaining(['accept', 'decline', 'tentative']));
    expect(actions).not.toContain('update');
    const text = { uid, sequence: 1, lines: ['SUMMARY:Renamed'] };
    expect((await analyze(text)).actions).toContain('update');
    await act('update', text);
    expect(await stored(uid)).toMatchObject([{ summary: 'Renamed' }]);
  });

  it('CI-04 an older message is to be ignored', async () => {
    const uid = freshUid();
    await act('accept', { uid, sequence: 3 });
    const analysis = await analyze({ uid, sequence: 2 });
    expect(analysis.actions).toEqual(['ignore']);
    expect(messagesOf(analysis)).toEqual([expect.stringContaining('outdated')]);
    expect(await call(cast.U1, 'accept', message({ uid, sequence: 2 }))).toMatchObject({ code: 'ITIP-0102' });
    dataOf(await call(cast.U1, 'ignore', message({ uid, sequence: 2 })));
  });

  it('tells conflicts, which keep nobody from accepting', async () => {
    await created(cast.U1, {
      summary: 'Busy',
      startDate: { value: '20310805T080000Z' },
      endDate: { value: '20310805T090000Z' },
    });
    const text = { uid: freshUid(), start: '20310805T080000Z' };
    const { changes, actions } = await analyze(text);
    expect(changes[0].conflicts).toMatchObject([{ hard_conflict: false, event: { summary: 'Busy' } }]);
    expect(actions).toContain('accept_and_ignore_conflicts');
    expect(actions).not.toContain('accept');
    expect(await act('accept', text)).toHaveLength(1);
  });

  it('an exception of a known series is a creation with its series', async () => {
    const uid = freshUid();
    await act('accept', { uid, lines: ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=4'] });
    const exception = {
      uid,
      sequence: 1,
      start: '20310706T100000Z',
      lines: ['RECURRENCE-ID:20310706T080000Z', 'SUMMARY:Moved'],
    };
    const analysis = await analyze(exception);
    expect(analysis.changes).toMatchObject([{ type: 'create', exception: true, newEvent: { summary: 'Moved' } }]);
    const { masterEvent, newEvent } = analysis.changes[0];
    expect(masterEvent).toMatchObject({ id: expect.any(String), seriesId: masterEvent.id, summary: 'Daily' });
    expect(newEvent).toMatchObject({ seriesId: masterEvent.id, recurrenceId: '20310706T080000Z' });
    expect(newEvent).not.toHaveProperty('id');
    expect(analysis.actions).toContain('update');
    await act('accept', exception);
    const events = (await all(cast.U1, { expand: true })).filter((each) => each.uid === uid);
    expect(events).toHaveLength(4);
  });

  it.each(['accept', 'tentative', 'decline', 'update'])(
    '%s of a series and its exceptions in one message: each occurrence is there once',
    async (action) => {
      const uid = freshUid();
      const series: Text = { uid, lines: ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=3'] };
      const moved = (day: string): Text => ({
        ...{ uid, start: `203107${day}T150000Z` },
        lines: [`RECURRENCE-ID:203107${day}T080000Z`, 'SUMMARY:Moved'],
      });
      const ical = message(moved('07'), series, moved('06'));
      const exceptions = { changeExceptionDates: ['20310706T080000Z', '20310707T080000Z'] };
      const [analysis] = dataOf(await call(cast.U1, 'analyze', ical));
      expect(analysis.changes[0].newEvent).toMatchObject(exceptions);
      expect(dataOf(await call(cast.U1, action, ical))[0]).toMatchObject(exceptions);
      const events = (await all(cast.U1, { expand: true })).filter((each) => each.uid === uid);
      expect(events.map(({ startDate, recurrenceId }) => [startDate.value, recurrenceId])).toEqual([
        ['20310705T080000Z', '20310705T080000Z'],
        ['20310706T150000Z', '20310706T080000Z'],
        ['20310707T150000Z', '20310707T080000Z'],
      ]);
    },
  );

  it('an exception of an unknown series is told, with nothing to do', async () => {
    const text = { uid: freshUid(), start: '20310706T100000Z', lines: ['RECURRENCE-ID:20310706T080000Z'] };
    const analysis = await analyze(text);
    expect(analysis).toEqual({ uid: text.uid, annotations: [{ message: expect.any(String) }] });
    expect(await call(cast.U1, 'accept', message(text))).toMatchObject({ code: 'ITIP-0102' });
    expect(await stored(text.uid)).toEqual([]);
  });

  it('an exception that does not say so is as private as its series', async () => {
    const uid = freshUid();
    await act('accept', { uid, lines: ['SUMMARY:Secret', 'CLASS:PRIVATE', 'RRULE:FREQ=DAILY;COUNT=4'] });
    const exception = { uid, sequence: 1, start: '20310706T100000Z' };
    await act('accept', { ...exception, lines: ['RECURRENCE-ID:20310706T080000Z', 'SUMMARY:Moved'] });
    const renamed = { ...exception, sequence: 2, lines: ['RECURRENCE-ID:20310706T080000Z', 'SUMMARY:Renamed'] };
    await act('accept', renamed);
    const classes = (await stored(uid)).map((each) => [each.summary, each.class]);
    expect(classes).toEqual([
      ['Secret', 'PRIVATE'],
      ['Renamed', 'PRIVATE'],
    ]);
  });

  it('RFC 5546 3.2.4: an occurrence that is added is answered by itself', async () => {
    const uid = freshUid();
    await act('tentative', { uid, lines: ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=2'] });
    const added = { uid, method: 'ADD', sequence: 1, start: '20310710T080000Z', lines: ['SUMMARY:Once more'] };
    const { changes, actions } = await analyze(added);
    expect(changes).toMatchObject([
      { type: 'create', exception: true, newEvent: { summary: 'Once more', recurrenceId: '20310710T080000Z' } },
    ]);
    expect(changes[0].masterEvent).toMatchObject({ summary: 'Daily' });
    expect(actions).toContain('accept');
    expect(await act('accept', added)).toMatchObject([{ summary: 'Once more' }]);
    const events = (await all(cast.U1, { expand: true })).filter((each) => each.uid === uid);
    expect(events.map(({ attendees }) => attendees[0].partStat)).toEqual(['TENTATIVE', 'TENTATIVE', 'ACCEPTED']);
  });

  it('RFC 5546 3.2.2: both parts of a series that its organizer splits have its files', async () => {
    const uid = 'split with files';
    const [{ id }] = (await act('accept', { uid, lines: ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=4'] })) as [Json];
    const target = { attached: Number(id), folder: Number(cast.U1.folder), module: 1 };
    await attachFiles(cast.U1, target, [{ name: 'a.txt', content: 'first' }]);
    const following = 'RECURRENCE-ID;RANGE=THISANDFUTURE:20310707T080000Z';
    const change = { uid, sequence: 1, start: '20310707T100000Z', lines: [following, 'SUMMARY:Later'] };
    await analyze(change);
    await act('update', change);
    const parts = (await all(cast.U1)).filter((each) => each.uid.startsWith(uid));
    expect(parts.map(({ summary }) => summary)).toEqual(['Daily', 'Later']);
    for (const part of parts) expect(part.attachments).toMatchObject([{ filename: 'a.txt', size: 5 }]);
    expect(parts[0]!.attachments[0].managedId).not.toBe(parts[1]!.attachments[0].managedId);
  });

  it('RFC 5546 3.2.2: an occurrence that its organizer changes has the files of its series', async () => {
    const uid = freshUid();
    const [{ id }] = (await act('accept', { uid, lines: ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=4'] })) as [Json];
    const target = { attached: Number(id), folder: Number(cast.U1.folder), module: 1 };
    await attachFiles(cast.U1, target, [{ name: 'a.txt', content: 'first' }]);
    const once = {
      uid,
      sequence: 1,
      start: '20310707T100000Z',
      lines: ['RECURRENCE-ID:20310707T080000Z', 'SUMMARY:Once'],
    };
    const [shown] = await act('update', once);
    expect(shown).toMatchObject({ summary: 'Once', attachments: [{ filename: 'a.txt', size: 5 }] });
    expect(await get(cast.U1, shown!.id)).toMatchObject({ attachments: shown!.attachments });
    const [{ managedId }] = (await get(cast.U1, id)).attachments;
    expect(shown!.attachments[0].managedId).not.toBe(managedId);
  });

  it('an organizer of this server who has the event is told so, with nothing to do', async () => {
    const organizer = cast.U2.email;
    for (const attendees of [[], [{ entity: cast.U1.userId }]]) {
      const { uid } = await created(cast.U2, { attendees });
      const analysis = await analyze({ uid, organizer });
      expect([analysis.changes, analysis.actions]).toEqual([undefined, undefined]);
      expect(messagesOf(analysis)).toEqual([expect.stringContaining(organizer)]);
    }
    const own = await analyze({ uid: freshUid(), organizer: cast.U1.email });
    expect(own.actions).toBeUndefined();
    expect(messagesOf(own)).toEqual(['You organize this event yourself. The message is not applied.']);
  });

  it('the unique id of an own event, in a message of an organizer elsewhere, is told as what it is', async () => {
    const { uid } = await created(cast.U1, { attendees: [{ entity: cast.U2.userId }] });
    for (const [user, told] of [
      [cast.U1, `organized by ${cast.U1.email}, not by ${ORGANIZER}`],
      [cast.U2, `not organized by ${ORGANIZER}`],
    ] as const) {
      const analysis = await analyze({ uid }, user);
      expect([analysis.changes, analysis.actions]).toEqual([undefined, ['ignore']]);
      expect(messagesOf(analysis)).toEqual([expect.stringContaining(told)]);
      expect(await call(user, 'accept', message({ uid }))).toMatchObject({ code: 'ITIP-0102' });
    }
  });

  it('CI-01 CI-02 an event that its organizer of this server does not have here is answered as any other', async () => {
    const text = { uid: freshUid(), organizer: cast.U2.email, start: '20310801T080000Z' };
    expect(await analyze(text)).toMatchObject({
      changes: [{ type: 'create' }],
      actions: ['accept', 'decline', 'tentative', 'delegate', 'counter'],
    });
    const [event] = await act('accept', text);
    expect(event!.organizer).toMatchObject({ email: cast.U2.email });
    expect((await analyze({ ...text, sequence: 1, start: '20310802T080000Z' })).changes).toMatchObject([
      { type: 'update' },
    ]);
    await act('delete', { ...text, method: 'CANCEL', sequence: 2 });
    expect(await stored(text.uid)).toEqual([]);
  });

  it('CI-02 what the user imported before becomes the invitation, with his answer', async () => {
    const zoe = 'zoe11@outside.test';
    const attendees = [`PARTSTAT=NEEDS-ACTION:mailto:${cast.U1.email}`, `PARTSTAT=ACCEPTED:mailto:${zoe}`];
    const uid = freshUid();
    const series: Text = { uid, attendees, lines: ['SUMMARY:Theirs', 'RRULE:FREQ=DAILY;COUNT=3'] };
    await importFile(message(series));
    const [master] = await stored(uid);
    const own = dataOf(await update(cast.U1, master!.id, { location: 'L' }, { recurrenceId: '20310706T080000Z' }));
    const people = (event: Json): Json =>
      Object.fromEntries(event.attendees.map((each: Json) => [each.email, each.partStat]));
    expect((await analyze(series)).actions).toEqual([
      'accept',
      'decline',
      'tentative',
      'delegate',
      'counter',
      'update',
    ]);
    expect(await act('tentative', series)).toMatchObject([{ id: master!.id }]);
    const event = await get(cast.U1, master!.id);
    expect(event.organizer).toMatchObject({ email: ORGANIZER });
    expect(event.organizer.entity).toBeUndefined();
    expect(people(event)).toEqual({ [cast.U1.email]: 'TENTATIVE', [zoe]: 'ACCEPTED' });
    const exception = await get(cast.U1, own.created[0].id);
    expect(exception).toMatchObject({ location: 'L', organizer: { email: ORGANIZER } });
    expect(Object.keys(people(exception))).toEqual([cast.U1.email, zoe]);
    // It is the organizer's now.
    expect(await update(cast.U1, master!.id, { summary: 'x' })).toMatchObject({ code: 'CAL-4038' });
    expect(await update(cast.U1, exception.id, { summary: 'x' })).toMatchObject({ code: 'CAL-4038' });
  });

  it('CI-02 so does an imported series with an exception of the organizer', async () => {
    const zoe = 'zoe12@outside.test';
    const attendees = [`PARTSTAT=NEEDS-ACTION:mailto:${cast.U1.email}`, `PARTSTAT=ACCEPTED:mailto:${zoe}`];
    const uid = freshUid();
    const text = message(
      { uid, attendees, lines: ['SUMMARY:Theirs', 'RRULE:FREQ=DAILY;COUNT=3'] },
      { uid, attendees, start: '20310706T100000Z', lines: ['SUMMARY:Moved', 'RECURRENCE-ID:20310706T080000Z'] },
    );
    await importFile(text, 2);
    expect((await call(cast.U1, 'accept', text)).error).toBeUndefined();
    const events = await stored(uid);
    expect(events).toHaveLength(2);
    for (const { id } of events) {
      const event = await get(cast.U1, id);
      expect(event.organizer).toMatchObject({ email: ORGANIZER });
      expect(event.attendees.map(({ email, partStat }: Json) => [email, partStat])).toEqual([
        [cast.U1.email, 'ACCEPTED'],
        [zoe, 'ACCEPTED'],
      ]);
    }
  });

  it('CI-02 an event that is accepted twice at once is stored once', async () => {
    const uid = freshUid();
    const answers = await Promise.all(
      ['accept', 'tentative', 'accept', 'decline'].map((action) => call(cast.U1, action, message({ uid }))),
    );
    const ids = answers.map((each) => dataOf(each)[0].id);
    expect(new Set(ids).size).toBe(1);
    expect(await stored(uid)).toHaveLength(1);
  });

  it('CI-08 two users of one context each have an event of their own', async () => {
    const uid = freshUid();
    const attendees = [cast.U1, cast.U2].map(({ email }) => `PARTSTAT=NEEDS-ACTION:mailto:${email}`);
    for (const user of [cast.U1, cast.U2]) dataOf(await call(user, 'accept', message({ uid, attendees })));
    for (const user of [cast.U1, cast.U2]) {
      const [event] = (await all(user)).filter((each) => each.uid === uid);
      const { attendees: people } = await get(user, event!.id);
      expect(people.filter((each: Json) => each.entity !== undefined)).toMatchObject([{ entity: user.userId }]);
    }
  });
});

describe('cancellations that users decide on', () => {
  it('CI-05 of an occurrence leaves the others', async () => {
    const uid = freshUid();
    await act('accept', { uid, lines: ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=4'] });
    const text = {
      uid,
      method: 'CANCEL',
      sequence: 1,
      start: '20310706T080000Z',
      lines: ['RECURRENCE-ID:20310706T080000Z', 'STATUS:CANCELLED'],
    };
    const analysis = await analyze(text);
    expect(analysis).toMatchObject({
      changes: [{ type: 'create_delete_exception', exception: true }],
      actions: ['delete'],
    });
    const { masterEvent, deletedEvent } = analysis.changes[0];
    expect(deletedEvent).toMatchObject({ id: masterEvent.id, recurrenceId: '20310706T080000Z' });
    expect(await act('delete', text)).toMatchObject([{ id: masterEvent.id, recurrenceId: '20310706T080000Z' }]);
    const left = (await all(cast.U1, { expand: true })).filter((each) => each.uid === uid);
    expect(left.map(({ recurrenceId }) => recurrenceId)).toEqual([
      '20310705T080000Z',
      '20310707T080000Z',
      '20310708T080000Z',
    ]);
  });

  it.each(['delete', 'cancel'])('%s takes the whole event away', async (action) => {
    const uid = freshUid();
    await act('accept', { uid });
    const text = { uid, method: 'CANCEL', sequence: 1 };
    expect(await analyze(text)).toMatchObject({ changes: [{ type: 'delete', deletedEvent: { uid } }] });
    expect(await act(action, text)).toMatchObject([{ uid }]);
    expect(await stored(uid)).toEqual([]);
  });

  it('of what is unknown or older is to be ignored', async () => {
    expect((await analyze({ uid: freshUid(), method: 'CANCEL' })).actions).toEqual(['ignore']);
    const uid = freshUid();
    await act('accept', { uid, sequence: 3 });
    const analysis = await analyze({ uid, method: 'CANCEL', sequence: 2 });
    expect(analysis).toEqual({ uid, actions: ['ignore'], annotations: [{ message: expect.any(String) }] });
  });

  it('RFC 5546 3.2.5: need no DTSTART', async () => {
    const uid = freshUid();
    await act('accept', { uid, lines: ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=4'] });
    const cancel = (...lines: string[]): Text => ({ uid, method: 'CANCEL', sequence: 1, start: '', lines });
    await act('delete', cancel('RECURRENCE-ID:20310706T080000Z'));
    await act('delete', cancel('RECURRENCE-ID;RANGE=THISANDFUTURE:20310708T080000Z'));
    const left = (await all(cast.U1, { expand: true })).filter((each) => each.uid === uid);
    expect(left.map(({ recurrenceId }) => recurrenceId)).toEqual(['20310705T080000Z', '20310707T080000Z']);
    await act('delete', { ...cancel(), sequence: 2 });
    expect(await stored(uid)).toEqual([]);
  });

  it('CI-06 by another organizer is none', async () => {
    const uid = freshUid();
    await act('accept', { uid });
    const analysis = await analyze({ uid, method: 'CANCEL', sequence: 1, organizer: 'mallory@elsewhere.test' });
    expect(analysis.actions).toEqual(['ignore']);
    expect(messagesOf(analysis)).toEqual([expect.stringContaining(ORGANIZER)]);
  });
});

describe('answers that users decide on', () => {
  const reply = (uid: string, who: string): Text => ({
    uid,
    method: 'REPLY',
    organizer: cast.U1.email,
    attendees: [`PARTSTAT=ACCEPTED:mailto:${who}`],
    start: '20310605T080000Z',
  });

  it('CI-07 an answer changes that of the attendee alone', async () => {
    const [zoe, yan] = ['zoe1@outside.test', 'yan1@outside.test'];
    const attendees = [zoe, yan].map((address) => ({ uri: `mailto:${address}` }));
    const { id, uid } = await created(cast.U1, { attendees });
    const analysis = await analyze(reply(uid, zoe));
    expect(analysis).toMatchObject({ changes: [{ type: 'update' }], actions: ['update'] });
    await act('update', reply(uid, zoe));
    const event = await get(cast.U1, id);
    const answers = Object.fromEntries(event.attendees.map((each: Json) => [each.email, each.partStat]));
    expect(answers).toMatchObject({ [zoe]: 'ACCEPTED', [yan]: 'NEEDS-ACTION' });
  });

  it('who answers with nothing that is an answer is not taken for a stranger', async () => {
    const zoe = 'zoe7@outside.test';
    const { uid } = await created(cast.U1, { attendees: [{ uri: `mailto:${zoe}` }] });
    for (const partStat of ['NEEDS-ACTION', 'X-LATER']) {
      const analysis = await analyze({ ...reply(uid, zoe), attendees: [`PARTSTAT=${partStat}:mailto:${zoe}`] });
      expect(analysis.actions).toEqual(['ignore']);
      expect(messagesOf(analysis)).toEqual(['The message cannot be applied.']);
    }
  });

  it('RFC 5546 3.2.2.3: who delegated is asked again when the event moves, in exceptions and by either door', async () => {
    const zoe = 'zoe8@outside.test';
    const { id, uid } = await created(cast.U1, {
      attendees: [{ uri: `mailto:${zoe}` }],
      rrule: 'FREQ=DAILY;COUNT=3',
    });
    const delegated = {
      ...reply(uid, zoe),
      attendees: [`PARTSTAT=DELEGATED;DELEGATED-TO="mailto:d@x.test":mailto:${zoe}`],
    };
    await act('update', delegated);
    await update(cast.U1, id, { location: 'L' }, { recurrenceId: '20310606T080000Z' });
    const answers = async (): Promise<string[]> =>
      (await stored(uid)).map(({ attendees }) => attendees.find(({ email }: Json) => email === zoe).partStat);
    expect(await answers()).toEqual(['DELEGATED', 'DELEGATED']);
    const times = { startDate: { value: '20310605T070000Z' }, endDate: { value: '20310605T090000Z' } };
    dataOf(await update(cast.U1, id, times));
    expect(await answers()).toEqual(['NEEDS-ACTION', 'NEEDS-ACTION']);
    const single = await created(cast.U1, { attendees: [{ uri: `mailto:${zoe}` }] });
    await act('update', { ...delegated, uid: single.uid });
    const query = { id: single.id, folder: cast.U1.folder, timestamp: 9e15 };
    const start_date = Date.UTC(2031, 5, 5, 7);
    expect(
      (await cast.U1.put('calendar', 'update', query, { start_date, ignore_conflicts: true })).code,
    ).toBeUndefined();
    const { attendees } = await get(cast.U1, single.id);
    expect(attendees.find(({ email }: Json) => email === zoe).partStat).toBe('NEEDS-ACTION');
  });

  it('an answer to a series is that of exceptions that only answers make differ, where it was equal before', async () => {
    const zoe = 'zoe10@outside.test';
    const attendees = [{ uri: `mailto:${zoe}` }, { entity: cast.U2.userId }];
    const { id, uid } = await created(cast.U1, { attendees, rrule: 'FREQ=DAILY;COUNT=4' });
    const body = { attendee: { entity: cast.U2.userId, partStat: 'DECLINED' } };
    const query = { id, folder: folderOf(cast.U2), recurrenceId: '20310606T080000Z', timestamp: 9e15 };
    dataOf(await cast.U2.put('chronos', 'updateAttendee', query, body));
    const declined = { start: '20310607T080000Z', attendees: [`PARTSTAT=DECLINED:mailto:${zoe}`] };
    await act('update', { ...reply(uid, zoe), ...declined, lines: ['RECURRENCE-ID:20310607T080000Z'] });
    await update(cast.U1, id, { location: 'L' }, { recurrenceId: '20310608T080000Z' });
    await act('update', { ...reply(uid, zoe), stamp: '20310102T000000Z' });
    const answers = async (user: string): Promise<Json> =>
      Object.fromEntries(
        (await stored(uid)).map((each) => [
          each.recurrenceId?.slice(0, 8) ?? 'series',
          each.attendees.find(({ email }: Json) => email === user).partStat,
        ]),
      );
    expect(await answers(zoe)).toEqual({
      ...{ series: 'ACCEPTED', '20310606': 'ACCEPTED', '20310607': 'DECLINED', '20310608': 'NEEDS-ACTION' },
    });
    expect((await answers(cast.U2.email))['20310606']).toBe('DECLINED');
  });

  it('who is let into a series is let into its exceptions, and SEQUENCE is raised', async () => {
    const [zoe, crasher] = ['zoe12@outside.test', 'crasher12@outside.test'];
    const { id, uid } = await created(cast.U1, { attendees: [{ uri: `mailto:${zoe}` }], rrule: 'FREQ=DAILY;COUNT=3' });
    const recurrenceId = '20310606T080000Z';
    const { created: exceptions } = dataOf(await update(cast.U1, id, { location: 'L' }, { recurrenceId }));
    const before = [await get(cast.U1, id), await get(cast.U1, exceptions[0].id)];
    await act('accept_party_crasher', reply(uid, crasher));
    const after = [await get(cast.U1, id), await get(cast.U1, exceptions[0].id)];
    for (const [at, event] of after.entries()) {
      expect(event.attendees).toContainEqual(expect.objectContaining({ email: crasher, partStat: 'ACCEPTED' }));
      expect(event.sequence).toBe(before[at]!.sequence + 1);
    }
    await act('update', { ...reply(uid, zoe), stamp: '20310102T000000Z' });
    expect((await get(cast.U1, id)).sequence).toBe(after[0]!.sequence);
  });

  it('who was not invited may be let in', async () => {
    const { id, uid } = await created(cast.U1, { attendees: [{ uri: 'mailto:zoe2@outside.test' }] });
    const crasher = 'crasher@outside.test';
    const { actions, changes } = await analyze(reply(uid, crasher));
    expect(actions).toEqual(['accept_party_crasher']);
    expect(changes).toMatchObject([{ type: 'update', currentEvent: { id }, newEvent: { id } }]);
    const isCrasher = expect.objectContaining({ email: crasher, partStat: 'ACCEPTED' });
    expect(changes[0].newEvent.attendees).toContainEqual(isCrasher);
    expect((await get(cast.U1, id)).attendees).not.toContainEqual(isCrasher);
    expect(await call(cast.U1, 'update', message(reply(uid, crasher)))).toMatchObject({ code: 'ITIP-0102' });
    await act('accept_party_crasher', reply(uid, crasher));
    const event = await get(cast.U1, id);
    expect(event.attendees).toContainEqual(expect.objectContaining({ email: crasher, partStat: 'ACCEPTED' }));
  });

  it('a user of ours who was not invited is let in as such, and answers by mail as any attendee', async () => {
    const { id, uid } = await created(cast.U1, { attendees: [{ uri: 'mailto:zoe3@outside.test' }] });
    const crasher = cast.U2.email.toUpperCase();
    expect((await analyze(reply(uid, crasher))).actions).toEqual(['accept_party_crasher']);
    await act('accept_party_crasher', reply(uid, crasher));
    const answers = async (): Promise<Json[]> =>
      (await get(cast.U1, id)).attendees.filter(({ email }: Json) => email === cast.U2.email);
    expect(await answers()).toEqual([expect.objectContaining({ entity: cast.U2.userId, partStat: 'ACCEPTED' })]);
    expect(await get(cast.U2, id)).toMatchObject({ uid, folder: folderOf(cast.U2) });
    await act('update', { ...reply(uid, crasher), attendees: [`PARTSTAT=DECLINED:mailto:${crasher}`] });
    expect(await answers()).toEqual([expect.objectContaining({ entity: cast.U2.userId, partStat: 'DECLINED' })]);
    dataOf(await remove(cast.U2, [{ id, folder: folderOf(cast.U2) }]));
    await act('accept_party_crasher', reply(uid, crasher));
    expect(await answers()).toEqual([expect.objectContaining({ entity: cast.U2.userId, partStat: 'ACCEPTED' })]);
  });

  it('RFC 5546 3.2.6, 3.2.7: a proposal is taken over or refused, and who asks for the event gets it again', async () => {
    const zoe = 'zoe4@outside.test';
    const { id, uid } = await created(cast.U1, { attendees: [{ uri: `mailto:${zoe}` }] });
    const ask = (method: string, more: Partial<Text> = {}): Text => ({
      ...{ uid, method, organizer: cast.U1.email, attendees: [`PARTSTAT=NEEDS-ACTION:mailto:${zoe}`] },
      ...{ start: '20310605T100000Z', ...more },
    });
    expect(await analyze(ask('REFRESH'))).toMatchObject({ actions: ['refresh'] });
    expect(await act('refresh', ask('REFRESH'))).toMatchObject([{ id }]);
    expect(await act('refresh', ask('REFRESH', { start: '', lines: [] }))).toMatchObject([{ id }]);
    const proposal = ask('COUNTER', { lines: ['LOCATION:Theirs'] });
    expect(await analyze(proposal)).toMatchObject({
      changes: [{ type: 'update', currentEvent: { id }, newEvent: { location: 'Theirs' } }],
      actions: ['update', 'declinecounter'],
    });
    expect(await act('declinecounter', proposal, { message: 'No' })).toMatchObject([{ id }]);
    expect((await get(cast.U1, id)).location).toBeUndefined();
    await act('update', proposal);
    const event = await get(cast.U1, id);
    expect(event).toMatchObject({ location: 'Theirs', sequence: 1 });
    expect(event.startDate.value).toContain('20310605T100000');
    expect(await call(cast.U1, 'refresh', message(proposal))).toMatchObject({ code: 'ITIP-0102' });
    // The proposal is older than the event by now.
    expect((await analyze(proposal)).actions).toEqual(['ignore']);
    expect((await analyze(ask('REFRESH', { uid: freshUid() }))).actions).toEqual(['ignore']);
  });

  it('a proposal for one occurrence makes an exception with the files of its series', async () => {
    const zoe = 'zoe5@outside.test';
    const series = { attendees: [{ uri: `mailto:${zoe}` }], rrule: 'FREQ=DAILY;COUNT=3' };
    const { id, uid } = await created(cast.U1, series);
    const target = { attached: Number(id), folder: Number(cast.U1.folder), module: 1 };
    await attachFiles(cast.U1, target, [{ name: 'a.txt', content: 'first' }]);
    const [shown] = await act('update', {
      ...{ uid, method: 'COUNTER', organizer: cast.U1.email, attendees: [`PARTSTAT=NEEDS-ACTION:mailto:${zoe}`] },
      ...{ start: '20310606T100000Z', lines: ['RECURRENCE-ID:20310606T080000Z', 'LOCATION:Theirs'] },
    });
    expect(shown).toMatchObject({ seriesId: id, location: 'Theirs', attachments: [{ filename: 'a.txt', size: 5 }] });
    expect((await get(cast.U1, shown!.id)).attachments).toEqual(shown!.attachments);
  });

  it('to what is unknown, or what others organize, is none', async () => {
    expect(messagesOf(await analyze(reply(freshUid(), 'zoe3@outside.test')))).toHaveLength(1);
    const uid = freshUid();
    await act('accept', { uid });
    expect((await analyze(reply(uid, 'zoe3@outside.test'))).actions).toEqual(['ignore']);
  });

  it('for a deleted occurrence, and to an event of another user, are to be ignored', async () => {
    const zoe = 'zoe9@outside.test';
    const attendees = [{ uri: `mailto:${zoe}` }, { entity: cast.U2.userId }];
    const { id, uid } = await created(cast.U1, { attendees, rrule: 'FREQ=DAILY;COUNT=3' });
    const ignored = { uid, actions: ['ignore'], annotations: [{ message: expect.any(String) }] };
    expect(await analyze(reply(uid, zoe), cast.U2)).toEqual(ignored);
    const recurrenceId = '20310606T080000Z';
    dataOf(await remove(cast.U1, [{ id, folder: folderOf(cast.U1), recurrenceId }]));
    const late = { ...reply(uid, zoe), lines: [`RECURRENCE-ID:${recurrenceId}`] };
    expect(await analyze(late)).toEqual(ignored);
    expect(await call(cast.U1, 'update', message(late))).toMatchObject({ code: 'ITIP-0102' });
  });

  it('ITIP-0100 of several attendees is refused', async () => {
    const text = { ...reply(freshUid(), 'a@b.test'), attendees: ['CN=A:mailto:a@b.test', 'CN=B:mailto:b@b.test'] };
    expect(await call(cast.U1, 'analyze', message(text))).toMatchObject({ code: 'ITIP-0100' });
  });
});

describe('what is no scheduling message', () => {
  it.each<[string, Json, Json, string]>([
    ['another source', { dataSource: 'x' }, {}, 'SVL-0010'],
    ['no text', {}, { ical: undefined }, 'SVL-0002'],
    ['a text that is no calendar', {}, { ical: 'Hello' }, 'ITIP-0101'],
    ['a mail without a folder', { dataSource: 'com.example.mail.ical' }, {}, 'SVL-0002'],
  ])('%s', async (_what, query, body, code) => {
    const text = { ical: message({ uid: freshUid() }), ...body };
    expect(await cast.U1.put('chronos/itip', 'analyze', { ...source, ...query }, text)).toMatchObject({ code });
  });

  it('an invitation is no cancellation', async () => {
    expect(await call(cast.U1, 'delete', message({ uid: freshUid() }))).toMatchObject({ code: 'ITIP-0102' });
  });

  it('what users changed in their copy stays when the organizer repeats the message', async () => {
    const uid = freshUid();
    const [event] = await act('accept', { uid });
    dataOf(await update(cast.U1, event!.id, { alarms: [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }] }));
    expect((await analyze({ uid })).actions).toEqual(['accept', 'decline', 'tentative', 'delegate', 'counter']);
    await act('tentative', { uid });
    expect((await get(cast.U1, event!.id)).alarms).toHaveLength(1);
  });
});
