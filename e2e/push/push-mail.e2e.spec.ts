import http from 'node:http';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { filesBelow, until } from '@groupware/test-kit';
import { created, HOUR, read } from '../calendar/calendar';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { schedulingMail } from './scheduling-mail';
import { openEvents } from './streams';

let world: TestEnvironment;
let cast: Fixtures;
let mailServer: AdminClient;
beforeAll(async () => {
  world = await startTestEnvironment({
    properties: { 'com.example.push.maxMailSize': String(4 * 1024 * 1024) },
    variables: { PUSH_MAIL_RETRY_MS: '50' },
  });
  cast = await createFixtures(world);
  mailServer = new AdminClient(world.internalUrl, world.service.login, world.service.password);
}, 120_000);
afterAll(() => world?.close());

const PATH = '/chronos/v1/itip/pushmail';
const EXTERNAL = 'zoe@elsewhere.example';
const START = Date.UTC(2033, 4, 3, 9);
const push = (body: object | string) => mailServer.request('PUT', PATH, body);

/** Everything in the file store. */
const stored = (): string[] => filesBelow(new URL(world.environment.FILESTORE_URL!).pathname);

interface Reply {
  readonly to: string;
  readonly uid: string;
  readonly answer: string;
  readonly attendee?: string;
  readonly from?: string;
  readonly recurrenceId?: string;
  readonly comment?: string;
  /** In place of the address of the attendee: with who answers for him. */
  readonly sentBy?: string;
  readonly date?: Date;
  readonly messageId?: string;
  readonly method?: string;
}
/** A mail as a calendar program sends it to answer an invitation (RFC 6047). */
function replyMail({
  attendee = EXTERNAL,
  from = attendee,
  date = new Date(),
  method = 'REPLY',
  ...reply
}: Reply): string {
  const event = [
    `UID:${reply.uid}`,
    'DTSTAMP:20330101T000000Z',
    'DTSTART:20330503T090000Z',
    'SUMMARY:Grüße',
    ...(reply.recurrenceId ? [`RECURRENCE-ID:${reply.recurrenceId}`] : []),
    `ATTENDEE;PARTSTAT=${reply.answer}${reply.sentBy ? `;SENT-BY=${reply.sentBy}` : `:mailto:${attendee}`}`,
    ...(reply.comment ? [`COMMENT:${reply.comment}`] : []),
  ];
  return schedulingMail({ from, to: reply.to, method, events: [event], date, messageId: reply.messageId });
}
/** Pushes an answer that must be taken. */
async function answer(reply: Reply, members: object = {}): Promise<void> {
  const { status, body } = await push({ folder: 'INBOX', body: replyMail(reply), ...members });
  expect({ status, body }).toEqual({ status: 200, body: undefined });
}

const invitation = (player: TestUser, fields: object = {}) =>
  created(player, {
    title: 'meeting',
    start_date: START,
    end_date: START + HOUR,
    participants: [
      { id: player.userId, type: 1 },
      { type: 5, mail: EXTERNAL, display_name: 'Zoe' },
    ],
    ...fields,
  });
const confirmation = async (player: TestUser, id: string, parameters: object = {}) => {
  const { confirmations } = await read(player, id, parameters as Record<string, string>);
  return confirmations[0];
};
const uidOf = async (player: TestUser, id: string): Promise<string> => (await read(player, id)).uid;

