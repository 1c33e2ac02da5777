import { taskFolders, taskReminders, tasks, type UserPrincipal } from '@groupware/contracts';
import { toBits } from '@groupware/folders';
import fc from 'fast-check';
import {
  as,
  changeTask,
  createFolder,
  createTask,
  listIds,
  person,
  removeTask,
  runTasks,
  type RunningTasks,
} from './testing/running-tasks';

let running: RunningTasks;
beforeAll(async () => {
  running = await runTasks();
}, 60_000);
afterAll(() => running?.close());

/** A folder of a user, what readers may do in it, and which tasks were made there by whom. */
interface DrawnFolder {
  readonly owner: number;
  readonly isPublic: boolean;
  /** Rank for reading by reader: none, own, all. */
  readonly ranks: readonly (0 | 1 | 2)[];
  readonly tasks: readonly { readonly maker: number; readonly isPrivate: boolean }[];
}

const USERS = 3;
let next = 100;
const folder: fc.Arbitrary<DrawnFolder> = fc.record({
  owner: fc.nat(USERS - 1),
  isPublic: fc.boolean(),
  ranks: fc.array(fc.constantFrom(0, 1, 2), { minLength: USERS, maxLength: USERS }),
  tasks: fc.array(fc.record({ maker: fc.nat(USERS - 1), isPrivate: fc.boolean() }), { maxLength: 4 }),
});

/** The permissions model: whether a user reads a task of the folder. */
function mayRead({ owner, ranks }: DrawnFolder, reader: number, maker: number, isPrivate: boolean): boolean {
  const rank = owner === reader ? 2 : ranks[reader]!;
  if (rank === 0 || (rank === 1 && maker !== reader)) return false;
  return !isPrivate || maker === reader;
}

describe('reminders of tasks', () => {
  it.each([
    ['the folder', 0],
    ['what is in it', 1],
    ['it, as a private one', 4227330],
  ])('end with the right to read %s', async (_what, left) => {
    const [owner, member] = [person((next += 1)), person((next += 1))];
    const permissions = (bits: number) => [
      { entity: owner.userId, group: false, bits: 403710016 },
      ...(bits > 0 ? [{ entity: member.userId, group: false, bits }] : []),
    ];
    const folderId = await createFolder(running, owner, { permissions: permissions(4227330) });
    const id = await createTask(running, owner, folderId);
    await changeTask(running, member, folderId, id, { alarm: 1_000 });
    const principal = as(member, 'settings');
    const list = () => running.call(taskReminders.list, { principal, query: { until: 9e12 } });
    const [reminder] = await list();
    expect(reminder).toMatchObject({ folderId, targetId: Number(id) });
    const query = { id: reminder!.id, alarm: 2_000 };
    expect(await running.call(taskReminders.snooze, { principal, query })).toMatchObject({ alarm: 2_000 });
    const share = (bits: number) =>
      running.call(taskFolders.update, {
        principal: as(owner),
        query: { id: folderId, permissions: permissions(bits) },
      });
    await share(left);
    if (left > 1) await changeTask(running, owner, folderId, id, { private_flag: true });
    expect(await list()).toEqual([]);
    expect(await running.call(taskReminders.snooze, { principal, query })).toBeNull();
    await share(4227330);
    await changeTask(running, owner, folderId, id, { private_flag: false });
    expect(await list()).toEqual([]);
  });

  it('do not come again once the task is not readable', async () => {
    const [owner, member] = [person((next += 1)), person((next += 1))];
    const permissions = [owner, member].map(({ userId: entity }, index) => ({
      ...{ entity, group: false },
      bits: index === 0 ? 403710016 : 4227330,
    }));
    const folderId = await createFolder(running, owner, { permissions });
    const id = await createTask(running, member, folderId, { alarm: 1_000 });
    const principal = as(member, 'settings');
    const [reminder] = await running.call(taskReminders.list, { principal, query: { until: 9e12 } });
    expect(reminder).toMatchObject({ targetId: Number(id) });
    const query = { id: folderId, permissions: permissions.slice(0, 1) };
    await running.call(taskFolders.update, { principal: as(owner), query });
    const again = { id: reminder!.id, alarm: 2_000 };
    expect(await running.call(taskReminders.snooze, { principal, query: again })).toBeNull();
  });
});

