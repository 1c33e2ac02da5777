import { ALL_TIME } from '../calendar/calendar';
import type { TestUser } from '../fixtures';
import { Client, type Envelope } from '../client';
import { get, made, read, permissionsFor, update, VIEWER } from '../folders/folders';
import { keepOutOfLogs } from '../secrets';

/** The link of a folder of a player; the whole answer. */
export const getLink = (player: TestUser, folder: string, module = 'calendar'): Promise<Envelope> =>
  player.put('share/management', 'getLink', {}, { module, folder });

/** The same for a link that there must be. */
export async function linkOf(player: TestUser, folder: string, module = 'calendar') {
  const { data, timestamp, ...rest } = await getLink(player, folder, module);
  if (!data) throw new Error(JSON.stringify(rest));
  const [token, path] = String(data.url).split('/').slice(-2) as [string, string];
  keepOutOfLogs(token);
  return { ...data, timestamp: timestamp!, token, path } as {
    url: string;
    entity: number;
    is_new: boolean;
    expiry_date?: number;
    timestamp: number;
    token: string;
    path: string;
  };
}

export const updateLink = (player: TestUser, folder: string, timestamp: number, change: object): Promise<Envelope> =>
  player.put('share/management', 'updateLink', { timestamp }, { module: 'calendar', folder, ...change });

export const deleteLink = (player: TestUser, folder: string, timestamp: number): Promise<Envelope> =>
  player.put('share/management', 'deleteLink', { timestamp }, { module: 'calendar', folder });

/** A new private calendar of a player. */
export const calendarOf = (player: TestUser): Promise<string> => made(player);

/** A browser that opens a link; it has a session when the link is enough. */
export class Visitor extends Client {
  status = 0;
  facts = new URLSearchParams();

  async open(url: string): Promise<this> {
    const response = await this.fetch('GET', new URL(url).pathname);
    this.status = response.status;
    this.facts = new URLSearchParams(response.headers.get('location')?.split('#')[1] ?? '');
    this.session = this.facts.get('session') ?? '';
    if (this.status !== 302) this.facts.set('code', ((await response.json()) as Envelope).code ?? '');
    return this;
  }

  /** A login of a guest; what the server answers. */
  async enter(action: string, form: Record<string, string>): Promise<Record<string, any>> {
    const response = await this.fetch('POST', '/login', { action }, { body: new URLSearchParams(form) });
    const answer = (await response.json()) as Record<string, any>;
    this.session = answer.session ?? this.session;
    keepOutOfLogs(answer.session);
    return answer;
  }

  /** Ids of the calendars the visitor sees. */
  async calendars(): Promise<string[]> {
    const { data } = await this.get('folders', 'allVisible', { content_type: 'calendar', columns: '1' });
    return Object.values(data as Record<string, unknown[][]>).flatMap((rows) => rows.map(([id]) => String(id)));
  }

  /** Titles of the appointments in a calendar, or the code of the refusal. */
  async titles(folder: string): Promise<string[] | string> {
    const answer = await this.get('calendar', 'all', { folder, columns: '200', ...ALL_TIME });
    return answer.code ?? (answer.data as string[][]).map(([title]) => title!);
  }
}

/** Entities of a folder's permission list with their types. */
export async function entriesOf(player: TestUser, folder: string): Promise<Record<string, unknown>[]> {
  return (await read(player, folder)).permissions;
}

/** Adds a guest to a calendar of the player alone. */
export const invite = (player: TestUser, folder: string, email: string, entry: object = {}) =>
  update(player, folder, {
    permissions: [...permissionsFor(player), { type: 'guest', bits: VIEWER, email_address: email, ...entry }],
  });

/** The address and entity of the guest in a folder, as who invited finds it. */
export async function shareOf(player: TestUser, folder: string, email: string) {
  const { data } = await get(player, folder);
  const entry = data['com.openexchange.share.extendedPermissions'].find((each: any) => each.email_address === email);
  const token = String(entry.share_url).split('/').at(-2)!;
  keepOutOfLogs(token);
  return { url: String(entry.share_url), entity: entry.entity as number, token };
}

export { permissionsFor as shared };
