import { contactFolders, contacts, type UserPrincipal } from '@groupware/contracts';
import { toBits, TombstoneCleaner } from '@groupware/folders';
import { Clock } from '@groupware/service-kit';
import { sentStatements } from '@groupware/test-kit';
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
    // Clients that know of the forgotten deletion go on, and clients that know nothing begin.
    expect((await updates(ann, folder, middle.timestamp!)).json).toEqual([Number(recent)]);
    expect((await updates(ann, folder, 0)).json).toEqual([Number(recent)]);
  });
});

describe('updates of a folder that was read before', () => {
  it('are one round trip', async () => {
    const ann = person(802, { contextId: 5 });
    const folder = await makeFolder(ann);
    await add(ann, folder);
    const { timestamp } = await updates(ann, folder, 0);
    const { roundTrips } = await sentStatements(() => updates(ann, folder, timestamp!));
    const own = roundTrips.map((texts) => texts.filter((text) => /from (folder|contact)/.test(text)).length);
    expect(own.filter(Boolean)).toEqual([4]);
  });

  it('follow the rights of the reader', async () => {
    const [ann, bob] = [person(803, { contextId: 5 }), person(804, { contextId: 5 })];
    const folder = await makeFolder(ann, { parent: 2 });
    const share = (read: 0 | 1 | 2) => {
      const bits = toBits({ folder: 2, read, write: 0, remove: 0, admin: false });
      const permissions = [
        { entity: ann.userId, group: false, bits: 403710016 },
        { entity: bob.userId, group: false, bits },
      ];
      return running.call(contactFolders.update, { principal: as(ann), query: { id: folder, permissions } });
    };
    await share(2);
    const [hers, his] = [await add(ann, folder), await add(bob, folder)];
    expect((await updates(bob, folder, 0)).json).toEqual([[hers], [his]]);
    await share(1);
    expect((await updates(bob, folder, 0)).json).toEqual([[his]]);
    await share(0);
    await expect(updates(bob, folder, 0)).rejects.toMatchObject({ code: 'CON-0104' });
    await share(2);
    expect((await updates(bob, folder, 0)).json).toHaveLength(2);
  });
});

describe('updates of a shared folder with private contacts', () => {
  const setPrivate = (user: UserPrincipal, folder: number, id: string, flag: boolean) =>
    running.call(contacts.update, {
      principal: user,
      query: { folder: String(folder), id, timestamp: Number.MAX_SAFE_INTEGER },
      body: { private_flag: flag },
    });
  const rename = (user: UserPrincipal, folder: number, id: string) =>
    running.call(contacts.update, {
      principal: user,
      query: { folder: String(folder), id, timestamp: Number.MAX_SAFE_INTEGER },
      body: { first_name: `F${Math.random()}` },
    });
  const remove = (user: UserPrincipal, folder: number, id: string) =>
    running.call(contacts.delete, {
      principal: user,
      query: { timestamp: Number.MAX_SAFE_INTEGER },
      body: [{ folder: String(folder), id }],
    });
  const share = async (owner: UserPrincipal, reader: UserPrincipal, rights: object = {}) => {
    const permissions = [
      { entity: owner.userId, group: false, bits: 403710016 },
      {
        entity: reader.userId,
        group: false,
        bits: toBits({ folder: 2, read: 2, write: 2, remove: 2, admin: false, ...rights }),
      },
    ];
    return makeFolder(owner, { permissions });
  };

  it('tell others of a contact that was made private as of a deleted one', async () => {
    const [ann, bob] = [person(821), person(822)];
    const folder = await share(ann, bob);
    const id = await add(ann, folder);
    const start = await updates(bob, folder, 0);
    await setPrivate(ann, folder, id, true);

    const told = await updates(bob, folder, start.timestamp!);
    expect(told.json).toEqual([Number(id)]);
    expect((await updates(bob, folder, told.timestamp!)).json).toEqual([]);
    // The owner still has it, and only a row of it.
    expect((await updates(ann, folder, start.timestamp!)).json).toEqual([[id]]);
  });

  it('tell others nothing of what happens to a private contact', async () => {
    const [ann, bob] = [person(823), person(824)];
    const folder = await share(ann, bob);
    const [id, kept] = [await add(ann, folder), await add(ann, folder)];
    await setPrivate(ann, folder, id, true);
    await setPrivate(ann, folder, kept, true);
    await add(ann, folder);
    const told = await updates(bob, folder, 0);

    await rename(ann, folder, id);
    await rename(ann, folder, kept);
    expect(await updates(bob, folder, told.timestamp!)).toMatchObject({ json: [], timestamp: told.timestamp });
    await remove(ann, folder, id);
    expect(await updates(bob, folder, told.timestamp!)).toMatchObject({ json: [], timestamp: told.timestamp });
    expect((await updates(ann, folder, told.timestamp!)).json).toEqual([[kept], Number(id)]);
  });

  it('tell others of a contact that was made private and deleted since', async () => {
    const [ann, bob] = [person(825), person(826)];
    const folder = await share(ann, bob);
    const id = await add(ann, folder);
    const start = await updates(bob, folder, 0);
    await setPrivate(ann, folder, id, true);
    await remove(ann, folder, id);

    expect((await updates(bob, folder, start.timestamp!)).json).toEqual([Number(id)]);
    expect((await updates(ann, folder, start.timestamp!)).json).toEqual([Number(id)]);
  });

  it('tell others of a contact that is no longer private as of a new one', async () => {
    const [ann, bob] = [person(827), person(828)];
    const folder = await share(ann, bob);
    const id = await add(ann, folder);
    const start = await updates(bob, folder, 0);
    await setPrivate(ann, folder, id, true);
    const told = await updates(bob, folder, start.timestamp!);
    await setPrivate(ann, folder, id, false);

    expect((await updates(bob, folder, told.timestamp!)).json).toEqual([[id]]);
    expect((await updates(bob, folder, start.timestamp!)).json).toEqual([[id]]);
  });

  it('show creators their own private contacts in folders of others', async () => {
    const [ann, bob] = [person(829), person(830)];
    const folder = await share(ann, bob);
    const id = await add(bob, folder);
    const start = await updates(bob, folder, 0);
    await setPrivate(bob, folder, id, true);
    expect((await updates(bob, folder, start.timestamp!)).json).toEqual([[id]]);
  });

  it('tell nothing of contacts that were always private when rights change', async () => {
    const [ann, bob] = [person(831), person(832)];
    const folder = await share(ann, bob);
    const [shared, secret] = [await add(ann, folder), await add(ann, folder)];
    await setPrivate(ann, folder, secret, true);
    await rename(ann, folder, shared);
    const start = await updates(bob, folder, 0);
    const own = toBits({ folder: 2, read: 1, write: 1, remove: 1, admin: false });
    await running.call(contactFolders.update, {
      principal: as(ann),
      query: {
        id: folder,
        permissions: [
          { entity: ann.userId, group: false, bits: 403710016 },
          { entity: bob.userId, group: false, bits: own },
        ],
      },
    });
    expect((await updates(bob, folder, start.timestamp!)).json).toEqual([Number(shared)]);
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
