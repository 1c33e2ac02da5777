import sharp from 'sharp';
import { until } from '@groupware/test-kit';
import { attachFiles } from '../attachments/attachments';
import type { Client } from '../client';
import { created as createAppointment } from '../calendar/calendar';
import { all, create, createFolder, dataOf, FAR } from '../contacts/contacts';
import {
  addVersion,
  createFolder as createFilesFolder,
  dataOf as documentOf,
  FORCE,
  homeOf,
  tryUpload,
  upload,
} from '../files/files';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { ALL, AUTHOR, read, SUBFOLDERS, VIEWER } from '../folders/folders';
import { create as createTask, createFolder as createTasksFolder } from '../tasks/tasks';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { calendarOf, invite, linkOf, shareOf, Visitor } from './sharing';

let world: TestEnvironment;
let cast: Fixtures;
let U1: TestUser;
let count = 0;
const visitor = (): Visitor => new Visitor(world.publicUrl, `Rights/${(count += 1)}`);
const SEARCH = { columns: '1,20' };
const [TASK, CONTACT] = [4, 7];

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
  U1 = cast.U1;
}, 120_000);
afterAll(() => world?.close());

/** A guest invited to a folder of U1, logged in. */
async function guestIn(folder: string, bits?: number): Promise<Visitor> {
  const email = `rights${(count += 1)}@outside.example`;
  expect((await invite(U1, folder, email, bits === undefined ? {} : { bits })).error).toBeUndefined();
  const guest = visitor();
  await guest.enter('guest', { share: (await shareOf(U1, folder, email)).token });
  return guest;
}

/** Guests of a folder of both kinds. */
const guestsOf = async (folder: string, module: string): Promise<Visitor[]> => [
  await guestIn(folder),
  await visitor().open((await linkOf(U1, folder, module)).url),
];