describe('the answer of an external participant', () => {
  it('arrives at the appointment of the recipient, and his streams hear of it', async () => {
    const id = await invitation(cast.U1);
    const uid = await uidOf(cast.U1, id);
    const stream = await openEvents(cast.U1);
    await answer(
      { to: `Ann <${cast.U1.email}>`, uid, answer: 'ACCEPTED', comment: 'With pleasure' },
      { event: 'messageNew' },
    );
    expect(await stream.about({ id, change: 'changed' })).toMatchObject([{ event: 'ox:calendar:updates' }]);
    stream.close();
    expect(await confirmation(cast.U1, id)).toMatchObject({ mail: EXTERNAL, status: 1, message: 'With pleasure' });
    expect(stored()).toEqual([]);
  });

  it('is taken once, however often the mail is pushed; a later one counts', async () => {
    const id = await invitation(cast.U1);
    const uid = await uidOf(cast.U1, id);
    const accepted = { to: cast.U1.email, uid, answer: 'ACCEPTED', messageId: '<once@elsewhere.example>' };
    await answer(accepted);
    await until(async () => (await confirmation(cast.U1, id)).status === 1);
    await answer({ to: cast.U1.email, uid, answer: 'TENTATIVE' });
    await until(async () => (await confirmation(cast.U1, id)).status === 3);
    await answer(accepted);
    const other = await invitation(cast.U1);
    await answer({ to: cast.U1.email, uid: await uidOf(cast.U1, other), answer: 'DECLINED' });
    await until(async () => (await confirmation(cast.U1, other)).status === 2);
    expect((await confirmation(cast.U1, id)).status).toBe(3);
  });

  it('may be about one occurrence of a series', async () => {
    const id = await invitation(cast.U2, { recurrence_type: 1, interval: 1, occurrences: 3 });
    const uid = await uidOf(cast.U2, id);
    await answer({ to: cast.U2.email, uid, answer: 'DECLINED', recurrenceId: '20330504T090000Z' });
    await until(async () => (await confirmation(cast.U2, id, { recurrence_position: 2 })).status === 2);
    expect((await confirmation(cast.U2, id)).status).toBe(0);
    expect((await confirmation(cast.U2, id, { recurrence_position: 3 })).status).toBe(0);
  });

  it('counts from the attendee himself only, and for what the user may change', async () => {
    const id = await invitation(cast.U1);
    const uid = await uidOf(cast.U1, id);
    const foreign = await invitation(cast.X1);
    const before = [await read(cast.U1, id), await read(cast.X1, foreign)];
    // Another sender's answer, a stranger, an internal participant, another tenant's appointment, another method, too old.
    await answer({ to: cast.U1.email, uid, answer: 'ACCEPTED', from: 'mallory@elsewhere.example' });
    await answer({ to: cast.U1.email, uid, answer: 'ACCEPTED', attendee: 'mallory@elsewhere.example' });
    await answer({ to: cast.U1.email, uid, answer: 'DECLINED', attendee: cast.U1.email });
    await answer({ to: cast.U1.email, uid: await uidOf(cast.X1, foreign), answer: 'ACCEPTED' });
    await answer({ to: cast.U1.email, uid, answer: 'ACCEPTED', method: 'CANCEL' });
    await answer({ to: cast.U1.email, uid, answer: 'ACCEPTED', date: new Date(Date.now() - 29 * 24 * HOUR) });
    await answer({ to: cast.U1.email, uid: 'unknown', answer: 'ACCEPTED' });
    await answer({ to: 'nobody@elsewhere.example', uid, answer: 'ACCEPTED' });
    const last = await invitation(cast.U1);
    await answer({ to: cast.U1.email, uid: await uidOf(cast.U1, last), answer: 'ACCEPTED' });
    await until(async () => (await confirmation(cast.U1, last)).status === 1);
    expect([await read(cast.U1, id), await read(cast.X1, foreign)]).toEqual(before);
  });

  it('counts from a user of ours who answers from another program, and from nobody in his name', async () => {
    const participants = [
      { id: cast.U3.userId, type: 1 },
      { id: cast.U2.userId, type: 1 },
      { type: 5, mail: EXTERNAL },
    ];
    const id = await created(cast.U3, { title: 'ours', start_date: START, end_date: START + HOUR, participants });
    const uid = await uidOf(cast.U3, id);
    const answerOf = async ({ userId }: TestUser): Promise<number> =>
      (await read(cast.U3, id)).users.find((each: { id: number }) => each.id === userId).confirm;
    const reply = { to: cast.U3.email, uid };
    const waitForGuest = async (name: string, status: number): Promise<void> => {
      await answer({ ...reply, answer: name });
      await until(async () => (await confirmation(cast.U3, id)).status === status);
    };
    await answer({ ...reply, answer: 'TENTATIVE', attendee: cast.U2.email.toUpperCase(), comment: 'By phone' });
    await until(async () => (await answerOf(cast.U2)) === 3);
    expect((await read(cast.U2, id, { folder: cast.U2.folder })).users).toContainEqual(
      expect.objectContaining({ id: cast.U2.userId, confirm: 3, confirmmessage: 'By phone' }),
    );
    // A stranger, another user, another user who says to write for him, and the organizer himself.
    const foreign = { ...reply, answer: 'DECLINED', attendee: cast.U2.email };
    await answer({ ...foreign, from: 'mallory@elsewhere.example' });
    await answer({ ...foreign, from: cast.U1.email });
    const sentBy = `"mailto:${cast.U1.email}":mailto:${cast.U2.email}`;
    await answer({ ...foreign, attendee: cast.U2.email, from: cast.U1.email, sentBy });
    await answer({ ...reply, answer: 'DECLINED', attendee: cast.U3.email });
    await waitForGuest('ACCEPTED', 1);
    expect([await answerOf(cast.U2), await answerOf(cast.U3)]).toEqual([3, 1]);
    const wish = (value: string) =>
      cast.admin.expect(
        'PUT',
        `/admin/v1/contexts/${cast.contextId}/users/${cast.U3.userId}/config/com.example.calendar.autoProcessIMip`,
        { value },
      );
    await wish('always');
    await until(async () => {
      await answer({ ...reply, answer: 'DECLINED', from: 'assistant@elsewhere.example' });
      return (await confirmation(cast.U3, id)).status === 2;
    });
    await answer({ ...foreign, from: 'mallory@elsewhere.example' });
    await waitForGuest('TENTATIVE', 3);
    expect(await answerOf(cast.U2)).toBe(3);
    await wish('known');
  });

  it('follows the wish of the user', async () => {
    const wish = (value: string) =>
      cast.admin.expect(
        'PUT',
        `/admin/v1/contexts/${cast.contextId}/users/${cast.U3.userId}/config/com.example.calendar.autoProcessIMip`,
        { value },
      );
    const id = await invitation(cast.U3);
    const uid = await uidOf(cast.U3, id);
    await wish('never');
    await answer({ to: cast.U3.email, uid, answer: 'ACCEPTED' });
    const other = await invitation(cast.U1);
    await answer({ to: cast.U1.email, uid: await uidOf(cast.U1, other), answer: 'ACCEPTED' });
    await until(async () => (await confirmation(cast.U1, other)).status === 1);
    expect((await confirmation(cast.U3, id)).status).toBe(0);
    await wish('always');
    await until(async () => {
      // The wish is known everywhere a moment later.
      await answer({ to: cast.U3.email, uid, answer: 'TENTATIVE', from: 'assistant@elsewhere.example' });
      return (await confirmation(cast.U3, id)).status === 3;
    });
  });
});

