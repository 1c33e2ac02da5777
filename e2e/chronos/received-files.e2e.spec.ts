import { randomBytes } from 'node:crypto';
import { startClamd, testAuthority, until, type Clamd } from '@groupware/test-kit';
import { Mailbox } from '../admin/mailbox';
import { envelopeOf } from '../attachments/attachments';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { startMail, type MailFixtures } from '../mail/mailbox';
import { all, dataOf, folderOf, FORCE, get, JUNE_5, update, type Json } from './events';
import { upload } from './uploads';

const INFECTED = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';
const ORGANIZER = 'zoe@elsewhere.test';
const LIMIT = 600_000;

let at: MailFixtures;
let mailbox: Mailbox;
let clamd: Clamd;
/** The context of organizers. */
let others: Fixtures;
let count = 0;

beforeAll(async () => {
  const authority = testAuthority();
  mailbox = new Mailbox(authority);
  clamd = await startClamd();
  at = await startMail(
    ['ann'],
    {
      ...(await mailbox.startForProduct()),
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.0/8',
      CALENDAR_SCHEDULING_MAX_FILES_BYTES: String(LIMIT),
      CALENDAR_SCHEDULING_MAX_FILES: '4',
      CLAMD_URL: clamd.url,
    },
    { authority },
  );
  others = await createFixtures(at.world);
}, 120_000);
afterAll(async () => {
  await at?.close();
  await mailbox?.close();
  await clamd?.stop();
});

/** Stores a mail in the inbox of the attendee; answers how calls name it. */
async function receive(source: string): Promise<Json> {
  const stored = await at.imap.append('INBOX', Buffer.from(source, 'latin1'));
  return {
    'com.example.mail.conversion.fullname': 'default0/INBOX',
    'com.example.mail.conversion.mailid': String((stored as { uid: number }).uid),
  };
}
const act = (action: string, body: Json) =>
  at.cast.U1.put('chronos/itip', action, { dataSource: 'com.example.mail.ical', descriptionFormat: 'html' }, body);
/** The mail to the attendee that a call causes, in the inbox. */
async function awaitDelivery(work: () => Promise<unknown>): Promise<Json> {
  const find = () => mailbox.mails.filter(({ to }) => to.includes(at.cast.U1.email));
  const known = find().length;
  await work();
  await until(() => Promise.resolve(find().length > known));
  return receive(find()[known]!.raw);
}
async function contents(user: TestUser, event: Json): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { managedId, filename, uri } of event.attachments ?? []) {
    const query = { action: 'getAttachment', session: user.session, folder: folderOf(user), id: event.id, managedId };
    const response = managedId === undefined ? undefined : await user.fetch('GET', '/chronos', query);
    files[filename ?? uri] = response ? Buffer.from(await response.arrayBuffer()).toString('latin1') : 'link';
  }
  return files;
}

interface Sent {
  readonly uid: string;
  readonly sequence?: number;
  readonly lines?: readonly string[];
  /** By Content-ID. */
  readonly parts?: Readonly<Record<string, string>>;
}
/** A mail of another calendar program. */
function invitation({ uid, sequence = 0, lines = [], parts = {} }: Sent): string {
  const calendar = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'METHOD:REQUEST', 'BEGIN:VEVENT', `UID:${uid}`, `SEQUENCE:${sequence}`],
    ...['DTSTAMP:20310101T000000Z', 'DTSTART:20310705T080000Z', 'DTEND:20310705T090000Z', 'SUMMARY:Files'],
    ...[`ORGANIZER:mailto:${ORGANIZER}`, `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${at.cast.U1.email}`],
    ...[...lines, 'END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');
  const files = Object.entries(parts).flatMap(([id, content]) => [
    ...['--x', 'Content-Type: text/plain; name=part.txt', `Content-ID: <${id}>`],
    ...['Content-Disposition: attachment; filename=part.txt', 'Content-Transfer-Encoding: base64', ''],
    Buffer.from(content).toString('base64'),
  ]);
  return [
    ...[`From: <${ORGANIZER}>`, `To: ${at.cast.U1.email}`, 'Subject: Files', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/mixed; boundary=x', '', '--x', 'Content-Type: text/calendar; method=REQUEST', ''],
    ...[calendar, ...files, '--x--', ''],
  ].join('\r\n');
}
const inline = (name: string, content: string): string =>
  `ATTACH;ENCODING=BASE64;VALUE=BINARY;FMTTYPE=text/plain;FILENAME=${name}:${Buffer.from(content).toString('base64')}`;
