import { contactFolders, contacts, type UserPrincipal } from '@groupware/contracts';
import { toBits } from '@groupware/folders';
import { Clock } from '@groupware/service-kit';
import { TombstoneCleaner } from '@groupware/folders';
import { person, runContacts, type RunningContacts } from './testing/running-contacts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let running: RunningContacts;
let cleaner: TombstoneCleaner;
beforeAll(async () => {
  const bootstrap = jest.spyOn(TombstoneCleaner.prototype, 'onApplicationBootstrap');
  running = await runContacts({ CONTACTS_TOMBSTONE_DAYS: '30' });
  cleaner = bootstrap.mock.contexts[0] as TombstoneCleaner;
}, 60_000);
afterAll(() => running?.close());
afterEach(() => jest.restoreAllMocks());

const as = (user: UserPrincipal) =>
  ({ kind: 'internal', service: 'folders', contextId: user.contextId, user }) as const;
const makeFolder = async (user: UserPrincipal, query: object = {}): Promise<number> => {
  const call = { principal: as(user), query: { title: `F${Math.random()}`, parent: 1, ...query } };
  return (await running.call(contactFolders.create, call)).id;
};
const add = async (user: UserPrincipal, folder: number): Promise<string> => {
  const body = { folder_id: String(folder), last_name: 'L' };
  return (await running.call(contacts.new, { principal: user, query: {}, body })).id;
};
const updates = (user: UserPrincipal, folder: number, timestamp: number, query: object = {}) =>
  running.request(contacts.updates, {
    principal: user,
    query: { folder: String(folder), columns: ['1'], timestamp, ...query },
  });

describe('updates of a folder of contacts', () => {
  it('ask clients to load everything again once it is no longer known what was deleted', async () => {
    const ann = person(801, { contextId: 5 });
    const folder = await makeFolder(ann);
    const [old, recent] = [await add(ann, folder), await add(ann, folder)];
    const remove = (id: string) =>
      running.call(contacts.delete, {
        principal: ann,
        query: { timestamp: Number.MAX_SAFE_INTEGER },
        body: [{ folder: String(folder), id }],
      });
    const start = await updates(ann, folder, 0);
    jest.spyOn(Clock.prototype, 'now').mockImplementation(() => Date.now() + HOUR_MS);
    await remove(old);
    const middle = await updates(ann, folder, start.timestamp!);
    jest.spyOn(Clock.prototype, 'now').mockImplementation(() => Date.now() + 20 * DAY_MS);
    await remove(recent);

    jest.spyOn(Clock.prototype, 'now').mockImplementation(() => Date.now() + 31 * DAY_MS);
    await cleaner.deleteExpired();
    await expect(updates(ann, folder, start.timestamp!)).rejects.toMatchObject({ code: 'CONT-0003' });
    expect((await updates(ann, folder, start.timestamp!, { ignore: 'deleted' })).json).toEqual([]);
    // Whoever knows of the forgotten deletion goes on, and whoever knows nothing begins.
    expect((await updates(ann, folder, middle.timestamp!)).json).toEqual([Number(recent)]);
    expect((await updates(ann, folder, 0)).json).toEqual([Number(recent)]);
  });
});

describe('a folder of contacts', () => {
  it('stays where it holds what the user may not delete', async () => {
    const [ann, bob] = [person(811), person(812)];
    const rights = toBits({ folder: 2, read: 2, write: 2, remove: 1, admin: true });
    const permissions = [
      { entity: ann.userId, group: false, bits: 403710016 },
      { entity: bob.userId, group: false, bits: rights },
    ];
    const folder = await makeFolder(ann, { parent: 2, permissions });
    await add(ann, folder);
    const query = { ids: [folder], strict: true };
    await expect(running.call(contactFolders.remove, { principal: as(bob), query })).rejects.toMatchObject({
      code: expect.stringMatching(/^FLD-/),
    });
    await running.call(contactFolders.remove, { principal: as(ann), query });
  });
});
