import { until } from '@groupware/test-kit';
import { Mailbox, type Mail, type Part } from '../admin/mailbox';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { answer, at, create, created, dataOf, folderOf, JUNE_5, remove, update, type Json, type Query } from './events';

let environment: TestEnvironment;
let cast: Fixtures;
let mailbox: Mailbox;
let count = 0;

beforeAll(async () => {
  mailbox = new Mailbox();
  const settings = await mailbox.startForProduct();
  environment = await startTestEnvironment({
    variables: {
      ...settings,
      OUTGOING_MAIL_PER_MINUTE: '10000',
    },
  });
  cast = await createFixtures(environment);
}, 120_000);
afterAll(async () => {
  await environment?.close();
  await mailbox?.close();
});

const guest = (): string => `guest${(count += 1)}@outside.test`;
const external = (address: string): Json => ({ uri: `mailto:${address}`, cuType: 'INDIVIDUAL' });
const internal = (entity: number): Json => ({ entity, cuType: 'INDIVIDUAL' });

const partsOf = (part: Part): Part[] => [part, ...part.parts.flatMap(partsOf)];
/** The scheduling message of a mail, unfolded. */
function messageOf(mail: Mail): { method: string; text: string } {
  const part = partsOf(mail).find(({ headers }) => /^text\/calendar/i.test(headers['content-type'] ?? ''))!;
  const [, method = ''] = /method="?([A-Z]+)/i.exec(part.headers['content-type']!) ?? [];
  return { method, text: part.body.toString('utf8').replace(/\r\n[ \t]/g, '') };
}
const linesOf = (mail: Mail, name: string): string[] =>
  messageOf(mail)
    .text.split('\r\n')
    .filter((line) => new RegExp(`^${name}[;:]`).test(line));

/** Mails to an address in the order in which they arrived, once there are so many; more are an error. */
async function mailsTo(address: string, expected: number): Promise<Mail[]> {
  const find = () => mailbox.mails.filter(({ to }) => to.includes(address));
  await until(() => Promise.resolve(find().length >= expected));
  await settle();
  const mails = find();
  expect(mails.map((mail) => messageOf(mail).method)).toHaveLength(expected);
  return mails;
}

/** Waits until a mail that was caused after all others has arrived: what was to come came. */
async function settle(): Promise<void> {
  const last = guest();
  await created(cast.U3, { attendees: [external(last)] });
  await until(() => Promise.resolve(mailbox.mails.some(({ to }) => to.includes(last))));
}

const textOf = (mail: Mail): string =>
  partsOf(mail)
    .find(({ headers }) => headers['content-type']?.startsWith('text/plain'))!
    .body.toString('utf8');
/** Notices to a user about events of a title, once there are so many; more are an error. */
async function noticesTo(address: string, title: string, expected: number): Promise<Mail[]> {
  const find = () => mailbox.mails.filter((mail) => mail.to.includes(address) && textOf(mail).includes(`“${title}”`));
  await until(() => Promise.resolve(find().length >= expected));
  await settle();
  expect(find().map(textOf)).toHaveLength(expected);
  return find();
}

const invite = (attendees: Json[], fields: Json = {}, query: Query = {}): Promise<Json> =>
  created(cast.U1, { summary: 'Planning', attendees, ...fields }, query);

