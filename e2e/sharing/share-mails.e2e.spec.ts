import { decodeWords } from '@groupware/mail-content';
import { until } from '@groupware/test-kit';
import { Mailbox, type Mail } from '../admin/mailbox';
import { AdminClient } from '../client';
import { homeOf, upload } from '../files/files';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { made, read, update, VIEWER } from '../folders/folders';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { calendarOf, entriesOf, invite, linkOf, shared, shareOf, updateLink, Visitor } from './sharing';

let world: TestEnvironment;
let unconfigured: TestEnvironment;
let cast: Fixtures;
let mailbox: Mailbox;
let count = 0;

beforeAll(async () => {
  mailbox = new Mailbox();
  const settings = await mailbox.startForProduct();
  world = await startTestEnvironment({
    variables: {
      ...settings,
      OUTGOING_MAIL_MAX_QUEUED: '20',
    },
    properties: { 'com.example.share.maxRecipients': '30', 'com.example.share.guestHostname': 'guests.example:8443' },
  });
  keepOutOfLogs('smtp secret');
  cast = await createFixtures(world);
}, 120_000);
afterAll(async () => {
  await unconfigured?.close();
  await world?.close();
  await mailbox?.close();
});
beforeEach(() => void mailbox.take());

const sendLink = (user: TestUser, folder: string, recipients: unknown, more: object = {}) =>
  user.put('share/management', 'sendLink', {}, { module: 'calendar', folder, recipients, ...more });
/** Plain text and HTML of a mail. */
const textsOf = ({ parts }: Mail): string[] => parts.map(({ body }) => body.toString('utf8'));
const freshAddress = (): string => `m${(count += 1)}@outside.example`;
const newUser = (name: string): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `${name}${(count += 1)}`);
/** Mails to these addresses, by address; waits for all of them. */
async function mailsTo(...addresses: readonly string[]): Promise<Map<string, Mail>> {
  const find = (address: string) => mailbox.mails.find(({ to }) => to.includes(address.toLowerCase()));
  await until(() => Promise.resolve(addresses.every((address) => find(address) !== undefined)));
  return new Map(addresses.map((address) => [address, find(address)!]));
}

/** Makes a calendar that another user may see, who is to be told. */
const createWithNotice = (user: TestUser, other: TestUser) =>
  user.put<string>(
    'folders',
    'new',
    { folder_id: 1 },
    {
      folder: { title: `Plans ${(count += 1)}`, module: 'calendar', permissions: shared(user, [other, VIEWER]) },
      notification: { transport: 'mail', message: 'Our plans' },
    },
  );

