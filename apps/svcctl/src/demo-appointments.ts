import { DEMO, demoAppointment, demoWeek } from '@groupware/contracts';
import { EXIT, Stop } from './exit';

/** Columns of folders: the id, and whether it is the default one. */
const FOLDER_COLUMNS = '1,308';

/** Makes the appointments of the demonstration as the people who own them, as any client does; answers how many. */
export async function makeAppointments(
  publicUrl: string,
  password: string,
  ids: ReadonlyMap<string, number>,
  now = Date.now(),
): Promise<number> {
  const monday = demoWeek(now);
  for (const owner of new Set(DEMO.appointments.map((each) => each.owner))) {
    const session = await PublicSession.open(publicUrl, `${owner}@${DEMO.name}`, password);
    const folder = await session.calendar();
    for (const appointment of DEMO.appointments.filter((each) => each.owner === owner)) {
      const body = demoAppointment(appointment, { folder, monday, ids });
      await session.call('PUT', 'calendar', { action: 'new', timezone: 'UTC', ignore_conflicts: 'true' }, body);
    }
    await session.call('GET', 'login', { action: 'logout' });
  }
  return DEMO.appointments.length;
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
  async calendar(): Promise<string> {
    const parameters = { action: 'allVisible', content_type: 'calendar', columns: FOLDER_COLUMNS };
    const { private: own } = (await this.call('GET', 'folders', parameters)) as { private: [string, boolean][] };
    const found = own.find(([, isDefault]) => isDefault);
    if (!found) throw new Stop(EXIT.refused, 'A person of the demonstration has no calendar.');
    return found[0];
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