describe('invitations by mail', () => {
  it('CO-01 each external attendee gets one REQUEST, internal ones a notice without calendar', async () => {
    const address = guest();
    const { uid } = await invite([external(address), internal(cast.U2.userId)], { location: 'Room 7' });
    const [mail] = await mailsTo(address, 1);
    const { method, text } = messageOf(mail!);
    expect([method, /^METHOD:(.*)$/m.exec(text)?.[1]?.trim()]).toEqual(['REQUEST', 'REQUEST']);
    for (const line of [
      `UID:${uid}`,
      'SEQUENCE:0',
      'SUMMARY:Planning',
      'LOCATION:Room 7',
      'DTSTART:20310605T080000Z',
      'DTEND:20310605T090000Z',
    ])
      expect(text).toContain(`\r\n${line}\r\n`);
    expect(linesOf(mail!, 'ORGANIZER')).toEqual([expect.stringContaining(`:mailto:${cast.U1.email}`)]);
    expect(linesOf(mail!, 'ATTENDEE')).toHaveLength(3);
    expect(linesOf(mail!, 'ATTENDEE').find((line) => line.includes(address))).toMatch(
      /PARTSTAT=NEEDS-ACTION;.*RSVP=TRUE|RSVP=TRUE;.*PARTSTAT=NEEDS-ACTION/,
    );
    expect(mail!.from).toBe('noreply@operator.example');
    expect(mail!.headers).toMatchObject({
      from: expect.stringContaining(cast.U1.email),
      sender: expect.stringContaining('noreply@operator.example'),
    });
    const kinds = partsOf(mail!).map(({ headers }) => (headers['content-type'] ?? '').split(';')[0]);
    expect(kinds).toEqual([
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'text/html',
      'text/calendar',
      'application/ics',
    ]);
    expect(partsOf(mail!)[2]!.body.toString()).toContain('Where: Room 7');
    const [notice] = await noticesTo(cast.U2.email, 'Planning', 1);
    expect(partsOf(notice!).map(({ headers }) => (headers['content-type'] ?? '').split(';')[0])).toEqual([
      ...['multipart/alternative', 'text/plain', 'text/html'],
    ]);
    expect(await noticesTo(cast.U1.email, 'Planning', 0)).toEqual([]);
  });

  it.each<[string, Query]>([
    ['scheduling=none', { scheduling: 'none' }],
    ['scheduling=internal-only', { scheduling: 'internal-only' }],
  ])('CO-02 nobody elsewhere is told with %s', async (_what, query) => {
    const address = guest();
    const { id } = await invite([external(address)], {}, query);
    dataOf(await update(cast.U1, id, { summary: 'Other' }, query));
    dataOf(await remove(cast.U1, [{ id }], query));
    await mailsTo(address, 0);
  });

  it('CO-02 nobody is told of the own alarms and the colour, nor that somebody else answered', async () => {
    const address = guest();
    const { id } = await invite([external(address), internal(cast.U2.userId)]);
    dataOf(await update(cast.U1, id, { alarms: [{ action: 'DISPLAY', trigger: { duration: '-PT15M' } }] }));
    dataOf(await update(cast.U1, id, { color: 'teal' }));
    dataOf(await answer(cast.U2, id, { attendee: { entity: cast.U2.userId, partStat: 'TENTATIVE' } }));
    await mailsTo(address, 1);
  });

  it('CO-02 nobody is told by calendar?action=new with notification=false', async () => {
    const address = guest();
    const body = {
      title: 'T',
      folder_id: cast.U1.folder,
      start_date: Date.UTC(2031, 5, 5),
      end_date: Date.UTC(2031, 5, 5, 1),
      ignore_conflicts: true,
      participants: [{ type: 5, mail: address, display_name: 'Guest' }],
    };
    const stored = await cast.U1.put('calendar', 'new', { timezone: 'UTC' }, { ...body, notification: false });
    expect(stored.error).toBeUndefined();
    await mailsTo(address, 0);
    const other = guest();
    const participants = [{ type: 5, mail: other, display_name: 'Guest' }];
    await cast.U1.put('calendar', 'new', { timezone: 'UTC' }, { ...body, participants, notification: true });
    expect(messageOf((await mailsTo(other, 1))[0]!).method).toBe('REQUEST');
  });

  it('a file that changes an event is told, unless suppressNotification says otherwise', async () => {
    const address = guest();
    const { uid } = await invite([external(address)]);
    const upload = async (sequence: number, hour: string, query: Record<string, string>): Promise<unknown> => {
      const lines = [
        ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', 'BEGIN:VEVENT', `UID:${uid}`, `SEQUENCE:${sequence}`],
        ...['DTSTAMP:20300101T000000Z', `DTSTART:20310605T${hour}0000Z`, 'DURATION:PT1H', 'SUMMARY:From a file'],
        ...['END:VEVENT', 'END:VCALENDAR', ''],
      ];
      const body = new FormData();
      body.append('file', new Blob([lines.join('\r\n')], { type: 'text/calendar' }), 'calendar.ics');
      const { session, folder } = cast.U1;
      const place = { action: 'ICAL', session, folder, plainJson: 'true', ...query };
      const response = await cast.U1.fetch('POST', '/import', place, { body });
      return await response.json();
    };
    const stored = { data: [{ id: expect.any(String) }] };
    expect(await upload(1, '11', { suppressNotification: '' })).toMatchObject(stored);
    await mailsTo(address, 1);
    expect(await upload(2, '12', { dryRun: 'true' })).toMatchObject({ data: [{ uid }] });
    expect(await upload(2, '12', {})).toMatchObject(stored);
    const mails = await mailsTo(address, 2);
    expect(mails.flatMap((mail) => linesOf(mail, 'DTSTART')).sort()).toEqual([
      'DTSTART:20310605T080000Z',
      'DTSTART:20310605T120000Z',
    ]);
  });

  it('CO-04 a change of time is a REQUEST with the next SEQUENCE and a newer DTSTAMP, also within one second', async () => {
    const address = guest();
    const { id } = await invite([external(address)]);
    const moved = { startDate: at('20310605T070000Z'), endDate: at('20310605T080000Z') };
    dataOf(await update(cast.U1, id, moved));
    dataOf(await update(cast.U1, id, { description: 'Bring cake' }));
    const mails = await mailsTo(address, 3);
    const revisions = mails.map((mail) => ({
      sequence: linesOf(mail, 'SEQUENCE')[0],
      stamp: linesOf(mail, 'DTSTAMP')[0]!.slice('DTSTAMP:'.length),
    }));
    revisions.sort((a, b) => a.stamp.localeCompare(b.stamp));
    expect(revisions.map(({ sequence }) => sequence)).toEqual(['SEQUENCE:0', 'SEQUENCE:1', 'SEQUENCE:1']);
    expect(new Set(revisions.map(({ stamp }) => stamp)).size).toBe(3);
    expect(mails.some((mail) => linesOf(mail, 'DTSTART')[0] === 'DTSTART:20310605T070000Z')).toBe(true);
  });

  it('CO-05 who is taken off gets a CANCEL, who is added a REQUEST', async () => {
    const [first, second] = [guest(), guest()];
    const { id, uid } = await invite([external(first)]);
    dataOf(await update(cast.U1, id, { attendees: [internal(cast.U1.userId), external(second)] }));
    const mails = await mailsTo(first, 2);
    expect(mails.map((mail) => messageOf(mail).method).sort()).toEqual(['CANCEL', 'REQUEST']);
    const cancel = mails.find((mail) => messageOf(mail).method === 'CANCEL')!;
    expect(messageOf(cancel).text).toContain(`UID:${uid}`);
    expect(linesOf(cancel, 'SEQUENCE')).toEqual(['SEQUENCE:1']);
    expect(messageOf((await mailsTo(second, 1))[0]!).method).toBe('REQUEST');
  });

  it('CO-05 a deletion is a CANCEL with what the user says to it', async () => {
    const address = guest();
    const { id } = await invite([external(address)]);
    const body = { events: [{ folder: folderOf(cast.U1), id }], comment: 'Sorry' };
    dataOf(await cast.U1.put('chronos', 'delete', { timestamp: Number.MAX_SAFE_INTEGER }, body));
    const mails = await mailsTo(address, 2);
    const cancel = mails.find((mail) => messageOf(mail).method === 'CANCEL')!;
    expect(linesOf(cancel, 'SEQUENCE')).toEqual(['SEQUENCE:1']);
    expect(linesOf(cancel, 'STATUS')).toEqual(['STATUS:CANCELLED']);
    expect(linesOf(cancel, 'COMMENT')).toEqual(['COMMENT:Sorry']);
    expect(partsOf(cancel)[2]!.body.toString()).toContain('> Sorry');
  });

  it('the mail is in the language of the user who invites', async () => {
    const path = `/admin/v1/contexts/${cast.contextId}/users/${cast.U2.userId}`;
    await cast.admin.expect('PATCH', path, { locale: 'de_DE' });
    const address = guest();
    dataOf(await create(cast.U2, { summary: 'Ü', attendees: [external(address)] }));
    const [mail] = await mailsTo(address, 1);
    const text = partsOf(mail!)[2]!.body.toString('utf8');
    expect(text).toContain('lädt Sie zu „Ü“ ein.');
    expect(text).toMatch(/Wann: Donnerstag, 5\. Juni 2031/);
    await cast.admin.expect('PATCH', path, { locale: 'en_US' });
  });
});

