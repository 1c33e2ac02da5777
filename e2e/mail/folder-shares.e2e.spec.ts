import { testAuthority, until } from '@groupware/test-kit';
import { Mailbox, type Mail } from '../admin/mailbox';
import { createTestUser, type TestUser } from '../fixtures';
import { keepOutOfLogs } from '../secrets';
import { provisionMailbox, startMail, type MailFixtures } from './mailbox';

/** Every right on a folder, with its administration. */
const ALL_RIGHTS = 403_710_016;
const VIEWER_RIGHTS = 257;

let mailbox: Mailbox;
let at: MailFixtures;
let bob: TestUser;
let yann: TestUser;
let zora: TestUser;
/** A folder that bob shared with zora when he created it. */
let id: string;

beforeAll(async () => {
  const authority = testAuthority();
  mailbox = new Mailbox(authority);
  const settings = await mailbox.startForProduct();
  at = await startMail(['ann', 'bob', 'yann', 'zora'], settings, { sharesFolders: true, authority });
  keepOutOfLogs('smtp secret');
  const create = async (login: string): Promise<TestUser> => {
    const user = await createTestUser(at.world, at.cast.admin, at.cast.contextId, login);
    await provisionMailbox(at, user, { login });
    return user;
  };
  [bob, yann, zora] = [await create('bob'), await create('yann'), await create('zora')];
  const permissions = [entry(bob, ALL_RIGHTS), entry(zora)];
  const folder = { title: 'Plans <b>', module: 'mail', permissions };
  const answer = await bob.put('folders', 'new', { folder_id: 'default0' }, { folder, notification });
  expect(answer.error_desc).toBeUndefined();
  id = answer.data;
}, 120_000);
afterAll(async () => {
  await at?.close();
  await mailbox?.close();
});

const notification = { transport: 'mail', message: 'Have a look' };
const entry = (user: TestUser, bits = VIEWER_RIGHTS) => ({ entity: user.userId, group: false, bits });
const textsOf = ({ parts }: Mail): string => parts.map(({ body }) => body.toString('utf8')).join('\n');
/** Waits for the notices about the folder, and expects them to have gone to these users. */
async function expectNotices(...users: readonly TestUser[]): Promise<void> {
  await until(async () => mailbox.mails.length >= users.length);
  const mails = mailbox.take();
  const addresses = mails.flatMap(({ to }) => to);
  expect(addresses.sort()).toEqual(users.map(({ email }) => email.toLowerCase()).sort());
  for (const text of mails.map(textsOf)) {
    expect(text).toContain('Plans <b>');
    expect(text).toContain('Plans &lt;b&gt;');
    expect(text).toContain('> Have a look');
  }
}

describe('a mail folder that its owner shares', () => {
  it('is told to who gets rights on it', async () => {
    expect(id).toBe('default0/Plans <b>');
    await expectNotices(zora);
    const update = (...others: object[]) => {
      const folder = { permissions: [entry(bob, ALL_RIGHTS), ...others] };
      return bob.put('folders', 'update', { id, timestamp: 9e12 }, { folder, notification });
    };
    expect((await update(entry(zora), entry(yann))).data).toBe(id);
    await expectNotices(yann);
    // Without newcomers: the next mail is that of the next change.
    expect((await update(entry(zora))).data).toBe(id);
    expect((await update(entry(yann), entry(zora))).data).toBe(id);
    await expectNotices(yann);
  });

  it('is told again on request, to who has rights on it', async () => {
    const notify = (user: TestUser, folder: string, ...entities: number[]) =>
      user.put('folders', 'notify', { id: folder }, { entities, notification });
    const { userId } = at.cast.U1;
    const { data } = await notify(bob, id, zora.userId, yann.userId, yann.userId, userId, bob.userId);
    // The owner is in the list, and is not told of what he does himself.
    expect(data!.warnings).toEqual([expect.objectContaining({ code: 'FLD-0044', error_params: [String(userId)] })]);
    await expectNotices(yann, zora);
    expect((await notify(bob, 'default0/None', zora.userId)).code).toBe('FLD-0008');
    expect((await notify(bob, 'default0', zora.userId)).code).toBe('FLD-0010');
    expect((await notify(zora, `default0/shared.bob.Plans <b>`, yann.userId)).code).toBe('FLD-0010');
  });

  it('has no link and no guests: they are refused before one is made', async () => {
    const { contextId, admin } = at.cast;
    const nextUser = async () => (await createTestUser(at.world, admin, contextId, `next${Math.random()}`)).userId;
    const before = await nextUser();
    const own = entry(bob, ALL_RIGHTS);
    const guest = { type: 'guest', email_address: 'guest@outside.example', bits: VIEWER_RIGHTS };
    const anonymous = { type: 'anonymous', bits: VIEWER_RIGHTS };
    for (const [other, named] of [
      [anonymous, 'anonymous'],
      [guest, 'guest@outside.example'],
      [{ ...entry(at.cast.U1), entity: 424_242, password: 'pin' }, '424242'],
    ] as const) {
      const permissions = [own, entry(zora), other];
      const refusal = { code: 'FLD-0044', error_params: [named] };
      expect(await bob.put('folders', 'update', { id, timestamp: 9e12 }, { permissions })).toMatchObject(refusal);
      const folder = { title: 'Refused', module: 'mail', permissions };
      expect(await bob.put('folders', 'new', { folder_id: 'default0' }, { folder })).toMatchObject(refusal);
    }
    expect((await bob.get('folders', 'get', { id: 'default0/Refused' })).code).toBe('FLD-0008');
    expect(await nextUser()).toBe(before + 1);
  });

  it('is listed by shares, of its owner alone', async () => {
    const listShares = async (user: TestUser): Promise<string[][]> =>
      (await user.get('folders', 'shares', { content_type: 'mail', columns: '1,300' })).data!;
    expect(await listShares(bob)).toEqual([[id, 'Plans <b>']]);
    expect(await listShares(zora)).toEqual([]);
    expect(await listShares(at.cast.U2)).toEqual([]);
  });

  it('is found at once, also by who listed all folders a moment before', async () => {
    const { data } = await yann.get('folders', 'list', { parent: 'default0', columns: '1' });
    expect(data).toContainEqual(['default0/INBOX']);
    const folder = { title: 'Late', module: 'mail', permissions: [entry(zora, ALL_RIGHTS), entry(yann)] };
    expect((await zora.put('folders', 'new', { folder_id: 'default0' }, { folder })).data).toBe('default0/Late');
    const shared = await yann.get('folders', 'get', { id: 'default0/shared.zora.Late' });
    expect(shared.data).toMatchObject({ title: 'Late', own_rights: VIEWER_RIGHTS });
  });

  it('may be the inbox, however it is spelled', async () => {
    const folder = { permissions: [entry(bob, ALL_RIGHTS), entry(zora)] };
    expect(
      (await bob.put('folders', 'update', { id: 'default0/INBOX', timestamp: 9e12 }, { folder })).data,
    ).toBeDefined();
    const body = { entities: [zora.userId], notification };
    expect((await bob.put('folders', 'notify', { id: 'default0/inbox' }, body)).data).toEqual({ warnings: [] });
    await until(async () => mailbox.mails.length > 0);
    expect(mailbox.take().flatMap(({ to }) => to)).toEqual([zora.email.toLowerCase()]);
  });
});