describe('links by mail', () => {
  it('SH-20 each recipient gets a mail with the address that getLink answers', async () => {
    const folder = await calendarOf(cast.U1);
    const [first, second] = [freshAddress(), freshAddress()];
    const answer = await sendLink(
      cast.U1,
      folder,
      [
        ['Anna', first],
        [null, second],
      ],
      { message: 'Hi' },
    );
    expect(answer.error).toBeUndefined();
    const { url, is_new } = await linkOf(cast.U1, folder);
    expect(is_new).toBe(false);
    expect(mailbox.mails).toHaveLength(2);
    for (const [address, mail] of await mailsTo(first, second)) {
      expect(mail).toMatchObject({ from: 'noreply@operator.example', isSecure: true, to: [address] });
      expect(mail.headers['reply-to']).toBe(cast.U1.email);
      for (const text of textsOf(mail)) {
        expect(text).toContain(url);
        expect(text).toContain('Hi');
      }
    }
    for (const mail of mailbox.mails) for (const text of textsOf(mail)) expect(text).not.toContain('Password');
    expect((await new Visitor(world.publicUrl, 'Mail/1').open(url)).status).toBe(302);
    const pin = 'pin of the mail';
    await updateLink(cast.U1, folder, Date.now() + 60_000, { password: pin });
    const third = freshAddress();
    await sendLink(cast.U1, folder, [[null, third]]);
    for (const text of textsOf((await mailsTo(third)).get(third)!)) expect(text).toContain(`Password: ${pin}`);
  });

  it('SH-21 a recipient whom the server refuses is a warning, the others get their mail', async () => {
    const folder = await calendarOf(cast.U1);
    const [refused, taken] = [freshAddress(), freshAddress()];
    mailbox.refused.add(refused);
    const answer = await sendLink(cast.U1, folder, [
      [null, refused],
      [null, taken],
    ]);
    expect(answer.warnings).toMatchObject({ code: 'OML-9003', category: 13, error_params: [refused] });
    await mailsTo(taken);
    await linkOf(cast.U1, folder);
  });

  it('of a document lead to it', async () => {
    const folder = await homeOf(cast.U1);
    const item = await upload(cast.U1, folder, 'Plan of mails.txt');
    const address = freshAddress();
    const answer = await sendLink(cast.U1, folder, [[null, address]], { module: 'infostore', item });
    expect(answer.error).toBeUndefined();
    const { data } = await cast.U1.put('share/management', 'getLink', {}, { module: 'infostore', folder, item });
    keepOutOfLogs(String(data.url).split('/').at(-2));
    expect(data.is_new).toBe(false);
    for (const text of textsOf((await mailsTo(address)).get(address)!)) {
      expect(text).toContain(data.url);
      expect(text).toContain('the document “Plan of mails.txt”');
    }
  });

  it('SH-22 what a user writes is escaped in the HTML part', async () => {
    const folder = await calendarOf(cast.U1);
    const address = freshAddress();
    await sendLink(cast.U1, folder, [[null, address]], { message: '<b>x</b>' });
    const [text, html] = textsOf((await mailsTo(address)).get(address)!);
    expect(text).toContain('> <b>x</b>');
    expect(html).toContain('&lt;b&gt;x&lt;/b&gt;');
    await linkOf(cast.U1, folder);
  });

  it('are in the language of the recipient where it is a user, else of the sender', async () => {
    const folder = await calendarOf(cast.U1);
    const path = `/admin/v1/contexts/${cast.contextId}/users/${cast.U2.userId}`;
    await cast.admin.expect('PATCH', path, { locale: 'de_DE' });
    const outside = freshAddress();
    await sendLink(cast.U1, folder, [
      [null, cast.U2.email],
      [null, outside],
    ]);
    const mails = await mailsTo(cast.U2.email, outside);
    expect(textsOf(mails.get(cast.U2.email)!)[0]).toContain('Öffnen: http');
    expect(textsOf(mails.get(outside)!)[0]).toContain('Open: http');
    await linkOf(cast.U1, folder);
  });

  it.each([
    ['an address that is none', 'SHR-0005', [['N', 'nobody']]],
    ['no recipient', 'SVL-0031', []],
    ['no list', 'SVL-0031', 'a@b.example'],
    ['no pairs', 'SVL-0031', ['a@b.example']],
    ['too many recipients', 'SVL-0031', Array.from({ length: 31 }, () => [null, 'a@b.example'])],
    ['more than may wait', 'OML-9001', Array.from({ length: 21 }, (_, index) => [null, `w${index}@b.example`])],
  ])('nothing is sent for %s', async (_what, code, recipients) => {
    const folder = await calendarOf(cast.U1);
    expect(await sendLink(cast.U1, folder, recipients)).toMatchObject({ code });
    expect(mailbox.mails).toEqual([]);
    if (code === 'OML-9001') await linkOf(cast.U1, folder);
  });

  it('need the rights and the quota of links', async () => {
    const folder = await calendarOf(cast.U1);
    const to = [[null, freshAddress()]];
    expect(await sendLink(cast.U2, folder, to)).toMatchObject({ code: 'FLD-0003' });
    await update(cast.U1, folder, { permissions: shared(cast.U1, [cast.U2, VIEWER]) });
    expect(await sendLink(cast.U2, folder, to)).toMatchObject({ code: 'SHR-0008' });
    const send = (body: object) =>
      cast.U1.put('share/management', 'sendLink', {}, { module: 'calendar', folder, recipients: to, ...body });
    expect(await send({ module: 'mail' })).toMatchObject({ code: 'SHR-0011' });
    expect(await send({ item: '1' })).toMatchObject({ code: 'SHR-0012' });
    expect(await send({ folder: '99999986' })).toMatchObject({ code: 'FLD-0008' });
    expect(await send({ folder: '-1' })).toMatchObject({ code: 'FLD-1025' });
    const user = await newUser('q');
    const path = `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/config/com.example.quota.share_links`;
    await cast.admin.expect('PUT', path, { value: 0 });
    expect(await sendLink(user, user.folder, to)).toMatchObject({ code: 'QUOTA-0003' });
    expect(mailbox.mails).toEqual([]);
  });
});