describe('invitations to series by mail', () => {
  const series = { rrule: 'FREQ=DAILY;COUNT=6' };
  const third = '20310607T080000Z';

  it('a changed occurrence is told alone, a deleted one is a CANCEL of it', async () => {
    const address = guest();
    const { id } = await invite([external(address)], series);
    dataOf(await update(cast.U1, id, { location: 'B' }, { recurrenceId: third }));
    dataOf(await remove(cast.U1, [{ id, recurrenceId: '20310609T080000Z' }]));
    const mails = await mailsTo(address, 3);
    const told = mails.map((mail) => [
      messageOf(mail).method,
      ...linesOf(mail, 'RECURRENCE-ID'),
      ...linesOf(mail, 'SEQUENCE'),
    ]);
    expect(told).toContainEqual(['REQUEST', `RECURRENCE-ID:${third}`, 'SEQUENCE:1']);
    expect(told).toContainEqual(['CANCEL', 'RECURRENCE-ID:20310609T080000Z', 'SEQUENCE:1']);
    expect(told).toContainEqual(['REQUEST', 'SEQUENCE:0']);
  });

  it('a change of the series takes its exceptions along; who is not invited to one finds it excluded', async () => {
    const [both, most] = [guest(), guest()];
    const { id } = await invite([external(both), external(most)], series);
    const attendees = [internal(cast.U1.userId), external(both)];
    dataOf(await update(cast.U1, id, { attendees, location: 'B' }, { recurrenceId: third }));
    dataOf(await update(cast.U1, id, { summary: 'Renamed' }));
    const texts = (mails: Mail[]) =>
      mails.map((mail) => messageOf(mail)).filter(({ text }) => text.includes('Renamed'));
    const [whole] = texts(await mailsTo(both, 3));
    expect(whole!.text.match(/BEGIN:VEVENT/g)).toHaveLength(2);
    const mails = await mailsTo(most, 3);
    expect(mails.map((mail) => messageOf(mail).method).sort()).toEqual(['CANCEL', 'REQUEST', 'REQUEST']);
    const [partial] = texts(mails);
    expect(partial!.text.match(/BEGIN:VEVENT/g)).toHaveLength(1);
    expect(partial!.text).toContain(`EXDATE:${third}`);
  });

  it('a change of this and all that follow tells of both series, each once', async () => {
    const address = guest();
    const { id, uid } = await invite([external(address)], series);
    const query = { recurrenceId: third, recurrenceRange: 'THISANDFUTURE' };
    dataOf(await update(cast.U1, id, { summary: 'Later' }, query));
    const mails = await mailsTo(address, 3);
    const told = mails.map((mail) => [linesOf(mail, 'UID')[0] === `UID:${uid}`, ...linesOf(mail, 'SUMMARY')]);
    expect(told).toContainEqual([true, 'SUMMARY:Planning']);
    expect(told).toContainEqual([true, 'SUMMARY:Later']);
    expect(told).toContainEqual([false, 'SUMMARY:Planning']);
  });

  it('a series that ends earlier is a REQUEST', async () => {
    const address = guest();
    const { id } = await invite([external(address)], series);
    dataOf(await remove(cast.U1, [{ id, recurrenceId: third, recurrenceRange: 'THISANDFUTURE' }]));
    const mails = await mailsTo(address, 2);
    expect(mails.map((mail) => messageOf(mail).method)).toEqual(['REQUEST', 'REQUEST']);
    const shown = mails.map((mail) => [...linesOf(mail, 'SEQUENCE'), ...linesOf(mail, 'RRULE')]);
    expect(shown).toContainEqual(['SEQUENCE:1', expect.stringMatching(/COUNT=2|UNTIL=2031060/)]);
  });
});