describe('a pushed mail', () => {
  const mail = 'From: a@b.example\r\nTo: nobody@b.example\r\n\r\nHello\r\n';

  it('that says nothing about appointments, or is for nobody, is taken and leaves nothing', async () => {
    for (const body of [
      mail,
      'From: a@b.example\r\n\r\n',
      replyMail({ to: 'x@y.example', uid: 'u', answer: 'ACCEPTED' }),
    ])
      expect(await push({ event: 'messageNew', user: 'whoever', folder: 'INBOX', body })).toMatchObject({
        status: 200,
        body: undefined,
      });
    expect(stored()).toEqual([]);
  });

  it.each<[string, object | string]>([
    ['nothing', ''],
    ['no JSON', '{"folder":'],
    ['no object', '[]'],
    ['another event', { event: 'messageRead', folder: 'INBOX', body: mail }],
    ['an event that is no text', { event: 1, folder: 'INBOX', body: mail }],
    ['no folder', { body: mail }],
    ['an empty folder', { folder: '', body: mail }],
    ['a folder that is no text', { folder: 3, body: mail }],
    ['a user that is no text', { user: {}, folder: 'INBOX', body: mail }],
    ['no body', { folder: 'INBOX' }],
    ['an empty body', { folder: 'INBOX', body: '' }],
    ['a body that is no text', { folder: 'INBOX', body: 3 }],
    ['a body that is no mail', { folder: 'INBOX', body: 'just a text' }],
  ])('is refused for %s', async (_what, body) => {
    const answer = await push(body);
    expect(answer).toMatchObject({ status: 400, body: { code: expect.stringMatching(/^(PNS-9010|SVL-0028)$/) } });
    expect(stored()).toEqual([]);
  });

  it('is refused to strangers, and whatever its type says', async () => {
    for (const password of ['wrong', ''])
      expect(
        (
          await new AdminClient(world.internalUrl, world.service.login, password).request('PUT', PATH, {
            folder: 'x',
            body: mail,
          })
        ).status,
      ).toBe(401);
    const asText = await mailServer.request(
      'PUT',
      PATH,
      { folder: 'INBOX', body: mail },
      { 'content-type': 'text/plain' },
    );
    expect(asText.status).toBe(200);
    const asForm = await mailServer.request('PUT', PATH, mail, { 'content-type': 'message/rfc822' });
    expect(asForm.status).toBe(400);
    expect((await fetch(`${world.internalUrl}${PATH}`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${world.publicUrl}${PATH}`, { method: 'PUT', body: '{}' })).status).toBe(404);
    expect(stored()).toEqual([]);
  });

  it('may be as large as configured, and no larger', async () => {
    const id = await invitation(cast.U1);
    const reply = replyMail({ to: cast.U1.email, uid: await uidOf(cast.U1, id), answer: 'ACCEPTED' });
    const large = (size: number) => {
      const attachment = ['--x', 'Content-Type: application/octet-stream', '', 'x'.repeat(76)].join('\r\n');
      const filler = `${'y'.repeat(76)}\r\n`.repeat(Math.ceil(size / 78));
      return { folder: 'INBOX', body: reply.replace('--x\r\n', `${attachment}\r\n${filler}--x\r\n`) };
    };
    expect((await push(large(3_500_000))).status).toBe(200);
    await until(async () => (await confirmation(cast.U1, id)).status === 1);
    const tooLarge = await push(large(4_300_000));
    expect(tooLarge).toMatchObject({ status: 413, body: { code: 'REST-0413' } });
    // Without a length it is only known on the way.
    const chunked = await fetch(`${world.internalUrl}${PATH}`, {
      method: 'PUT',
      headers: {
        authorization: `Basic ${Buffer.from(`${world.service.login}:${world.service.password}`).toString('base64')}`,
      },
      body: new Blob([JSON.stringify(large(4_300_000))]).stream(),
      duplex: 'half',
    });
    expect(chunked.status).toBe(413);
    await until(() => stored().length === 0);
  });

  it('that cannot be queued is refused, so that the mail server comes again; what was queued is tried until it is done', async () => {
    const id = await invitation(cast.U1);
    const body = replyMail({ to: cast.U1.email, uid: await uidOf(cast.U1, id), answer: 'DECLINED' });
    const broken = jest.spyOn(ModuleDatabase.prototype, 'acrossContexts').mockRejectedValue(new Error('no database'));
    const { status, body: error } = await push({ folder: 'INBOX', body });
    broken.mockRestore();
    expect(status).toBe(500);
    expect(JSON.stringify(error)).not.toContain('database');
    await until(() => stored().length === 0);
    let failures = 2;
    const { call } = Caller.prototype;
    const caller = jest.spyOn(Caller.prototype, 'call').mockImplementation(function (this: Caller, operation, given) {
      if (operation.subject === 'svc.calendar-scheduling.receive' && failures-- > 0)
        return Promise.reject(new Error('nobody there'));
      return call.call(this, operation, given);
    });
    expect((await push({ folder: 'INBOX', body })).status).toBe(200);
    await until(async () => (await confirmation(cast.U1, id)).status === 2, 10_000);
    caller.mockRestore();
    expect(failures).toBe(-1);
  });

  it('whose mail server goes away leaves nothing', async () => {
    const { hostname, port } = new URL(world.internalUrl);
    const request = http.request({
      hostname,
      port,
      path: PATH,
      method: 'PUT',
      headers: { 'content-length': 100_000 },
      auth: `${world.service.login}:${world.service.password}`,
    });
    request.on('error', () => undefined);
    request.write(`{"folder":"INBOX","body":"${'x'.repeat(50_000)}`);
    await until(() => stored().length > 0);
    request.destroy();
    await until(() => stored().length === 0);
  });
});
