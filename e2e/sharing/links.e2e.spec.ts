import { create, created } from '../calendar/calendar';
import { all, create as createContact, createFolder } from '../contacts/contacts';
import { homeOf } from '../files/files';
import { createFixtures, createTestUser, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { get, remove, update, VIEWER } from '../folders/folders';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  calendarOf,
  deleteLink,
  entriesOf,
  getLink,
  invite,
  linkOf,
  shared,
  shareOf,
  updateLink,
  Visitor,
} from './sharing';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `s${(count += 1)}`);
const visitor = (agent = `Visitor/${(count += 1)}`): Visitor => new Visitor(world.publicUrl, agent);
const times = { start_date: 1588582800000, end_date: 1588586400000 };

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

describe('links to calendars', () => {
  it('getLink makes a guest with the rights of a viewer, and answers the same link again', async () => {
    const folder = await calendarOf(cast.U1);
    const link = await linkOf(cast.U1, folder);
    expect(link.url).toMatch(new RegExp(`^${world.publicUrl}/share/[0-9a-f]{48}/[0-9a-f]{8}$`));
    expect(link).toMatchObject({ is_new: true, includeSubfolders: false });
    expect(await entriesOf(cast.U1, folder)).toContainEqual({
      ...{ entity: link.entity, bits: VIEWER, group: false, type: 'anonymous' },
    });
    expect(await linkOf(cast.U1, folder)).toEqual({ ...link, is_new: false });
  });

  it('two calls at the same time make one link', async () => {
    const folder = await calendarOf(cast.U1);
    const links = await Promise.all(Array.from({ length: 4 }, () => linkOf(cast.U1, folder)));
    expect(new Set(links.map(({ url }) => url)).size).toBe(1);
    expect((await entriesOf(cast.U1, folder)).filter(({ type }) => type === 'anonymous')).toHaveLength(1);
  });

  it.each([
    ['another module', 'SHR-0011', { module: 'mail', folder: '31' }],
    ['a single appointment', 'SHR-0012', { module: 'calendar', item: '1' }],
    ['no such folder', 'FLD-0008', { module: 'calendar', folder: '99999986' }],
    ['a folder of another module', 'FLD-0008', { module: 'calendar', folder: 'default0/INBOX' }],
  ])('%s has no link', async (_what, code, target) => {
    const body = { folder: cast.U1.folder, ...target };
    const manage = (action: string, query: object) => cast.U1.put('share/management', action, { ...query }, body);
    expect(await manage('getLink', {})).toMatchObject({ code });
    expect(await manage('updateLink', { timestamp: 0 })).toMatchObject({ code });
    expect(await manage('deleteLink', { timestamp: 0 })).toMatchObject({ code });
  });

  it('only who administrates a folder manages its link', async () => {
    const folder = await calendarOf(cast.U1);
    expect(await getLink(cast.U2, folder)).toMatchObject({ code: 'FLD-0003' });
    expect(await updateLink(cast.U2, folder, 0, {})).toMatchObject({ code: 'FLD-0003' });
    expect(await deleteLink(cast.U2, folder, 0)).toMatchObject({ code: 'FLD-0003' });
    await update(cast.U1, folder, { permissions: shared(cast.U1, [cast.U2, VIEWER]) });
    const { timestamp } = await linkOf(cast.U1, folder);
    expect(await getLink(cast.U2, folder)).toMatchObject({ code: 'SHR-0008', category: 3 });
    expect(await updateLink(cast.U2, folder, timestamp, {})).toMatchObject({ code: 'SHR-0008' });
    expect(await deleteLink(cast.U2, folder, timestamp)).toMatchObject({ code: 'SHR-0007', category: 3 });
  });

  it('needs the capability share_links', async () => {
    const player = await someone();
    const path = `/admin/v1/contexts/${cast.contextId}/users/${player.userId}`;
    await cast.admin.expect('PATCH', path, { capabilities: { remove: ['share_links'] } });
    expect(await getLink(player, player.folder)).toMatchObject({ code: 'SVL-0016' });
    const permissions = [...shared(player), { type: 'anonymous', bits: VIEWER }];
    expect(await update(player, player.folder, { permissions })).toMatchObject({ code: 'FLD-0072' });
  });

  it('a user may have as many links as the property says', async () => {
    const player = await someone();
    const path = `/admin/v1/contexts/${cast.contextId}/users/${player.userId}/config/com.example.quota.share_links`;
    await cast.admin.expect('PUT', path, { value: 1 });
    await linkOf(player, player.folder);
    expect(await getLink(player, await calendarOf(player))).toMatchObject({ code: 'QUOTA-0003' });
    await linkOf(player, player.folder);
  });

  it('updateLink keeps data of clients, without sending anybody away, and takes no others', async () => {
    const folder = await calendarOf(cast.U1);
    const { url, timestamp } = await linkOf(cast.U1, folder);
    const guest = await visitor().open(url);
    const meta = { note: 'for \u0000 the board', list: [1, { deep: null }] };
    const kept = await updateLink(cast.U1, folder, timestamp, { meta, includeSubfolders: false });
    expect([kept.error, kept.data]).toEqual([undefined, {}]);
    expect(await linkOf(cast.U1, folder)).toMatchObject({ meta, is_new: false, timestamp: kept.timestamp });
    expect((await updateLink(cast.U1, folder, kept.timestamp!, {})).error).toBeUndefined();
    expect(await linkOf(cast.U1, folder)).toMatchObject({ meta });
    expect(await guest.calendars()).toEqual([folder]);
    for (const change of [{ meta: [] }, { meta: 'text' }, { meta: { a: 'x'.repeat(16_384) } }])
      expect(await updateLink(cast.U1, folder, Date.now() + 60_000, change)).toMatchObject({ code: 'SVL-0031' });
    await updateLink(cast.U1, folder, Date.now() + 60_000, { meta: null });
    expect(await linkOf(cast.U1, folder)).not.toHaveProperty('meta');
  });

  it('updateLink takes one of several changes of the same state', async () => {
    const folder = await calendarOf(cast.U1);
    const { timestamp } = await linkOf(cast.U1, folder);
    const pins = ['pin 1', 'pin 2', 'pin 3'];
    const answers = await Promise.all(pins.map((password) => updateLink(cast.U1, folder, timestamp, { password })));
    expect(answers.map(({ code }) => code).sort()).toEqual(['SHR-0006', 'SHR-0006', undefined]);
    const taken = pins[answers.findIndex(({ code }) => code === undefined)];
    expect(await linkOf(cast.U1, folder)).toMatchObject({ password: taken });
  });

  it('updateLink and deleteLink leave a link alone that was changed later, and need one', async () => {
    const folder = await calendarOf(cast.U1);
    expect(await updateLink(cast.U1, folder, Date.now(), {})).toMatchObject({ code: 'SHR-0003' });
    expect(await deleteLink(cast.U1, folder, Date.now())).toMatchObject({ code: 'SHR-0003' });
    const { timestamp } = await linkOf(cast.U1, folder);
    const changed = await updateLink(cast.U1, folder, timestamp, { password: 'pin of the link' });
    expect(changed.timestamp).toBeGreaterThan(timestamp);
    expect(await updateLink(cast.U1, folder, timestamp, {})).toMatchObject({ code: 'SHR-0006', category: 9 });
    expect(await deleteLink(cast.U1, folder, timestamp)).toMatchObject({ code: 'SHR-0006' });
    expect((await deleteLink(cast.U1, folder, changed.timestamp!)).error).toBeUndefined();
    expect(await entriesOf(cast.U1, folder)).toHaveLength(1);
    const next = await linkOf(cast.U1, folder);
    expect(next.is_new).toBe(true);
  });

  it('a permission list makes a link, keeps it and takes it away', async () => {
    const folder = await calendarOf(cast.U1);
    const list = [...shared(cast.U1), { type: 'anonymous', bits: VIEWER, password: 'pin of the list' }];
    expect((await update(cast.U1, folder, { permissions: list })).error).toBeUndefined();
    const { entity, is_new, url } = await linkOf(cast.U1, folder);
    expect(is_new).toBe(false);
    expect((await visitor().open(url)).facts.get('login_type')).toBe('anonymous_password');
    expect((await update(cast.U1, folder, { permissions: list })).error).toBeUndefined();
    expect((await linkOf(cast.U1, folder)).entity).toBe(entity);
    await update(cast.U1, folder, { permissions: shared(cast.U1) });
    expect(await visitor().open(url)).toMatchObject({ status: 404 });
    const next = await linkOf(cast.U1, folder);
    expect(next.is_new).toBe(true);
    expect(next.url).not.toBe(url);
    expect(await visitor().open(url)).toMatchObject({ status: 404 });
  });

  it('every list tells their address and pin to who administrates the folder', async () => {
    const player = await someone();
    const list = [
      ...shared(player, [cast.U2, VIEWER]),
      { type: 'anonymous', bits: VIEWER, password: 'pin of the lists' },
    ];
    const folders = [await calendarOf(player), await calendarOf(player)];
    for (const folder of folders) await update(player, folder, { permissions: list });
    const links = await Promise.all(folders.map((folder) => linkOf(player, folder)));
    const entriesIn = async (user: TestUser, action: string, query: Record<string, string | number>) => {
      const { data } = await user.get('folders', action, { columns: '1,3060', ...query });
      const rows = Array.isArray(data) ? data : Object.values(data as object).flat();
      return rows.filter(([id]) => folders.includes(id)).flatMap(([, entries]) => entries);
    };
    const told = ({ entity, url: share_url }: { entity: number; url: string }) =>
      expect.objectContaining({ entity, type: 'anonymous', share_url, password: 'pin of the lists' });
    const [first, second] = links.map(told);
    for (const [action, query, expected] of [
      ['list', { parent: 1 }, [first, second]],
      ['list', { parent: 1, tree: 1 }, [first, second]],
      ['updates', { timestamp: 0 }, [first, second]],
      ['allVisible', { content_type: 'calendar' }, [first, second]],
      ['shares', { content_type: 'calendar' }, [first, second]],
      ['path', { id: folders[1]! }, [second]],
    ] as const)
      expect([action, (await entriesIn(player, action, query)).filter(({ type }) => type === 'anonymous')]).toEqual([
        action,
        expect.arrayContaining([...expected]),
      ]);
    for (const [action, query] of [
      ['allVisible', { content_type: 'calendar' }],
      ['updates', { timestamp: 0 }],
    ] as const) {
      const entries = await entriesIn(cast.U2, action, query);
      expect(entries).toContainEqual(expect.objectContaining({ entity: links[0]!.entity }));
      expect(JSON.stringify(entries)).not.toMatch(/share_url|password/);
    }
  });

  it('a permission list gives the link of its folder the pin and end that it tells, and leaves the others', async () => {
    const folder = await calendarOf(cast.UB);
    const { url, entity } = await linkOf(cast.UB, folder);
    const end = Date.UTC(2035, 0, 15, 12);
    const kept = { entity, group: false };
    const write = async (entry: object, query: Record<string, string> = {}) => {
      const permissions = [...shared(cast.UB), { bits: VIEWER, ...entry }];
      const written = await update(cast.UB, folder, { permissions }, { timestamp: Date.now() + 60_000, ...query });
      expect(written.error).toBeUndefined();
      const { password, expiry_date, timestamp, ...link } = (await linkOf(cast.UB, folder)) as Record<string, unknown>;
      expect(link).toMatchObject({ url, entity, is_new: false });
      if (entry !== kept) expect(timestamp).toBe(written.timestamp);
      return [password, expiry_date];
    };
    const guest = await visitor().open(url);
    const asNew = { type: 'anonymous', password: 'secret 1', expiry_date: end };
    expect(await write(asNew, { timezone: 'UTC' })).toEqual(['secret 1', end + 3_600_000]);
    expect(await guest.get('folders', 'root', { columns: '1' })).toMatchObject({ code: 'SES-0203' });
    const next = await visitor().open(url);
    expect(next.facts.get('login_type')).toBe('anonymous_password');
    expect(await next.enter('anonymous', { share: next.facts.get('share')!, password: 'secret 1' })).toMatchObject({
      session: expect.anything(),
    });
    expect(await write(asNew, { timezone: 'UTC' })).toEqual(['secret 1', end + 3_600_000]);
    expect(await write(kept)).toEqual(['secret 1', end + 3_600_000]);
    expect(await write({ type: 'anonymous' })).toEqual(['secret 1', end + 3_600_000]);
    // As it is already: the guest stays.
    expect(await next.calendars()).toEqual([folder]);
    expect(await write({ entity, type: 'anonymous', expiry_date: end })).toEqual(['secret 1', end]);
    expect(await write({ entity, group: false, password: 'secret 2' })).toEqual(['secret 2', end]);
    expect(await write({ entity, type: 'anonymous', password: null, expiry_date: null })).toEqual([
      undefined,
      undefined,
    ]);
    expect((await visitor().open(url)).session).not.toBe('');
  });

  it('a permission list that is refused, or of who may not make links, leaves the pin of the link', async () => {
    const player = await someone();
    const folder = await calendarOf(player);
    const { entity } = await linkOf(player, folder);
    const list = (...entries: object[]) => ({ permissions: [...shared(player), ...entries] as never[] });
    const pinned = { type: 'anonymous', bits: VIEWER, password: 'secret' };
    const stranger = { entity: 99_999_999, bits: VIEWER, group: false };
    expect(await update(player, folder, list(pinned, stranger))).toMatchObject({ code: 'FLD-0044' });
    const known = { entity, bits: VIEWER, group: false, password: 'secret' };
    expect(await update(player, folder, list(known, stranger))).toMatchObject({ code: 'FLD-0044' });
    expect(await update(player, folder, list(known), { timezone: 'Nowhere/At_All' })).toMatchObject({
      code: 'FLD-0058',
    });
    expect(await linkOf(player, folder)).not.toHaveProperty('password');
    const path = `/admin/v1/contexts/${cast.contextId}/users/${player.userId}`;
    await cast.admin.expect('PATCH', path, { capabilities: { remove: ['share_links'] } });
    expect(await update(player, folder, list(known))).toMatchObject({ code: 'FLD-0072' });
    expect((await update(player, folder, list({ ...known, password: undefined }))).error).toBeUndefined();
  });

  it.each(['calendar', 'infostore'])('come with a new folder of %s, with their pin and end', async (module) => {
    const player = await someone();
    const parent = module === 'calendar' ? '1' : await homeOf(player);
    const end = Date.now() + 86_400_000;
    const make = (...entries: object[]) =>
      player.put(
        'folders',
        'new',
        { folder_id: parent, tree: 0 },
        { title: `N ${Math.random()}`, module, permissions: [...shared(player), ...entries] },
      );
    const anonymous = { type: 'anonymous', bits: VIEWER };
    const { data: folder, timestamp } = await make({ ...anonymous, password: 'pin of the new', expiry_date: end });
    const link = await linkOf(player, folder, module);
    expect(link).toMatchObject({ is_new: false, password: 'pin of the new', expiry_date: end, timestamp });
    expect((await entriesOf(player, folder)).map(({ type }) => type)).toEqual(['user', 'anonymous']);
    const guest = visitor();
    await guest.enter('anonymous', { share: link.token, password: 'pin of the new' });
    expect((await guest.get('folders', 'get', { id: folder })).data.own_rights).toBe(VIEWER);
    // One of its own for each folder, beside guests who are invited.
    const invited = { type: 'guest', bits: VIEWER, email_address: `new${Math.random()}@outside.example` };
    const second = await make(anonymous, invited);
    expect((await linkOf(player, second.data, module)).entity).not.toBe(link.entity);
    expect((await entriesOf(player, second.data)).map(({ type }) => type).sort()).toEqual([
      'anonymous',
      'guest',
      'user',
    ]);
    for (const [entries, code] of [
      [[{ ...anonymous, bits: 33025 }], 'FLD-0061'],
      [[anonymous, anonymous], 'FLD-0044'],
      [[anonymous, { entity: 999_999, bits: VIEWER, group: false }], 'FLD-0044'],
      [[{ entity: link.entity, bits: VIEWER, group: false }], 'FLD-0044'],
    ] as const)
      expect((await make(...entries)).code).toBe(code);
    const path = `/admin/v1/contexts/${cast.contextId}/users/${player.userId}`;
    await cast.admin.expect('PATCH', path, { capabilities: { remove: ['share_links'] } });
    expect((await make(anonymous)).code).toBe('FLD-0072');
  });

  it.each([1, 33025, 403710016])('the guest of a link has the rights of a viewer, not %d', async (bits) => {
    const folder = await calendarOf(cast.U1);
    const asNew = [...shared(cast.U1), { type: 'anonymous', bits }];
    expect(await update(cast.U1, folder, { permissions: asNew })).toMatchObject({ code: 'FLD-0061' });
    const { entity } = await linkOf(cast.U1, folder);
    const asKnown = shared(cast.U1, { entity, bits });
    expect(await update(cast.U1, folder, { permissions: asKnown })).toMatchObject({ code: 'FLD-0061' });
  });
});