const freshUid = (): string => `files-${(count += 1)}@elsewhere.test`;
async function acceptInvitation(mail: string | Json, action = 'accept'): Promise<Json> {
  const [event] = dataOf(await act(action, typeof mail === 'string' ? await receive(mail) : mail));
  return event;
}

describe('files of invitations', () => {
  it('come from one context to the other, whole; updates add and remove them, and nothing is doubled', async () => {
    const organizer = others.U1;
    const large = randomBytes(200_000).toString('latin1');
    const fields = {
      ...{ summary: 'Between us', ...JUNE_5, attendees: [{ uri: `mailto:${at.cast.U1.email}` }] },
      attachments: [
        { uri: 'cid:file_0', filename: 'große.bin', fmtType: 'application/pdf' },
        { uri: 'cid:file_1' },
        { uri: 'https://example.org/x' },
      ],
    };
    const form = new FormData();
    form.set('json_0', JSON.stringify(fields));
    form.set('file_0', new Blob([Buffer.from(large, 'latin1')]), 'x');
    form.set('file_1', new Blob(['small'], { type: 'text/plain' }), 'b.txt');
    const query = { action: 'new', session: organizer.session, folder: folderOf(organizer) };
    let sent: Json = {};
    const first = await awaitDelivery(async () => {
      const response = await organizer.fetch('POST', '/chronos', query, { body: form });
      [sent] = dataOf(envelopeOf(await response.text())).created;
    });
    const event = await acceptInvitation(first);
    expect(event.attachments).toMatchObject([
      { filename: 'große.bin', fmtType: 'application/pdf', size: 200_000 },
      { filename: 'b.txt', fmtType: 'text/plain', size: 5 },
      { uri: 'https://example.org/x' },
    ]);
    expect(event.flags).toContain('attachments');
    const whole = { 'große.bin': large, 'b.txt': 'small', 'https://example.org/x': 'link' };
    expect(await contents(at.cast.U1, event)).toEqual(whole);
    const again = await acceptInvitation(first, 'tentative');
    expect(again.attachments).toEqual(event.attachments);
    const own = await upload(at.cast.U1, 'new', { summary: 'Own', ...JUNE_5 }, {});
    expect(dataOf(own).created).toHaveLength(1);

    const [kept] = sent.attachments;
    const changes = { event: { attachments: [kept, { uri: 'cid:file_0', filename: 'c.txt' }] } };
    const change = { id: sent.id, timestamp: FORCE };
    const second = await awaitDelivery(() => upload(organizer, 'update', changes, { file_0: 'third' }, change));
    const updated = await acceptInvitation(second, 'update');
    expect(await contents(at.cast.U1, updated)).toEqual({ 'große.bin': large, 'c.txt': 'third' });
    expect(updated.attachments[0]).toEqual(event.attachments[0]);
    const third = await awaitDelivery(() => update(organizer, sent.id, { attachments: [] }));
    expect((await acceptInvitation(third, 'update')).attachments ?? []).toEqual([]);
    expect((await get(at.cast.U1, event.id)).flags).not.toContain('attachments');
  });

  it('within the calendar become files, too; links stay links, and what is not in the mail is none', async () => {
    const uid = freshUid();
    const lines = [
      ...[inline('a.txt', 'eins'), 'ATTACH:https://example.org/y', 'ATTACH;FILENAME=../b.txt:CID:b%40x'],
      'ATTACH;FILENAME=none.txt:cid:none@x',
    ];
    const event = await acceptInvitation(invitation({ uid, lines, parts: { 'b@x': 'zwei', 'unnamed@x': 'drei' } }));
    expect(await contents(at.cast.U1, event)).toEqual({
      'a.txt': 'eins',
      'b.txt': 'zwei',
      'https://example.org/y': 'link',
    });
    const text = { dataSource: 'com.example.calendar.ical', descriptionFormat: 'html' };
    const ical = /BEGIN:VCALENDAR[^]*END:VCALENDAR/.exec(
      invitation({ uid, sequence: 1, lines: [inline('a.txt', 'eins'), inline('c.txt', 'drei')] }),
    )![0];
    const [newer] = dataOf(await at.cast.U1.put('chronos/itip', 'update', text, { ical }));
    expect(await contents(at.cast.U1, newer)).toEqual({ 'a.txt': 'eins', 'c.txt': 'drei' });
    expect(newer.attachments[0]).toEqual(event.attachments[0]);
  });

  it('that the user attached himself stay', async () => {
    const uid = freshUid();
    const event = await acceptInvitation(invitation({ uid, lines: [inline('a.txt', 'theirs')] }));
    const form = new FormData();
    const target = { attached: Number(event.id), folder: Number(at.cast.U1.folder), module: 1 };
    form.set('json_0', JSON.stringify({ ...target, filename: 'mine.txt' }));
    form.set('file_0', new Blob(['mine'], { type: 'text/plain' }), 'mine.txt');
    await at.cast.U1.fetch('POST', '/attachment', { action: 'attach', session: at.cast.U1.session }, { body: form });
    const updated = await acceptInvitation(
      invitation({ uid, sequence: 1, lines: [inline('a.txt', 'newer')] }),
      'update',
    );
    expect(await contents(at.cast.U1, updated)).toEqual({ 'mine.txt': 'mine', 'a.txt': 'newer' });
  });

  it('of a changed occurrence are its own', async () => {
    const uid = freshUid();
    const rule = 'RRULE:FREQ=DAILY;COUNT=3';
    const series = await acceptInvitation(invitation({ uid, lines: [rule, inline('a.txt', 'all')] }));
    const once = ['RECURRENCE-ID:20310706T080000Z', inline('b.txt', 'once')];
    const occurrence = await acceptInvitation(invitation({ uid, sequence: 1, lines: once }), 'update');
    expect(await contents(at.cast.U1, await get(at.cast.U1, occurrence.id))).toEqual({ 'b.txt': 'once' });
    const bare = ['RECURRENCE-ID:20310707T080000Z', 'LOCATION:There'];
    const without = await acceptInvitation(invitation({ uid, sequence: 1, lines: bare }), 'update');
    expect(await contents(at.cast.U1, await get(at.cast.U1, without.id))).toEqual({});
    expect(await contents(at.cast.U1, await get(at.cast.U1, series.id))).toEqual({ 'a.txt': 'all' });
  });

  it('that are too many or too large, or that a quota has no room for, are left out; the answer is stored', async () => {
    const uid = freshUid();
    const parts = { 'a@x': 'x'.repeat(LIMIT - 10), 'b@x': 'y'.repeat(20), 'c@x': 'z' };
    const lines = Object.keys(parts).map((id) => `ATTACH;FILENAME=${id[0]}.txt:cid:${id}`);
    const event = await acceptInvitation(invitation({ uid, lines, parts }));
    expect((await contents(at.cast.U1, event))['b.txt']).toBeUndefined();
    expect(event.attachments).toMatchObject([{ filename: 'a.txt', size: LIMIT - 10 }, { filename: 'c.txt' }]);
    const many = ['1', '2', '3', '4', '5'].map((name) => inline(name, name));
    const few = await acceptInvitation(invitation({ uid: freshUid(), lines: many }));
    expect(Object.keys(await contents(at.cast.U1, few))).toEqual(['1', '2', '3', '4']);
    const path = `/admin/v1/contexts/${at.cast.contextId}/config/com.example.quota.attachments`;
    await at.cast.admin.expect('PUT', path, { value: '1' });
    const full = await acceptInvitation(invitation({ uid: freshUid(), lines: [inline('a.txt', 'a')] }));
    expect(full.attachments ?? []).toEqual([]);
    expect((await all(at.cast.U1)).map(({ id }) => id)).toContain(full.id);
    await at.cast.admin.expect('PUT', path, { value: '-1' });
  });

  it('that are infected are left out, and no others', async () => {
    const path = `/admin/v1/contexts/${at.cast.contextId}/config/com.example.attachments.scanUploads`;
    await at.cast.admin.expect('PUT', path, { value: 'required' });
    const lines = [inline('bad.txt', INFECTED), inline('good.txt', 'good')];
    const event = await acceptInvitation(invitation({ uid: freshUid(), lines }));
    expect(await contents(at.cast.U1, event)).toEqual({ 'good.txt': 'good' });
    await at.cast.admin.expect('PUT', path, { value: 'off' });
  });
});
