import { until } from '@groupware/test-kit';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { answer, at, attendeeOf, create, created, dataOf, folderOf, get, JUNE_5, refusal, remove } from './events';
import { all, FORCE, type Json, THIRTIES, update, updates } from './events';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `writer${(count += 1)}`, timezone);
const pair = async (): Promise<[TestUser, TestUser]> => [await someone(), await someone()];

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const times = (start: string, end: string): object => ({ startDate: at(start), endDate: at(end) });
const external = { uri: 'mailto:guest@outside.test', cn: 'Guest' };

/** Gives a user a second calendar, or a public one. */
async function newCalendar(player: TestUser, parent: string, permissions: object[]): Promise<string> {
  const body = { module: 'calendar', title: `C${(count += 1)}`, permissions };
  const { data } = await player.put('folders', 'new', { folder_id: parent, tree: 1, autorename: true }, body);
  return String(data);
}
/** Imports events into the default calendar. */
async function importEvents(player: TestUser, ...events: string[][]): Promise<void> {
  const body = events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']);
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', ...body, 'END:VCALENDAR', ''].join('\r\n');
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/calendar' }), 'events.ics');
  const query = { action: 'ICAL', session: player.session, folder: player.folder };
  expect((await player.fetch('POST', '/import', query, { body: form })).status).toBe(200);
}
/** Sets a property of a user. */
const configure = (player: TestUser, name: string, value: string): Promise<unknown> =>
  cast.admin.expect(
    'PUT',
    `/admin/v1/contexts/${cast.contextId}/users/${player.userId}/config/com.example.calendar.${name}`,
    { value },
  );
const owner = (player: TestUser): object => ({ entity: player.userId, group: false, bits: 403_710_016 });
/** Reads, creates and writes all. */
const author = (player: TestUser): object => ({ entity: player.userId, group: false, bits: 4_227_332 });