describe('what a user reads of tasks', () => {
  it('is what the permissions model says, by every way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(folder, { minLength: 1, maxLength: 3 }), async (drawn) => {
        const users = Array.from({ length: USERS }, () => person((next += 1)));
        const expected = users.map((): string[] => []);
        const made: { id: string; folder: string; readers: boolean[] }[] = [];
        for (const one of drawn) {
          const owner = users[one.owner]!;
          const all = { folder: 2, read: 2, write: 2, remove: 2, admin: false };
          const permissions = (bits: (user: number) => number) =>
            users.map((user, index) => ({
              entity: user.userId,
              group: false,
              bits: index === one.owner ? 403710016 : bits(index),
            }));
          const id = await createFolder(running, owner, {
            parent: one.isPublic ? 2 : 1,
            permissions: permissions(() => toBits(all)),
          });
          for (const { maker, isPrivate } of one.tasks) {
            const hides = isPrivate && !one.isPublic && maker === one.owner;
            const task = await createTask(running, users[maker]!, id, { private_flag: hides });
            const readers = users.map((_, reader) => mayRead(one, reader, maker, hides));
            readers.forEach((reads, reader) => reads && expected[reader]!.push(task));
            made.push({ id: task, folder: String(id), readers });
          }
          const rights = (user: number) => toBits({ ...all, folder: 1, write: 0, remove: 0, read: one.ranks[user]! });
          await running.call(taskFolders.update, {
            principal: as(owner),
            query: { id, permissions: permissions(rights) },
          });
        }
        for (const [reader, principal] of users.entries()) {
          const rows = await running.call(tasks.search, { principal, query: { columns: ['1'] }, body: {} });
          expect((rows as string[][]).map(([id]) => id!).sort()).toEqual([...expected[reader]!].sort());
          const references = made.map(({ id, folder: folderId }) => ({ id, folder: folderId }));
          const listed = await running.call(tasks.list, { principal, query: { columns: ['1'] }, body: references });
          expect((listed as string[][]).flat()).toEqual(
            made.filter(({ readers }) => readers[reader]).map(({ id }) => id),
          );
          for (const { id, folder: folderId, readers } of made) {
            const get = running.call(tasks.get, { principal, query: { id, folder: folderId } });
            if (readers[reader]) expect(await get).toMatchObject({ id });
            else await expect(get).rejects.toMatchObject({ code: expect.stringMatching(/^TSK-00(23|46)$/) });
          }
        }
      }),
      { numRuns: 10 },
    );
  }, 60_000);
});

type Step =
  | { readonly kind: 'create' | 'change' | 'remove' | 'move' | 'hide' | 'delegate'; readonly pick: number }
  | { readonly kind: 'sync'; readonly pick: number };

describe('updates', () => {
  it('bring clients to what is there, whatever happened in between', async () => {
    const step: fc.Arbitrary<Step> = fc.record({
      kind: fc.constantFrom('create', 'change', 'remove', 'move', 'hide', 'delegate', 'sync'),
      pick: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const [ann, bob] = [person((next += 1)), person((next += 1))];
        const permissions = [
          { entity: ann.userId, group: false, bits: 403710016 },
          { entity: bob.userId, group: false, bits: 257 },
        ];
        const folders = [await createFolder(running, ann, { permissions }), await createFolder(running, ann)];
        const home = await homeOf(bob, ann, folders[1]!);
        const places = new Map<string, number>();
        const clients = [
          { user: ann, folder: folders[0]!, since: 0, known: new Set<string>() },
          { user: ann, folder: folders[1]!, since: 0, known: new Set<string>() },
          { user: bob, folder: folders[0]!, since: 0, known: new Set<string>() },
          { user: bob, folder: home, since: 0, known: new Set<string>() },
        ];
        const sync = async (): Promise<void> => {
          for (const client of clients) {
            const { json, timestamp } = await running.request(tasks.updates, {
              principal: client.user,
              query: { folder: String(client.folder), columns: ['1'], timestamp: client.since, ignore: 'none' },
            });
            for (const entry of json)
              if (Array.isArray(entry)) client.known.add(entry[0] as string);
              else client.known.delete(String(entry));
            client.since = timestamp!;
            expect([...client.known].sort()).toEqual((await listIds(running, client.user, client.folder)).sort());
          }
        };
        for (const { kind, pick } of steps) {
          const ids = [...places.keys()];
          const id = ids[pick % Math.max(1, ids.length)];
          if (kind === 'sync') await sync();
          else if (kind === 'create' || !id) {
            const place = folders[pick % 2]!;
            places.set(await createTask(running, ann, place), place);
          } else if (kind === 'remove') {
            await removeTask(running, ann, places.get(id)!, id);
            places.delete(id);
          } else if (kind === 'move') {
            const target = folders[pick % 2]!;
            await changeTask(running, ann, places.get(id)!, id, { folder_id: String(target) });
            places.set(id, target);
          } else {
            const participants = pick % 2 ? [{ type: 1, id: bob.userId }] : [];
            const hidden = { participants: [], private_flag: pick % 2 === 1 };
            const bodies = {
              change: { title: `t${pick}` },
              hide: hidden,
              delegate: { private_flag: false, participants },
            };
            await changeTask(running, ann, places.get(id)!, id, bodies[kind]);
          }
        }
        await sync();
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});

/** The default folder of a user, made by the first task that is delegated to that user. */
async function homeOf(user: UserPrincipal, by: UserPrincipal, folder: number): Promise<number> {
  const id = await createTask(running, by, folder, { participants: [{ type: 1, id: user.userId }] });
  await removeTask(running, by, folder, id);
  const [row] = await running.sql<{ id: number }>(
    'select id from folder where context_id = $1 and created_by = $2 and is_default',
    [user.contextId, user.userId],
  );
  return row!.id;
}
