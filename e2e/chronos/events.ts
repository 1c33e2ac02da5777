import type { TestUser } from '../fixtures';

/** A timestamp that no change is newer than. */
export const FORCE = '9223372036854775807';
/** The whole of the thirties, UTC. */
export const THIRTIES = { rangeStart: '20300101T000000Z', rangeEnd: '20400101T000000Z' };

export type Json = Record<string, any>;
export type Query = Record<string, string | number | boolean | undefined>;

/** The default calendar as the event interface names it. */
export const folderOf = (player: TestUser): string => `cal://0/${player.folder}`;

/** A time with zone. */
export const at = (value: string, tzid?: string): Json => (tzid ? { value, tzid } : { value });

/** One hour from 08:00Z on 5 June 2031. */
export const JUNE_5 = { startDate: at('20310605T080000Z'), endDate: at('20310605T090000Z') };

/** The data of an answer; fails with its error. */
export function dataOf(answer: { data?: any; code?: string; error_desc?: string }): any {
  if (answer.code !== undefined) throw new Error(`${answer.code}: ${answer.error_desc}`);
  return answer.data;
}

/** Events of a range, by default the thirties. */
export const all = async (player: TestUser, query: Query = {}): Promise<Json[]> =>
  dataOf(await player.get('chronos', 'all', { folder: folderOf(player), ...THIRTIES, ...query }));

/** One event. */
export const get = async (player: TestUser, id: string, query: Query = {}): Promise<Json> =>
  dataOf(await player.get('chronos', 'get', { folder: folderOf(player), id, ...query }));

/** The code of the error of a `get`. */
export const refusal = async (player: TestUser, id: string, query: Query = {}): Promise<string | undefined> =>
  (await player.get('chronos', 'get', { folder: folderOf(player), id, ...query })).code;

/** Changes of the default calendar since a stamp. */
export const updates = async (player: TestUser, timestamp: number, query: Query = {}): Promise<Json> =>
  dataOf(await player.get('chronos', 'updates', { folder: folderOf(player), timestamp, ...query }));

type Envelope = Awaited<ReturnType<TestUser['get']>>;

/** Creates an event of 5 June 2031, an hour from 08:00Z, unless the fields say otherwise. */
export const create = (player: TestUser, fields: Json = {}, query: Query = {}): Promise<Envelope> =>
  player.put('chronos', 'new', { folder: folderOf(player), ...query }, { summary: 'E', ...JUNE_5, ...fields });

/** The event that was created. */
export async function created(player: TestUser, fields: Json = {}, query: Query = {}): Promise<Json> {
  const { created: events } = dataOf(await create(player, fields, query));
  expect(events).toHaveLength(1);
  return events[0];
}

/** Changes an event, by default whatever happened to it meanwhile. */
export const update = (player: TestUser, id: string, fields: Json, query: Query = {}): Promise<Envelope> =>
  player.put('chronos', 'update', { folder: folderOf(player), id, timestamp: FORCE, ...query }, { event: fields });

/** Answers an invitation. */
export const answer = (player: TestUser, id: string, body: Json, query: Query = {}): Promise<Envelope> =>
  player.put('chronos', 'updateAttendee', { folder: folderOf(player), id, timestamp: FORCE, ...query }, body);

/** Deletes events. */
export const remove = (player: TestUser, events: Json[], query: Query = {}): Promise<Envelope> =>
  player.put(
    'chronos',
    'delete',
    { timestamp: FORCE, ...query },
    { events: events.map((each) => ({ folder: folderOf(player), ...each })) },
  );

/** An attendee of an event. */
export const attendeeOf = (event: Json, entity: number): Json =>
  event.attendees.find((each: Json) => each.entity === entity);
