import { until } from '@groupware/test-kit';
import { Mailbox, type Mail } from '../admin/mailbox';
import type { TestUser } from '../fixtures';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { BITS, change, createFileFixtures, createFolder, upload, type FileFixtures } from './files';

let world: TestEnvironment;
let cast: FileFixtures;
let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = new Mailbox();
  const settings = await mailbox.startForProduct();
  world = await startTestEnvironment({
    variables: {
      ...settings,
    },
  });
  keepOutOfLogs('smtp secret');
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await mailbox?.close();
});
beforeEach(() => void mailbox.take());

const notify = (user: TestUser, id: string, entities: unknown, message?: string) =>
  user.put(
    'infostore',
    'notify',
    { id },
    {
      entities,
      ...(message !== undefined && { notification: { transport: 'mail', message } }),
    },
  );
const addressOf = async (user: TestUser): Promise<string> =>
  String((await user.get<{ email1: string }>('user', 'get', { id: user.userId })).data!.email1).toLowerCase();
const textsOf = ({ parts }: Mail): string => parts.map(({ body }) => body.toString('utf8')).join('\n');

describe('those with whom a document is shared', () => {
  it('are told by mail, members of groups each by one of their own', async () => {
    const { U1, U2, U3, A, admin, contextId } = cast;
    const group = await admin.expect<{ id: number }>('POST', `/admin/v1/contexts/${contextId}/groups`, {
      ...{ name: 'readers', displayName: 'Readers', members: [U1.userId, U3.userId] },
    });
    const id = await upload(U1, A, 'plan.txt', 'plan', { title: 'Plan <b>' });
    const object_permissions = [
      { entity: U2.userId, group: false, bits: 1 },
      { entity: group.id, group: true, bits: 2 },
    ];
    expect((await change(U1, id, { object_permissions })).error).toBeUndefined();
    expect(mailbox.mails).toEqual([]);
    const answer = await notify(U1, id, [String(U2.userId), String(group.id)], 'Have a <look>');
    expect(answer.data).toEqual({ warnings: [] });
    const addresses = await Promise.all([U2, U3].map(addressOf));
    await until(() => Promise.resolve(mailbox.mails.length >= 2));
    expect(mailbox.mails.flatMap(({ to }) => to).sort()).toEqual(addresses.sort());
    for (const mail of mailbox.mails) {
      expect(textsOf(mail)).toContain('Plan <b>');
      expect(textsOf(mail)).toContain('Plan &lt;b&gt;');
      expect(textsOf(mail)).toContain('> Have a <look>');
    }
  });

  it('are only those, and only who shares tells them', async () => {
    const { U1, U2, U3, P1 } = cast;
    const shared = await createFolder(U1, P1, [[U2.userId, BITS.viewer]]);
    const id = await upload(U1, shared, 'only.txt', 'only', { object_permissions: [{ entity: U2.userId, bits: 1 }] });
    expect(await notify(U1, id, [String(U3.userId)])).toMatchObject({ code: 'FILE_STORAGE-0062' });
    expect(await notify(U1, id, ['x'])).toMatchObject({ code: 'FILE_STORAGE-0062' });
    expect(await notify(U2, id, [String(U2.userId)])).toMatchObject({ code: 'IFO-0403' });
    expect(await notify(U3, id, [String(U2.userId)])).toMatchObject({ code: 'IFO-0400' });
    expect(await notify(U1, `${shared}/2000000000`, [String(U2.userId)])).toMatchObject({ code: 'IFO-0300' });
    expect(await U1.put('infostore', 'notify', { id }, {})).toMatchObject({
      code: expect.stringMatching(/^SVL-00(02|31)/),
    });
    expect(mailbox.mails).toEqual([]);
  });

  it('are told of folders of files, too', async () => {
    const { U1, U2, P1 } = cast;
    const shared = await createFolder(U1, P1, [[U2.userId, BITS.viewer]]);
    expect(
      (await U1.put('folders', 'notify', { id: shared }, { entities: [String(U2.userId)] })).error,
    ).toBeUndefined();
    await until(() => Promise.resolve(mailbox.mails.length >= 1));
    expect(mailbox.mails.map(({ to }) => to)).toEqual([[await addressOf(U2)]]);
  });
});