describe('answers to organizers elsewhere by mail', () => {
  const invited = async (address: string, fields: Json = {}): Promise<Json> =>
    created(cast.U1, {
      summary: 'Theirs',
      organizer: { uri: `mailto:${address}` },
      attendees: [{ ...internal(cast.U1.userId), partStat: 'NEEDS-ACTION' }, external(address)],
      ...fields,
    });

  it('the answer of the user is a REPLY with his comment, sent once', async () => {
    const address = guest();
    const { id, uid } = await invited(address);
    const attendee = { entity: cast.U1.userId, partStat: 'TENTATIVE', comment: 'maybe' };
    dataOf(await answer(cast.U1, id, { attendee }));
    dataOf(await answer(cast.U1, id, { attendee }));
    const [mail] = await mailsTo(address, 1);
    expect(messageOf(mail!)).toMatchObject({ method: 'REPLY', text: expect.stringContaining(`UID:${uid}`) });
    expect(linesOf(mail!, 'ATTENDEE')).toEqual([expect.stringMatching(`PARTSTAT=TENTATIVE:mailto:${cast.U1.email}`)]);
    expect(linesOf(mail!, 'COMMENT')).toEqual(['COMMENT:maybe']);
  });

  it('CI-02 who accepts what he imported before answers, too', async () => {
    const address = guest();
    const event = [
      ...['BEGIN:VEVENT', 'UID:imported@outside.test', 'DTSTAMP:20310101T000000Z', 'SUMMARY:Theirs'],
      ...['DTSTART:20310605T080000Z', 'DTEND:20310605T090000Z', `ORGANIZER:mailto:${address}`],
      ...[`ATTENDEE:mailto:${cast.U1.email}`, 'END:VEVENT'],
    ];
    const fileOf = (...lines: string[]): string =>
      ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x//EN', ...lines, ...event, 'END:VCALENDAR', ''].join('\r\n');
    const form = new FormData();
    form.append('file', new Blob([fileOf()], { type: 'text/calendar' }), 'invite.ics');
    const query = { action: 'ICAL', session: cast.U1.session, folder: cast.U1.folder, plainJson: 'true' };
    const imported = await cast.U1.fetch('POST', '/import', query, { body: form });
    expect(await imported.json()).toMatchObject({ data: [{ id: expect.anything() }] });
    const source = { dataSource: 'com.example.calendar.ical' };
    dataOf(await cast.U1.put('chronos/itip', 'accept', source, { ical: fileOf('METHOD:REQUEST') }));
    const [mail] = await mailsTo(address, 1);
    expect(messageOf(mail!).method).toBe('REPLY');
    expect(linesOf(mail!, 'ATTENDEE')).toEqual([expect.stringMatching(`PARTSTAT=ACCEPTED:mailto:${cast.U1.email}`)]);
  });

  it('CO-08 who deletes what he accepted declines it', async () => {
    const address = guest();
    const { id } = await invited(address, JUNE_5);
    dataOf(await answer(cast.U1, id, { attendee: { entity: cast.U1.userId, partStat: 'ACCEPTED' } }));
    dataOf(await remove(cast.U1, [{ id }]));
    const mails = await mailsTo(address, 2);
    expect(mails.flatMap((mail) => /PARTSTAT=([A-Z]+)/.exec(linesOf(mail, 'ATTENDEE')[0]!)![1]).sort()).toEqual([
      'ACCEPTED',
      'DECLINED',
    ]);
  });

  it('CO-08 who deletes one occurrence declines that', async () => {
    const address = guest();
    const { id } = await invited(address, { rrule: 'FREQ=DAILY;COUNT=4' });
    dataOf(await remove(cast.U1, [{ id, recurrenceId: '20310606T080000Z' }]));
    const [mail] = await mailsTo(address, 1);
    expect(linesOf(mail!, 'RECURRENCE-ID')).toEqual(['RECURRENCE-ID:20310606T080000Z']);
    expect(linesOf(mail!, 'ATTENDEE')[0]).toContain('PARTSTAT=DECLINED');
  });
});

