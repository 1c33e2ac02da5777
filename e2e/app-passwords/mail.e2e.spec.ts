import { Client } from '../client';
import { startMail, storeMails, type MailFixtures } from '../mail/mailbox';

let at: MailFixtures;
beforeAll(async () => {
  at = await startMail();
}, 120_000);
afterAll(() => at?.close());

describe('an application password for mail', () => {
  it('AP-03 opens the folders of mails and of contacts, and no others', async () => {
    const { U1 } = at.cast;
    await storeMails(at.imap, 'Apps', [{ subject: 'one' }]);
    const body = new URLSearchParams({ appScope: 'mail', appName: 'Phone' });
    const made = await U1.fetch('POST', '/appPasswords', { action: 'add', session: U1.session }, { body });
    const { login, password } = ((await made.json()) as any).data;
    const app = new Client(at.world.publicUrl, 'Phone/1.0');
    expect(await app.login(login, password, { client: 'phone' })).toHaveProperty('session');

    const folder = { id: 'default0/Apps' };
    expect((await app.get('folders', 'get', folder)).data).toEqual((await U1.get('folders', 'get', folder)).data);
    const inside = await app.get<string[][]>('folders', 'list', { parent: 'default0', columns: '1' });
    expect(inside.data).toContainEqual(['default0/Apps']);
    const visible = async (content_type: string) => {
      const { data } = await app.get('folders', 'allVisible', { content_type, columns: '1' });
      return Object.values(data).flat().length > 0;
    };
    expect([await visible('mail'), await visible('contacts'), await visible('calendar')]).toEqual([true, true, false]);
    expect(await app.get('folders', 'get', { id: U1.folder })).toMatchObject({ code: 'ASP-0001' });
  });
});
