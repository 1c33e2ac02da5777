import { all, ALL_TIME, create, HOUR } from '../calendar/calendar';
import type { Envelope } from '../client';
import { createFolder as createContacts } from '../contacts/contacts';
import { createFolder as createFiles, homeOf, tryUpload } from '../files/files';
import type { TestUser } from '../fixtures';
import { createFolder as createTasks } from '../tasks/tasks';

/** Ids by title. */
export type Stored = ReadonlyMap<string, readonly string[]>;

/** A kind of objects that the load creates. */
export interface Write {
  readonly module: string;
  create(title: string, number: number): Promise<Envelope>;
  /** Reads what is there of them. */
  readStored(): Promise<Stored>;
}

/** The id in an answer, of whichever form. */
export function idOf({ data }: Envelope): string | undefined {
  const found = Array.isArray(data) ? data[0]?.id : typeof data === 'object' ? data?.id : data;
  return found === undefined || found === null ? undefined : String(found);
}

function byTitle(rows: readonly (readonly unknown[])[]): Stored {
  const stored = new Map<string, string[]>();
  for (const [id, title] of rows) stored.set(String(title), [...(stored.get(String(title)) ?? []), String(id)]);
  return stored;
}

async function rowsOf(answer: Promise<Envelope>): Promise<Stored> {
  const { data, code, error } = await answer;
  if (!Array.isArray(data)) throw new Error(`${code}: ${error}`);
  return byTitle(data);
}

/** Appointments in the default folder of a user. */
export const appointments = (user: TestUser): Write => ({
  module: 'calendar',
  create: (title, number) => {
    const start = Date.UTC(2030, 0, 1) + (number % 8_000) * HOUR;
    const fields = { title, folder_id: user.folder, start_date: start, end_date: start + HOUR / 2 };
    return create(user.copy() as TestUser, fields);
  },
  readStored: async () => byTitle(await all(user, '1,200', ALL_TIME)),
});

/** Writes to the other modules: one kind of objects of each, in folders of their own. */
export async function otherWrites(user: TestUser): Promise<Write[]> {
  const [contacts, tasks] = [await createContacts(user), await createTasks(user)];
  const files = await createFiles(user, await homeOf(user));
  const put = (...parameters: Parameters<TestUser['put']>) => user.copy().put(...parameters);
  return [
    {
      module: 'contacts',
      create: (title) => put('contacts', 'new', {}, { folder_id: contacts, last_name: title }),
      readStored: () => rowsOf(user.get('contacts', 'all', { folder: contacts, columns: '1,502' })),
    },
    {
      module: 'tasks',
      create: (title) => put('tasks', 'new', {}, { folder_id: tasks, title }),
      readStored: () => rowsOf(user.get('tasks', 'all', { folder: tasks, columns: '1,200' })),
    },
    {
      module: 'files',
      create: (title) => tryUpload(user.copy(), files, title, title, { title }),
      readStored: () => rowsOf(user.get('infostore', 'all', { folder: files, columns: '1,700' })),
    },
    {
      module: 'settings',
      create: async (title) => {
        const answer = await put('jslob', 'update', { id: 'faults' }, { [title]: true });
        return answer.code === undefined ? { data: title } : answer;
      },
      readStored: async () => {
        const { data } = await user.put('jslob', 'list', {}, ['faults']);
        return byTitle(Object.keys(data[0].tree).map((title) => [title, title]));
      },
    },
    {
      module: 'mail (signatures)',
      create: (title) => put('snippet', 'new', {}, { displayname: title, type: 'signature', content: title }),
      readStored: async () => {
        const { data } = await user.get<{ id: string; displayname: string }[]>('snippet', 'all', { type: 'signature' });
        return byTitle(data!.map(({ id, displayname }) => [id, displayname]));
      },
    },
    {
      module: 'mail (mailbox)',
      create: async (title) => {
        const form = new FormData();
        const source = `From: ann@mail.test\r\nSubject: ${title}\r\n\r\nx\r\n`;
        form.append('file', new Blob([source]), 'mail.eml');
        const asJson = { force_json_response: true, plainJson: true };
        const query = { action: 'import', session: user.session, folder: 'default0/INBOX', force: true, ...asJson };
        const answer = (await (await user.copy().fetch('POST', '/mail', query, { body: form })).json()) as Envelope;
        // The failure of one mail stands in its place.
        return answer.data?.[0]?.code ? (answer.data[0] as Envelope) : answer;
      },
      readStored: () => rowsOf(user.get('mail', 'all', { folder: 'default0/INBOX', columns: '600,607' })),
    },
  ];
}