describe('chronos: new events', () => {
  it('CE-01: all that the server adds', async () => {
    const { U1 } = cast;
    const zoned = {
      startDate: at('20310602T140000', 'America/Bogota'),
      endDate: at('20310602T150000', 'America/Bogota'),
    };
    const reply = await create(U1, { summary: 'A', ...zoned });
    const { created: events, updated, deleted } = dataOf(reply);
    expect(events).toEqual([expect.objectContaining({ ...zoned, summary: 'A', folder: folderOf(U1) })]);
    expect(events[0]).toMatchObject({ id: expect.any(String), uid: expect.any(String), timestamp: reply.timestamp });
    expect(events[0]).toMatchObject({
      created: reply.timestamp,
      createdBy: { entity: U1.userId },
      lastModified: reply.timestamp,
    });
    expect([updated, deleted]).toEqual([[], []]);
    expect(await get(U1, events[0].id)).toEqual(events[0]);
    const legacy = await U1.get('calendar', 'get', { id: events[0].id, folder: U1.folder, timezone: 'UTC' });
    expect(legacy.data).toMatchObject({ title: 'A', timezone: 'America/Bogota', start_date: Date.UTC(2031, 5, 2, 19) });
  });

  it('CE-02, CE-03: zones of other names, and of no name', async () => {
    const { UB } = cast;
    const zoned = (tzid: string) => ({ startDate: at('20310602T140000', tzid), endDate: at('20310602T150000', tzid) });
    for (const tzid of ['W. Europe Standard Time', 'Mars/Olympus'])
      expect((await created(UB, zoned(tzid))).startDate).toEqual(at('20310602T140000', 'Europe/Berlin'));
  });

  it('CE-04, CE-05: events of no length and whole days; floating times', async () => {
    const player = await someone();
    const moment = await created(player, times('20310603T080000Z', '20310603T080000Z'));
    const range = { rangeStart: '20310603T080000Z', rangeEnd: '20310603T090000Z', fields: 'id' };
    expect(await all(player, range)).toEqual([{ id: moment.id }]);
    expect(await created(player, times('20310604', '20310604'))).toMatchObject(times('20310604', '20310605'));
    const floating = await created(player, times('20310604T100000', '20310604T110000'));
    expect(await get(player, floating.id)).toMatchObject(times('20310604T100000', '20310604T110000'));
    const mixed = await created(player, {
      startDate: at('20310607T100000', 'Europe/Berlin'),
      endDate: at('20310607T100000', 'America/New_York'),
    });
    expect((await get(player, mixed.id)).endDate).toEqual(at('20310607T100000', 'America/New_York'));
  });

  it('CE-06, CE-07, CE-08: what no event may have', async () => {
    const player = await someone();
    const code = async (fields: object): Promise<string | undefined> => (await create(player, { ...fields })).code;
    expect(await code({ geo: { lat: 0, long: -180.5 } })).toBe('CAL-4003');
    expect(await code({ startDate: null })).toBe('CAL-4220');
    expect(await code({ endDate: null })).toBe('CAL-4220');
    expect(await code(times('20310604T100000Z', '20310604T090000Z'))).toBe('CAL-4221');
    expect(await code(times('20310604', '20310604T090000Z'))).toBe('CAL-4229');
    expect(await code(times('tomorrow', '20310604'))).toBe('CAL-4006');
    expect(await code({ summary: 'x'.repeat(256) })).toBe('CAL-5070');
    expect(await code({ summary: 'x\u0000' })).toBe('CAL-5071');
    expect(await code({ rrule: 'FREQ=NEVER' })).toBe('CAL-4002');
    expect(await code({ rrule: 'FREQ=HOURLY' })).toBe('CAL-4223');
    expect(await code({ alarms: [{ action: 'DISPLAY' }] })).toBe('CAL-4005');
    expect(await code({ alarms: [{ action: 'FOO', trigger: { duration: '-PT5M' } }] })).toBe('CAL-4005');
    const sms = { action: 'SMS', trigger: { duration: '-PT5M' } };
    for (const attendees of [undefined, [], [{ uri: 'mailto:a@b.example' }], [null], 'tel:1'])
      expect(await code({ alarms: [{ ...sms, attendees }] })).toBe('CAL-4005');
    expect(await code({ conferences: [{ label: 'Room' }] })).toBe('CAL-4006');
    expect(await code({ conferences: [{ uri: '' }] })).toBe('CAL-4006');
    const alarm = { action: 'DISPLAY', trigger: { duration: '-PT5M' } };
    expect(await code({ alarms: Array.from({ length: 101 }, () => alarm) })).toBe('CAL-5074');
    expect(await all(player)).toEqual([]);
    const list = await player.put('chronos', 'new', { folder: folderOf(player) }, []);
    expect(['SVL-0028', 'SVL-0031']).toContain(list.code);
    expect((await create(player, {}, { fields: 'x' })).code).toBe('SVL-0010');
    expect((await create(player, {}, { folder: 'cal://0/999989' })).code).toBe('FLD-0008');
    expect((await create(player, {}, { scheduling: 'bogus' })).code).toBe('SVL-0010');
    expect(await all(player)).toEqual([]);
    const called = { ...sms, attendees: [{ uri: 'tel:+49-30-1' }] };
    expect((await created(player, { alarms: [called] }, { scheduling: 'internal-only' })).alarms).toMatchObject([
      called,
    ]);
    const own = { id: '987654321', seriesId: '987654321', flags: ['x'], colour: 'red', timestamp: 1 };
    const event = await created(player, own);
    expect(event).toMatchObject({ id: expect.not.stringMatching(own.id), timestamp: expect.any(Number) });
    const stored = await get(player, event.id);
    for (const key of ['colour', 'seriesId']) expect(stored).not.toHaveProperty(key);
    expect(stored.flags).not.toContain('x');
  });

  it('CE-09: one unique id for each context', async () => {
    const [ann, bob] = await pair();
    const uid = `abc-${count}`;
    await created(ann, { uid });
    expect((await create(bob, { uid })).code).toBe('CAL-4090');
    await created(cast.X1, { uid });
    // Copies of an event that an outside organizer owns.
    const invitation = { uid: `outside-${count}`, organizer: { uri: 'mailto:boss@outside.test' } };
    const copy = await created(ann, { ...invitation, attendees: [{ entity: ann.userId }, { entity: bob.userId }] });
    expect(copy).toMatchObject({ organizer: { uri: 'mailto:boss@outside.test' } });
    expect(attendeeOf(copy, ann.userId)).toMatchObject({ cuType: 'INDIVIDUAL' });
    expect(attendeeOf(copy, bob.userId)).toBeUndefined();
    await created(bob, { ...invitation, attendees: [{ entity: bob.userId }] });
    const sentBy = { uri: 'mailto:desk@outside.test', email: 'desk@outside.test', cn: 'Desk' };
    const organizer = { uri: 'mailto:boss@outside.test', cn: 'The Boss', sentBy };
    const named = await created(ann, { uid: `named-${count}`, organizer, attendees: [{ entity: ann.userId }] });
    expect(named.organizer).toEqual({ ...organizer, email: 'boss@outside.test' });
    dataOf(await update(ann, named.id, { organizer: named.organizer, color: 'teal' }));
    expect((await get(ann, named.id)).organizer).toEqual(named.organizer);
  });

  it('CE-09: of several users who create an event with one unique id at once, one succeeds', async () => {
    const [ann, bob] = await pair();
    for (let round = 0; round < 5; round += 1) {
      const body = { uid: `race-${count}-${round}` };
      const answers = await Promise.all([ann, bob, ann, bob].map((player) => create(player, body)));
      expect(answers.map(({ code }) => code ?? 'stored').sort()).toEqual([...Array(3).fill('CAL-4090'), 'stored']);
    }
  });

  it('CE-21: everything that only events know', async () => {
    const player = await someone();
    const fields = {
      categories: ['a, b', 'ü'],
      url: 'https://example.org/',
      color: 'teal',
      description: 'Long',
      location: 'Here',
      status: 'TENTATIVE',
      class: 'CONFIDENTIAL',
      geo: { lat: 52.5, long: 13.4 },
      filename: 'x.ics',
      conferences: [{ uri: 'https://meet.example.org/1', label: 'Room', features: ['AUDIO', 'VIDEO'] }],
      attachments: [{ uri: 'https://example.org/a.txt', fmtType: 'text/plain', filename: 'a.txt' }],
      extendedProperties: { 'X-FOO': { value: '1' } },
      attendeePrivileges: 'MODIFY',
    };
    const { id } = await created(player, fields);
    const stored = await get(player, id);
    expect(stored).toMatchObject({ ...fields, conferences: [{ id: 1, ...fields.conferences[0] }] });
    expect(stored.flags).toEqual(expect.arrayContaining(['confidential', 'event_tentative']));
    const kept = dataOf(await update(player, id, { summary: 'Other' })).updated[0];
    expect(kept).toMatchObject({ ...fields, summary: 'Other', conferences: [{ id: 1 }] });
    const emptied = { url: null, color: null, geo: null, conferences: [], extendedProperties: {}, categories: [] };
    await update(player, id, { ...emptied, attachments: [] });
    const after = await get(player, id);
    for (const name of [...Object.keys(emptied), 'attachments']) expect(after).not.toHaveProperty(name);
  });

  it('conferences keep their ids, new ones get ids that the event never had', async () => {
    const player = await someone();
    const [a, b, c] = [
      { uri: 'https://a.example' },
      { uri: 'https://b.example' },
      { uri: 'https://c.example' },
    ] as const;
    const { id } = await created(player, { conferences: [a, b] });
    const change = async (conferences: Json[]): Promise<Json[]> => {
      const [event] = dataOf(await update(player, id, { conferences })).updated;
      return (event.conferences ?? []).map(({ id: own, uri }: Json) => [own, uri]);
    };
    expect(await change([{ ...b, id: 2 }, c])).toEqual([
      [2, b.uri],
      [3, c.uri],
    ]);
    expect(
      await change([
        { ...a, id: 7 },
        { ...b, id: 2 },
      ]),
    ).toEqual([
      [4, a.uri],
      [2, b.uri],
    ]);
    expect(await change([])).toEqual([]);
    expect(await change([c])).toEqual([[5, c.uri]]);
  });

  it('properties that have a field are none of the extended ones, and stand once in files', async () => {
    const player = await someone();
    const named = ['SUMMARY', 'rrule', 'ATTENDEE', 'EXDATE', 'DTEND', 'CONFERENCE', 'RELATED-TO', 'BEGIN', 'X-OWN'];
    const extendedProperties = Object.fromEntries(named.map((name) => [name, { value: 'v' }]));
    const event = await created(player, { summary: 'Own', extendedProperties });
    expect(event.extendedProperties).toEqual({ 'X-OWN': { value: 'v' } });
    const [kept] = dataOf(await update(player, event.id, { extendedProperties })).updated;
    expect(kept.extendedProperties).toEqual({ 'X-OWN': { value: 'v' } });
    const query = { action: 'ICAL', folder: folderOf(player), session: player.session };
    const file = await (await player.fetch('GET', '/export', query)).text();
    expect(file.match(/^(SUMMARY|RRULE|ATTENDEE|EXDATE|DTEND|X-OWN)\b.*$/gm)).toEqual([
      ...['DTEND:20310605T090000Z', 'SUMMARY:Own', 'X-OWN:v'],
    ]);
  });

  it('organizer and attendees of files are not taken: exports name those whom the user invites', async () => {
    const [player, bob] = await pair();
    const uid = `UID:met-${(count += 1)}`;
    const times = ['DTSTART:20310605T080000Z', 'DTEND:20310605T090000Z'];
    const people = ['ORGANIZER:mailto:o@x.test', 'ATTENDEE;PARTSTAT=ACCEPTED:mailto:p@x.test'];
    await importEvents(player, [uid, 'SUMMARY:Met', ...times, ...people]);
    const query = { action: 'ICAL', folder: folderOf(player), session: player.session };
    const exportPeople = async (): Promise<string[]> => {
      const file = await (await player.fetch('GET', '/export', query)).text();
      return file.replace(/\r\n /g, '').match(/^(ORGANIZER|ATTENDEE)\b.*$/gm) ?? [];
    };
    expect(await exportPeople()).toEqual([]);
    const [{ id }] = (await all(player)) as [Json];
    dataOf(await update(player, id, { attendees: [{ entity: player.userId }, { entity: bob.userId }] }));
    expect(await exportPeople()).toEqual([
      expect.stringMatching(new RegExp(`^ORGANIZER.*:mailto:${player.email}$`)),
      expect.stringMatching(new RegExp(`^ATTENDEE.*:mailto:${player.email}$`)),
      expect.stringMatching(new RegExp(`^ATTENDEE.*:mailto:${bob.email}$`)),
    ]);
  });

  it('keeps exceptions of files as private as their series', async () => {
    const player = await someone();
    const uid = `UID:secret-${(count += 1)}`;
    const exception = ['RECURRENCE-ID:20310606T080000Z', 'DTSTART:20310606T100000Z', 'DTEND:20310606T110000Z'];
    const series = ['DTSTART:20310605T080000Z', 'DTEND:20310605T090000Z', 'RRULE:FREQ=DAILY;COUNT=3'];
    await importEvents(player, [uid, ...exception], [uid, 'CLASS:CONFIDENTIAL', ...series]);
    expect((await all(player)).map((each) => each.class)).toEqual(['CONFIDENTIAL', 'CONFIDENTIAL']);
  });

  it('keeps to classes: private ones in own calendars only, and without resources', async () => {
    const [ann, bob] = await pair();
    const shared = await newCalendar(ann, ann.folder, [owner(ann), author(bob)]);
    const there = { folder: `cal://0/${shared}` };
    expect((await create(bob, { class: 'PRIVATE' }, there)).code).toBe('CAL-4222');
    const room = { entity: cast.room, cuType: 'RESOURCE' };
    expect((await create(ann, { class: 'PRIVATE', attendees: [room] })).code).toBe('CAL-42210');
    const event = await created(ann, { class: 'PRIVATE', attendees: [{ entity: bob.userId }] });
    expect(event.flags).toContain('private');
    const secret = await created(ann, { class: 'PRIVATE', summary: 'S' }, there);
    const blurred = await created(ann, { class: 'CONFIDENTIAL', summary: 'C' }, there);
    expect(await all(bob, there)).toMatchObject([{ id: blurred.id, summary: 'Private' }]);
    expect(await refusal(bob, secret.id, there)).toBe('CAL-4040');
    expect(await get(bob, blurred.id, there)).not.toHaveProperty('description');
  });
});