describe('notices about folders', () => {
  it('SH-31 a guest is invited with an address that works, and without notification there is no mail', async () => {
    const [silent, folder] = [await calendarOf(cast.U1), await calendarOf(cast.U1)];
    const [unnoticed, email] = [freshAddress(), freshAddress()];
    await invite(cast.U1, silent, unnoticed);
    const permissions = [
      ...shared(cast.U1),
      { type: 'guest', bits: VIEWER, email_address: email, display_name: 'Gina' },
    ];
    const answer = await cast.U1.put(
      'folders',
      'update',
      { id: folder },
      { folder: { permissions }, notification: { transport: 'mail', message: 'Welcome' } },
    );
    expect(answer.error).toBeUndefined();
    const mail = (await mailsTo(email)).get(email)!;
    expect(mail.headers.to).toBe(`Gina <${email}>`);
    const url = /https?:\S+/.exec(textsOf(mail)[0]!)![0];
    keepOutOfLogs(url.split('/').at(-2));
    const visitor = await new Visitor(world.publicUrl, 'Mail/2').open(url);
    expect(visitor.facts.get('session') ?? visitor.facts.get('login_type')).toBeTruthy();
    expect(textsOf(mail)[0]).toContain('Welcome');
    expect(mailbox.mails.filter(({ to }) => to.includes(unnoticed))).toEqual([]);
    const guest = (await entriesOf(cast.U1, folder)).find(({ type }) => type === 'guest')!;
    mailbox.take();
    const told = await cast.U1.put('folders', 'notify', { id: folder }, { entities: [String(guest.entity)] });
    expect(told.data).toEqual({ warnings: [] });
    expect(textsOf((await mailsTo(email)).get(email)!)[0]).toContain(url);
  });

  it('SH-50 a group is told member by member, who shares is not', async () => {
    const users = [await newUser('g'), await newUser('g')];
    const group = await cast.admin.expect('POST', `/admin/v1/contexts/${cast.contextId}/groups`, {
      ...{ name: `g${(count += 1)}`, displayName: 'Group' },
      members: [cast.U1, ...users].map(({ userId }) => userId),
    });
    const folder = await calendarOf(cast.U1);
    const entry = { entity: Number(group.id), bits: VIEWER, group: true };
    await update(cast.U1, folder, { permissions: [...shared(cast.U1), entry] });
    const notification = { transport: 'mail', message: 'Look' };
    await cast.U1.put('folders', 'notify', { id: folder }, { entities: [String(group.id)], notification });
    const mails = await mailsTo(...users.map(({ email }) => email));
    for (const mail of mails.values()) expect(textsOf(mail)[0]).toContain('> Look');
    expect(mailbox.mails).toHaveLength(2);
  });

  it.each([
    ['calendar', 'the calendar', 'den Kalender'],
    ['contacts', 'the address book', 'das Adressbuch'],
    ['tasks', 'the task folder', 'den Aufgabenordner'],
    ['infostore', 'the folder', 'den Ordner'],
  ])('SH-20, SH-31 name what is shared in the language of who is told: %s', async (module, english, german) => {
    const { U1 } = cast;
    const user = await newUser('w');
    await cast.admin.expect('PATCH', `/admin/v1/contexts/${cast.contextId}/users/${user.userId}`, { locale: 'de_DE' });
    const folder = await made(U1, { module }, module === 'infostore' ? await homeOf(U1) : 1);
    const { title } = await read(U1, folder);
    const [guest, byLink] = [freshAddress(), freshAddress()];
    const permissions = [
      ...shared(U1, [user, VIEWER]),
      { type: 'guest', bits: VIEWER, email_address: guest, display_name: 'Gina' },
    ];
    const body = { folder: { permissions }, notification: { transport: 'mail' } };
    expect((await U1.put('folders', 'update', { id: folder }, body)).error).toBeUndefined();
    expect((await sendLink(U1, folder, [[null, byLink]], { module })).error).toBeUndefined();
    const mails = await mailsTo(user.email, guest, byLink);
    const subjectOf = (address: string) => decodeWords(mails.get(address)!.headers.subject!);
    expect(subjectOf(user.email)).toContain(`gibt ${german} „${title}“ für Sie frei`);
    for (const address of [guest, byLink]) {
      expect(subjectOf(address)).toContain(`shares ${english} “${title}” with you`);
      const [text] = textsOf(mails.get(address)!);
      expect(text).toContain(`${english} “${title}”`);
      keepOutOfLogs(/https?:\S+/.exec(text!)![0].split('/').at(-2));
    }
  });

  it('PN-13 a user with rights on a new folder gets one mail', async () => {
    const user = await newUser('n');
    const answer = await createWithNotice(cast.U1, user);
    expect([answer.error, answer.warnings]).toEqual([undefined, undefined]);
    const mail = (await mailsTo(user.email)).get(user.email)!;
    expect(textsOf(mail)[0]).toContain('> Our plans');
    const permissions = (await entriesOf(cast.U1, answer.data!)).map(({ entity }) => entity);
    expect(permissions).toContain(user.userId);
    expect(mailbox.mails).toHaveLength(1);
  });

  it('SH-51 with notifyInternal=false users get none, guests do', async () => {
    const user = await newUser('s');
    const config = `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/config`;
    await cast.admin.expect('PUT', `${config}/com.example.share.notifyInternal`, { value: 'false' });
    const email = freshAddress();
    const folder = await calendarOf(user);
    const permissions = [...shared(user, [cast.U2, VIEWER]), { type: 'guest', bits: VIEWER, email_address: email }];
    const body = { folder: { permissions }, notification: { transport: 'mail' } };
    expect((await user.put('folders', 'update', { id: folder }, body)).error).toBeUndefined();
    const mail = (await mailsTo(email)).get(email)!;
    keepOutOfLogs(/https?:\S+/.exec(textsOf(mail)[0]!)![0].split('/').at(-2));
    expect(mailbox.mails).toHaveLength(1);
  });
});