describe('notices to attendees of this server', () => {
  const begin = (mail: Mail): string => textOf(mail).split('\n')[0]!;
  const user = (of: { userId: number }): Json => internal(of.userId);

  it('an invitation, a change with what is different, and a cancellation; nobody is told what he did himself', async () => {
    const summary = 'Told';
    const { id } = await invite([user(cast.U2)], { summary });
    dataOf(await update(cast.U1, id, { location: 'Elsewhere', startDate: at('20310605T073000Z') }));
    dataOf(await update(cast.U1, id, { alarms: [{ action: 'DISPLAY', trigger: { duration: '-PT15M' } }] }));
    dataOf(await update(cast.U1, id, { color: 'teal' }));
    dataOf(await remove(cast.U1, [{ id }]));
    const mails = await noticesTo(cast.U2.email, summary, 3);
    const find = (text: string): Mail => mails.find((mail) => begin(mail).includes(text))!;
    expect([find('invites'), find('changed'), find('cancel')]).not.toContain(undefined);
    expect(textOf(find('changed'))).toContain('The location is now “Elsewhere”.\nThe event now takes place');
    expect(find('invites').headers['reply-to']).toContain(cast.U1.email);
    expect(await noticesTo(cast.U1.email, summary, 0)).toEqual([]);
  });

  it('an answer tells the organizer, with its comment; other attendees as they wish', async () => {
    const summary = 'Answered';
    const wish = await cast.U3.fetch(
      'PUT',
      '/config/modules/calendar/notifyAcceptedDeclinedAsParticipant',
      { session: cast.U3.session },
      { body: 'true' },
    );
    expect(await wish.json()).not.toHaveProperty('error');
    const { id } = await invite([user(cast.U2), user(cast.U3)], { summary });
    dataOf(
      await answer(cast.U2, id, { attendee: { entity: cast.U2.userId, partStat: 'TENTATIVE', comment: 'perhaps' } }),
    );
    dataOf(await remove(cast.U2, [{ id }]));
    const told = await noticesTo(cast.U1.email, summary, 2);
    expect(told.map((mail) => /tentativ|declin/.exec(begin(mail))?.[0]).sort()).toEqual(['declin', 'tentativ']);
    expect(told.some((mail) => textOf(mail).includes('> perhaps'))).toBe(true);
    // The invitation and both answers.
    await noticesTo(cast.U3.email, summary, 3);
    await noticesTo(cast.U2.email, summary, 1);
  });

  it('an answer by mail that the organizer takes over tells the others, users as they wish, and not who gave it', async () => {
    const [summary, ann, bob] = ['Replied', guest(), guest()];
    const attendees = [user(cast.U2), user(cast.U3), external(ann), external(bob)];
    // U3 wishes to be told of answers since the test before.
    const { uid } = await invite(attendees, { summary });
    for (const address of [ann, bob]) await mailsTo(address, 1);
    const ical = [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//elsewhere//EN', 'METHOD:REPLY', 'BEGIN:VEVENT'],
      ...[`UID:${uid}`, 'DTSTAMP:20310102T000000Z', 'DTSTART:20310605T080000Z', 'DTEND:20310605T090000Z'],
      ...[`ORGANIZER:mailto:${cast.U1.email}`, `ATTENDEE;PARTSTAT=TENTATIVE:mailto:${ann}`, 'COMMENT:perhaps'],
      ...['END:VEVENT', 'END:VCALENDAR', ''],
    ].join('\r\n');
    const query = { dataSource: 'com.example.calendar.ical', descriptionFormat: 'html' };
    dataOf(await cast.U1.put('chronos/itip', 'update', query, { ical }));
    const [, request] = await mailsTo(bob, 2);
    expect(linesOf(request!, 'ATTENDEE').find((line) => line.includes(ann))).toContain('PARTSTAT=TENTATIVE');
    await mailsTo(ann, 1);
    const [, notice] = await noticesTo(cast.U3.email, summary, 2);
    expect(begin(notice!)).toContain(ann);
    expect(textOf(notice!)).toContain('> perhaps');
    expect(notice!.headers['reply-to']).toContain(ann);
    await noticesTo(cast.U2.email, summary, 1);
    await noticesTo(cast.U1.email, summary, 0);
  });

  it('CO-03 who does not want notices gets none; people elsewhere do', async () => {
    const summary = 'Unwanted';
    const address = guest();
    const setting = '/config/modules/calendar/notifyNewModifiedDeleted';
    const set = (value: string) => cast.U2.fetch('PUT', setting, { session: cast.U2.session }, { body: value });
    expect(await (await set('false')).json()).not.toHaveProperty('error');
    await invite([user(cast.U2), user(cast.U3), external(address)], { summary });
    await mailsTo(address, 1);
    await noticesTo(cast.U3.email, summary, 1);
    await noticesTo(cast.U2.email, summary, 0);
    await set('true');
  });

  it.each<[string, Query, number, number]>([
    ['scheduling=none', { scheduling: 'none' }, 0, 0],
    ['scheduling=internal-only', { scheduling: 'internal-only' }, 1, 0],
    ['scheduling=external-only', { scheduling: 'external-only' }, 0, 1],
    ['sendInternalNotifications=false', { sendInternalNotifications: 'false' }, 0, 1],
  ])('CO-02 %s', async (summary, query, notices, messages) => {
    const address = guest();
    await invite([user(cast.U2), external(address)], { summary }, query);
    await mailsTo(address, messages);
    await noticesTo(cast.U2.email, summary, notices);
  });

  it('calendar?action=new tells attendees, unless notification=false', async () => {
    const appointment = {
      ...{ folder_id: cast.U1.folder, ignore_conflicts: true, participants: [{ type: 1, id: cast.U2.userId }] },
      ...{ start_date: Date.UTC(2031, 5, 5), end_date: Date.UTC(2031, 5, 5, 1) },
    };
    for (const notification of [true, false]) {
      const body = { ...appointment, title: `Notification ${notification}`, notification };
      expect((await cast.U1.put('calendar', 'new', { timezone: 'UTC' }, body)).error).toBeUndefined();
    }
    await noticesTo(cast.U2.email, 'Notification true', 1);
    await noticesTo(cast.U2.email, 'Notification false', 0);
  });

  it('one occurrence that moves, or is off, is one notice each', async () => {
    const summary = 'Daily';
    const { id } = await invite([user(cast.U2)], { summary, rrule: 'FREQ=DAILY;COUNT=4' });
    dataOf(await update(cast.U1, id, { location: 'B' }, { recurrenceId: '20310606T080000Z' }));
    dataOf(await remove(cast.U1, [{ id, recurrenceId: '20310607T080000Z' }]));
    const mails = await noticesTo(cast.U2.email, summary, 3);
    expect(mails.map((mail) => /invites|changed|cancel/.exec(begin(mail))?.[0]).sort()).toEqual([
      ...['cancel', 'changed', 'invites'],
    ]);
  });
});

