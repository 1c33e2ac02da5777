import { until } from '@groupware/test-kit';
import { Mailbox, type Mail } from '../admin/mailbox';
import type { TestUser } from '../fixtures';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { Visitor } from '../sharing/sharing';
import { BITS, change, createFileFixtures, createFolder, dataOf, download, upload, type FileFixtures } from './files';

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

  it('are told by the write where it says so, guests with an address that opens the document', async () => {
    const { U1, U2, A } = cast;
    const guestOf = (address: string) => ({ type: 'guest', email_address: address, display_name: 'Gast', bits: 1 });
    const mailTo = async (address: string): Promise<Mail> => {
      const find = () => mailbox.mails.find(({ to }) => to.includes(address));
      await until(() => Promise.resolve(find() !== undefined));
      return find()!;
    };
    const permissions = [guestOf('g1@outside.example'), { entity: U2.userId, bits: 1 }];
    const file = { folder_id: A, title: 'Offer', object_permissions: permissions };
    const id = await upload(U1, A, 'offer.txt', 'offer', { file, notification: { message: 'Welcome <all>' } });
    const mail = await mailTo('g1@outside.example');
    await mailTo(await addressOf(U2));
    expect(textsOf(mail)).toContain('> Welcome <all>');
    const url = /https?:\/\/[^\s"<]+\/share\/[\w-]+\/[\w-]+/.exec(textsOf(mail))![0];
    keepOutOfLogs(url.split('/').at(-2));
    const guest = await new Visitor(world.publicUrl, 'Invited/1').open(url);
    expect([guest.facts.get('f'), guest.facts.get('i')]).toEqual(['10', `10/${id.split('/')[1]}`]);
    await guest.enter('guest', { share: guest.facts.get('share')! });
    expect(await (await download(guest, `10/${id.split('/')[1]}`)).text()).toBe('offer');
    mailbox.take();
    // Whoever has rights already is not told again.
    const known = (await dataOf(U1, id)).object_permissions as object[];
    const object_permissions = [...known, guestOf('g2@outside.example'), { type: 'anonymous', bits: 1 }];
    await change(U1, id, { file: { object_permissions }, notification: { transport: 'mail' } });
    await mailTo('g2@outside.example');
    expect(mailbox.mails.flatMap(({ to }) => to)).toEqual(['g2@outside.example']);
    mailbox.take();
    const others = ((await dataOf(U1, id)).object_permissions as { entity: number }[])
      .map(({ entity }) => String(entity))
      .filter((entity) => entity !== String(U2.userId));
    const answer = await notify(U1, id, others, 'Again');
    expect(answer.data.warnings).toEqual([expect.objectContaining({ code: 'FILES-0004' })]);
    for (const address of ['g1@outside.example', 'g2@outside.example'])
      expect(textsOf(await mailTo(address))).toContain('> Again');
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