describe('without a mail server', () => {
  it('PN-13 mails wait, which the sender and the operator are told', async () => {
    unconfigured = await startTestEnvironment();
    const fixtures = await createFixtures(unconfigured);
    // Without a host for guests no mail leaves: the caller could choose the host of its address.
    const refused = await new Visitor(unconfigured.publicUrl, 'Reset').fetch(
      'POST',
      '/share/reset/password',
      {},
      { body: new URLSearchParams({ share: 'f'.repeat(48) }) },
    );
    expect(await refused.json()).toMatchObject({ code: 'SHR-0002' });
    const folder = await calendarOf(fixtures.U1);
    const answer = await sendLink(fixtures.U1, folder, [[null, 'w@outside.example']]);
    expect(answer.warnings).toMatchObject({ code: 'OML-9002', error_params: ['w@outside.example'] });
    await linkOf(fixtures.U1, folder);
    const stateOf = async ({ internalUrl, service: { login, password } }: TestEnvironment) =>
      (await new AdminClient(internalUrl, login, password).request('GET', '/outgoing-mail/v1/state')).body;
    expect(await stateOf(unconfigured)).toEqual({
      ...{
        configured: false,
        queued: 0,
        temporary: 0,
        transferring: 0,
        notConfigured: 1,
        sent: 0,
        refused: 0,
        unknown: 0,
      },
      oldest: expect.any(Number),
    });
    // PN-13: the folder is made all the same.
    const told = await createWithNotice(fixtures.U1, fixtures.U2);
    expect(told.error).toBeUndefined();
    expect((await fixtures.U2.get('folders', 'get', { id: told.data! })).data).toMatchObject({ id: told.data });
    await until(async () => ((await stateOf(unconfigured!)) as { notConfigured: number }).notConfigured === 2);
    expect(await stateOf(world)).toMatchObject({ configured: true, server: expect.stringMatching(/^127.0.0.1:\d+$/) });
  });
});