describe('invitations of who acts for somebody', () => {
  it('CO-06 are of the owner of the calendar, SENT-BY who acts', async () => {
    const path = { id: cast.U1.folder, tree: 0, timestamp: Number.MAX_SAFE_INTEGER };
    const permissions = [
      { entity: cast.U1.userId, group: false, bits: 403_710_016 },
      { entity: cast.U2.userId, group: false, bits: 2 | (2 << 7) | (2 << 14) | (2 << 21) },
    ];
    const granted = await cast.U1.put('folders', 'update', path, { folder: { permissions } });
    expect(granted.error).toBeUndefined();
    const address = guest();
    const summary = 'In his name';
    dataOf(await create(cast.U2, { summary, attendees: [external(address)] }, { folder: folderOf(cast.U1) }));
    const [mail] = await mailsTo(address, 1);
    const [organizer] = linesOf(mail!, 'ORGANIZER');
    expect(organizer).toContain(`:mailto:${cast.U1.email}`);
    expect(organizer).toContain(`SENT-BY="mailto:${cast.U2.email}"`);
    expect(mail!.headers.from).toContain(cast.U1.email);
    // The owner of the calendar is told what was done in his name.
    const [notice] = await noticesTo(cast.U1.email, summary, 1);
    expect(notice!.headers['reply-to']).toContain(cast.U2.email);
  });
});
