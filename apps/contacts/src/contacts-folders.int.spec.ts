import { contactAttachments, contactFolders, contacts, type UserPrincipal } from '@groupware/contracts';
import { person, runContacts, type RunningContacts } from './testing/running-contacts';

let running: RunningContacts;
beforeAll(async () => {
  running = await runContacts();
}, 60_000);
afterAll(() => running?.close());

const as = (user: UserPrincipal, service = 'folders') =>
  ({ kind: 'internal', service, contextId: user.contextId, user }) as const;
const make = async (user: UserPrincipal): Promise<number> =>
  (await running.call(contactFolders.create, { principal: as(user), query: { title: `F${Math.random()}`, parent: 1 } }))
    .id;
const add = async (user: UserPrincipal, folder: number): Promise<string> =>
  (
    await running.call(contacts.new, {
      principal: user,
      query: {},
      body: { folder_id: String(folder), last_name: 'L' },
    })
  ).id;
const idsIn = async (user: UserPrincipal, folder: number): Promise<unknown[]> =>
  (await running.call(contacts.all, { principal: user, query: { folder: String(folder), columns: ['1'] } })).flat();

describe('folders of contacts', () => {
  const ann = person(701);

  it('are emptied and deleted with what they hold, and counted', async () => {
    const folder = await make(ann);
    await add(ann, folder);
    await add(ann, folder);
    const counted = await running.call(contactFolders.get, { principal: as(ann), query: { id: folder, counts: true } });
    expect(counted.counts).toEqual({ total: 2 });
    const query = { ids: [folder], strict: true };
    await running.call(contactFolders.clear, { principal: as(ann), query: { ids: [folder] } });
    expect(await idsIn(ann, folder)).toEqual([]);
    const id = await add(ann, folder);
    await running.call(contactFolders.remove, { principal: as(ann), query });
    const get = running.call(contacts.get, { principal: ann, query: { id, folder: String(folder) } });
    await expect(get).rejects.toMatchObject({ code: 'FLD-0008' });
  });

  it('tell how many files their contacts carry, and who may change them', async () => {
    const folder = await make(ann);
    const object = Number(await add(ann, folder));
    const principal = as(ann, 'attachments');
    const files = { object, count: 2, newest: 5, revision: 1, userId: ann.userId };
    const lastModified = await running.call(contactAttachments.changed, { principal, query: files });
    const data = await running.call(contacts.get, {
      principal: ann,
      query: { id: String(object), folder: String(folder) },
    });
    expect(data).toMatchObject({
      number_of_attachments: 2,
      lastModifiedOfNewestAttachmentUTC: 5,
      last_modified_utc: lastModified,
    });
    const access = (user: UserPrincipal) =>
      running.call(contactAttachments.access, {
        principal: as(user, 'attachments'),
        query: { object, folder, write: true },
      });
    expect(await access(ann)).toBe(true);
    await expect(access(person(702))).rejects.toMatchObject({ code: 'CON-0104' });
  });
});