describe('chronos: attendees', () => {
  it('CA-01: an address of a user is that user; CA-11: percent encoding', async () => {
    const [ann, bob] = await pair();
    const attendees = [{ uri: `mailto:${bob.email.toUpperCase()}` }, { uri: 'mailto:jos%C3%A9@outside.test' }];
    const event = await created(ann, { attendees });
    const own = { partStat: 'ACCEPTED', folder: folderOf(ann) };
    expect(attendeeOf(event, ann.userId)).toMatchObject(own);
    expect(attendeeOf(event, bob.userId)).toMatchObject({ cuType: 'INDIVIDUAL', partStat: 'NEEDS-ACTION' });
    expect(event.attendees).toContainEqual(
      expect.objectContaining({ email: 'josé@outside.test', uri: 'mailto:jos%C3%A9@outside.test' }),
    );
    expect(event).toMatchObject({ organizer: { entity: ann.userId, email: ann.email } });
    expect((await get(bob, event.id)).flags).toContain('needs_action');
  });

  it('domains are shown in their own script; parameters of conferences and properties have the names of iCalendar', async () => {
    const { U1 } = cast;
    const event = await created(U1, {
      attendees: [{ uri: 'mailto:a@xn--bcher-kva.example' }],
      conferences: [{ uri: 'https://meet.example/1', features: ['VIDEO'], extendedParameters: { 'X-Service': 'b' } }],
      extendedProperties: { 'X-FOO': { value: '1', params: { 'x-kind': 'k' } } },
    });
    expect(event.attendees).toContainEqual(
      expect.objectContaining({ email: 'a@bücher.example', uri: 'mailto:a@xn--bcher-kva.example' }),
    );
    expect(event.conferences).toMatchObject([{ extendedParameters: { 'X-SERVICE': 'b' } }]);
    expect(event.extendedProperties).toEqual({ 'X-FOO': { value: '1', params: { 'X-KIND': 'k' } } });
    // Sending it back as it was shown leaves it so.
    dataOf(await update(U1, event.id, { attendees: event.attendees, conferences: event.conferences }));
    expect((await get(U1, event.id)).conferences).toEqual(event.conferences);
  });

  it('CA-02, CA-03: calendar users that there are not; users of other contexts are external', async () => {
    const player = await someone();
    for (const attendee of [
      { entity: 0 },
      { entity: 987_654 },
      { uri: 'mailto:' },
      { entity: cast.team, cuType: 'RESOURCE' },
    ])
      expect((await create(player, { attendees: [attendee] })).code).toBe('CAL-4034');
    const organizer = { entity: cast.U2.userId };
    expect((await create(player, { organizer })).code).toBe('CAL-4034');
    expect(await all(player)).toEqual([]);
    const event = await created(player, { attendees: [{ uri: `mailto:${cast.X1.email}` }] });
    const guest = event.attendees.find((each: any) => each.email === cast.X1.email);
    expect(guest).not.toHaveProperty('entity');
  });

  it('CA-04: a group brings its members along', async () => {
    const player = await someone();
    const event = await created(player, { attendees: [{ entity: cast.team, cuType: 'GROUP' }] });
    const member = { member: [String(cast.team)] };
    expect(attendeeOf(event, cast.team)).toMatchObject({ cuType: 'GROUP' });
    expect(attendeeOf(event, cast.U1.userId)).toMatchObject(member);
    expect(attendeeOf(event, cast.U2.userId)).toMatchObject(member);
    const kept = dataOf(await update(player, event.id, { attendees: event.attendees })).updated[0];
    expect(kept.attendees).toEqual(event.attendees);
    const others = event.attendees.filter(({ entity }: Json) => entity !== cast.U1.userId);
    const moved = { ...attendeeOf(event, cast.U1.userId), member: ['987654'] };
    expect((await update(player, event.id, { attendees: [...others, moved] })).code).toBe('CAL-4033');
    const own = { ...moved, partStat: 'ACCEPTED' };
    expect((await answer(cast.U1, event.id, { attendee: own })).code).toBe('CAL-4033');
    expect((await update(cast.U1, event.id, { attendees: [...others, own] }, { folder: folderOf(cast.U1) })).code).toBe(
      'CAL-4033',
    );
    expect((await get(player, event.id)).attendees).toEqual(event.attendees);
    // An attendee of the event may be a member of a group that is added.
    const single = await created(player, { attendees: [{ entity: cast.U1.userId }] });
    const group = { entity: cast.team, cuType: 'GROUP' };
    const invited = single.attendees.map((each: Json) =>
      each.entity === cast.U1.userId ? { ...each, ...member } : each,
    );
    dataOf(await update(player, single.id, { attendees: [...invited, group] }));
  });

  it('CA-04: a group is resolved when it is invited, and not again', async () => {
    const [[player, stays], [goes, joins]] = [await pair(), await pair()];
    const name = `resolved${(count += 1)}`;
    const groups = `/admin/v1/contexts/${cast.contextId}/groups`;
    const body = { name, displayName: name, members: [stays.userId, goes.userId] };
    const group = (await cast.admin.expect('POST', groups, body)).id;
    const { id, attendees } = await created(player, { attendees: [{ entity: group, cuType: 'GROUP' }] });
    const change = async (list: Json[]): Promise<Json> =>
      dataOf(await update(player, id, { attendees: list })).updated[0];
    const shorter = await change(attendees.filter(({ entity }: Json) => entity !== goes.userId));
    const left = [player.userId, group, stays.userId].sort();
    expect(shorter.attendees.map(({ entity }: Json) => entity).sort()).toEqual(left);
    expect(attendeeOf(shorter, stays.userId)).toMatchObject({ member: [String(group)] });
    expect(await refusal(goes, id)).toBe('CAL-4041');
    const longer = await change([...shorter.attendees, external, { entity: joins.userId }]);
    const entities = longer.attendees.map(({ entity = 0 }: Json) => entity).sort();
    expect(entities).toEqual([0, ...left, joins.userId].sort());
  });

  it('the kind of an attendee stays; that of others outside is what the organizer says', async () => {
    const [ann, bob] = await pair();
    const hall = { uri: 'mailto:hall@outside.test', cn: 'Hall', cuType: 'room' };
    const event = await created(ann, { attendees: [{ entity: bob.userId }, hall, external] });
    const find = (email: string): Json => event.attendees.find((each: Json) => each.email === email);
    const [own, room, guest] = [attendeeOf(event, bob.userId), find('hall@outside.test'), find('guest@outside.test')];
    expect([own, room, guest].map(({ cuType }) => cuType)).toEqual(['INDIVIDUAL', 'ROOM', 'INDIVIDUAL']);
    const change = (changed: Json) => {
      const others = event.attendees.filter(({ email }: Json) => email !== changed.email);
      return update(ann, event.id, { attendees: [...others, changed] });
    };
    const refused = { code: 'CAL-4033', error_params: [event.id, expect.anything(), 'cuType'] };
    expect(await change({ ...room, cuType: 'INDIVIDUAL' })).toMatchObject(refused);
    expect(await change({ ...guest, cuType: 'RESOURCE' })).toMatchObject(refused);
    expect(await change({ ...own, cuType: 'GROUP' })).toMatchObject(refused);
    expect((await answer(bob, event.id, { attendee: { ...own, cuType: 'GROUP' } })).code).toBe('CAL-4033');
    expect(await get(ann, event.id)).toEqual(event);
    dataOf(await change({ email: room.email, uri: room.uri, cn: 'Hall' }));
    dataOf(await change({ ...guest, cuType: 'individual', cn: 'Guest' }));
    expect((await get(ann, event.id)).attendees).toEqual(expect.arrayContaining(event.attendees));
  });

  it('CA-05, CA-06: answers in the own name', async () => {
    const [ann, bob] = await pair();
    const carl = await someone();
    const event = await created(ann, { attendees: [{ entity: bob.userId }, { entity: carl.userId }] });
    const body = { attendee: { entity: bob.userId, partStat: 'TENTATIVE', comment: 'maybe' } };
    expect(dataOf(await answer(bob, event.id, body)).updated).toMatchObject([{ id: event.id, folder: folderOf(bob) }]);
    const seen = await get(ann, event.id);
    expect(attendeeOf(seen, bob.userId)).toMatchObject({ partStat: 'TENTATIVE', comment: 'maybe' });
    expect(seen).toMatchObject({ sequence: 0, summary: event.summary, startDate: event.startDate });
    expect((await answer(carl, event.id, body)).code).toBe('CAL-4033');
    expect((await answer(carl, event.id, { attendee: { entity: 987_654, partStat: 'ACCEPTED' } })).code).toBe(
      'CAL-4043',
    );
    expect((await answer(carl, event.id, body, { timestamp: 1 })).code).toBe('CAL-4120');
    expect((await answer(carl, '999999999', body)).code).toBe('CAL-4040');
    expect((await answer(carl, event.id, body, { folder: 'cal://0/35' })).code).toBe('CAL-4060');
    expect((await answer(carl, event.id, body, { recurrenceId: '20310605T080000Z' })).code).toBe('CAL-4042');
    expect((await answer(carl, event.id, { alarms: [{ action: 'DISPLAY' }] })).code).toBe('CAL-4005');
  });

  it('CA-08: the organizer can ask again, but not answer for others', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { attendees: [{ entity: bob.userId }] });
    const say = (partStat: string) =>
      update(ann, id, { attendees: [{ entity: ann.userId }, { entity: bob.userId, partStat }] });
    expect((await say('ACCEPTED')).code).toBe('CAL-4033');
    await answer(bob, id, { attendee: { entity: bob.userId, partStat: 'ACCEPTED' } });
    expect(attendeeOf(dataOf(await say('NEEDS-ACTION')).updated[0], bob.userId).partStat).toBe('NEEDS-ACTION');
    await answer(bob, id, { attendee: { entity: bob.userId, partStat: 'DELEGATED' } });
    expect(attendeeOf(dataOf(await say('NEEDS-ACTION')).updated[0], bob.userId).partStat).toBe('NEEDS-ACTION');
  });

  it('CA-08: the organizer answers for others where that is switched on', async () => {
    const [ann, bob] = await pair();
    await configure(ann, 'allowOrganizerPartStatChanges', 'true');
    const { id } = await created(ann, { attendees: [{ entity: bob.userId }] });
    const attendees = [{ entity: ann.userId }, { entity: bob.userId, partStat: 'TENTATIVE' }];
    const [changed] = dataOf(await update(ann, id, { attendees })).updated;
    expect(attendeeOf(changed, bob.userId).partStat).toBe('TENTATIVE');
    const carl = { entity: (await someone()).userId, partStat: 'ACCEPTED' };
    const [added] = dataOf(await update(ann, id, { attendees: [...attendees, carl] })).updated;
    expect(attendeeOf(added, carl.entity).partStat).toBe('NEEDS-ACTION');
  });

  it('CA-04: a group is resolved into its members where that is switched on', async () => {
    const player = await someone();
    await configure(player, 'resolveGroupAttendees', 'true');
    const group = { entity: cast.team, cuType: 'GROUP' };
    const event = await created(player, { attendees: [group] });
    const ids = (shown: Json): number[] => shown.attendees.map(({ entity }: Json) => entity).sort();
    const everybody = [player.userId, cast.U1.userId, cast.U2.userId].sort();
    expect(ids(event)).toEqual(everybody);
    expect(attendeeOf(event, cast.U1.userId)).not.toHaveProperty('member');
    const single = await created(player);
    expect(ids(dataOf(await update(player, single.id, { attendees: [group] })).updated[0])).toEqual(everybody);
  });

  it('alarms of a user are as many as his administrator says', async () => {
    const [ann, bob] = await pair();
    await configure(bob, 'maxAlarmsPerEvent', '1');
    const alarms = ['-PT5M', '-PT10M'].map((duration) => ({ action: 'DISPLAY', trigger: { duration } }));
    const { id } = await created(ann, { alarms, attendees: [{ entity: bob.userId }] });
    expect((await answer(bob, id, { alarms })).code).toBe('CAL-5074');
    expect((await create(bob, { alarms })).code).toBe('CAL-5074');
    const own = await created(bob, { alarms: alarms.slice(1) });
    expect((await update(bob, own.id, { alarms })).code).toBe('CAL-5074');
  });

  it('CA-09: who acts for the owner of a calendar is its organizer in his name', async () => {
    const [ann, bob] = await pair();
    const carl = await someone();
    const shared = `cal://0/${await newCalendar(ann, ann.folder, [owner(ann), author(bob)])}`;
    const event = await created(bob, { attendees: [{ entity: carl.userId }] }, { folder: shared });
    expect(event.organizer).toMatchObject({ entity: ann.userId, sentBy: { entity: bob.userId } });
    expect(attendeeOf(event, bob.userId)).toBeUndefined();
    expect(event.flags).toEqual(expect.arrayContaining(['organizer_on_behalf', 'attendee_on_behalf']));
  });

  it('CA-10: needsAction until the answer; a booked room stands in the way of others (CC-05)', async () => {
    const [ann, bob] = await pair();
    const day = { ...times('20310911T080000Z', '20310911T090000Z') };
    const attendees = [{ entity: bob.userId }, { entity: cast.room, cuType: 'RESOURCE' }];
    const { id } = await created(ann, { ...day, attendees });
    const waiting = async () => dataOf(await bob.get('chronos', 'needsAction', { ...THIRTIES, fields: 'id' }));
    expect(await waiting()).toEqual([{ id }]);
    await answer(bob, id, { attendee: { uri: `mailto:${bob.email}`, partStat: 'ACCEPTED' } });
    expect(await waiting()).toEqual([]);
    const { conflicts } = dataOf(await create(bob, { ...day, attendees: [attendees[1]] }));
    expect(conflicts).toMatchObject([{ hard_conflict: true, event: { id } }]);
  });
});

