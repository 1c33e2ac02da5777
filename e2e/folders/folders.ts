import type { Envelope } from '../client';
import type { TestUser } from '../fixtures';

/** Every right, administration included. */
export const ALL = 403710016;
export const VIEWER = 257;
export const AUTHOR = 4227330;
/** See, read, write and delete all, create folders below; no administration. */
export const SUBFOLDERS = 4227332;

export type Entry = { entity: number; bits: number; group?: boolean };
let names = 0;
/** Makes a name that is not in use. */
export const freshName = (): string => `folder ${(names += 1)}`;

/** The permission list of a folder of a player, with entries for others. */
export const permissionsFor = (owner: TestUser, ...others: (Entry | [TestUser, number])[]): Entry[] => [
  { entity: owner.userId, bits: ALL, group: false },
  ...others.map((entry) => (Array.isArray(entry) ? { entity: entry[0].userId, bits: entry[1], group: false } : entry)),
];

/** Creates a calendar folder, below the private ones unless told otherwise; the whole answer. */
export const make = (
  player: TestUser,
  body: object = {},
  parent: string | number = 1,
  query: Record<string, string | number | boolean> = {},
): Promise<Envelope> =>
  player.put('folders', 'new', { folder_id: parent, ...query }, { title: freshName(), module: 'calendar', ...body });

/** The same for a folder that must be stored; its id. */
export async function made(player: TestUser, body: object = {}, parent: string | number = 1): Promise<string> {
  const answer = await make(player, body, parent);
  if (typeof answer.data !== 'string') throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** One folder; the whole answer. */
export const get = (player: TestUser, id: string, query: Record<string, string> = {}): Promise<Envelope> =>
  player.get('folders', 'get', { id, ...query });

/** One folder that the player must see. */
export async function read(player: TestUser, id: string, query: Record<string, string> = {}): Promise<any> {
  const answer = await get(player, id, query);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data;
}

export const update = (
  player: TestUser,
  id: string,
  body: object,
  query: Record<string, string | number | boolean> = {},
): Promise<Envelope> => player.put('folders', 'update', { id, ...query }, body);

export const remove = (
  player: TestUser,
  ids: readonly string[],
  query: Record<string, string | number | boolean> = {},
): Promise<Envelope> => player.put('folders', 'delete', query, ids);

/** Ids of the folders below one. */
export async function below(
  player: TestUser,
  parent: string,
  query: Record<string, string | number> = {},
): Promise<string[]> {
  const answer = await player.get('folders', 'list', { parent, columns: '1', ...query });
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data.map((row: unknown[]) => row[0]);
}

/** Codes of the warnings of an answer. */
export const warned = ({ warnings }: Envelope): string[] =>
  ([] as any[]).concat(warnings ?? []).map((warning) => warning.code);