const drawPicture = (): Promise<Buffer> =>
  sharp({ create: { width: 3, height: 3, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();

/** A contact with a picture. */
async function createPictured(folder: string, fields: object): Promise<string> {
  const form = new FormData();
  form.append('json', JSON.stringify({ folder_id: folder, ...fields }));
  form.append('file', new Blob([await drawPicture()], { type: 'image/png' }), 'a.png');
  const response = await U1.fetch('POST', '/contacts', { action: 'new', session: U1.session }, { body: form });
  return /\{\\?"id\\?":\\?"(\d+)/.exec(await response.text())![1]!;
}

/** Tag and status of a picture. */
async function look(client: Client, path: string, query: object = {}) {
  const response = await client.fetch('GET', path, { session: client.session, ...query });
  return [response.status, response.headers.get('content-type'), response.headers.get('etag')];
}
const FALLBACK = [200, 'image/gif', '"1-fallback-image"'];

describe('guests of a folder of contacts', () => {
  it('see the pictures in it, and no others', async () => {
    const [folder, other] = [await createFolder(U1), await createFolder(U1)];
    const email1 = 'pictured@outside.example';
    const seen = await createPictured(folder, { last_name: 'Seen', email1 });
    const secret = await createPictured(folder, { last_name: 'Secret', email1: 'b@out.example', private_flag: true });
    const hidden = await createPictured(other, { last_name: 'Hidden', email1: 'hidden@outside.example' });
    const portrait = new FormData();
    portrait.append('file', new Blob([await drawPicture()], { type: 'image/png' }), 'a.png');
    const ofUser = { action: 'update', id: U1.userId, timestamp: FAR, session: U1.session };
    await (await U1.fetch('POST', '/user', ofUser, { body: portrait })).text();
    await until(
      async () => (await look(U1, '/contacts/picture', { action: 'get', user_id: U1.userId }))[1] === 'image/png',
    );
    for (const guest of await guestsOf(folder, 'contacts')) {
      const { image1_url } = await dataOf(guest, folder, seen);
      expect((await look(guest, '/contacts/picture', { action: 'get', email: email1 }))[1]).toBe('image/png');
      expect((await look(guest, '/halo/contact/picture', { email: email1 }))[1]).toBe('image/png');
      const named = { action: 'get', contact_id: seen, folder_id: folder };
      expect((await look(guest, '/contacts/picture', named))[1]).toBe('image/png');
      const image = await guest.fetch('GET', String(image1_url));
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
      for (const query of [
        { email: 'hidden@outside.example' },
        { email: 'b@out.example' },
        { email: U1.email },
        { user_id: U1.userId },
        { contact_id: secret, folder_id: folder },
        { contact_id: hidden, folder_id: other },
        { contact_id: hidden, folder_id: folder },
        { contact_id: '99999999', folder_id: folder },
      ])
        expect(await look(guest, '/contacts/picture', { action: 'get', ...query })).toEqual(FALLBACK);
      expect((await look(guest, '/image/contact/picture', { id: hidden, folder: other }))[0]).toBe(404);
    }
  }, 60_000);

  it('search it, and nothing else', async () => {
    const [folder, other] = [await createFolder(U1), await createFolder(U1)];
    const { id } = await create(U1, folder, { last_name: 'Findable', display_name: 'Findable one' });
    await create(U1, folder, { last_name: 'Findable', display_name: 'Findable two', private_flag: true });
    await create(U1, other, { last_name: 'Findable', display_name: 'Findable three' });
    const term = { filter: ['=', { field: 'last_name' }, 'Findable'] };
    for (const guest of await guestsOf(folder, 'contacts')) {
      const search = (body: object) => guest.put('contacts', 'search', SEARCH, body);
      for (const body of [{ pattern: 'Findable' }, { pattern: 'Findable', folder }, { last_name: 'Findable' }])
        expect((await search(body)).data).toEqual([[id, folder]]);
      expect((await search({ pattern: '*' })).data).toEqual([[id, folder]]);
      expect((await all(guest, undefined, '1,20')).data).toEqual([[id, folder]]);
      expect((await search({ pattern: '*', folder: '6' })).code).toBe('CON-0104');
      expect((await search({ pattern: '*', folder: other })).code).toBe('CON-0104');
      expect((await guest.put('contacts', 'advancedSearch', SEARCH, term)).data).toEqual([[id, folder]]);
      const users = { filter: ['not', ['isNull', { field: 'user_id' }]] };
      expect((await guest.put('contacts', 'advancedSearch', SEARCH, users)).data).toEqual([]);
    }
  }, 60_000);

  it('read the files of what they see', async () => {
    const [folder, other] = [await createFolder(U1), await createFolder(U1)];
    await expectFiles(CONTACT, 'contacts', { folder, other }, async (place, isPrivate) => {
      const { id } = await create(U1, place, { last_name: 'Filed', private_flag: isPrivate });
      return id;
    });
  }, 60_000);
});

describe('guests of a calendar', () => {
  it('search it, and nothing else', async () => {
    const [folder, other] = [await calendarOf(U1), await calendarOf(U1)];
    const times = { start_date: Date.UTC(2035, 0, 15, 12), end_date: Date.UTC(2035, 0, 15, 13) };
    const id = await createAppointment(U1, { ...times, title: 'Findable one', folder_id: folder });
    await createAppointment(U1, { ...times, title: 'Findable two', folder_id: folder, private_flag: true });
    await createAppointment(U1, { ...times, title: 'Findable three', folder_id: other });
    for (const guest of await guestsOf(folder, 'calendar')) {
      const search = (body: object) => guest.put('calendar', 'search', SEARCH, body);
      expect((await search({ pattern: 'Findable', folder })).data).toEqual([[id, folder]]);
      expect((await search({ startletter: 'Find', folder })).data).toEqual([[id, folder]]);
      // They take part in nothing.
      expect((await search({ pattern: 'Findable' })).data).toEqual([]);
      expect((await search({ pattern: 'Findable', folder: other })).code).toMatch(/^FLD-000[38]$/);
      expect((await search({ pattern: 'Findable', folder: U1.folder })).code).toMatch(/^FLD-000[38]$/);
    }
  }, 60_000);
});

describe('guests of a folder of tasks', () => {
  it('search it, and nothing else', async () => {
    const [folder, other] = [await createTasksFolder(U1), await createTasksFolder(U1)];
    const { id } = await createTask(U1, folder, { title: 'Findable one' });
    await createTask(U1, folder, { title: 'Findable two', private_flag: true });
    await createTask(U1, other, { title: 'Findable three' });
    for (const guest of await guestsOf(folder, 'tasks')) {
      for (const body of [{ pattern: 'Findable' }, { pattern: 'Findable', folder }, {}])
        expect((await guest.put('tasks', 'search', SEARCH, body)).data).toEqual([[id, folder]]);
      expect((await guest.put('tasks', 'search', SEARCH, { pattern: 'Findable', folder: other })).code).toBe(
        'TSK-0059',
      );
    }
  }, 60_000);

  it('read the files of what they see', async () => {
    const [folder, other] = [await createTasksFolder(U1), await createTasksFolder(U1)];
    await expectFiles(TASK, 'tasks', { folder, other }, async (place, isPrivate) => {
      const { id } = await createTask(U1, place, { title: 'Filed', private_flag: isPrivate });
      return id;
    });
  }, 60_000);
});

/** Guests of a folder read the files of its objects, but not of private ones and of those in other folders, and attach none. */
async function expectFiles(
  module: number,
  name: string,
  { folder, other }: { readonly folder: string; readonly other: string },
  make: (folder: string, isPrivate: boolean) => Promise<string>,
): Promise<void> {
  const attach = async (place: string, isPrivate = false) => {
    const object = { module, folder: Number(place), attached: Number(await make(place, isPrivate)) };
    const [id] = await attachFiles(U1, object, [{ name: 'a.txt', content: 'text' }]);
    return { ...object, id: id! };
  };
  const [seen, hidden, elsewhere] = [await attach(folder), await attach(folder, true), await attach(other)];
  for (const guest of await guestsOf(folder, name)) {
    const calls = ({ id, ...object }: typeof seen) => [
      guest.get('attachment', 'all', { ...object, columns: '1,803' }),
      guest.put('attachment', 'list', { ...object, columns: '1,803' }, [id]),
      guest.get('attachment', 'get', { ...object, id }),
    ];
    const [all, list, one] = await Promise.all(calls(seen));
    expect([all!.data, list!.data]).toEqual([[[seen.id, 'a.txt']], [[seen.id, 'a.txt']]]);
    expect(one!.data).toMatchObject({ id: seen.id, filename: 'a.txt' });
    const query = { action: 'document', session: guest.session };
    expect(await (await guest.fetch('GET', '/attachment', { ...query, ...seen })).text()).toBe('text');
    for (const unseen of [hidden, elsewhere, { ...elsewhere, folder: seen.folder }]) {
      for (const answer of await Promise.all(calls(unseen)))
        expect([answer.data, answer.code]).toEqual([undefined, expect.stringMatching(/^(CON|TSK)-/)]);
      const bytes = await (await guest.fetch('GET', '/attachment', { ...query, ...unseen })).text();
      expect(bytes).toMatch(/(CON|TSK)-/);
    }
    const { id, ...object } = seen;
    expect((await guest.put('attachment', 'detach', object, [id])).code).toBe('SVL-0016');
  }
}

describe('capabilities of guests', () => {
  const capabilitiesOf = async (guest: Client): Promise<string[]> => {
    const { data } = await guest.get<{ id: string }[]>('capabilities', 'all');
    return data!.map(({ id }) => id).sort();
  };
  const SIGHT = 'read_create_shared_folders';

  it('are the modules of what is shared with them', async () => {
    const files = await createFilesFolder(U1, await homeOf(U1));
    const document = await upload(U1, files, 'D.txt');
    const link = await visitor().open((await linkOf(U1, files, 'infostore')).url);
    expect(await capabilitiesOf(link)).toEqual(['anonymous', 'guest', 'infostore', SIGHT]);
    const { data } = await U1.put(
      'share/management',
      'getLink',
      {},
      { module: 'infostore', folder: files, item: document },
    );
    expect(await capabilitiesOf(await visitor().open(data.url))).toEqual(['anonymous', 'guest', 'infostore', SIGHT]);
    const tasks = await visitor().open((await linkOf(U1, await createTasksFolder(U1), 'tasks')).url);
    expect(await capabilitiesOf(tasks)).toEqual(['anonymous', 'guest', SIGHT, 'tasks']);
    expect((await tasks.get('contacts', 'all', { columns: '1' })).code).toBe('SVL-0016');
  });

  it('of those who are invited come with the next opening of a link', async () => {
    const [first, second] = [await calendarOf(U1), await createFolder(U1)];
    const email = `rights${(count += 1)}@outside.example`;
    await invite(U1, first, email);
    const guest = visitor();
    await guest.enter('guest', { share: (await shareOf(U1, first, email)).token });
    const own = ['edit_password', 'guest', SIGHT];
    expect(await capabilitiesOf(guest)).toEqual(['calendar', ...own]);
    await invite(U1, second, email);
    const { session } = guest;
    await guest.open((await shareOf(U1, second, email)).url);
    expect(guest.session).toBe(session);
    expect(await capabilitiesOf(guest)).toEqual(['calendar', 'contacts', ...own]);
    expect((await guest.get('contacts', 'all', { folder: second, columns: '1' })).data).toEqual([]);
  });
});

it('guests are told the right to make folders, and none to share', async () => {
  const folder = await createFilesFolder(U1, await homeOf(U1));
  const guest = await guestIn(folder, SUBFOLDERS);
  expect((await read(guest as Client as TestUser, folder)).own_rights).toBe(SUBFOLDERS);
  const body = { title: 'X', module: 'infostore' };
  const { data: below } = await guest.put('folders', 'new', { folder_id: folder, tree: 0 }, body);
  const shared = { permissions: [{ entity: U1.userId, group: false, bits: AUTHOR }] };
  expect((await guest.put('folders', 'update', { id: below }, shared)).code).toBe('SVL-0016');
  const own = await upload(guest, folder, 'own.txt');
  expect((await documentOf(guest, own)).shareable).toBe(false);
  expect((await documentOf(U1, own)).shareable).toBe(true);
  const rows = await guest.get('infostore', 'all', { folder, columns: '1,109' });
  expect(rows.data).toEqual([[own, false]]);
});

it('guests with the rights of an author write in a public folder of files; what they make belongs to its owner', async () => {
  const folder = await createFilesFolder(U1, '15');
  const guest = await guestIn(folder, SUBFOLDERS);
  const reader = await guestIn(await createFilesFolder(U1, '15'), VIEWER);
  expect((await read(guest as Client as TestUser, folder)).own_rights).toBe(SUBFOLDERS);
  const own = await upload(guest, folder, 'own.txt');
  expect((await addVersion(guest, own, 'again', {}, {}, 'own.txt')).error).toBeUndefined();
  const body = { title: 'X', module: 'infostore' };
  const { data: below } = await guest.put('folders', 'new', { folder_id: folder, tree: 0 }, body);
  const { created_by, permissions } = await read(U1, below);
  expect(created_by).toBe(String(U1.userId));
  expect(permissions.map(({ bits }: { bits: number }) => bits)).toEqual([ALL, SUBFOLDERS]);
  expect((await guest.put('folders', 'new', { folder_id: '15', tree: 0 }, body)).code).toMatch(/^FLD-/);
  expect((await guest.put('infostore', 'delete', { timestamp: FORCE }, [{ id: own, folder }])).data).toEqual([]);
  for (const [client, place] of [
    [reader, folder],
    [guest, cast.U2.folder],
  ] as const)
    expect((await tryUpload(client, place, 'no.txt')).code).toMatch(/^(IFO|FLD)-/);
});
