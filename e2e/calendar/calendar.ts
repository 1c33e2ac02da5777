import type { TestUser } from '../fixtures';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** 1 January 1990 and 1 January 2050, UTC. */
export const ALL_TIME = { start: 631_152_000_000, end: 2_524_608_000_000 };
/** A timestamp no change is newer than. */
export const FAR_FUTURE = 9_000_000_000_000;

export type Fields = Record<string, unknown>;

/** Creates an appointment; conflicts are ignored unless the body says otherwise. */
export const create = (player: TestUser, fields: Fields, parameters: Record<string, string> = {}) =>
  player.put('calendar', 'new', parameters, {
    title: 'T',
    folder_id: player.folder,
    ignore_conflicts: true,
    ...fields,
  });

/** Creates an appointment that must be stored; returns its id. */
export async function created(
  player: TestUser,
  fields: Fields,
  parameters: Record<string, string> = {},
): Promise<string> {
  const answer = await create(player, fields, parameters);
  expect(answer).toMatchObject({ data: { id: expect.anything() } });
  return String(answer.data.id);
}

/** Rows of `all` over a range (default: all time). */
export async function all(
  player: TestUser,
  columns: string,
  range: { start: number; end: number } = ALL_TIME,
  parameters: Record<string, string | number | boolean | undefined> = {},
): Promise<any[][]> {
  const answer = await player.get('calendar', 'all', { columns, folder: player.folder, ...range, ...parameters });
  if (answer.error) throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** Starts of all occurrences in the default folder. */
export const starts = async (player: TestUser, parameters: Record<string, string> = {}): Promise<number[]> =>
  (await all(player, '201', ALL_TIME, { range: 'overlap', timezone: 'UTC', ...parameters })).map((row) => row[0]);

/** One appointment as object. */
export async function read(
  player: TestUser,
  id: string,
  parameters: Record<string, string | number> = {},
): Promise<any> {
  const answer = await player.get('calendar', 'get', { id, folder: player.folder, timezone: 'UTC', ...parameters });
  if (answer.error) throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** Updates with a timestamp that forces the change. */
export const update = (
  player: TestUser,
  id: string,
  fields: Fields,
  parameters: Record<string, string | number> = {},
) =>
  player.put(
    'calendar',
    'update',
    { id, folder: player.folder, timestamp: FAR_FUTURE, ...parameters },
    {
      ignore_conflicts: true,
      ...fields,
    },
  );

/** Deletes with a timestamp that forces the change. */
export const remove = (player: TestUser, items: Fields[], timestamp = FAR_FUTURE) =>
  player.put(
    'calendar',
    'delete',
    { timestamp },
    items.map((item) => ({ folder: player.folder, ...item })),
  );
