import { Client } from '../client';
import { PASSWORD } from '../fixtures';
import { startMail, type MailFixtures } from '../mail/mailbox';
import { schedulingMail } from '../push/scheduling-mail';
import { keepOutOfLogs } from '../secrets';
import { all, dataOf, type Json } from './events';

let at: MailFixtures;
let count = 0;
beforeAll(async () => {
  at = await startMail();
}, 120_000);
afterAll(() => at?.close());

const ORGANIZER = 'zoe@elsewhere.test';

/** Stores a mail with a scheduling message in the inbox; answers how calls name it. */
async function receive(
  uid: string,
  method = 'REQUEST',
  from = ORGANIZER,
  { sentBy, lines = [] }: { readonly sentBy?: string; readonly lines?: readonly string[] } = {},
): Promise<Json> {
  const event = [
    `UID:${uid}`,
    'DTSTAMP:20310101T000000Z',
    `SEQUENCE:${method === 'CANCEL' ? 1 : 0}`,
    'DTSTART:20310705T080000Z',
    'DTEND:20310705T090000Z',
    'SUMMARY:Grüße',
    `ORGANIZER${sentBy ? `;SENT-BY="mailto:${sentBy}"` : ''}:mailto:${ORGANIZER}`,
    `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${at.cast.U1.email}`,
    ...lines,
  ];
  const source = schedulingMail({ from, to: at.cast.U1.email, method, events: [event] });
  const stored = await at.imap.append('INBOX', source);
  return {
    'com.example.mail.conversion.fullname': 'default0/INBOX',
    'com.example.mail.conversion.mailid': String((stored as { uid: number }).uid),
  };
}
const call = (action: string, body: Json) =>
  at.cast.U1.put('chronos/itip', action, { dataSource: 'com.example.mail.ical', descriptionFormat: 'html' }, body);
const freshUid = (): string => `mailed-${(count += 1)}@elsewhere.test`;
const stored = async (uid: string): Promise<Json[]> => (await all(at.cast.U1)).filter((each) => each.uid === uid);

describe('scheduling messages in mails', () => {
  it('CI-01 CI-02 are found in the mail, named or not, and accepted', async () => {
    const uid = freshUid();
    const mail = await receive(uid);
    const [analysis] = dataOf(await call('analyze', mail));
    expect(analysis.changes).toMatchObject([{ type: 'create', newEvent: { uid, summary: 'Grüße' } }]);
    expect(analysis.annotations).toEqual([{ message: `You have had no events with ${ORGANIZER} so far.` }]);
    expect(dataOf(await call('analyze', { ...mail, 'com.example.mail.conversion.sequenceid': '2' }))).toHaveLength(1);
    const theirs = (text: string): string => text.replace('com.example', 'com.openexchange');
    const body = Object.fromEntries(Object.entries(mail).map(([name, value]) => [theirs(name), value]));
    const query = { dataSource: theirs('com.example.mail.ical'), descriptionFormat: 'html' };
    const [same] = dataOf(await at.cast.U1.put('chronos/itip', 'analyze', query, body));
    expect(same.changes).toMatchObject([{ type: 'create', newEvent: { uid, summary: 'Grüße' } }]);
    dataOf(await call('accept', mail));
    expect(await stored(uid)).toHaveLength(1);
  });

  it('CI-06 a cancellation by a stranger who claims to be the organizer is to be ignored', async () => {
    const uid = freshUid();
    dataOf(await call('accept', await receive(uid)));
    const spoofed = await receive(uid, 'CANCEL', 'mallory@elsewhere.test');
    const [analysis] = dataOf(await call('analyze', spoofed));
    expect(analysis.actions).toEqual(['ignore']);
    expect(analysis.annotations[0].message).toContain('mallory@elsewhere.test, not by the organizer');
    expect(await call('delete', spoofed)).toMatchObject({ code: 'ITIP-0102' });
    expect(await stored(uid)).toHaveLength(1);
    dataOf(await call('delete', await receive(uid, 'CANCEL')));
    expect(await stored(uid)).toEqual([]);
  });

  it('CI-06 who acts for the organizer of a known event is who did before, not who says so', async () => {
    const [uid, desk, mallory] = [freshUid(), 'desk@elsewhere.test', 'mallory@elsewhere.test'];
    dataOf(await call('accept', await receive(uid, 'REQUEST', desk, { sentBy: desk })));
    for (const method of ['REQUEST', 'CANCEL']) {
      const spoofed = await receive(uid, method, mallory, { sentBy: mallory, lines: ['LOCATION:There'] });
      const [analysis] = dataOf(await call('analyze', spoofed));
      expect(analysis).not.toHaveProperty('changes');
      expect(analysis.actions).toEqual(['ignore']);
      expect(analysis.annotations[0].message).toContain(`${mallory}, not by the organizer`);
      expect(await call(method === 'CANCEL' ? 'delete' : 'accept', spoofed)).toMatchObject({ code: 'ITIP-0102' });
    }
    // Nor is an event called off in advance.
    const other = freshUid();
    expect(
      dataOf(await call('analyze', await receive(other, 'CANCEL', mallory, { sentBy: mallory })))[0].actions,
    ).toEqual(['ignore']);
    dataOf(await call('accept', await receive(other)));
    dataOf(await call('delete', await receive(uid, 'CANCEL', desk)));
    expect(await stored(uid)).toEqual([]);
  });

  it('an invitation that somebody passed on says so', async () => {
    const [analysis] = dataOf(await call('analyze', await receive(freshUid(), 'REQUEST', 'friend@elsewhere.test')));
    expect(analysis.actions).toContain('tentative');
    expect(analysis.annotations[0].message).toContain('friend@elsewhere.test, not by the organizer');
  });

  it('are no way into mails for applications and users without them', async () => {
    const mail = await receive(freshUid());
    const { U1, U2, admin } = at.cast;
    const { data } = await U1.call('POST', 'appPasswords', 'add', { appScope: 'calendar', appName: 'Watch' });
    keepOutOfLogs(data.password);
    const app = new Client(at.world.publicUrl, 'Watch/1.0');
    await app.login(data.login, data.password, { client: 'watch' });
    const analyze = (client: Client, dataSource: string, body: Json) =>
      client.put('chronos/itip', 'analyze', { dataSource, descriptionFormat: 'html' }, body);
    const scope = { code: 'ASP-0001', error_params: ['read_mail'] };
    expect(await analyze(app, 'com.example.mail.ical', mail)).toMatchObject(scope);
    expect(await analyze(app, 'com.example.calendar.ical', { ical: 'x' })).toMatchObject({ code: 'ITIP-0101' });
    const access = `/admin/v1/contexts/${U2.contextId}/users/${U2.userId}/module-access`;
    await admin.expect('PUT', access, { flags: { webmail: false } });
    const other = new Client(at.world.publicUrl);
    await other.login(U2.loginName, PASSWORD);
    expect(await analyze(other, 'com.example.mail.ical', mail)).toMatchObject({ code: 'SVL-0016' });
  });

  it.each<[string, Json, string]>([
    ['a mail that is not there', { 'com.example.mail.conversion.mailid': '99999' }, 'MSG-0032'],
    ['a part that is none', { 'com.example.mail.conversion.sequenceid': '7' }, 'MSG-0024'],
    ['a part that is no calendar', { 'com.example.mail.conversion.sequenceid': '1' }, 'ITIP-0101'],
  ])('%s is refused', async (_what, body, code) => {
    expect(await call('analyze', { ...(await receive(freshUid())), ...body })).toMatchObject({ code });
  });
});
