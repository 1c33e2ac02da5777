import { contactFolders, contacts, type UserPrincipal } from '@groupware/contracts';
import { toBits } from '@groupware/folders';
import fc from 'fast-check';
import { person, runContacts, type RunningContacts } from './testing/running-contacts';

let running: RunningContacts;
beforeAll(async () => {
  running = await runContacts();
}, 60_000);
afterAll(() => running?.close());

const as = (user: UserPrincipal) =>
  ({ kind: 'internal', service: 'folders', contextId: user.contextId, user }) as const;

/** A folder of a user, what readers may do in it, and who made what there. */
interface DrawnFolder {
  readonly owner: number;
  readonly isPublic: boolean;
  /** Rank for reading by reader: none, own, all. */
  readonly ranks: readonly (0 | 1 | 2)[];
  readonly contacts: readonly { readonly maker: number; readonly isPrivate: boolean }[];
}

const USERS = 3;
const folder: fc.Arbitrary<DrawnFolder> = fc.record({
  owner: fc.nat(USERS - 1),
  isPublic: fc.boolean(),
  ranks: fc.array(fc.constantFrom(0, 1, 2), { minLength: USERS, maxLength: USERS }),
  contacts: fc.array(fc.record({ maker: fc.nat(USERS - 1), isPrivate: fc.boolean() }), { maxLength: 4 }),
});

/** The permissions model: whether a user reads a contact of the folder. */
function mayRead({ owner, isPublic, ranks }: DrawnFolder, reader: number, maker: number, isPrivate: boolean): boolean {
  const isOwner = owner === reader;
  const rank = isOwner ? 2 : ranks[reader]!;
  if (rank === 0 || (rank === 1 && maker !== reader)) return false;
  return !isPrivate || maker === reader || (isOwner && !isPublic);
}

describe('what a user reads of contacts', () => {
  let next = 100;

  /** A list of all these contacts, as far as there are any, in a folder that all users read. */
  async function listMembers<T extends { id: string; readers: boolean[] }>(
    owner: UserPrincipal,
    users: readonly UserPrincipal[],
    members: readonly T[],
  ): Promise<{ list: string; folder: string; members: T[] }[]> {
    if (members.length === 0) return [];
    const reads = toBits({ folder: 1, read: 2, write: 0, remove: 0, admin: false });
    const permissions = users.map(({ userId }) => ({
      entity: userId,
      group: false,
      bits: userId === owner.userId ? 403710016 : reads,
    }));
    const query = { title: `L${(next += 1)}`, parent: 1, permissions };
    const { id } = await running.call(contactFolders.create, { principal: as(owner), query });
    const made = await running.call<{ id: string }>(contacts.new, {
      principal: owner,
      query: {},
      body: {
        folder_id: String(id),
        display_name: 'List',
        distribution_list: members.map((member) => ({ id: member.id, mail_field: 1 })),
      },
    });
    return [{ list: made.id, folder: String(id), members: [...members] }];
  }

  it('is what the permissions model says, by every way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(folder, { minLength: 1, maxLength: 3 }), async (drawn) => {
        const users = Array.from({ length: USERS }, () => person((next += 1)));
        const expected = users.map((): string[] => []);
        const ids: { id: string; folder: string; readers: boolean[] }[] = [];
        const folders: { folder: string; ranks: number[] }[] = [];
        const lists: { list: string; folder: string; members: typeof ids }[] = [];
        for (const one of drawn) {
          const owner = users[one.owner]!;
          // All users write while the folder is filled; then the rights are those that were drawn.
          const all = { folder: 2, read: 2, write: 2, remove: 2, admin: false };
          const permissions = (ranks: (user: number) => number) =>
            users.map((user, index) => ({
              entity: user.userId,
              group: false,
              bits: index === one.owner ? 403710016 : ranks(index),
            }));
          const { id } = await running.call(contactFolders.create, {
            principal: as(owner),
            query: {
              title: `F${(next += 1)}`,
              parent: one.isPublic ? 2 : 1,
              permissions: permissions(() => toBits(all)),
            },
          });
          for (const { maker, isPrivate } of one.contacts) {
            const data = await running.call<{ id: string }>(contacts.new, {
              principal: users[maker]!,
              query: {},
              body: {
                folder_id: String(id),
                last_name: 'L',
                email1: 'member@x.example',
                private_flag: isPrivate && !one.isPublic,
              },
            });
            const readers = users.map((_, reader) => mayRead(one, reader, maker, isPrivate && !one.isPublic));
            readers.forEach((reads, reader) => reads && expected[reader]!.push(data.id));
            ids.push({ id: data.id, folder: String(id), readers });
          }
          const ranks = users.map((_user, index) => (index === one.owner ? 2 : one.ranks[index]!));
          folders.push({ folder: String(id), ranks });
          lists.push(
            ...(await listMembers(
              owner,
              users,
              ids.filter(({ folder: place }) => place === String(id)),
            )),
          );
          await running.call(contactFolders.update, {
            principal: as(owner),
            query: {
              id,
              permissions: permissions((user) =>
                toBits({ ...all, folder: 1, write: 0, remove: 0, read: one.ranks[user]! }),
              ),
            },
          });
        }
        for (const [reader, principal] of users.entries()) {
          for (const { folder: folderId, ranks } of folders) {
            const here = ids.filter(({ folder: place, readers }) => place === folderId && readers[reader]);
            const inFolder = { principal, query: { columns: ['1'], folder: folderId } };
            const ways = [
              running.call(contacts.all, inFolder),
              running.call(contacts.updates, { principal, query: { ...inFolder.query, timestamp: 0 } }),
              running.call(contacts.autocomplete, { principal, query: { ...inFolder.query, query: 'member' } }),
              running.call(contacts.advancedSearch, {
                principal,
                query: { columns: ['1'] },
                body: { filter: ['=', { field: 'folder_id' }, folderId] },
              }),
            ];
            for (const way of ways)
              if (ranks[reader] === 0) await expect(way).rejects.toMatchObject({ code: 'CON-0104' });
              else
                expect(((await way) as string[][]).map(([id]) => id).sort()).toEqual(here.map(({ id }) => id).sort());
          }
          for (const { list, folder: folderId, members } of lists) {
            const [row] = await running.call<{ id?: string }[][][]>(contacts.all, {
              principal,
              query: { columns: ['592'], folder: folderId },
            });
            const [shown = []] = row ?? [];
            const known = shown.flatMap(({ id }) => id ?? []);
            const expectedMembers = members.filter(({ readers }) => readers[reader]).map(({ id }) => id);
            expect([list, known.sort()]).toEqual([list, expectedMembers.sort()]);
            expect(shown).toHaveLength(members.length);
          }
          const rows = await running.call(contacts.all, { principal, query: { columns: ['1'] } });
          const all = [...expected[reader]!, ...lists.map(({ list }) => list)];
          expect((rows as string[][]).map(([id]) => id!).sort()).toEqual(all.sort());
          for (const { id, folder: folderId, readers } of ids) {
            const get = running.call(contacts.get, { principal, query: { id, folder: folderId } });
            if (readers[reader]) expect(await get).toMatchObject({ id });
            else await expect(get).rejects.toMatchObject({ code: 'CON-0104' });
          }
        }
      }),
      { numRuns: 12 },
    );
  }, 60_000);
});
