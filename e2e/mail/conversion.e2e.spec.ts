import { startMail, storeMails, type MailFixtures } from './mailbox';

let at: MailFixtures;
let id: string;
beforeAll(async () => {
  at = await startMail(['ann', 'bob']);
  [id] = (await storeMails(at.imap, 'INBOX', [
    { headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'], text: parts.join('\r\n') },
  ])) as [string];
}, 120_000);
afterAll(() => at?.close());

const event = (uid: string, summary: string) => [
  ...['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', `SUMMARY:${summary}`],
  ...['DTSTART;TZID=Europe/Berlin:20270131T090000', 'DTEND;TZID=Europe/Berlin:20270131T100000', 'END:VEVENT'],
];
const calendarOf = (...lines: string[]) => ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', ...lines, 'END:VCALENDAR'];
const todo = ['BEGIN:VTODO', 'UID:conversion-t', 'DTSTAMP:20260101T000000Z', 'SUMMARY:Buy', 'END:VTODO'];
const card = ['BEGIN:VCARD', 'VERSION:3.0', 'FN:Cär Dé', 'N:Dé;Cär;;;', 'EMAIL:card@x.example', 'END:VCARD'];
const part = (type: string, lines: readonly string[]) => ['--b', `Content-Type: ${type}`, '', ...lines];
const parts = [
  ...part('text/plain', ['Hello']),
  ...part('text/calendar; charset=utf-8; method=PUBLISH', calendarOf(...event('conversion-1', 'Meeting'), ...todo)),
  ...part('text/x-vcard; charset=iso-8859-1; name=c.vcf', card),
  ...part('text/calendar', ['nothing']),
  ...part('application/octet-stream; name=late.ics', calendarOf(...event('conversion-2', 'Later'))),
  ...part('text/calendar', calendarOf('X-NOTE:' + 'x'.repeat(60), 'DESCRIPTION:none')),
  '--b--',
];
type Arguments = Readonly<Record<string, unknown>>;
const source = (kind: string, sequenceid: string, more: Arguments = {}) => ({
  identifier: `com.openexchange.mail.${kind}`,
  args: [
    { 'com.openexchange.mail.conversion.fullname': 'default0/INBOX' },
    { 'com.openexchange.mail.conversion.mailid': id },
    { 'com.openexchange.mail.conversion.sequenceid': sequenceid },
    more,
  ],
});
const convert = (datasource: object, identifier: string, args: unknown = []) =>
  at.cast.U1.put<any[]>('conversion', 'convert', {}, { datasource, datahandler: { identifier, args } });
async function folderOf(module: string): Promise<string> {
  const { data } = await at.cast.U1.get('folders', 'allVisible', { content_type: module, columns: '1,308' });
  return data.private.find((row: unknown[]) => row[1] === true)[0];
}
const summaries = async () => {
  const query = { rangeStart: '20270101T000000Z', rangeEnd: '20270301T000000Z', fields: 'summary' };
  return (await at.cast.U1.get<any[]>('chronos', 'all', query)).data!;
};

describe('conversion of parts of mails', () => {
  it('XV-02 tells events and contacts, and stores nothing', async () => {
    const { data } = await convert(source('ical', '2'), 'com.openexchange.ical.json');
    expect(data).toEqual([
      expect.objectContaining({
        ...{ uid: 'conversion-1', summary: 'Meeting' },
        startDate: { value: '20270131T090000', tzid: 'Europe/Berlin' },
      }),
    ]);
    expect(await summaries()).toEqual([]);
    const contacts = await convert(source('vcard', '3'), 'com.example.contact.json');
    expect(contacts.data).toEqual([
      expect.objectContaining({ display_name: 'Cär Dé', first_name: 'Cär', email1: 'card@x.example' }),
    ]);
  });

  it('XV-01 stores events, tasks and contacts in their folders', async () => {
    const [calendar, tasks, contacts] = [at.cast.U1.folder, await folderOf('tasks'), await folderOf('contacts')];
    const stored = await convert(source('ical', '2'), 'com.openexchange.ical', [
      { 'com.openexchange.groupware.calendar.folder': calendar },
      { 'com.openexchange.groupware.task.folder': tasks },
    ]);
    expect(stored).not.toHaveProperty('error');
    expect(stored.data).toHaveLength(2);
    const [appointment, task] = stored.data!;
    expect(
      (await at.cast.U1.get('chronos', 'get', { id: appointment.id, folder: appointment.folder_id })).data,
    ).toMatchObject({ summary: 'Meeting' });
    expect((await at.cast.U1.get('tasks', 'get', { id: task.id, folder: task.folder_id })).data.title).toBe('Buy');
    const made = await convert(source('vcard', '3'), 'com.openexchange.contact', [
      { name: 'com.openexchange.groupware.contact.folder', value: contacts },
    ]);
    expect(made.data).toEqual([{ folder_id: contacts, id: expect.any(String) }]);
    const { data } = await at.cast.U1.get('contacts', 'get', { id: made.data![0].id, folder: contacts });
    expect(data).toMatchObject({ display_name: 'Cär Dé', email1: 'card@x.example' });
  });

  it('answers an invitation while it is stored', async () => {
    const folder = { name: 'com.example.calendar.folder', value: at.cast.U1.folder };
    const status = (value: unknown) => ({ name: 'com.example.calendar.confirmstatus', value });
    const message = { name: 'com.example.calendar.confirmmessage', value: 'perhaps' };
    const { data } = await convert(source('ical', '5'), 'com.example.ical', [folder, status(3), message]);
    expect(data).toHaveLength(1);
    const { id: stored, folder_id } = data![0];
    const { data: later } = await at.cast.U1.get('calendar', 'get', { id: stored, folder: folder_id });
    expect(later.title).toBe('Later');
    expect(later.users).toEqual([
      expect.objectContaining({ id: at.cast.U1.userId, confirm: 3, confirmmessage: 'perhaps' }),
    ]);
    expect((await convert(source('ical', '5'), 'com.example.ical', [folder, status(7)])).code).toBe('CNV-0002');
  });

  it('XV-03 XV-04 refuses foreign folders, other parts and what is missing', async () => {
    const to = (folder: unknown) => [{ 'com.example.calendar.folder': folder }];
    const codeOf = async (...call: Parameters<typeof convert>) => (await convert(...call)).code;
    const own = at.cast.U1.folder;
    expect(await codeOf(source('ical', '5'), 'com.example.ical', to(at.cast.U2.folder))).toBe('FLD-0003');
    expect(await codeOf(source('ical', '5'), 'com.example.ical', to('x'))).toMatch(/^I_E-/);
    expect(await codeOf(source('ical', '5'), 'com.example.ical')).toBe('CNV-0001');
    expect(await codeOf(source('vcard', '3'), 'com.example.contact')).toBe('CNV-0001');
    expect(await codeOf(source('ical', '1'), 'com.example.ical.json')).toBe('CNV-0005');
    expect(await codeOf(source('ical', '3'), 'com.example.ical', to(own))).toBe('CNV-0005');
    expect(await codeOf(source('ical', '4'), 'com.example.ical', to(own))).toBe('CNV-0005');
    expect(await codeOf(source('ical', '6'), 'com.example.ical.json')).toBe('CNV-0005');
    expect(await codeOf(source('vcard', '2'), 'com.example.contact.json')).toBe('CNV-0005');
    expect(await codeOf(source('ical', '5'), 'com.example.contact.json')).toBe('CNV-0005');
    expect(await codeOf(source('ical', '9'), 'com.example.ical.json')).toBe('MSG-0024');
    const gone = { 'com.example.mail.conversion.mailid': '9999' };
    expect(await codeOf(source('ical', '2', gone), 'com.example.ical.json')).toBe('MSG-0032');
    expect(await codeOf({ identifier: 'com.example.mail.ical', args: [] }, 'com.example.ical.json')).toBe('CNV-0001');
    expect(await codeOf({ identifier: 'nothing' }, 'com.example.ical.json')).toBe('CNV-0003');
    expect(await codeOf(source('ical', '2'), 'nothing')).toBe('CNV-0004');
    expect(await codeOf(source('ical', '2'), 'com.example.ical', 'text')).toBe('CNV-0002');
  });

  it('reads parts of any type as attachments', async () => {
    const attachment = (place: string) => ({ ...source('ical', place), identifier: 'com.example.url.mail.attachment' });
    const { data } = await convert(attachment('5'), 'com.example.ical.json');
    expect(data).toEqual([expect.objectContaining({ summary: 'Later' })]);
    expect((await convert(attachment('3'), 'com.example.contact.json')).data).toHaveLength(1);
    expect((await convert(attachment('1'), 'com.example.contact.json')).code).toBe('CNV-0005');
  });

  it('tells an occurrence, on the clock of a zone, and the event that is known already', async () => {
    const series = (...more: string[]) => [
      ...['BEGIN:VEVENT', 'UID:conversion-s', 'DTSTAMP:20260101T000000Z', ...more],
    ];
    const lines = calendarOf(
      ...series('SUMMARY:Daily', 'DTSTART;TZID=Europe/Berlin:20270201T090000', 'DURATION:PT1H'),
      ...['RRULE:FREQ=DAILY;COUNT=5', 'END:VEVENT'],
      ...series('SUMMARY:Moved', 'RECURRENCE-ID;TZID=Europe/Berlin:20270203T090000'),
      ...['DTSTART;TZID=Europe/Berlin:20270203T100000', 'DURATION:PT1H', 'END:VEVENT'],
    );
    const [mail] = await storeMails(at.imap, 'INBOX', [
      { headers: ['MIME-Version: 1.0', 'Content-Type: text/calendar'], text: lines.join('\r\n') },
    ]);
    const place = { 'com.example.mail.conversion.mailid': mail };
    const tell = (args: Arguments) => convert(source('ical', '1', place), 'com.example.ical.json', [args]);
    const position = (value: unknown) => ({ 'com.openexchange.grouware.calendar.recurrencePosition': value });
    const second = await tell({ ...position(2), 'com.openexchange.groupware.calendar.timezone': 'America/New_York' });
    expect(second.data).toEqual([
      expect.objectContaining({
        ...{ summary: 'Daily', recurrenceId: '20270202T030000' },
        startDate: { value: '20270202T030000', tzid: 'America/New_York' },
        endDate: { value: '20270202T040000', tzid: 'America/New_York' },
      }),
    ]);
    expect(second.data![0]).not.toHaveProperty('rrule');
    expect((await tell(position(3))).data).toEqual([expect.objectContaining({ summary: 'Moved' })]);
    expect((await tell(position(6))).code).toBe('CNV-0002');
    expect((await tell(position('x'))).code).toBe('CNV-0002');
    expect((await tell({ 'com.example.calendar.timezone': 'Nowhere' })).code).toBe('CNV-0002');
    const known = { 'com.openexchange.groupware.calendar.searchobject': 'true' };
    expect((await tell(known)).data![0]).not.toHaveProperty('id');
    const folder = { 'com.example.calendar.folder': at.cast.U1.folder };
    const answer = { ...folder, ...position(4), 'com.example.calendar.confirmstatus': 2 };
    const stored = await convert(source('ical', '1', place), 'com.example.ical', [answer]);
    expect(stored.error).toBeUndefined();
    const { id: event, folder_id } = stored.data![0];
    const [found] = (await tell(known)).data!;
    expect(found).toMatchObject({
      id: event,
      folder: expect.stringContaining(String(folder_id)),
      rrule: expect.anything(),
    });
    const confirmed = async (more: object = {}) => {
      const { data } = await at.cast.U1.get<any>('calendar', 'get', { id: event, folder: folder_id, ...more });
      return data.users[0].confirm;
    };
    expect([await confirmed(), await confirmed({ recurrence_position: 4 })]).toEqual([1, 2]);
  });

  it('attaches contacts to a draft, and copies them', async () => {
    const { U1 } = at.cast;
    const folder = await folderOf('contacts');
    const made = await U1.put<{ id: string }>('contacts', 'new', {}, { folder_id: folder, last_name: 'Pair' });
    const pairs = [{ folder, id: made.data!.id }];
    const contact = (value: unknown) => ({
      identifier: 'com.openexchange.contact',
      args: [{ name: 'com.openexchange.groupware.contact.pairs', value }],
    });
    const { data, error } = await convert(contact(JSON.stringify(pairs)), 'com.openexchange.mail.vcard');
    expect([error, data]).toEqual([undefined, [{ folder_id: 'default0/Drafts', id: expect.any(String) }]]);
    const draft = await U1.get<any>('mail', 'get', { folder: 'default0/Drafts', id: data![0].id });
    expect(draft.data.attachments.slice(-1)).toEqual([
      expect.objectContaining({ content_type: 'text/vcard', filename: expect.stringContaining('.vcf') }),
    ]);
    expect((await convert(contact(pairs), 'com.example.contact.json')).data).toEqual([
      expect.objectContaining({ last_name: 'Pair' }),
    ]);
    const copy = [{ 'com.example.contact.folder': folder }];
    expect((await convert(contact(pairs), 'com.example.contact', copy)).data).toHaveLength(1);
    for (const bad of ['x', '[]', '[1]', '[{"id":"1"}]'])
      expect((await convert(contact(bad), 'com.example.contact.json')).code).toBe('CNV-0002');
    expect((await convert(contact(''), 'com.example.contact.json')).code).toBe('CNV-0001');
    expect((await convert(contact([{ folder, id: '99999' }]), 'com.example.contact.json')).error).toBeDefined();
    expect((await convert(contact(pairs), 'com.example.ical.json')).code).toBe('CNV-0005');
  });

  it('reads parts of moderate size', async () => {
    const { admin, contextId } = at.cast;
    const limit = `/admin/v1/contexts/${contextId}/config/com.example.conversion.maxSize`;
    await admin.expect('PUT', limit, { value: '1024' });
    const large = calendarOf(...event('conversion-3', 'x'.repeat(2_000)));
    const [other] = await storeMails(at.imap, 'INBOX', [
      { headers: ['MIME-Version: 1.0', 'Content-Type: text/calendar'], text: large.join('\r\n') },
    ]);
    const place = { 'com.example.mail.conversion.mailid': other };
    expect((await convert(source('ical', '1', place), 'com.example.ical.json')).code).toBe('CNV-0007');
    await admin.expect('DELETE', limit);
    expect((await convert(source('ical', '1', place), 'com.example.ical.json')).data).toHaveLength(1);
  });
});
