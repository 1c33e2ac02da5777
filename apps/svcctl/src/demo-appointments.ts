import { DEMO, demoAppointment, demoException, demoWeek } from '@groupware/contracts';
import { EXIT, Stop } from './exit';

/** Columns of folders: the id, and whether it is the default one. */
const FOLDER_COLUMNS = '1,308';
/** Rights to read, and to make and change one's own objects. */
const AUTHOR_RIGHTS = 4_227_330;
const OWNER_RIGHTS = 403_710_016;
/** The folder below which private folders are. */
const PRIVATE_FOLDER = '1';
/** A timestamp that no change is newer than. */
const FAR_FUTURE = '9000000000000';

/**
 * Makes calendars and appointments of the demonstration as the people who own them, as any client does.
 * @param ids those of people, groups and resources by name
 * @returns number of appointments
 */
export async function makeAppointments(
  publicUrl: string,
  password: string,
  ids: ReadonlyMap<string, number>,
  now = Date.now(),
): Promise<number> {
  const monday = demoWeek(now);
  for (const owner of new Set(DEMO.appointments.map((each) => each.owner))) {
    const session = await PublicSession.open(publicUrl, `${owner}@${DEMO.name}`, password);
    const calendars = new Map<string | undefined, string>([[undefined, await session.findCalendar()]]);
    for (const { title, group } of DEMO.calendars.filter((each) => each.owner === owner))
      calendars.set(title, await session.makeCalendar(title, ids.get(owner)!, ids.get(group)!));
    for (const appointment of DEMO.appointments.filter((each) => each.owner === owner)) {
      const folder = calendars.get(appointment.calendar)!;
      const parameters = { action: 'new', timezone: 'UTC' };
      const made = await session.call(
        'PUT',
        'calendar',
        parameters,
        demoAppointment(appointment, { folder, monday, ids }),
      );
      const exception = demoException(appointment, { folder, monday });
      const { id } = made as { id?: string };
      if (id === undefined) throw new Stop(EXIT.refused, `${appointment.title} was not made.`);
      if (exception)
        await session.call(
          'PUT',
          'calendar',
          { ...parameters, action: 'update', id: String(id), folder, timestamp: FAR_FUTURE },
          exception,
        );
    }
    await session.call('GET', 'login', { action: 'logout' });
  }
  return DEMO.appointments.length;
}

/**
 * Makes the appointments unless the first person of the demonstration has some.
 * @param users logins and ids of people
 * @returns number of appointments made
 */
export async function ensureAppointments(
  publicUrl: string,
  users: readonly { readonly login: string; readonly password: string; readonly userId: number }[],
): Promise<number> {
  const [first] = users;
  if (!first) return 0;
  const session = await PublicSession.open(publicUrl, first.login, first.password);
  const ids = new Map(users.map(({ login, userId }) => [login.split('@')[0]!, userId]));
  for (const module of ['group', 'resource']) {
    const found = await session.call('PUT', module, { action: 'search' }, { pattern: '*' });
    for (const { name, id } of found as { name: string; id: number }[]) ids.set(name, id);
  }
  const hasSome = await session.hasAppointments();
  await session.call('GET', 'login', { action: 'logout' });
  return hasSome ? 0 : makeAppointments(publicUrl, first.password, ids);
}

/** A session of the client API. */
class PublicSession {
  private constructor(
    private readonly url: string,
    private readonly id: string,
    private readonly cookies: string,
  ) {}

  static async open(url: string, name: string, password: string): Promise<PublicSession> {
    const login = await send(url, 'POST', 'login', { action: 'login' }, new URLSearchParams({ name, password }));
    const { session } = (await answerOf(login)) as { session: string };
    const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
    return new PublicSession(url, session, cookies.join('; '));
  }

  /** Answers `data`. @throws Stop for an error of the server */
  async call(method: string, module: string, parameters: Record<string, string>, body?: object): Promise<unknown> {
    const query = { ...parameters, session: this.id };
    const sent = body && JSON.stringify(body);
    return (await answerOf(await send(this.url, method, module, query, sent, { cookie: this.cookies }))).data;
  }

  /** Id of the default calendar. */
  async findCalendar(): Promise<string> {
    const parameters = { action: 'allVisible', content_type: 'calendar', columns: FOLDER_COLUMNS };
    const { private: own } = (await this.call('GET', 'folders', parameters)) as { private: [string, boolean][] };
    const found = own.find(([, isDefault]) => isDefault);
    if (!found) throw new Stop(EXIT.refused, 'A person of the demonstration has no calendar.');
    return found[0];
  }

  /** Makes a calendar that a group may write into; answers its id. */
  async makeCalendar(title: string, owner: number, group: number): Promise<string> {
    const permissions = [
      { entity: owner, bits: OWNER_RIGHTS, group: false },
      { entity: group, bits: AUTHOR_RIGHTS, group: true },
    ];
    const body = { title, module: 'calendar', permissions };
    return String(await this.call('PUT', 'folders', { action: 'new', folder_id: PRIVATE_FOLDER, tree: '0' }, body));
  }

  /** Whether the default calendar has any appointment. */
  async hasAppointments(): Promise<boolean> {
    const folder = await this.findCalendar();
    const range = { start: '0', end: FAR_FUTURE, recurrence_master: 'true' };
    const rows = await this.call('GET', 'calendar', { action: 'all', folder, columns: '1', ...range });
    return (rows as unknown[]).length > 0;
  }
}

async function send(
  url: string,
  method: string,
  module: string,
  parameters: Record<string, string>,
  body?: string | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Response> {
  const target = new URL(module, url.endsWith('/') ? url : `${url}/`);
  target.search = new URLSearchParams(parameters).toString();
  try {
    return await fetch(target, { method, headers, ...(body === undefined ? {} : { body }) });
  } catch (error) {
    throw new Stop(EXIT.unreachable, `${target.origin} is not reachable: ${(error as Error).message}`);
  }
}

async function answerOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const answer = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  if (answer.error !== undefined) throw new Stop(EXIT.refused, `${String(answer.code)}: ${String(answer.error)}`);
  return answer;
}
