import type { OutgoingMailState } from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import { Mailbox, type Mail, type Part } from '../admin/mailbox';
import { AdminClient } from '../client';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { at, created, dataOf, type Json } from './events';

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
    },
  });
  cast = await createFixtures(environment);
}, 120_000);
afterAll(async () => {
  await environment?.close();
  await mailbox?.close();
});

const someone = (timezone: string, locale: string): Promise<TestUser> =>
  createTestUser(environment, cast.admin, cast.contextId, `mailed${(count += 1)}`, timezone, locale);

const text = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '');
/** An alarm by mail in a moment. */
const soon = (): Json => ({ action: 'EMAIL', trigger: { dateTime: text(Date.now() + 2_000) } });
const mailsTo = (address: string): Mail[] => mailbox.mails.filter(({ to }) => to.includes(address));
const partsOf = (part: Part): Part[] => [part, ...part.parts.flatMap(partsOf)];
const bodyOf = (mail: Mail, type: string): string =>
  partsOf(mail)
    .find(({ headers }) => headers['content-type']?.startsWith(type))!
    .body.toString('utf8');
describe('alarms by mail', () => {
  it('reach their user once, in his language and on his clock, in plain text and HTML', async () => {
    const [anna, ben] = [await someone('Europe/Berlin', 'de_DE'), await someone('America/New_York', 'en_US')];
    const event = {
      ...{
        summary: 'Plan <b>',
        location: 'Saal 7',
        startDate: at('20310610T080000Z'),
        endDate: at('20310610T090000Z'),
      },
    };
    await created(anna, { ...event, alarms: [soon()] });
    const { alarms } = await created(ben, {
      ...event,
      // Alarms send no mails to other people.
      alarms: [{ ...soon(), description: 'Bring the plan', attendees: [{ uri: 'mailto:eve@outside.test' }] }],
    });
    expect(alarms[0].attendees).toMatchObject([{ entity: ben.userId, uri: `mailto:${ben.email}` }]);
    await until(() => Promise.resolve(mailsTo(anna.email).length + mailsTo(ben.email).length >= 2), 20_000);
    const [german, english] = [mailsTo(anna.email)[0]!, mailsTo(ben.email)[0]!];
    expect([german.headers.subject, english.headers.subject]).toEqual(['Erinnerung: Plan <b>', 'Reminder: Plan <b>']);
    expect(bodyOf(german, 'text/plain')).toContain('Diese Mail erinnert Sie an „Plan <b>“.');
    expect(bodyOf(german, 'text/plain')).toMatch(
      /Wann: Dienstag, 10\. Juni 2031.*10:00–11:00.*\(Europe\/Berlin\)\r?\nWo: Saal 7/,
    );
    expect(bodyOf(english, 'text/plain')).toMatch(/When: Tuesday, June 10, 2031.*4:00.*5:00.*AM \(America\/New_York\)/);
    expect(bodyOf(english, 'text/plain')).toContain('Bring the plan');
    expect(bodyOf(english, 'text/html')).toContain('“Plan &lt;b&gt;”');
    expect(english.from).toBe('noreply@operator.example');
    expect(mailbox.mails.some(({ to }) => to.includes('eve@outside.test'))).toBe(false);
    // Sent and over: nothing of it is pending.
    const list = await anna.get('chronos/alarm', 'pending', { rangeEnd: '20400101', actions: 'MAIL' });
    expect(dataOf(list)).toEqual([]);
    await created(ben, { ...event, alarms: [soon()] });
    await until(() => Promise.resolve(mailsTo(ben.email).length >= 2), 20_000);
    expect(mailsTo(anna.email)).toHaveLength(1);
  });

  it('are not sent where they are switched off; the alarm passes', async () => {
    const [anna, ben] = [await someone('UTC', 'en_US'), await someone('UTC', 'en_US')];
    const config = `/admin/v1/contexts/${cast.contextId}/users/${anna.userId}/config`;
    await cast.admin.expect('PUT', `${config}/com.example.calendar.alarm.mail.enabled`, { value: 'false' });
    await created(anna, { alarms: [soon()] });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await created(ben, { alarms: [soon()] });
    await until(() => Promise.resolve(mailsTo(ben.email).length >= 1), 20_000);
    expect(mailsTo(anna.email)).toEqual([]);
  });
});

describe('alarms by mail without a mail server', () => {
  it('wait, and the state of outgoing mails says so', async () => {
    const without = await startTestEnvironment();
    try {
      const { U1 } = await createFixtures(without);
      await created(U1, { alarms: [soon()] });
      const { internalUrl, service } = without;
      const admin = new AdminClient(internalUrl, service.login, service.password);
      const state = async (): Promise<OutgoingMailState> =>
        (await admin.request('GET', '/outgoing-mail/v1/state')).body as OutgoingMailState;
      await until(async () => (await state()).notConfigured > 0, 20_000);
      expect(await state()).toMatchObject({ configured: false, notConfigured: 1, sent: 0 });
    } finally {
      await without.close();
    }
  }, 120_000);
});