describe('chronos: public calendars that an attendee does not see', () => {
  it('show him what he takes part in, take his answer and his alarms, and nothing else', async () => {
    const [ann, bob] = await pair();
    const plain = await newCalendar(ann, '2', [owner(ann)]);
    const folder = `cal://0/${plain}`;
    const { id } = await created(ann, { attendees: [{ entity: bob.userId }] }, { folder });
    const other = await created(ann, {}, { folder });
    const listed = dataOf(await bob.get('chronos', 'all', { ...THIRTIES, fields: 'id,folder' }));
    expect(listed).toEqual([{ id, folder }]);
    expect(await get(bob, id, { folder })).toMatchObject({ id, folder, summary: 'E' });
    const references = [
      { id, folder },
      { id: other.id, folder },
    ];
    expect(dataOf(await bob.put('chronos', 'list', { fields: 'id,folder' }, references))).toEqual([
      { id, folder },
      null,
    ]);
    const accepted = { attendee: { entity: bob.userId, partStat: 'ACCEPTED' } };
    expect(dataOf(await answer(bob, id, accepted, { folder })).updated).toMatchObject([{ id, folder }]);
    expect(attendeeOf(await get(ann, id, { folder }), bob.userId).partStat).toBe('ACCEPTED');
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }];
    const query = { id, folder, timestamp: FORCE };
    expect(dataOf(await bob.put('chronos/alarm', 'updateAlarms', query, alarms)).updated).toMatchObject([{ alarms }]);
    expect(dataOf(await bob.get('calendar', 'get', { id, folder: plain }))).toMatchObject({ id, folder_id: plain });
    const columns = { columns: '1,20' };
    expect(dataOf(await bob.put('calendar', 'list', columns, [{ id, folder: plain }]))).toEqual([[id, plain]]);
    const confirming = { id, folder: plain, timestamp: FORCE };
    expect((await bob.put('calendar', 'confirm', confirming, { confirmation: 3 })).code).toBeUndefined();
    expect(attendeeOf(await get(ann, id, { folder }), bob.userId).partStat).toBe('TENTATIVE');

    expect(await refusal(bob, other.id, { folder })).toBe('FLD-0003');
    expect((await bob.get('chronos', 'all', { ...THIRTIES, folder })).code).toBe('FLD-0003');
    expect((await update(bob, id, { summary: 'His' }, { folder })).code).toBe('CAL-4031');
    expect((await answer(bob, other.id, accepted, { folder })).code).toBe('FLD-0003');
    await update(ann, id, { attendees: [{ entity: ann.userId }] }, { folder });
    expect(await refusal(bob, id, { folder })).toBe('FLD-0003');
  });
});

describe('chronos: conflicts', () => {
  it('CC-01, CC-02: only where they are asked for, and not where events touch', async () => {
    const player = await someone();
    await created(player, { ...times('20310609T100000Z', '20310609T110000Z'), summary: 'Busy' });
    const overlap = times('20310609T103000Z', '20310609T113000Z');
    const { conflicts, ...rest } = dataOf(await create(player, { ...overlap }, { checkConflicts: true }));
    expect(rest).toEqual({});
    expect(conflicts).toMatchObject([{ hard_conflict: false, event: { summary: 'Busy' } }]);
    expect(conflicts[0].conflicting_attendees).toMatchObject([{ entity: player.userId }]);
    expect(await all(player)).toHaveLength(1);
    const after = times('20310609T110000Z', '20310609T120000Z');
    const { id } = await created(player, { ...after }, { checkConflicts: true });
    expect(dataOf(await update(player, id, overlap, { checkConflicts: true })).conflicts).toHaveLength(1);
    await created(player, { ...overlap });
  });

  it('an answer by which the user takes part is checked where that is asked for, any other is not', async () => {
    const [ann, bob] = await pair();
    const meeting = await created(ann, { attendees: [{ entity: bob.userId }] });
    await created(bob, { summary: 'Busy' });
    const say = (partStat: string, query: object = { checkConflicts: true }, body: object = {}) =>
      answer(bob, meeting.id, { attendee: { entity: bob.userId, partStat }, ...body }, { ...query });
    for (const partStat of ['ACCEPTED', 'TENTATIVE'])
      expect(dataOf(await say(partStat)).conflicts).toMatchObject([
        { hard_conflict: false, conflicting_attendees: [{ entity: bob.userId }], event: { summary: 'Busy' } },
      ]);
    expect(attendeeOf(await get(bob, meeting.id), bob.userId).partStat).toBe('NEEDS-ACTION');
    expect(dataOf(await say('DECLINED')).updated).toHaveLength(1);
    expect(dataOf(await say('NEEDS-ACTION')).conflicts).toHaveLength(1);
    expect(dataOf(await say('ACCEPTED', {})).updated).toHaveLength(1);
    // The same answer again is none: only the alarms are new.
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }];
    expect(dataOf(await say('ACCEPTED', undefined, { alarms })).updated).toMatchObject([{ alarms }]);
  });

  it('CC-03, CC-04, CC-06, CC-07: foreign, whole-day, recurring and tentative ones', async () => {
    const [ann, bob] = [await someone(), await someone('Europe/Berlin')];
    await created(bob, { ...times('20310609', '20310610'), class: 'CONFIDENTIAL', location: 'L' });
    const night = { ...times('20310608T223000Z', '20310608T233000Z'), attendees: [{ entity: bob.userId }] };
    const { conflicts } = dataOf(await create(bob, night, { checkConflicts: true }));
    expect(conflicts).toHaveLength(1);
    const noon = { ...times('20310609T113000Z', '20310609T120000Z'), attendees: [{ entity: bob.userId }] };
    const foreign = dataOf(await create(ann, noon, { checkConflicts: true })).conflicts;
    expect(Object.keys(foreign[0].event).sort()).toEqual(['endDate', 'id', 'startDate', 'transp']);
    await created(ann, { ...times('20320101T100000Z', '20320101T110000Z'), rrule: 'FREQ=WEEKLY' });
    const daily = { ...times('20320101T100000Z', '20320101T110000Z'), rrule: 'FREQ=DAILY;COUNT=100' };
    expect(dataOf(await create(ann, daily, { checkConflicts: true })).conflicts).toHaveLength(5);
  });
});