describe('named guests who forgot their password', () => {
  const [OLD, NEW] = ['Forgotten 1 password', 'Chosen 1 password'];
  const visitor = (): Visitor => new Visitor(world.publicUrl, `Reset/${(count += 1)}`);
  const order = async (share: string): Promise<Record<string, any>> => {
    const body = new URLSearchParams({ share });
    const response = await visitor().fetch('POST', '/share/reset/password', {}, { body });
    return (await response.json()) as Record<string, any>;
  };
  /** A guest of a calendar who has a password. */
  async function guestOf(folder: string) {
    const email = freshAddress();
    await invite(cast.U1, folder, email);
    const { token } = await shareOf(cast.U1, folder, email);
    expect(await visitor().enter('guest', { share: token, password: OLD })).toHaveProperty('session');
    return { email, token };
  }

  it('choose another one by the address of a mail, once', async () => {
    const folder = await calendarOf(cast.U1);
    const { email, token } = await guestOf(folder);
    const inside = visitor();
    await inside.enter('guest', { share: token, name: email, password: OLD });
    expect(await order(token)).toEqual({ data: {} });
    const mail = (await mailsTo(email)).get(email)!;
    const url = new URL(/https?:\/\/\S+/.exec(textsOf(mail)[0]!)![0]);
    expect([url.host, url.searchParams.get('share')]).toEqual(['guests.example:8443', token]);
    const confirm = url.searchParams.get('confirm')!;
    keepOutOfLogs(confirm);
    const shown = await visitor().fetch('GET', url.pathname, Object.fromEntries(url.searchParams));
    const facts = new URLSearchParams(shown.headers.get('location')!.split('#')[1]!.replace(/^!&?/, ''));
    expect([shown.status, Object.fromEntries(facts)]).toEqual([
      302,
      { login_type: 'reset_password', share: token, confirm },
    ]);
    const enter = (form: Record<string, string>) => visitor().enter('guest', { share: token, ...form });
    const { token: other } = await guestOf(await calendarOf(cast.U1));
    const wrong = { code: 'LGI-0025' };
    expect(await enter({ confirm: `x${confirm}`, password: NEW })).toMatchObject(wrong);
    expect(await enter({ confirm, password: NEW, name: 'else@outside.example' })).toMatchObject(wrong);
    expect(await visitor().enter('guest', { share: other, confirm, password: NEW })).toMatchObject(wrong);
    expect(await enter({ confirm })).toMatchObject({ code: 'LGI-0023' });
    // A password against the rules uses nothing up.
    expect((await enter({ confirm, password: 'x' })).code).toMatch(/^USR-/);
    expect(await enter({ confirm, password: NEW })).toHaveProperty('session');
    expect((await inside.get('folders', 'get', { id: folder })).code).toBe('SES-0203');
    expect(await enter({ confirm, password: OLD })).toMatchObject(wrong);
    expect(await enter({ password: OLD })).toMatchObject(wrong);
    expect(await enter({ password: NEW })).toHaveProperty('session');
  });

  it('are told nothing by the answer, which is that for others, and get few mails', async () => {
    const folder = await calendarOf(cast.U1);
    const { email, token } = await guestOf(folder);
    const link = await linkOf(cast.U1, folder);
    await updateLink(cast.U1, folder, link.timestamp, { password: 'pin' });
    const answers = async (share: string) => {
      const codes: unknown[] = [];
      for (let attempt = 0; attempt < 4; attempt++) {
        const { data, code } = await order(share);
        codes.push(data ?? code);
      }
      return codes;
    };
    const expected = [{}, {}, {}, 'SVL-0019'];
    for (const share of [link.token, 'f'.repeat(48), 'nonsense', token]) expect(await answers(share)).toEqual(expected);
    const mails = () => mailbox.mails.filter(({ to }) => to.includes(email));
    await until(() => Promise.resolve(mails().length === 3));
    expect(mailbox.mails).toHaveLength(3);
    expect(await order('')).toMatchObject({ code: 'SVL-0002' });
    expect((await visitor().fetch('GET', '/share/reset/password', {})).status).toBe(400);
  });
});
