import type { Client, Envelope } from '../client';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import type { TestEnvironment } from '../test-environment';

/** Larger than any timestamp. */
export const FAR = '9223372036854775807';
/** Permission bits: see only; read all; all rights on all objects; rights on own objects only. */
export const BITS = { see: 1, reader: 257, author: 4227330, own: 2113666 } as const;
export const DAY = 86_400_000;

/** The people of the scenarios with two folders of U1, the default folders of U2 and U3, and a public folder. */
export interface TaskFixtures extends Fixtures {
  readonly T1: string;
  readonly T2: string;
  readonly H2: string;
  readonly H3: string;
  readonly KP: string;
  /** Group of U2 and U3. */
  readonly G: number;
}

/** A new folder of tasks; its owner has all rights, others those that are given. */
export async function createFolder(
  user: TestUser,
  {
    parent = '1',
    rights = [],
    module = 'tasks',
  }: { parent?: string; rights?: [number, number][]; module?: string } = {},
): Promise<string> {
  const permissions = [
    { entity: user.userId, group: false, bits: 403710016 },
    ...rights.map(([entity, bits]) => ({ entity, group: false, bits })),
  ];
  const body = { title: `T ${Math.random()}`, module, permissions };
  const answer = await user.put('folders', 'new', { folder_id: parent, tree: 0 }, body);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return String(answer.data);
}

/** The default folder of tasks of a user. */
async function defaultFolder(user: Client): Promise<string> {
  const answer = await user.get<{ private: unknown[][] }>('folders', 'allVisible', {
    content_type: 'tasks',
    columns: '1,308',
  });
  const folder = answer.data?.private.find((row) => row[1] === true)?.[0];
  if (!folder) throw new Error(`no default folder of tasks: ${JSON.stringify(answer)}`);
  return String(folder);
}

/** The people with their folders. */
export async function createTaskFixtures(world: TestEnvironment): Promise<TaskFixtures> {
  const fixtures = await createFixtures(world);
  const { U1, U2, U3, admin, contextId } = fixtures;
  const [T1, T2, H2, H3, group] = await Promise.all([
    createFolder(U1),
    createFolder(U1),
    defaultFolder(U2),
    defaultFolder(U3),
    admin.expect('POST', `/admin/v1/contexts/${contextId}/groups`, {
      name: 'both',
      displayName: 'Both',
      members: [U2.userId, U3.userId],
    }),
  ]);
  const KP = await createFolder(U1, { parent: '2', rights: [[U2.userId, BITS.reader]] });
  return { ...fixtures, T1, T2, H2, H3, KP, G: group.id as number };
}

/** A new task; its id and timestamp. */
export async function create(
  user: Client,
  folder: string,
  body: object = {},
  parameters: object = {},
): Promise<{ readonly id: string; readonly timestamp: number }> {
  const answer = await tryCreate(user, folder, body, parameters);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return { id: answer.data.id, timestamp: answer.timestamp! };
}

/** The answer of `new`. */
export const tryCreate = (
  user: Client,
  folder: string,
  body: object,
  parameters: object = {},
): Promise<Envelope<{ id: string }>> => user.put('tasks', 'new', { ...parameters }, { folder_id: folder, ...body });

/** Reads one task. */
export const read = (user: Client, folder: string, id: string, parameters: object = {}): Promise<Envelope> =>
  user.get('tasks', 'get', { folder, id, ...parameters });

/** The data of one task. */
export async function dataOf(user: Client, folder: string, id: string, parameters: object = {}): Promise<any> {
  const answer = await read(user, folder, id, parameters);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** Changes a task, whatever its timestamp. */
export const change = (
  user: Client,
  folder: string,
  id: string,
  body: object,
  parameters: object = {},
): Promise<Envelope> => user.put('tasks', 'update', { folder, id, timestamp: FAR, ...parameters }, body);

/** Rows of a folder. */
export const all = (user: Client, folder: string, columns: string, parameters: object = {}) =>
  user.get<any[][]>('tasks', 'all', { folder, columns, ...parameters });

/** Ids of a folder. */
export const idsOf = async (user: Client, folder: string): Promise<string[]> =>
  (await all(user, folder, '1')).data!.map(([id]) => id as string);

/** Deletes tasks of a folder. */
export const remove = (user: Client, folder: string, ids: readonly string[], timestamp: string | number = FAR) =>
  user.put(
    'tasks',
    'delete',
    { timestamp },
    ids.map((id) => ({ id, folder })),
  );

/** Changes of a folder, deletions included unless asked otherwise. */
export const updates = (user: Client, folder: string, timestamp: number, parameters: object = { ignore: 'none' }) =>
  user.get<any[]>('tasks', 'updates', { folder, timestamp, columns: '1,200', ...parameters });