describe('groups that clients resolve themselves', () => {
  it('are offered first to those who invited them, and to nobody else', async () => {
    const player = await someone();
    const groups: number[] = [];
    for (const name of ['used-a', 'used-b', 'used-c']) {
      const group = { name, displayName: name, members: [] };
      const { id } = await cast.admin.expect('POST', `/admin/v1/contexts/${cast.contextId}/groups`, group);
      groups.push(id);
    }
    const [first, second, third] = groups as [number, number, number];
    const search = async (by: TestUser): Promise<number[]> =>
      dataOf(await by.put('group', 'search', {}, { pattern: 'used-' })).map(({ id }: Json) => id);
    expect(await search(player)).toEqual(groups);
    const { id } = await created(player, {}, { usedGroups: `${third}, ${second},${third},999999` });
    await until(async () => String(await search(player)) === String([second, third, first]));
    expect((await update(player, id, { summary: 'Later' }, { usedGroups: third })).code).toBeUndefined();
    await until(async () => String(await search(player)) === String([third, second, first]));
    expect(await search(cast.U1)).toEqual(groups);
    for (const usedGroups of ['x', '1;2', '-1'])
      expect((await create(player, {}, { usedGroups })).code).toBe('SVL-0010');
  });
});

describe('chronos: update', () => {
  it('CU-01, CU-02, CU-03, CU-05: values go, timestamps count, and nothing is written for nothing', async () => {
    const player = await someone();
    const { id, timestamp } = await created(player, { description: 'D' });
    const { updated } = dataOf(await update(player, id, { description: null }, { timestamp }));
    expect(updated[0]).not.toHaveProperty('description');
    expect(updated[0]).toMatchObject({ sequence: 0 });
    expect(updated[0].timestamp).toBeGreaterThan(timestamp);
    const call = (query: object) =>
      player.put('chronos', 'update', { id, folder: folderOf(player), ...query }, { summary: 'bare' });
    expect((await call({})).code).toBe('SVL-0002');
    expect((await call({ timestamp: 'abc' })).code).toBe('SVL-0010');
    expect((await call({ timestamp })).code).toBe('CAL-4120');
    expect(await get(player, id)).toEqual(updated[0]);
    expect(dataOf(await call({ timestamp: '9223372036854775807' })).updated[0].summary).toBe('bare');
    const before = await get(player, id);
    expect((await update(player, id, { summary: 'bare' })).code).toBeUndefined();
    expect(await get(player, id)).toEqual(before);
  });

  it('nothing is written for what is sent back as it was answered', async () => {
    const [player, guest] = [await someone(), await someone()];
    const attendees = [
      { entity: guest.userId, role: 'CHAIR' },
      { uri: 'mailto:x@far.example', cn: 'X' },
    ];
    const { id } = await created(player, {
      attendees,
      alarms: [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }],
    });
    await answer(guest, id, { attendee: { entity: guest.userId, partStat: 'TENTATIVE', comment: 'Perhaps' } });
    const before = await get(player, id);
    for (const fields of [{ attendees: before.attendees }, { alarms: before.alarms }, before]) {
      expect(dataOf(await update(player, id, fields)).updated).toMatchObject([{ timestamp: before.timestamp }]);
      expect(await get(player, id)).toEqual(before);
    }
    const own = { attendee: attendeeOf(before, guest.userId) };
    expect((await answer(guest, id, own)).code).toBeUndefined();
    expect((await get(player, id)).timestamp).toBe(before.timestamp);
    // A role is changed, back to the usual one too.
    const usual = before.attendees.map((each: Json) => ({ ...each, role: 'REQ-PARTICIPANT' }));
    const [changed] = dataOf(await update(player, id, { attendees: usual })).updated;
    expect(attendeeOf(changed, guest.userId).role).toBe('REQ-PARTICIPANT');
    expect(changed.timestamp).toBeGreaterThan(before.timestamp);
  });

  it('CU-04: a change is compared with the stamp, not with the LAST-MODIFIED of a file', async () => {
    const player = await someone();
    const stamps = ['DTSTAMP:20200101T000000Z', 'LAST-MODIFIED:20200101T000000Z'];
    const times = ['DTSTART:20310605T080000Z', 'DTEND:20310605T090000Z'];
    await importEvents(player, [`UID:old-${(count += 1)}`, 'SUMMARY:Old', ...stamps, ...times]);
    const [event] = await all(player);
    expect(event).toMatchObject({ summary: 'Old', lastModified: Date.UTC(2020, 0, 1) });
    expect(event!.timestamp).toBeGreaterThan(event!.lastModified);
    expect((await update(player, event!.id, { summary: 'x' }, { timestamp: event!.lastModified })).code).toBe(
      'CAL-4120',
    );
    const changed = dataOf(await update(player, event!.id, { summary: 'New' }, { timestamp: event!.timestamp }));
    expect(changed.updated).toMatchObject([{ id: event!.id, summary: 'New' }]);
  });

  it('CU-06: the sequence of an exception grows with what it takes over of its series', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { summary: 'S', rrule: 'FREQ=DAILY;COUNT=4' });
    const change = async (day: string, fields: Json): Promise<string> =>
      dataOf(await update(ann, id, fields, { recurrenceId: `203106${day}T080000Z` })).created[0].id;
    const [own, placed] = [await change('06', { summary: 'Own' }), await change('07', { location: 'Own' })];
    const sequences = async (fields: Json): Promise<number[]> => {
      dataOf(await update(ann, id, fields));
      return Promise.all([id, own, placed].map(async (each) => (await get(ann, each)).sequence));
    };
    expect(await sequences({ summary: 'T' })).toEqual([1, 1, 2]);
    expect(await sequences({ location: 'L' })).toEqual([2, 2, 2]);
    expect(await sequences({ color: 'red', description: 'D' })).toEqual([2, 2, 2]);
    expect(await sequences({ transp: 'TRANSPARENT' })).toEqual([3, 3, 3]);
    expect(await sequences({ attendees: [{ entity: ann.userId }, { entity: bob.userId }] })).toEqual([4, 4, 4]);
    const query = { id, folder: ann.folder, timestamp: FORCE };
    expect((await ann.put('calendar', 'update', query, { title: 'U' })).code).toBeUndefined();
    expect((await get(ann, id)).sequence).toBe(5);
    expect((await get(ann, placed)).sequence).toBe(5);
  });

  it('CU-06: the sequence grows with what people must know', async () => {
    const player = await someone();
    const { id } = await created(player);
    const sequence = async (fields: object) => dataOf(await update(player, id, { ...fields })).updated[0].sequence;
    expect(await sequence({ location: 'L' })).toBe(1);
    expect(await sequence({ categories: ['c'] })).toBe(1);
    expect(await sequence({ transp: 'TRANSPARENT' })).toBe(2);
  });

  it('CU-07, CU-08, CU-09: what mere attendees may change', async () => {
    const [ann, bob] = await pair();
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT10M' } }];
    const { id } = await created(ann, { attendees: [{ entity: bob.userId }] });
    expect((await update(bob, id, times('20310606T080000Z', '20310606T090000Z'))).code).toBe('CAL-4038');
    expect((await update(bob, id, { alarms, summary: 'Other' })).code).toBe('CAL-4038');
    expect((await update(bob, id, { extendedProperties: { 'X-A': { value: '1' } } })).code).toBe('CAL-4038');
    expect(await get(bob, id)).not.toHaveProperty('alarms');
    dataOf(await update(bob, id, { transp: 'TRANSPARENT' }));
    expect(await get(ann, id)).toMatchObject({ transp: 'OPAQUE', sequence: 0 });
    expect(dataOf(await update(bob, id, { alarms, transp: 'TRANSPARENT' })).updated[0].alarms).toMatchObject(alarms);
    expect(await get(ann, id)).not.toHaveProperty('alarms');
    await update(ann, id, { attendeePrivileges: 'MODIFY' });
    expect((await update(bob, id, { location: 'There' })).code).toBeUndefined();
    expect(await get(ann, id)).toMatchObject({
      ...{ location: 'There', modifiedBy: { entity: bob.userId }, organizer: { entity: ann.userId } },
    });
    const query = { id, folder: bob.folder, timestamp: FORCE };
    expect((await bob.put('calendar', 'update', query, { title: 'By Bob' })).code).toBeUndefined();
    expect((await bob.put('calendar', 'update', query, { private_flag: true })).code).toBe('APP-0023');
    expect(await get(ann, id)).toMatchObject({ summary: 'By Bob', class: 'PUBLIC', organizer: { entity: ann.userId } });
  });

  it('CU-09: an attendee who acts for the organizer does not take himself out', async () => {
    const [ann, bob] = await pair();
    const attendees = [{ entity: bob.userId }, external];
    const { id } = await created(ann, { attendees, attendeePrivileges: 'MODIFY' });
    dataOf(await update(bob, id, { attendees: [{ entity: ann.userId }] }));
    const listed = (await get(ann, id)).attendees.map(({ entity }: Json) => entity);
    expect(listed.sort()).toEqual([ann.userId, bob.userId].sort());
  });

  it('conferences of moderators are for the side of the organizer', async () => {
    const [ann, bob] = await pair();
    const conferences = [
      { uri: 'https://meet.example.org/1', features: ['VIDEO'] },
      { uri: 'https://meet.example.org/host', features: ['VIDEO', 'MODERATOR'] },
    ];
    const { id } = await created(ann, { conferences, attendees: [{ entity: bob.userId }] });
    expect((await get(ann, id)).conferences).toMatchObject(conferences);
    expect((await get(bob, id)).conferences).toMatchObject([conferences[0]!]);
    const exported = async (player: TestUser): Promise<string> =>
      (
        await player.fetch(
          'PUT',
          '/export',
          { action: 'ICAL', session: player.session },
          { body: JSON.stringify([{ id, folder_id: player.folder }]) },
        )
      ).text();
    expect(await exported(ann)).toContain('/host');
    expect(await exported(bob)).not.toContain('/host');
  });

  it('links are files for the flags, and answers of no name have none', async () => {
    const [ann, bob] = await pair();
    const attachments = [{ uri: 'https://example.org/a.txt' }];
    const { id } = await created(ann, { attachments, attendees: [{ entity: bob.userId }] });
    await answer(bob, id, { attendee: { entity: bob.userId, partStat: 'X-LATER' } });
    const { flags } = await get(bob, id);
    expect(flags).toContain('attachments');
    expect(flags).not.toContain('x_later');
    expect(flags).not.toContain('x-later');
  });

  it('RFC 5545 3.2.12: an answer of a name that nobody knows is none, by either door', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { attendees: [{ entity: bob.userId }] });
    const partStat = async (): Promise<string> => attendeeOf(await get(ann, id), bob.userId).partStat;
    const folder = folderOf(bob);
    for (const [name, stored] of [
      ['FOO', 'NEEDS-ACTION'],
      ['delegated', 'DELEGATED'],
      ['X-LATER', 'NEEDS-ACTION'],
      ['ACCEPTED', 'ACCEPTED'],
    ] as const) {
      dataOf(await answer(bob, id, { attendee: { entity: bob.userId, partStat: name } }));
      expect(await partStat()).toBe(stored);
      dataOf(await answer(bob, id, { attendee: { entity: bob.userId, partStat: 'TENTATIVE' } }));
      const attendees = (await get(bob, id)).attendees.map((each: Json) =>
        each.entity === bob.userId ? { ...each, partStat: name } : each,
      );
      dataOf(await update(bob, id, { attendees }, { folder }));
      expect(await partStat()).toBe(stored);
    }
    // The answer of another one is not taken back so.
    const attendees = [{ entity: ann.userId }, { entity: bob.userId, partStat: 'FOO' }];
    expect((await update(ann, id, { attendees })).code).toBe('CAL-4033');
    expect(await partStat()).toBe('ACCEPTED');
  });

  it('CU-10, CU-11, CU-12: guests leave, and people answer again only when it matters', async () => {
    const [ann, bob] = await pair();
    const event = await created(ann, {
      ...times('20310605T100000Z', '20310605T110000Z'),
      attendees: [{ entity: bob.userId }, external],
    });
    await answer(bob, event.id, { attendee: { entity: bob.userId, partStat: 'ACCEPTED', comment: 'fine' } });
    const people = [{ entity: ann.userId }, { entity: bob.userId }];
    const [left] = dataOf(await update(ann, event.id, { attendees: people })).updated;
    expect(left).toMatchObject({ sequence: 1 });
    expect(left.attendees).toHaveLength(2);
    expect(attendeeOf(left, bob.userId).partStat).toBe('ACCEPTED');
    const partStat = async (fields: object) =>
      attendeeOf(dataOf(await update(ann, event.id, { ...fields })).updated[0], bob.userId);
    expect((await partStat({ startDate: at('20310605T103000Z') })).partStat).toBe('ACCEPTED');
    const berlin = {
      startDate: at('20310605T123000', 'Europe/Berlin'),
      endDate: at('20310605T130000', 'Europe/Berlin'),
    };
    expect((await partStat(berlin)).partStat).toBe('ACCEPTED');
    expect(await partStat({ startDate: at('20310605T090000Z') })).toMatchObject({
      partStat: 'NEEDS-ACTION',
      comment: 'fine',
    });
  });

  it('CU-13, CU-14: rights in shared calendars', async () => {
    const [ann, bob] = await pair();
    const shared = { folder: `cal://0/${await newCalendar(ann, ann.folder, [owner(ann), author(bob)])}` };
    const { id } = await created(ann, {}, shared);
    expect(dataOf(await update(bob, id, { summary: 'By Bob' }, shared)).updated[0]).toMatchObject({
      ...{ modifiedBy: { entity: bob.userId }, createdBy: { entity: ann.userId } },
    });
    // Reads all, creates, writes own.
    const limited = { entity: bob.userId, group: false, bits: 2 | (2 << 7) | (1 << 14) };
    const own = { folder: `cal://0/${await newCalendar(ann, ann.folder, [owner(ann), limited])}` };
    const [hers, his] = [await created(ann, {}, own), await created(bob, {}, own)];
    expect((await update(bob, hers.id, { summary: 'x' }, own)).code).toBe('CAL-4031');
    expect((await update(bob, his.id, { summary: 'x' }, own)).code).toBeUndefined();
    const readOnly = { entity: bob.userId, group: false, bits: 1 | (2 << 7) };
    const closed = { folder: `cal://0/${await newCalendar(ann, ann.folder, [owner(ann), readOnly])}` };
    expect((await create(bob, {}, closed)).code).toBe('CAL-4031');
    const blind = { entity: bob.userId, group: false, bits: 1 };
    const dark = { folder: `cal://0/${await newCalendar(ann, ann.folder, [owner(ann), blind])}` };
    expect((await bob.get('chronos', 'all', { ...THIRTIES, ...dark })).code).toBe('CAL-4030');
    expect((await bob.get('chronos', 'updates', { timestamp: 0, ...dark })).code).toBe('CAL-4030');
    expect(await refusal(bob, '1', dark)).toBe('CAL-4030');
  });

  it('what is confidential is not changed by others, who know that it is there', async () => {
    const [ann, bob] = await pair();
    const shared = await newCalendar(ann, '1', [owner(ann), author(bob)]);
    const folder = `cal://0/${shared}`;
    const of = (fields: object) => created(ann, fields, { folder });
    const [secret, hidden] = [await of({ class: 'CONFIDENTIAL' }), await of({ class: 'PRIVATE' })];
    const refused = { code: 'CAL-4037', error_params: [shared, secret.id, 'CONFIDENTIAL'] };
    expect(await update(bob, secret.id, { summary: 'x' }, { folder })).toMatchObject(refused);
    const [gone] = dataOf(await remove(bob, [{ id: secret.id, folder }]));
    expect(gone.error).toMatchObject(refused);
    expect(await update(bob, hidden.id, { summary: 'x' }, { folder })).toMatchObject({ code: 'CAL-4040' });
    expect((await get(ann, secret.id, { folder })).summary).toBe('E');
  });

  it('CU-15, CU-16: identity and place do not change by an update', async () => {
    const [ann, bob] = await pair();
    const event = await created(ann, { attendees: [{ entity: bob.userId }] });
    const code = async (fields: object, query = {}) => (await update(ann, event.id, { ...fields }, query)).code;
    expect(await code({ organizer: { entity: bob.userId } })).toBe('CAL-4035');
    expect(await code({ organizer: event.organizer, uid: event.uid })).toBeUndefined();
    expect(await code({ uid: 'other' })).toBe('CAL-4035');
    expect(await code({}, { folder: folderOf(bob) })).toBe('FLD-0003');
    const second = `cal://0/${await newCalendar(ann, '1', [owner(ann)])}`;
    expect(await code({ summary: 'x' }, { folder: second })).toBe('CAL-4041');
    expect((await update(ann, '999999999', {})).code).toBe('CAL-4040');
    expect(await code({ geo: { lat: 91, long: 0 } })).toBe('CAL-4003');
    expect(await code({ summary: 'x'.repeat(256) })).toBe('CAL-5070');
    expect(await code({ summary: '\u0000' })).toBe('CAL-5071');
    expect(await code({ endDate: at('20310605T070000Z') })).toBe('CAL-4221');
    expect(await code({ endDate: at('20310606') })).toBe('CAL-4229');
    expect(await code({ status: 'PERHAPS' })).toBe('CAL-4006');
    expect(await code({ alarms: [{ action: 'DISPLAY', trigger: { duration: 'soon' } }] })).toBe('CAL-4005');
    expect(await code({ attendees: [{ entity: 987_654 }] })).toBe('CAL-4034');
    expect(await code({ rrule: 'FREQ=X' })).toBe('CAL-4002');
    expect(await code({ rrule: 'FREQ=YEARLY;BYWEEKNO=3' })).toBe('CAL-4223');
    expect(await code({}, { recurrenceId: '20310605T080000Z' })).toBe('CAL-4042');
    expect(await code({}, { recurrenceId: '20310605T080000Z', recurrenceRange: 'THISANDFUTURE' })).toBe('CAL-4063');
    expect(await code({}, { recurrenceRange: 'THISANDPRIOR' })).toBe('SVL-0010');
  });
});

