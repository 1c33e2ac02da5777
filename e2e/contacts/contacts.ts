import type { Client, Envelope } from '../client';
import type { TestEnvironment } from '../test-environment';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';

/** Larger than any timestamp. */
export const FAR = '9223372036854775807';
/** Permission bits: read-all; all rights on all objects; rights on own objects only. */
export const BITS = { reader: 257, author: 4227330, own: 2113666, all: 135274560 } as const;

/** The people of the scenarios, with the default folders of contacts of U1 and U2. */
export interface ContactFixtures extends Fixtures {
  readonly K1: string;
  readonly K2: string;
}

/** A new folder of contacts; its owner has all rights, others those that are given. */
export async function createFolder(
  user: TestUser,
  { parent = '1', rights = [] }: { parent?: string; rights?: [number, number][] } = {},
): Promise<string> {
  const permissions = [
    { entity: user.userId, group: false, bits: 403710016 },
    ...rights.map(([entity, bits]) => ({ entity, group: false, bits })),
  ];
  const answer = await user.put(
    'folders',
    'new',
    { folder_id: parent, tree: 0 },
    {
      title: `K ${Math.random()}`,
      module: 'contacts',
      permissions,
    },
  );
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return String(answer.data);
}

/** The people with two folders of U1. */
export async function createContactFixtures(world: TestEnvironment): Promise<ContactFixtures> {
  const fixtures = await createFixtures(world);
  const [K1, K2] = await Promise.all([createFolder(fixtures.U1), createFolder(fixtures.U1)]);
  return { ...fixtures, K1, K2 };
}

/** A new contact; its id and timestamp. */
export async function create(
  user: Client,
  folder: string,
  body: object,
): Promise<{ readonly id: string; readonly timestamp: number }> {
  const answer = await user.put<{ id: string }>('contacts', 'new', {}, { folder_id: folder, ...body });
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return { id: answer.data.id, timestamp: answer.timestamp! };
}

/** Reads one contact. */
export const read = (user: Client, folder: string, id: string, parameters: object = {}): Promise<Envelope> =>
  user.get('contacts', 'get', { folder, id, ...parameters });

/** The data of one contact. */
export async function dataOf(user: Client, folder: string, id: string): Promise<any> {
  const answer = await read(user, folder, id);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** Changes a contact, whatever its timestamp. */
export const change = (
  user: Client,
  folder: string,
  id: string,
  body: object,
  timestamp: string | number = FAR,
): Promise<Envelope> => user.put('contacts', 'update', { folder, id, timestamp }, body);

/** Rows of a folder. */
export const all = (user: Client, folder: string | undefined, columns: string, parameters: object = {}) =>
  user.get<any[][]>('contacts', 'all', { folder, columns, ...parameters });

/** Deletes contacts of a folder. */
export const remove = (user: Client, folder: string, ids: readonly string[], timestamp: string | number = FAR) =>
  user.put(
    'contacts',
    'delete',
    { timestamp },
    ids.map((id) => ({ id, folder })),
  );
