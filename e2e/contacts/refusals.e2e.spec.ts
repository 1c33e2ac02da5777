import { Client as Database } from 'pg';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import type { Envelope } from '../client';
import { change, create, createContactFixtures, createFolder, FAR, remove, type ContactFixtures } from './contacts';

let world: TestEnvironment;
let cast: ContactFixtures;

beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createContactFixtures(world);
}, 60_000);
afterAll(() => world?.close());

type User = ContactFixtures['U1'];
type Call = (user: User, folder: string) => Promise<Envelope>;

const days = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2027, 0, 1) };
const inFolder = (folder: string) => ['=', { field: 'folder_id' }, folder];
const reader =
  (action: string, parameters: object = {}): Call =>
  (user, folder) =>
    user.get('contacts', action, { folder, columns: '1', ...parameters });
const searches: Record<string, Call> = {
  all: reader('all'),
  autocomplete: reader('autocomplete', { query: '', email: false }),
  birthdays: reader('birthdays', days),
  anniversaries: reader('anniversaries', days),
  search: (user, folder) => user.put('contacts', 'search', { columns: '1' }, { folder }),
  advancedSearch: (user, folder) =>
    user.put('contacts', 'advancedSearch', { columns: '1' }, { filter: inFolder(folder) }),
};
const calls: Record<string, Call> = {
  ...searches,
  updates: reader('updates', { timestamp: 0 }),
  get: (user, folder) => user.get('contacts', 'get', { folder, id: 1 }),
  list: (user, folder) => user.put('contacts', 'list', { columns: '1' }, [{ folder, id: 1 }]),
  new: (user, folder) => user.put('contacts', 'new', {}, { folder_id: folder }),
  update: (user, folder) => change(user, folder, '1', {}),
  delete: (user, folder) => remove(user, folder, ['1']),
};

describe('operations on contacts refuse', () => {
  it.each(Object.keys(calls))('%s folders that are none, of others, or of other modules', async (name) => {
    const { U1, U2, K1 } = cast;
    const call = calls[name]!;
    expect((await call(U1, '160003')).code).toBe('FLD-0008');
    expect((await call(U1, U1.folder)).code).toBe('CON-0103');
    expect((await call(U1, name === 'advancedSearch' ? '9999999999' : 'nonsense')).code).toBe('FLD-1025');
    expect((await call(U2, K1)).code).toBe('CON-0104');
  });

  it('more rows than an answer may hold, and columns and orders that there are not', async () => {
    const { X1, otherContextId, admin } = cast;
    const path = `/admin/v1/contexts/${otherContextId}/config/com.example.contacts.maxResults`;
    await admin.expect('PUT', path, { value: '1' });
    const folder = await createFolder(X1);
    for (const last_name of ['A', 'B']) await create(X1, folder, { last_name, birthday: 0, anniversary: 0 });
    for (const [name, call] of Object.entries(searches))
      expect([name, (await call(X1, folder)).code]).toEqual([name, 'CONT-0001']);
    const wrong = { columns: 'nonsense' };
    const answers = [
      X1.get('contacts', 'updates', { folder, timestamp: 0, ...wrong }),
      X1.get('contacts', 'autocomplete', { query: 'a', ...wrong }),
      X1.get('contacts', 'anniversaries', { ...days, ...wrong }),
      X1.put('contacts', 'search', wrong, { folder }),
      X1.put('contacts', 'advancedSearch', wrong, { filter: inFolder(folder) }),
    ];
    for (const answer of await Promise.all(answers)) expect(answer.code).toBe('SVL-0010');
  });

  it('content that cannot be stored, in new contacts and in changes', async () => {
    const { U1, K1 } = cast;
    const { id } = await create(U1, K1, { last_name: 'Same' });
    const refusals: [object, string][] = [
      [{ email1: 'nonsense' }, 'CON-0100'],
      [{ company: 'x'.repeat(600) }, 'CON-0154'],
      [{ note: 'a\u0007' }, 'CON-0168'],
      [{ user_id: 4 }, 'CON-0176'],
      [{ distribution_list: [{ display_name: 'no address', mail_field: 0 }] }, 'CON-0177'],
    ];
    for (const [body, code] of refusals) {
      expect([body, (await U1.put('contacts', 'new', {}, { folder_id: K1, ...body })).code]).toEqual([body, code]);
      expect([body, (await change(U1, K1, id, body)).code]).toEqual([body, code]);
    }
  });

  it('updates since deletions that are forgotten', async () => {
    const { U1, K2 } = cast;
    const { id, timestamp } = await create(U1, K2, { last_name: 'Gone' });
    const gone = await remove(U1, K2, [id], FAR);
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    try {
      const forget = 'update contacts.contact_counter set forgotten = $1 where context_id = $2';
      await database.query(forget, [gone.timestamp, U1.contextId]);
    } finally {
      await database.end();
    }
    const updates = (since: number, parameters: object = {}) =>
      U1.get('contacts', 'updates', { folder: K2, columns: '1', timestamp: since, ...parameters });
    expect((await updates(timestamp)).code).toBe('CONT-0003');
    expect((await updates(timestamp, { ignore: 'deleted' })).data).toEqual([]);
    expect((await updates(gone.timestamp!)).data).toEqual([]);
  });
});