describe('chronos: delete', () => {
  it('CD-01, CD-05: an outcome for each, in their order', async () => {
    const player = await someone();
    const [first, second] = [await created(player), await created(player)];
    const reply = await remove(player, [{ id: first.id }, { id: '999999999' }, { id: second.id }]);
    expect(reply.code).toBeUndefined();
    expect(reply.data).toMatchObject([
      { id: first.id, folderId: folderOf(player), deleted: [{ id: first.id }] },
      { id: '999999999', error: { code: 'CAL-4040' } },
      { id: second.id, deleted: [{ id: second.id, folder: folderOf(player) }] },
    ]);
    expect(reply.timestamp).toBe(dataOf(reply)[0].timestamp);
    expect(await all(player)).toEqual([]);
    const bare = await created(player);
    const list = [{ id: bare.id, folder: player.folder }];
    expect((await player.put('chronos', 'delete', { timestamp: 1 }, list)).data).toMatchObject([
      { error: { code: 'CAL-4120' } },
    ]);
    expect((await player.put('chronos', 'delete', { timestamp: 9e15 }, list)).data).toMatchObject([
      { deleted: [{ id: bare.id }] },
    ]);
    expect((await remove(player, [])).data).toEqual([]);
    expect((await remove(player, list, { fields: 'x' })).code).toBe('SVL-0010');
    expect((await remove(player, list, { timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
    const codes = async (item: object) => dataOf(await remove(player, [{ ...item }]))[0].error.code;
    expect(await codes({ id: '1', recurrenceId: 'soon' })).toBe('SVL-0010');
    expect(await codes({ id: '1', recurrenceRange: 'THISANDFUTURE' })).toBe('CAL-4063');
    expect(await codes({ id: '1', folder: 'cal://0/999989' })).toBe('FLD-0008');
    expect(await codes({ id: '1', folder: folderOf(cast.U1) })).toBe('FLD-0003');
  });

  it('CD-02, CD-03, CD-04, CD-09: attendees withdraw, and are asked again for an earlier time', async () => {
    const [ann, bob] = await pair();
    const event = await created(ann, { attendees: [{ entity: bob.userId }] });
    const [outcome] = dataOf(await remove(bob, [{ id: event.id }]));
    expect(outcome).toMatchObject({ deleted: [{ id: event.id, folder: folderOf(bob) }] });
    expect(await refusal(bob, event.id)).toBe('CAL-4040');
    expect((await updates(bob, event.timestamp)).deleted).toMatchObject([{ id: event.id }]);
    expect(attendeeOf(await get(ann, event.id), bob.userId).partStat).toBe('DECLINED');
    await update(ann, event.id, { startDate: at('20310605T070000Z') });
    expect(attendeeOf(await get(bob, event.id), bob.userId).partStat).toBe('NEEDS-ACTION');
    await remove(ann, [{ id: event.id }]);
    expect((await updates(bob, event.timestamp)).deleted).toMatchObject([{ id: event.id, folder: folderOf(bob) }]);
    const other = await created(ann, { attendees: [{ entity: bob.userId }] });
    await update(ann, other.id, { attendees: [] });
    expect((await updates(bob, other.timestamp)).deleted).toMatchObject([{ id: other.id }]);
  });

  it('CD-08, CD-10, CD-11: what came and went, became private, or has another alarm', async () => {
    const [ann, bob] = await pair();
    const brief = await created(ann);
    await remove(ann, [{ id: brief.id }]);
    const { deleted, newAndModified } = await updates(ann, brief.timestamp - 1);
    expect(newAndModified).toEqual([]);
    expect(deleted.map(({ id }: any) => id)).toEqual([brief.id]);
    const reader = { entity: bob.userId, group: false, bits: 1 | (2 << 7) };
    const shared = { folder: `cal://0/${await newCalendar(ann, ann.folder, [owner(ann), reader])}` };
    const event = await created(ann, { summary: 'Secret' }, shared);
    const { timestamp } = await bob.get('chronos', 'updates', { timestamp: 0, ...shared });
    await update(ann, event.id, { class: 'PRIVATE' }, shared);
    const seen = await updates(bob, timestamp!, shared);
    expect(seen).toMatchObject({ newAndModified: [], deleted: [{ id: event.id }] });
    expect(JSON.stringify(seen)).not.toContain('Secret');
    const meeting = await created(ann, { attendees: [{ entity: bob.userId }] });
    await answer(bob, meeting.id, { alarms: [{ action: 'AUDIO', trigger: { duration: '-PT5M' } }] });
    expect((await updates(bob, meeting.timestamp)).newAndModified).toMatchObject([{ alarms: [{ action: 'AUDIO' }] }]);
    expect((await updates(ann, meeting.timestamp)).newAndModified[0]).not.toHaveProperty('alarms');
  });
});

describe('chronos: move', () => {
  it('CM-01, CM-02: single events go to other calendars, series and occurrences do not', async () => {
    const player = await someone();
    const second = `cal://0/${await newCalendar(player, '1', [owner(player)])}`;
    const event = await created(player);
    const move = (id: string, query: object = {}) =>
      player.call('PUT', 'chronos', 'move', {
        folder: folderOf(player),
        id,
        targetFolder: second,
        timestamp: 9e15,
        ...query,
      });
    expect((await move(event.id, { timestamp: 1 })).code).toBe('CAL-4120');
    const { updated, deleted } = dataOf(await move(event.id, { timestamp: event.timestamp }));
    expect(updated).toMatchObject([{ id: event.id, uid: event.uid, folder: second }]);
    expect(deleted).toMatchObject([{ id: event.id, folder: folderOf(player) }]);
    expect((await updates(player, event.timestamp)).deleted).toMatchObject([{ id: event.id }]);
    const series = await created(player, { rrule: 'FREQ=DAILY;COUNT=3' });
    expect((await move(series.id)).code).toBe('CAL-4224');
    expect((await move(series.id, { recurrenceId: '20310606T080000Z' })).code).toBe('CAL-4225');
  });

  it('CM-01: who is invited moves it among his own calendars, and is answered what he sees there', async () => {
    const [ann, bob] = await pair();
    const second = `cal://0/${await newCalendar(bob, '1', [owner(bob)])}`;
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }];
    const event = await created(ann, { attendees: [{ entity: bob.userId }], alarms });
    const query = { folder: folderOf(bob), id: event.id, targetFolder: second, timestamp: FORCE };
    const { updated, deleted } = dataOf(await bob.call('PUT', 'chronos', 'move', query));
    expect(deleted).toMatchObject([{ id: event.id, folder: folderOf(bob) }]);
    expect(updated).toEqual([await get(bob, event.id, { folder: second })]);
    expect(updated[0]).not.toHaveProperty('alarms');
    expect(updated[0].flags).toEqual(expect.arrayContaining(['attendee', 'needs_action']));
    expect(attendeeOf(updated[0], bob.userId).folder).toBe(second);
  });

  it('CM-01: what nobody is invited to goes into the calendar of another user as it is', async () => {
    const [ann, bob] = await pair();
    const open = await newCalendar(bob, bob.folder, [owner(bob), author(ann)]);
    const targetFolder = `cal://0/${open}`;
    const event = await created(ann);
    const move = (id: string, folder: string, target: string) =>
      ann.call('PUT', 'chronos', 'move', { folder, id, targetFolder: target, timestamp: FORCE });
    const { updated, deleted } = dataOf(await move(event.id, folderOf(ann), targetFolder));
    const { id, uid } = event;
    expect(updated).toMatchObject([{ id, uid, folder: targetFolder, sequence: 0 }]);
    expect(deleted).toMatchObject([{ id, folder: folderOf(ann) }]);
    expect(await updates(ann, event.timestamp)).toMatchObject({ newAndModified: [], deleted: [{ id }] });
    expect(await all(ann)).toEqual([]);
    const moved = await get(bob, id, { folder: targetFolder });
    expect(moved).toMatchObject({ calendarUser: { entity: bob.userId }, createdBy: { entity: ann.userId } });
    expect(moved.flags).not.toContain('scheduled');
    // It is his: whom he invites, he invites himself.
    const invited = { attendees: [{ entity: bob.userId }, { entity: ann.userId }] };
    const meeting = dataOf(await update(bob, id, invited, { folder: targetFolder })).updated[0];
    expect(meeting).toMatchObject({ organizer: { entity: bob.userId }, flags: expect.arrayContaining(['organizer']) });
    // A meeting stays where it is.
    expect((await move(id, targetFolder, folderOf(ann))).code).toBe('CAL-4035');
    const own = await created(bob, {}, { folder: targetFolder });
    expect(dataOf(await move(own.id, targetFolder, folderOf(ann))).deleted).toMatchObject([{ id: own.id }]);
    expect(await refusal(bob, own.id, { folder: targetFolder })).toBe('CAL-4041');
    expect(await get(ann, own.id)).not.toHaveProperty('attendees');

    const legacy = await created(ann);
    const query = { id: legacy.id, folder: ann.folder, timestamp: FORCE };
    dataOf(await ann.put('calendar', 'update', query, { folder_id: open, ignore_conflicts: true }));
    const { users } = dataOf(await bob.get('calendar', 'get', { id: legacy.id, folder: open }));
    expect(users).toMatchObject([{ id: bob.userId, confirm: 1, display_name: expect.any(String) }]);
  });

  it('CM-03, CM-04, CM-05: into public calendars, those of others, and those of another context', async () => {
    const [ann, bob] = await pair();
    const event = await created(ann, { attendees: [{ entity: bob.userId }] });
    const move = (id: string, targetFolder: string) =>
      ann.call('PUT', 'chronos', 'move', { folder: folderOf(ann), id, targetFolder, timestamp: 9e15 });
    const readOnly = { entity: ann.userId, group: false, bits: 1 | (2 << 7) };
    const closed = await newCalendar(bob, bob.folder, [owner(bob), readOnly]);
    expect((await move(event.id, `cal://0/${closed}`)).code).toBe('CAL-4031');
    expect(await get(ann, event.id)).toEqual(event);
    expect((await move(event.id, folderOf(cast.X1))).code).toMatch(/^FLD-000[38]$/);
    const open = await newCalendar(bob, bob.folder, [owner(bob), author(ann)]);
    const carl = { attendees: [{ entity: bob.userId }, { entity: cast.U1.userId }] };
    expect((await move((await created(ann, carl)).id, `cal://0/${open}`)).code).toBe('CAL-4035');
    const secret = await created(ann, { class: 'PRIVATE' });
    expect((await move(secret.id, `cal://0/${open}`)).code).toBe('CAL-4226');
    const everyone = { entity: 0, group: true, bits: 4_227_332 };
    const shared = `cal://0/${await newCalendar(ann, '2', [owner(ann), everyone])}`;
    expect(dataOf(await move(event.id, shared)).updated).toMatchObject([{ folder: shared }]);
    expect(await get(bob, event.id, { folder: shared })).not.toHaveProperty('calendarUser');
    expect(dataOf(await bob.get('chronos', 'resolve', { id: event.id, fields: 'folder' }))).toEqual({ folder: shared });
    const all = await bob.put('chronos', 'all', { ...THIRTIES, fields: 'id' }, { folders: ['cal://0/allPublic'] });
    expect(all.data[0].events).toContainEqual({ id: event.id });
    expect(JUNE_5.startDate).toEqual(event.startDate);
  });

  it('an event whose unique id the other calendar has already stays where it is', async () => {
    const [ann, bob] = await pair();
    const everyone = { entity: 0, group: true, bits: 4_227_332 };
    const target = await newCalendar(ann, '2', [owner(ann), everyone]);
    const targetFolder = `cal://0/${target}`;
    const invitation = { uid: `moved-${(count += 1)}`, organizer: { uri: 'mailto:boss@outside.test' } };
    const accept = (user: TestUser) => created(user, { ...invitation, attendees: [{ entity: user.userId }] });
    const move = (user: TestUser, id: string) =>
      user.call('PUT', 'chronos', 'move', { folder: folderOf(user), id, targetFolder, timestamp: FORCE });
    const [first, second] = [await accept(ann), await accept(bob)];
    expect(dataOf(await move(ann, first.id)).updated).toMatchObject([{ uid: invitation.uid, folder: targetFolder }]);
    expect((await move(bob, second.id)).code).toBe('CAL-4090');
    const query = { id: second.id, folder: bob.folder, timestamp: FORCE };
    expect((await bob.put('calendar', 'update', query, { folder_id: target })).code).toBe('APP-0100');
    expect(await get(bob, second.id)).toEqual(second);
  });
});

describe('chronos: folders and values that nobody takes', () => {
  it('are told apart by every operation', async () => {
    const player = await someone();
    const event = await created(player);
    const folders = {
      'cal://0/999989': 'FLD-0008',
      [folderOf(cast.U1)]: 'FLD-0003',
      'cal://7/1': 'CAL-4044',
      'cal://0/35': 'CAL-4060',
    };
    const calls: Record<string, (query: object) => Promise<{ code?: string }>> = {
      all: (query) => player.get('chronos', 'all', { ...THIRTIES, folder: folderOf(player), ...query }),
      updates: (query) => player.get('chronos', 'updates', { timestamp: 0, folder: folderOf(player), ...query }),
      update: (query) => update(player, event.id, {}, { ...query }),
      updateAttendee: (query) => answer(player, event.id, {}, { ...query }),
    };
    for (const [name, call] of Object.entries(calls)) {
      for (const [folder, code] of Object.entries(folders))
        expect([name, (await call({ folder })).code]).toEqual([name, code]);
      expect([name, (await call({ timezone: 'Middle/Earth' })).code]).toEqual([name, 'CAL-4001']);
    }
    expect((await calls.updates!({ rangeStart: 'x' })).code).toBe('SVL-0010');
    expect((await calls.updateAttendee!({ recurrenceId: 'x' })).code).toBe('SVL-0010');
    const second = `cal://0/${await newCalendar(player, '1', [owner(player)])}`;
    expect((await calls.updateAttendee!({ folder: second })).code).toBe('CAL-4041');
    expect((await player.put('chronos', 'list', { timezone: 'Middle/Earth' }, [])).code).toBe('CAL-4001');
    expect((await create(player, {}, { folder: 'cal://0/35' })).code).toBe('CAL-4060');
  });

  it('refuses answers that are too long', async () => {
    const [ann, bob] = await pair();
    const key = 'com.example.calendar.maxEventResults';
    const path = `/admin/v1/contexts/${cast.contextId}/users/${bob.userId}/config/${key}`;
    await cast.admin.expect('PUT', path, { value: '1' });
    for (const summary of ['A', 'B']) await created(ann, { summary, attendees: [{ entity: bob.userId }] });
    expect((await bob.get('chronos', 'needsAction', THIRTIES)).code).toBe('CAL-5072');
  });
});