describe('guests of a link', () => {
  it('see the shared calendar and what is in it, and nothing else', async () => {
    const player = await someone();
    const folder = await calendarOf(player);
    await created(player, { ...times, title: 'Open', folder_id: folder });
    await created(player, { ...times, title: 'Elsewhere' });
    const secret = await created(player, {
      ...times,
      title: 'Nobody else knows',
      private_flag: true,
      folder_id: folder,
    });
    const { url, entity } = await linkOf(player, folder);
    const guest = await visitor().open(url);
    expect(guest.status).toBe(302);
    expect(Object.fromEntries(guest.facts)).toMatchObject({
      ...{ session: expect.stringMatching(/^[0-9a-f]{32}$/), user_id: String(entity) },
      ...{ context_id: String(cast.contextId), m: 'calendar', f: folder },
    });
    expect(await guest.calendars()).toEqual([folder]);
    expect(await guest.titles(folder)).toEqual(['Open']);
    expect(await guest.titles(player.folder)).toBe('FLD-0003');
    expect(await guest.get('folders', 'get', { id: player.folder })).toMatchObject({ code: 'FLD-0003' });
    expect((await guest.get('folders', 'get', { id: folder })).data).toMatchObject({
      ...{ own_rights: VIEWER, type: 3, permissions: [{ entity, bits: VIEWER, type: 'anonymous' }] },
    });
    expect((await guest.get('calendar', 'get', { id: secret, folder })).data.title).toBe('Private');
    expect((await guest.get('system', 'whoami')).data).toMatchObject({ user_id: String(entity) });
    const info = await fetch(`${world.internalUrl}/preliminary/session/v1/get/${guest.session}`, {
      headers: {
        authorization: `Basic ${Buffer.from(`${world.service.login}:${world.service.password}`).toString('base64')}`,
      },
    });
    expect(await info.json()).toEqual({ context: cast.contextId, user: entity, guest: true });
  });

  it('write nothing and use no other module, alone or in a batch', async () => {
    const folder = await calendarOf(cast.U1);
    const id = await created(cast.U1, { ...times, folder_id: folder });
    const guest = await visitor().open((await linkOf(cast.U1, folder)).url);
    const refused = { code: 'SVL-0016', category: 3 };
    const far = { timestamp: 9_000_000_000_000 };
    const calls = [
      guest.put('calendar', 'new', {}, { ...times, title: 'T', folder_id: folder }),
      guest.put('calendar', 'update', { id, folder, ...far }, { title: 'T' }),
      guest.put('calendar', 'delete', far, { id, folder }),
      guest.put('calendar', 'confirm', { id, folder, ...far }, { confirmation: 1 }),
      guest.get('calendar', 'freebusy', { id: cast.U1.userId, type: 1, start: 0, end: 1 }),
      guest.put('folders', 'update', { id: folder }, { title: 'T' }),
      guest.put('folders', 'delete', {}, [folder]),
      guest.put('user', 'search', { columns: '1' }, { pattern: '*' }),
      guest.get('quota', 'filestore'),
      guest.put('attachment', 'detach', { module: 1, attached: id, folder }, [1]),
      guest.get('attachment', 'updates', { module: 1, attached: id, folder, columns: '800' }),
      guest.get('account', 'all', { columns: '1001' }),
      guest.get('reminder', 'range', { end: 1 }),
      guest.get('token', 'acquireToken'),
      guest.put('contacts', 'new', {}, { folder_id: '6', last_name: 'T' }),
      guest.put('contacts', 'update', { id: '1', folder: '6', ...far }, { last_name: 'T' }),
      guest.put('contacts', 'delete', far, [{ id: '1', folder: '6' }]),
      guest.get('contacts', 'getuser', { id: cast.U1.userId, columns: '1' }),
      guest.put('contacts', 'listuser', { columns: '1' }, [cast.U1.userId]),
      guest.put('contacts', 'search', { columns: '1' }, { pattern: '*' }),
      guest.get('contacts', 'autocomplete', { query: 'a', columns: '1' }),
      getLink(guest as unknown as TestUser, folder),
    ];
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject(refused);
    const made = await guest.put('folders', 'new', { folder_id: '1' }, { title: 'T', module: 'calendar' });
    expect(made).toMatchObject({ code: 'FLD-0006', category: 3 });
    const batch = [
      { module: 'folders', action: 'get', id: folder },
      { module: 'calendar', action: 'new', data: { ...times, title: 'T', folder_id: folder } },
    ];
    const answers = await guest.put('multiple', '', { continue: true }, batch);
    expect(answers).toMatchObject([{ data: { id: folder } }, refused]);
  });

  it('see no contacts: neither those of who shares, nor the address book of all users', async () => {
    const calendar = await calendarOf(cast.U1);
    const book = await createFolder(cast.U1);
    const { id } = await createContact(cast.U1, book, { last_name: 'Secret' });
    const guest = await visitor().open((await linkOf(cast.U1, calendar)).url);
    const refused = { error: expect.any(String), category: 3 };
    for (const folder of ['6', book]) {
      expect(await all(guest, folder, '1,502')).toMatchObject(refused);
      expect(await guest.get('contacts', 'updates', { folder, columns: '1', timestamp: 0 })).toMatchObject(refused);
    }
    expect(await all(guest, undefined, '1,502')).toMatchObject(refused);
    expect(await guest.get('contacts', 'get', { folder: book, id })).toMatchObject(refused);
    // In a folder that the guest sees it is not found.
    expect(await guest.get('contacts', 'get', { folder: calendar, id })).toHaveProperty('error');
    for (const folder of ['6', book, calendar]) {
      const listed = await guest.put('contacts', 'list', { columns: '1,502' }, [{ folder, id }]);
      expect(listed.error ?? listed.data).toEqual(listed.error ? expect.any(String) : []);
    }
  });

  it('SH-54 come back to the session of their browser; another browser gets one of its own', async () => {
    const { url } = await linkOf(cast.U1, await calendarOf(cast.U1));
    const guest = await visitor('One').open(url);
    const first = guest.session;
    expect((await guest.open(url)).session).toBe(first);
    const other = await visitor('Two').open(url);
    expect(other.session).not.toBe(first);
    expect(await guest.calendars()).toHaveLength(1);
  });

  it('of several links have sessions side by side in one browser', async () => {
    const folders = [await calendarOf(cast.U1), await calendarOf(cast.U2)];
    const urls = [(await linkOf(cast.U1, folders[0]!)).url, (await linkOf(cast.U2, folders[1]!)).url];
    const browser = visitor();
    const sessions: string[] = [];
    for (const url of urls) sessions.push((await browser.open(url)).session);
    for (const [at, session] of sessions.entries()) {
      browser.session = session;
      expect(await browser.calendars()).toEqual([folders[at]]);
    }
  });

  it('log in by the action anonymous, with the pin where the link has one', async () => {
    const folder = await calendarOf(cast.U1);
    const { url, token, timestamp } = await linkOf(cast.U1, folder);
    const guest = visitor();
    expect(await guest.enter('anonymous', { share: token })).toMatchObject({ session: expect.anything() });
    expect(await guest.calendars()).toEqual([folder]);
    await updateLink(cast.U1, folder, timestamp, { password: 'pin of the link' });
    // A guest who came without the pin must come again.
    expect(await guest.get('folders', 'root', { columns: '1' })).toMatchObject({ code: 'SES-0203' });
    const second = await visitor().open(url);
    expect(Object.fromEntries(second.facts)).toMatchObject({ login_type: 'anonymous_password', share: token });
    expect(second.jar.size).toBe(0);
    expect(await second.enter('anonymous', { share: token })).toMatchObject({ code: 'LGI-0025' });
    const wrong = { share: token, password: 'another pin' };
    expect(await second.enter('anonymous', wrong)).toMatchObject({ code: 'LGI-0025', category: 1 });
    const right = { share: token, password: 'pin of the link' };
    expect(await second.enter('anonymous', right)).toMatchObject({
      session: expect.anything(),
      user_id: expect.anything(),
    });
    expect(await second.calendars()).toEqual([folder]);
    expect(await visitor().enter('anonymous', { share: 'f'.repeat(48) })).toMatchObject({ code: 'SHR-0002' });
    expect(await visitor().enter('anonymous', {})).toMatchObject({ code: 'SVL-0002' });
  });

  it('have start data with the login, as far as guests may ask for them', async () => {
    const folder = await calendarOf(cast.U1);
    const { token } = await linkOf(cast.U1, folder);
    const guest = visitor();
    const { rampup } = await guest.enter('anonymous', { share: token, rampup: 'true' });
    expect(Object.keys(rampup).sort()).toEqual(['folder', 'folderlist', 'jslobs', 'serverConfig', 'user']);
    const serverConfig = (await guest.get('apps/manifests', 'config')).data;
    expect(serverConfig.capabilities).toContainEqual({ id: 'guest', attributes: {} });
    expect(rampup.serverConfig).toEqual(serverConfig);
    expect(rampup.jslobs['io.ox/tours']).toEqual({ id: 'io.ox/tours', tree: {}, meta: {} });
    const form = { id: '1', tree: 1, altNames: true, timezone: 'UTC' };
    expect(rampup.folder).toEqual({ '1': (await guest.get('folders', 'get', form)).data });
    expect(rampup.folderlist).toEqual({ '1': [] });
    const name = 'starting@outside.example';
    await invite(cast.U1, folder, name);
    const named = await shareOf(cast.U1, folder, name);
    for (const action of ['guest', 'login']) {
      const form = { share: named.token, name, password: PASSWORD, rampup: 'true' };
      const answer = await visitor().enter(action, form);
      expect(answer).toMatchObject({ user_id: named.entity, folder });
      expect(Object.keys(answer.rampup).sort()).toEqual(Object.keys(rampup).sort());
    }
  });

  it('are users for themselves, and see of others the name of who invited them', async () => {
    const { U1 } = cast;
    const folder = await calendarOf(U1);
    const email1 = 'myself@outside.example';
    await invite(U1, folder, email1);
    const { token, entity } = await shareOf(U1, folder, email1);
    const guest = visitor();
    const form = { share: token, name: email1, password: PASSWORD, rampup: 'true' };
    const { rampup } = await guest.enter('guest', form);
    const own = { id: String(entity), user_id: entity, email1, timezone: 'UTC', guest_created_by: U1.userId };
    const { data, timestamp } = await guest.get('user', 'get');
    expect(data).toMatchObject(own);
    expect(timestamp).toBe(data.last_modified_utc);
    expect(rampup.user).toEqual(data);
    const columns = '524,555,611,616,551';
    const row = [entity, email1, 'UTC', U1.userId, null];
    expect((await guest.get('user', 'all', { columns })).data).toEqual([row]);
    expect((await guest.get('user', 'all', { columns: '1,shade' })).code).toBe('SVL-0010');
    const display_name = (await U1.get('user', 'get')).data.display_name;
    const sharer = (await guest.get('user', 'get', { id: U1.userId })).data;
    expect(sharer).toMatchObject({ id: String(U1.userId), display_name });
    const names = [
      'display_name',
      'first_name',
      'guest_created_by',
      'id',
      'last_name',
      'second_name',
      'suffix',
      'user_id',
    ];
    expect(names).toEqual(expect.arrayContaining(Object.keys(sharer)));
    const listed = await guest.put('user', 'list', { columns: '524,500,555' }, [U1.userId, null]);
    expect(listed.data).toEqual([
      [U1.userId, display_name, null],
      [entity, email1, email1],
    ]);
    expect((await guest.get('user', 'get', { id: cast.U2.userId })).code).toBe('USR-0010');
    expect((await guest.put('user', 'list', { columns }, [entity, cast.U2.userId])).code).toBe('USR-0010');
    const link = visitor();
    const { token: linkToken, entity: linkEntity } = await linkOf(U1, folder);
    await link.enter('anonymous', { share: linkToken });
    const unnamed = (await link.get('user', 'get')).data;
    expect(unnamed).toMatchObject({ guest_created_by: U1.userId, aliases: [] });
    expect(unnamed).not.toHaveProperty('display_name');
    const entries = (await get(U1, folder)).data['com.openexchange.share.extendedPermissions'];
    expect(entries.find((entry: any) => entry.entity === linkEntity)).not.toHaveProperty('display_name');
    expect((await U1.get('user', 'all', { columns: '1' })).data).not.toContainEqual([String(entity)]);
  });

  it('who guess a pin are stopped, also when they know it then', async () => {
    const folder = await calendarOf(cast.U1);
    const { token, timestamp } = await linkOf(cast.U1, folder);
    await updateLink(cast.U1, folder, timestamp, { password: 'pin to guess' });
    const guesser = visitor();
    for (let attempt = 0; attempt < 20; attempt++)
      expect(await guesser.enter('anonymous', { share: token, password: `wrong ${attempt}` })).toMatchObject({
        code: 'LGI-0025',
      });
    expect(await guesser.enter('anonymous', { share: token, password: 'pin to guess' })).toMatchObject({
      code: 'LGI-0028',
    });
  }, 60_000);

  it('are out when the link ends', async () => {
    const folder = await calendarOf(cast.U1);
    const { url, token, timestamp } = await linkOf(cast.U1, folder);
    const soon = Date.now() + 3_000;
    const changed = await updateLink(cast.U1, folder, timestamp, { expiry_date: soon });
    expect((await linkOf(cast.U1, folder)).expiry_date).toBe(soon);
    const guest = await visitor().open(url);
    expect(await guest.calendars()).toEqual([folder]);
    await new Promise((over) => setTimeout(over, soon - Date.now() + 50));
    expect(await guest.get('folders', 'root', { columns: '1' })).toMatchObject({ code: 'SES-0203' });
    const late = await visitor().open(url);
    expect([late.status, late.facts.get('code')]).toEqual([404, 'SHR-0002']);
    expect(await late.enter('anonymous', { share: token })).toMatchObject({ code: 'SHR-0002' });
    await updateLink(cast.U1, folder, changed.timestamp!, { expiry_date: null });
    expect((await visitor().open(url)).status).toBe(302);
  });

  it('are out when the link or the folder goes', async () => {
    const player = await someone();
    const folders = [await calendarOf(player), await calendarOf(player)];
    const links: Awaited<ReturnType<typeof linkOf>>[] = [];
    for (const folder of folders) links.push(await linkOf(player, folder));
    const guests: Visitor[] = [];
    for (const { url } of links) guests.push(await visitor().open(url));
    const isOut = async (at: number): Promise<void> => {
      expect(await visitor().open(links[at]!.url)).toMatchObject({ status: 404 });
      const deadline = Date.now() + 10_000;
      for (;;) {
        const { code } = await guests[at]!.get('folders', 'root', { columns: '1' });
        if (code === 'SES-0203') return;
        if (Date.now() > deadline) throw new Error(`guest ${at} is still there: ${code}`);
      }
    };
    await deleteLink(player, folders[0]!, links[0]!.timestamp);
    await isOut(0);
    await remove(player, [folders[1]!]);
    await isOut(1);
  }, 60_000);

  it('end their session like everybody else, and administrators end those of a context', async () => {
    const context = await createFixtures(world);
    const folder = await calendarOf(context.U1);
    const { url } = await linkOf(context.U1, folder);
    const guest = await visitor().open(url);
    expect([...guest.jar.keys()].filter((name) => name.startsWith('svc-share-'))).toHaveLength(1);
    expect((await guest.fetch('GET', '/login', { action: 'logout', session: guest.session })).status).toBe(200);
    expect(guest.jar.size).toBe(0);
    await guest.open(url);
    await context.admin.expect('POST', `/admin/v1/close-sessions/by-context`, { contextIds: [context.contextId] });
    expect(await guest.get('folders', 'root', { columns: '1' })).toMatchObject({ code: 'SES-0203' });
    const path = `/admin/v1/contexts/${context.contextId}`;
    await guest.open(url);
    await context.admin.expect('PUT', `${path}/state`, { enabled: false, reason: 'test' });
    expect(await guest.get('folders', 'root', { columns: '1' })).toMatchObject({ code: 'SES-0203' });
    expect((await visitor().open(url)).facts.get('code')).toBe('SHR-0002');
    await context.admin.expect('DELETE', path);
    expect((await visitor().open(url)).facts.get('code')).toBe('SHR-0002');
  });

  it('are no users: no list has them, and no group takes them', async () => {
    const { entity } = await linkOf(cast.U1, await calendarOf(cast.U1));
    const all = await cast.U1.get('user', 'all', { columns: '1' });
    expect(all.data.map(([id]: [number]) => id)).not.toContain(entity);
    expect(await cast.U1.put('user', 'list', { columns: '1' }, [entity])).toMatchObject({ code: expect.anything() });
    const groups = `/admin/v1/contexts/${cast.contextId}/groups`;
    const members = [cast.U1.userId, entity];
    const refused = { status: 400, body: { code: 'GRP-0016' } };
    expect(await cast.admin.request('PATCH', `${groups}/${cast.team}`, { members })).toMatchObject(refused);
    const named = { name: 'withguest', displayName: 'With a guest', members };
    expect(await cast.admin.request('POST', groups, named)).toMatchObject(refused);
    expect(await cast.admin.request('PUT', `${groups}/${cast.team}/members/${entity}`)).toMatchObject(refused);
    const editor = await someone();
    const path = `/admin/v1/contexts/${cast.contextId}/users/${editor.userId}`;
    await cast.admin.expect('PATCH', path, { capabilities: { add: ['edit_group'] } });
    expect(await editor.put('group', 'new', {}, { name: 'guests', members })).toMatchObject({ code: 'GRP-0016' });
    const asUser = { ...times, participants: [{ type: 1, id: entity }] };
    expect(await create(cast.U1, asUser)).toMatchObject({ code: expect.anything() });
  });

  it('all of them see what is shared with their group', async () => {
    const player = await someone();
    const [own, common] = [await calendarOf(player), await calendarOf(player)];
    const guest = await visitor().open((await linkOf(player, own)).url);
    const everyone = { entity: 2147483647, group: true };
    const write = await update(player, common, { permissions: shared(player, { ...everyone, bits: 33025 }) });
    expect(write).toMatchObject({ code: 'FLD-0061' });
    await update(player, common, { permissions: shared(player, { ...everyone, bits: VIEWER }) });
    expect((await guest.calendars()).sort()).toEqual([own, common].sort());
    expect(await get(cast.U2, common)).toMatchObject({ code: 'FLD-0003' });
  });
});
