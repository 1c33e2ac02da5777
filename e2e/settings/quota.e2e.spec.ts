import { attach, newObject } from '../attachments/attachments';
import { created, HOUR } from '../calendar/calendar';
import { createFixtures, type Fixtures } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const limit = (body: object) => cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/quota`, body);
const get = (parameters: Record<string, string> = {}) => cast.U1.get('quota', 'get', parameters);
const start = Date.UTC(2031, 0, 6);

describe('limits', () => {
  it('PQ-01, PQ-04: are told for each module that has some', async () => {
    const { data } = await get();
    expect(Object.keys(data)).toEqual([
      'filestorage',
      'mail',
      'calendar',
      'contact',
      'task',
      'infostore',
      'attachment',
      'share_links',
      'invite_guests',
    ]);
    for (const { display_name, accounts } of Object.values<any>(data)) {
      expect(display_name).toMatch(/\w/);
      for (const account of accounts)
        expect([account.quota ?? account.countquota, account.use ?? account.countuse]).toEqual([
          expect.any(Number),
          expect.any(Number),
        ]);
    }
    const unlimited = { account_id: '0', account_name: 'Calendar', countquota: -1, countuse: 0 };
    expect(data.calendar).toEqual({ display_name: 'Calendar', accounts: [unlimited] });
    expect(data.invite_guests.accounts).toMatchObject([{ countquota: 100, countuse: 0 }]);
    // Nothing is provisioned of which a server could tell.
    expect(data.mail.accounts).toMatchObject([{ quota: -1, use: -1 }]);
    expect((await cast.U1.get('quota', 'mail')).data).toEqual({ quota: -1, use: -1 });
  });

  it('PQ-02: grow with the files of the context', async () => {
    await limit({ filestoreMb: 7 });
    const target = await newObject(cast.U1);
    const before = (await cast.U1.get('quota', 'filestore')).data;
    await attach(cast.U1, target, [{ name: 'a', content: Buffer.alloc(1234) }]);
    const after = { quota: 7 * 1024 * 1024, use: before.use + 1234 };
    expect((await cast.U1.get('quota', 'filestore')).data).toEqual(after);
    expect((await get({ module: 'filestorage' })).data).toEqual([
      { account_id: 'infostore', account_name: 'Files', ...after, countquota: -1, countuse: 0 },
    ]);
    expect((await get({ module: 'attachment', account: '0' })).data).toMatchObject({ countquota: -1, countuse: 1 });
  });

  it('PQ-03: refuse one appointment too many, and take one again after a deletion', async () => {
    const { countuse } = (await get({ module: 'calendar', account: '0' })).data;
    await limit({ filestoreMb: 7, items: { calendar: countuse + 2 } });
    const at = (hour: number) => ({ start_date: start + hour * HOUR, end_date: start + (hour + 1) * HOUR });
    const id = await created(cast.U1, { title: 'one', ...at(0) });
    await created(cast.U1, { title: 'two', ...at(1) });
    const body = { title: 'three', folder_id: cast.U1.folder, ...at(2) };
    const third = () => cast.U1.put('calendar', 'new', { timezone: 'UTC' }, body);
    expect(await third()).toMatchObject({ code: 'QUOTA-0003' });
    const full = { countquota: countuse + 2, countuse: countuse + 2 };
    expect((await get({ module: 'calendar', account: '0' })).data).toMatchObject(full);
    const { timestamp } = await cast.U1.get('calendar', 'get', { id, folder: cast.U1.folder });
    await cast.U1.put('calendar', 'delete', { timestamp }, [{ id, folder: cast.U1.folder }]);
    expect(await third()).not.toHaveProperty('code');
  });

  it('refuse one contact and one task too many', async () => {
    const used = async (module: string) => (await get({ module, account: '0' })).data;
    const contacts = (await used('contact')).countuse + 1;
    const tasks = (await used('task')).countuse + 1;
    await limit({ filestoreMb: -1, items: { contacts, tasks } });
    for (const [module, quotaModule, countquota] of [
      ['contacts', 'contact', contacts],
      ['tasks', 'task', tasks],
    ] as const) {
      const folder_id = String((await cast.U1.get<unknown>(`config/folder/${module}`, undefined as never)).data);
      const add = () => cast.U1.put(module, 'new', {}, { folder_id, title: 'one', last_name: 'One' });
      expect(await add()).not.toHaveProperty('code');
      expect(await used(quotaModule)).toMatchObject({ countquota, countuse: countquota });
      expect(await add()).toMatchObject({ code: 'QUOTA-0003' });
    }
  });

  it('PQ-05: are asked by account of a module', async () => {
    expect((await get({ module: 'calendar', account: '0' })).data).toMatchObject({ account_id: '0' });
    expect((await get({ module: 'calendar', account: '7' })).code).toBe('QUOTA-0004');
    expect((await get({ module: 'nothing' })).code).toBe('QUOTA-0004');
    expect((await get({ account: '0' })).code).toBe('SVL-0002');
  });
});
