import { TRUST_ZONES } from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import { created } from '../calendar/calendar';
import { all, create, createFolder } from '../contacts/contacts';
import { createFolder as createFilesFolder, dataOf, homeOf, move as moveDocuments, upload } from '../files/files';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { get, make, permissionsFor, read, remove, update, VIEWER } from '../folders/folders';
import { keepOutOfLogs } from '../secrets';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { calendarOf, entriesOf, getLink, invite, shared, shareOf, Visitor } from './sharing';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `n${(count += 1)}`);
const visitor = (agent = `Named/${(count += 1)}`): Visitor => new Visitor(world.publicUrl, agent);
const freshAddress = (): string => `guest${(count += 1)}@outside.example`;
/** Whether the session of a guest ended. */
const isOut = async (guest: Visitor): Promise<boolean> =>
  (await guest.get('folders', 'root', { columns: '1' })).code === 'SES-0203';
const times = { start_date: 1588582800000, end_date: 1588586400000 };
const PASSWORD = 'Gina knows 1 word';

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

describe('named guests', () => {
  it('are made by a permission list with a mail address, once per address', async () => {
    const [first, second] = [await calendarOf(cast.U1), await calendarOf(cast.U1)];
    const email = freshAddress();
    expect((await invite(cast.U1, first, email, { display_name: 'Gina' })).error).toBeUndefined();
    const guest = (await entriesOf(cast.U1, first)).find(({ type }) => type === 'guest');
    expect(guest).toMatchObject({ bits: VIEWER, group: false, email_address: email, display_name: 'Gina' });
    expect((await invite(cast.U1, second, email.toUpperCase())).error).toBeUndefined();
    expect((await shareOf(cast.U1, second, email)).entity).toBe(guest!.entity);
    const permissions = [...shared(cast.U1), { type: 'guest', bits: VIEWER, email_address: email }];
    const made = await make(cast.U1, { permissions });
    expect((await shareOf(cast.U1, made.data, email)).entity).toBe(guest!.entity);
  });

  it('name the contact from which who invited chose them, and contact data of guests and users', async () => {
    const folder = await calendarOf(cast.U1);
    const email = freshAddress();
    const contact = { contact_id: '7', contact_folder: '31' };
    expect(await invite(cast.U1, folder, email, { contact_id: '7' })).toMatchObject({ code: 'FLD-0007' });
    expect((await invite(cast.U1, folder, email, contact)).error).toBeUndefined();
    const listed = await entriesOf(cast.U1, folder);
    const entry = listed.find(({ type }) => type === 'guest')!;
    expect(entry).toMatchObject(contact);
    const viewer = { entity: cast.U2.userId, bits: VIEWER, group: false };
    await update(cast.U1, folder, { permissions: [...listed, viewer] });
    // The contact is told to who invited alone.
    const seen = (await entriesOf(cast.U2, folder)).find(({ type }) => type === 'guest');
    expect([seen!.entity, seen!.contact_id]).toEqual([entry.entity, undefined]);
    await update(cast.U1, folder, {
      permissions: [...permissionsFor(cast.U1, [cast.U2, VIEWER]), { ...entry, entity: undefined, contact_id: '8' }],
    });
    expect((await entriesOf(cast.U1, folder)).find(({ type }) => type === 'guest')).toMatchObject({ contact_id: '8' });
    const extended = (await read(cast.U1, folder))['com.openexchange.share.extendedPermissions'];
    const data = (id: number) => extended.find(({ entity }: { entity: number }) => entity === id);
    expect(data(entry.entity as number)).toMatchObject({ contact_id: '8', contact: { email1: email } });
    expect(data(cast.U2.userId).contact).toMatchObject({ email1: cast.U2.email, last_name: expect.any(String) });
    expect(data(cast.U1.userId).contact).toMatchObject({ email1: cast.U1.email });
    const rows = await cast.U1.get('folders', 'list', { parent: '1', columns: '1,3060' });
    expect(rows.data.find(([id]: [string]) => id === folder)[1]).toContainEqual(
      expect.objectContaining({ contact: expect.objectContaining({ email1: cast.U2.email }) }),
    );
  });

  it('are users where the address is that of a user', async () => {
    const folder = await calendarOf(cast.U1);
    await invite(cast.U1, folder, cast.U2.email);
    expect(await entriesOf(cast.U1, folder)).toContainEqual({
      ...{ entity: cast.U2.userId, bits: VIEWER, group: false, type: 'user' },
    });
  });

  it.each([
    ['no mail address', 'SHR-0005', { email_address: 'nobody' }],
    ['nothing to address', 'FLD-0007', { email_address: null }],
    ['rights to write', 'FLD-0061', { bits: 33025 }],
    ['a password', 'FLD-0058', { password: 'chosen for them' }],
    ['an end', 'FLD-0058', { expiry_date: 1 }],
  ])('are refused with %s', async (_what, code, entry) => {
    const folder = await calendarOf(cast.U1);
    expect(await invite(cast.U1, folder, freshAddress(), entry)).toMatchObject({ code });
    expect(await entriesOf(cast.U1, folder)).toHaveLength(1);
  });

  it('need the capability invite_guests, and count', async () => {
    const player = await someone();
    const path = `/admin/v1/contexts/${cast.contextId}/users/${player.userId}`;
    await cast.admin.expect('PUT', `${path}/config/com.example.quota.invite_guests`, { value: 1 });
    await invite(player, player.folder, freshAddress());
    expect(await invite(player, await calendarOf(player), freshAddress())).toMatchObject({ code: 'QUOTA-0003' });
    await cast.admin.expect('PATCH', path, { capabilities: { remove: ['invite_guests'] } });
    expect(await invite(player, player.folder, freshAddress())).toMatchObject({ code: 'FLD-0072' });
  });

  it('SH-58 choose their password by the first login and need it from then on', async () => {
    const folder = await calendarOf(cast.U1);
    await created(cast.U1, { ...times, title: 'For Gina', folder_id: folder });
    const email = freshAddress();
    await invite(cast.U1, folder, email);
    const { url, token, entity } = await shareOf(cast.U1, folder, email);
    const guest = await visitor().open(url);
    expect(Object.fromEntries(guest.facts)).toMatchObject({
      login_type: 'guest_password',
      login_name: email,
      share: token,
    });
    expect(guest.session).toBe('');
    const bare = await guest.enter('guest', { share: token });
    expect(bare).toMatchObject({ user_id: entity, user: email });
    expect(await guest.titles(folder)).toEqual(['For Gina']);
    const refused = await visitor().enter('guest', { share: token, name: 'other@outside.example', password: PASSWORD });
    expect(refused).toMatchObject({ code: 'LGI-0025' });
    expect(await visitor().enter('guest', { share: token, password: 'x' })).toMatchObject({ code: 'USR-0020' });
    const chooser = visitor();
    expect(await chooser.enter('guest', { share: token, name: email, password: PASSWORD })).toHaveProperty('session');
    // A guest who came without the password is out.
    expect(await guest.get('folders', 'root', { columns: '1' })).toMatchObject({ code: 'SES-0203' });
    expect((await visitor().open(url)).facts.get('login_type')).toBe('guest');
    const forms: Record<string, string>[] = [
      {},
      { password: 'wrong' },
      { name: 'other@outside.example', password: PASSWORD },
    ];
    for (const form of forms)
      expect(await visitor().enter('guest', { share: token, ...form })).toMatchObject({
        code: 'LGI-0025',
        category: 1,
      });
    expect(await visitor().enter('guest', { share: token, password: PASSWORD })).toHaveProperty('session');
    expect(await visitor().enter('anonymous', { share: token, password: PASSWORD })).toMatchObject({
      code: 'SHR-0002',
    });
    expect(await visitor().enter('guest', { share: 'f'.repeat(48) })).toMatchObject({ code: 'SHR-0002' });
  });

  it('SH-32, SH-33 lose their session with the last share; invited again they have their password', async () => {
    const folder = await calendarOf(cast.U1);
    const email = freshAddress();
    await invite(cast.U1, folder, email);
    const { url, token, entity } = await shareOf(cast.U1, folder, email);
    const guest = visitor();
    await guest.enter('guest', { share: token, name: email, password: PASSWORD });
    expect(await guest.calendars()).toEqual([folder]);
    await update(cast.U1, folder, { permissions: shared(cast.U1) });
    await until(async () => (await guest.get('folders', 'root', { columns: '1' })).code === 'SES-0203');
    expect((await visitor().open(url)).status).toBe(404);
    await invite(cast.U1, folder, email);
    expect(await shareOf(cast.U1, folder, email)).toMatchObject({ entity, token });
    expect(await visitor().enter('guest', { share: token, password: 'another one' })).toMatchObject({
      code: 'LGI-0025',
    });
    expect(await visitor().enter('guest', { share: token, password: PASSWORD })).toHaveProperty('session');
  });

  it('log in by the action login, too, with the token of the share', async () => {
    const folder = await calendarOf(cast.U1);
    const email = freshAddress();
    await invite(cast.U1, folder, email);
    const { token, entity } = await shareOf(cast.U1, folder, email);
    const guest = visitor();
    expect(await guest.login(email, PASSWORD, { share: token })).toMatchObject({ user_id: entity });
    expect(await guest.calendars()).toEqual([folder]);
    expect(await visitor().login(email, 'wrong', { share: token })).toMatchObject({ code: 'LGI-0025' });
    expect(await visitor().login(email, PASSWORD)).toMatchObject({ code: 'LGI-0006' });
  });

  it('log in without password as often as the property says', async () => {
    const [player, strict] = [await someone(), await someone()];
    const allow = (who: TestUser, value: number) =>
      cast.admin.expect(
        'PUT',
        `/admin/v1/contexts/${cast.contextId}/users/${who.userId}/config/com.example.share.emptyGuestPasswords`,
        { value },
      );
    await allow(player, 2);
    await allow(strict, 0);
    const email = freshAddress();
    for (const who of [player, strict]) await invite(who, who.folder, email);
    const { token } = await shareOf(player, player.folder, email);
    for (let login = 0; login < 2; login++)
      expect(await visitor().enter('guest', { share: token })).toHaveProperty('session');
    expect(await visitor().enter('guest', { share: token })).toMatchObject({ code: 'LGI-0022' });
    const other = await shareOf(strict, strict.folder, email);
    expect(await visitor().enter('guest', { share: other.token })).toMatchObject({ code: 'LGI-0023' });
    expect(await visitor().enter('guest', { share: token, password: PASSWORD })).toHaveProperty('session');
  });

  it('change their password, or set the first one, and their other sessions end', async () => {
    const folder = await calendarOf(cast.U1);
    const email = freshAddress();
    await invite(cast.U1, folder, email);
    const { token } = await shareOf(cast.U1, folder, email);
    const enter = (guest: Visitor, password?: string) =>
      guest.enter('guest', { share: token, ...(password !== undefined && { password }) });
    const change = async (guest: Visitor, body: object): Promise<string | undefined> =>
      (await guest.put('passwordchange', 'update', {}, body)).code;
    const [first, other] = [visitor(), visitor()];
    await enter(first);
    expect(await first.get('capabilities', 'get', { id: 'edit_password' })).toMatchObject({
      data: { id: 'edit_password' },
    });
    expect(await change(first, { new_password: 'x' })).toBe('USR-0020');
    expect(await change(first, { new_password: PASSWORD })).toBeUndefined();
    expect(await first.calendars()).toEqual([folder]);
    expect(await enter(other)).toMatchObject({ code: 'LGI-0025' });
    await enter(other, PASSWORD);
    const NEXT = 'Gina knows 2 words';
    expect(await change(first, { new_password: NEXT })).toBe('USR-0028');
    expect(await change(first, { old_password: PASSWORD })).toBe('USR-0029');
    expect(await change(first, { old_password: NEXT, new_password: NEXT })).toBe('USR-0027');
    expect(await change(first, { old_password: PASSWORD, new_password: NEXT })).toBeUndefined();
    expect([await isOut(first), await isOut(other)]).toEqual([false, true]);
    expect(await enter(other, PASSWORD)).toMatchObject({ code: 'LGI-0025' });
    expect(await enter(other, NEXT)).toHaveProperty('session');
  });

  it('have a password, and guests of a link have none that they could change', async () => {
    const { data } = await getLink(cast.U1, await calendarOf(cast.U1));
    const guest = await visitor().open(data.url);
    expect((await guest.get('capabilities', 'get', { id: 'edit_password' })).data).toEqual({});
    const passwords = { old_password: '', new_password: PASSWORD };
    expect(await guest.put('passwordchange', 'update', {}, passwords)).toMatchObject({ code: 'SVL-0016' });
  });

  it('who guess the password are stopped', async () => {
    const folder = await calendarOf(cast.U1);
    const email = freshAddress();
    await invite(cast.U1, folder, email);
    const { token } = await shareOf(cast.U1, folder, email);
    await visitor().enter('guest', { share: token, password: PASSWORD });
    for (let attempt = 0; attempt < 20; attempt++)
      expect(await visitor().enter('guest', { share: token, password: `wrong ${attempt}` })).toMatchObject({
        code: 'LGI-0025',
      });
    expect(await visitor().enter('guest', { share: token, password: PASSWORD })).toMatchObject({ code: 'LGI-0028' });
  }, 60_000);

  it('SH-24 of one user see nothing that another user gives to the same address, and keep the name that they got', async () => {
    const [mine, theirs] = [await calendarOf(cast.U1), await calendarOf(cast.U2)];
    const email = freshAddress();
    await invite(cast.U1, mine, email, { display_name: 'First' });
    await invite(cast.U2, theirs, email, { display_name: 'Second' });
    await invite(cast.U1, mine, email, { display_name: 'Third' });
    const [first, second] = [await shareOf(cast.U1, mine, email), await shareOf(cast.U2, theirs, email)];
    expect(first.entity).not.toBe(second.entity);
    expect(await entriesOf(cast.U1, mine)).toContainEqual(
      expect.objectContaining({ entity: first.entity, display_name: 'First' }),
    );
    const guest = visitor();
    await guest.enter('guest', { share: first.token });
    expect(await guest.calendars()).toEqual([mine]);
  });

  it('keep what is left to them, and go with the last calendar', async () => {
    const [one, two] = [await calendarOf(cast.U1), await calendarOf(cast.U1)];
    const email = freshAddress();
    for (const folder of [one, two]) await invite(cast.U1, folder, email);
    const { url, token } = await shareOf(cast.U1, one, email);
    const guest = visitor();
    await guest.enter('guest', { share: token });
    expect((await guest.calendars()).sort()).toEqual([one, two].sort());
    await update(cast.U1, one, { permissions: shared(cast.U1) });
    expect(await guest.calendars()).toEqual([two]);
    expect((await visitor().open(url)).status).toBe(302);
    await update(cast.U1, two, { permissions: shared(cast.U1) });
    expect((await visitor().open(url)).status).toBe(404);
    await until(() => isOut(guest));
    await invite(cast.U1, one, email);
    expect((await shareOf(cast.U1, one, email)).token).toBe(token);
  }, 30_000);

  it('of contacts alone see them, and go with the last folder', async () => {
    const folder = await createFolder(cast.U1);
    await create(cast.U1, folder, { last_name: 'Known' });
    const email = freshAddress();
    await invite(cast.U1, folder, email);
    const { url, token } = await shareOf(cast.U1, folder, email);
    const guest = visitor();
    await guest.enter('guest', { share: token });
    expect((await all(guest, folder, '502')).data).toEqual([['Known']]);
    await update(cast.U1, folder, { permissions: shared(cast.U1) });
    expect((await visitor().open(url)).status).toBe(404);
    await until(() => isOut(guest));
    await invite(cast.U1, folder, email);
    expect((await shareOf(cast.U1, folder, email)).token).toBe(token);
  }, 30_000);

  it.each(['calendar', 'contacts'] as const)(
    'of two modules stay when what they saw of %s ends',
    async (ended) => {
      const folders = { calendar: await calendarOf(cast.U1), contacts: await createFolder(cast.U1) };
      const left = folders[ended === 'calendar' ? 'contacts' : 'calendar'];
      const [email, other] = [freshAddress(), freshAddress()];
      const entries = [email, other].map((address) => ({ type: 'guest', bits: VIEWER, email_address: address }));
      await update(cast.U1, folders[ended], { permissions: [...shared(cast.U1), ...entries] });
      await invite(cast.U1, left, email);
      const [guest, gone] = [visitor(), visitor()];
      const { token } = await shareOf(cast.U1, left, email);
      await guest.enter('guest', { share: token });
      await gone.enter('guest', { share: (await shareOf(cast.U1, folders[ended], other)).token });

      await update(cast.U1, folders[ended], { permissions: shared(cast.U1) });
      await until(() => isOut(gone));
      expect(await isOut(guest)).toBe(false);
      expect((await shareOf(cast.U1, left, email)).token).toBe(token);

      await update(cast.U1, left, { permissions: shared(cast.U1) });
      await until(() => isOut(guest));
    },
    30_000,
  );

  it('change what they tell of themselves, and nothing else', async () => {
    const folder = await calendarOf(cast.U1);
    const email = freshAddress();
    await invite(cast.U1, folder, email);
    const { token, entity } = await shareOf(cast.U1, folder, email);
    const guest = visitor();
    await guest.enter('guest', { share: token });
    const { data: before } = await guest.get('user', 'get');
    const write = (body: object, { id = entity, timestamp = before.last_modified_utc as number } = {}) =>
      guest.put('user', 'update', { id, timestamp }, body);
    for (const [body, code] of [
      [{ email1: 'other@outside.example' }, 'CON-0173'],
      [{ display_name: '' }, 'CON-0166'],
      [{ locale: 'de_DE' }, 'SVL-0016'],
    ] as const)
      expect((await write(body)).code).toBe(code);
    expect((await write({ display_name: 'X' }, { id: cast.U1.userId })).code).toBe('SVL-0016');
    const told = {
      display_name: 'Gina Guest',
      first_name: 'Gina',
      last_name: 'Guest',
      birthday: 86_400_000,
      note: 'Hi',
    };
    const { timestamp } = await write(told);
    const { data } = await guest.get('user', 'get');
    expect(data).toEqual({ ...before, ...told, last_modified: timestamp, last_modified_utc: timestamp });
    expect((await guest.get('user', 'all', { columns: '500,501,511' })).data).toEqual([
      ['Gina Guest', 'Gina', 86_400_000],
    ]);
    expect((await write({ note: null })).code).toBe('SVL-0017');
    await write({ note: null }, { timestamp });
    expect((await guest.get('user', 'get')).data).not.toHaveProperty('note');
    await until(async () =>
      (await entriesOf(cast.U1, folder)).some(
        (entry) => entry.entity === entity && entry.display_name === 'Gina Guest',
      ),
    );
    const contact = { email1: email, first_name: 'Gina', last_name: 'Guest' };
    const { data: seen } = await get(cast.U1, folder);
    expect(seen['com.openexchange.share.extendedPermissions']).toContainEqual(
      expect.objectContaining({ entity, contact }),
    );
    const D = await upload(cast.U1, await homeOf(cast.U1), 'for Gina.txt', 'x', {
      object_permissions: [{ entity, bits: 1 }],
    });
    expect((await dataOf(cast.U1, D))['com.openexchange.share.extendedObjectPermissions']).toEqual([
      expect.objectContaining({ entity, contact }),
    ]);
    const link = visitor();
    await link.open((await getLink(cast.U1, folder)).data.url);
    const own = (await link.get('user', 'get')).data;
    const query = { id: own.id, timestamp: own.last_modified_utc };
    expect((await link.put('user', 'update', query, { display_name: 'X' })).code).toBe('SVL-0016');
  });

  it('show their address to who invited them only', async () => {
    const { data } = await make(cast.U1, {}, 2);
    const email = freshAddress();
    const both = [...shared(cast.U1), { entity: cast.U2.userId, bits: 403710016, group: false }];
    const permissions = [...both, { type: 'guest', bits: VIEWER, email_address: email }];
    expect((await update(cast.U1, data, { permissions })).error).toBeUndefined();
    expect((await shareOf(cast.U1, data, email)).url).toContain('/share/');
    const seen = (await get(cast.U2, data)).data['com.openexchange.share.extendedPermissions'];
    const entry = seen.find((each: any) => each.email_address === email);
    expect(entry).toMatchObject({ type: 'guest' });
    expect(entry).not.toHaveProperty('share_url');
    const link = await getLink(cast.U2, data);
    expect(link.data.url).toContain('/share/');
  });
});

describe('named guests who are users of another context', () => {
  const CROSS = '/preliminary/crosscontext/v1';
  const ACCOUNTS = '/preliminary/sharedaccounts/v1';
  const services = () => new AdminClient(world.internalUrl, world.service.login, world.service.password);
  const ask = (path: string) => services().expect('GET', path);
  const purge = (path: string) => services().expect('DELETE', `${CROSS}${path}`);
  const outbound = (player: TestUser) => ask(`${CROSS}/outbound/${player.contextId}/${player.userId}`);
  const inbound = (player: TestUser) => ask(`${CROSS}/inbound/${player.contextId}/${player.userId}`);
  const trust = (contextId: number) =>
    cast.admin.expect('PUT', `/admin/v1/contexts/${contextId}/config/${TRUST_ZONES.key}`, { value: 'here' });

  /** A calendar of a player that a user of the other context was invited to and has open. */
  async function inviteUser(player: TestUser, user: TestUser) {
    const folder = await calendarOf(player);
    expect((await invite(player, folder, user.email)).error).toBeUndefined();
    const { token } = await shareOf(player, folder, user.email);
    const guest = visitor();
    await guest.enter('guest', { share: token });
    expect(await guest.titles(folder)).toEqual([]);
    return { folder, guest };
  }
  const shareIn = (user: TestUser, folder: string) => ({
    ...{ context: user.contextId, entity: user.userId, type: 'user', module: 'calendar', kind: 'folder', folder },
    ...{ permissions: VIEWER, created: expect.any(Number) },
  });

  it('documents are listed on both sides, and a purge takes the rights on them back', async () => {
    const owner = await someone();
    const user = await createTestUser(world, cast.admin, cast.otherContextId, `x${(count += 1)}`);
    const { folder: calendar } = await inviteUser(owner, user);
    const entry = (await get(owner, calendar)).data.permissions.find(({ type }: any) => type === 'guest');
    const F = await createFilesFolder(owner, await homeOf(owner));
    const D = await upload(owner, F, 'D.txt', 'D', { object_permissions: [{ entity: entry.entity, bits: 2 }] });
    const item = D.split('/')[1]!;
    const { data } = await owner.put('share/management', 'getLink', {}, { module: 'infostore', folder: F, item });
    keepOutOfLogs(data.url.split('/').at(-2));
    const guest = await visitor().open(data.url);
    const document = { module: 'infostore', kind: 'object', folder: F, item, created: expect.any(Number) };
    const listed = async () => (await outbound(owner)).shares.filter(({ kind }: any) => kind === 'object');
    await until(async () => (await listed()).length === 2);
    expect(await listed()).toEqual(
      expect.arrayContaining([
        { ...document, context: owner.contextId, entity: data.entity, type: 'guest', permissions: 1 },
        { ...document, context: user.contextId, entity: user.userId, type: 'user', permissions: 2 },
      ]),
    );
    await until(async () => (await inbound(user)).liaisons.infostore?.includes(owner.contextId));
    const moved = await createFilesFolder(owner, await homeOf(owner));
    await moveDocuments(owner, [D], moved);
    await until(async () => (await listed()).every(({ folder }: any) => folder === moved));
    const path = `/outbound/${owner.contextId}/${owner.userId}?module=infostore`;
    expect(await purge(path)).toMatchObject({ retracted: 2, deferred: 0, failed: 0 });
    expect(await purge(path)).toMatchObject({ retracted: 0 });
    expect((await owner.get('infostore', 'get', { id: item, folder: moved })).data).not.toHaveProperty(
      'object_permissions',
    );
    expect((await visitor().open(data.url)).status).toBe(404);
    await until(() => isOut(guest));
    await until(async () => (await inbound(user)).liaisons.infostore === undefined);
    expect((await outbound(owner)).shares).toEqual([shareIn(user, calendar)]);
  });

  it('are listed on both sides until the owner takes it back', async () => {
    const owner = await someone();
    const user = await createTestUser(world, cast.admin, cast.otherContextId, `x${(count += 1)}`);
    const { folder } = await inviteUser(owner, user);
    await until(async () => (await outbound(owner)).shares.length === 1);
    expect((await outbound(owner)).shares).toEqual([shareIn(user, folder)]);
    await until(async () => Object.keys((await inbound(user)).liaisons).length === 1);
    expect((await inbound(user)).liaisons).toEqual({ calendar: [cast.contextId] });
    expect(await ask(`${ACCOUNTS}/${user.contextId}/${user.userId}`)).toEqual([]);
    await Promise.all([trust(cast.contextId), trust(cast.otherContextId)]);
    const { title } = await read(owner, folder);
    expect(await ask(`${ACCOUNTS}/${user.contextId}/${user.userId}`)).toEqual([
      expect.objectContaining({
        accountId: `${owner.userId}@${owner.contextId}`,
        capabilities: ['calendar'],
        moduleConfigurations: {
          calendar: { permissions: VIEWER, folders: [{ id: folder, name: title, permissions: VIEWER }] },
        },
      }),
    ]);
    await update(owner, folder, { permissions: shared(owner) });
    await until(async () => Object.keys((await inbound(user)).liaisons).length === 0);
    expect((await outbound(owner)).shares).toEqual([]);
  });

  it.each(['inbound', 'outbound'])(
    'lose their rights, their session and their place as guests by a purge %s',
    async (way) => {
      const owner = await someone();
      const user = await createTestUser(world, cast.admin, cast.otherContextId, `x${(count += 1)}`);
      const { folder, guest } = await inviteUser(owner, user);
      const { entity } = await shareOf(owner, folder, user.email);
      const book = await createFolder(owner);
      await invite(owner, book, user.email);
      const side = way === 'inbound' ? user : owner;
      await until(async () => Object.keys((await inbound(user)).liaisons).length === 2);
      const result = { context: side.contextId, user: side.userId, retracted: 2, deferred: 0, failed: 0 };
      expect(await purge(`/${way}/${side.contextId}/${side.userId}`)).toEqual(result);
      for (const shared of [folder, book]) expect(await entriesOf(owner, shared)).toHaveLength(1);
      await until(async () => (await guest.titles(folder)) === 'SES-0203');
      expect((await outbound(owner)).shares).toEqual([]);
      expect((await inbound(user)).liaisons).toEqual({});
      expect(await purge(`/${way}/${side.contextId}/${side.userId}`)).toEqual({ ...result, retracted: 0 });
      // Former guests are kept for a while: another invitation brings this one back.
      await invite(owner, folder, user.email);
      expect((await shareOf(owner, folder, user.email)).entity).toBe(entity);
    },
  );

  it.each(['calendar', 'contacts', 'tasks', 'infostore'] as const)(
    'links to folders of %s are listed with those who have them, and taken back by a purge with their sessions',
    async (module) => {
      const owner = await someone();
      const parent = module === 'infostore' ? await homeOf(owner) : 1;
      const folder = String((await make(owner, { module }, parent)).data);
      const { data } = await getLink(owner, folder, module);
      keepOutOfLogs(String(data.url).split('/').at(-2));
      const visited = await visitor().open(data.url);
      await until(async () => (await outbound(owner)).shares.length === 1);
      const guest = (await entriesOf(owner, folder)).find(({ entity }: any) => entity !== owner.userId)!;
      expect((await outbound(owner)).shares).toEqual([
        { ...shareIn(owner, folder), module, type: 'guest', entity: guest.entity, permissions: guest.bits },
      ]);
      const result = { context: owner.contextId, user: owner.userId, retracted: 1, deferred: 0, failed: 0 };
      expect(await purge(`/outbound/${owner.contextId}/${owner.userId}`)).toEqual(result);
      expect(await entriesOf(owner, folder)).toHaveLength(1);
      expect((await outbound(owner)).shares).toEqual([]);
      expect((await visitor().open(data.url)).status).toBe(404);
      await until(() => isOut(visited));
    },
  );

  it('calendars shared in the own context are accounts of others, and no business of a purge', async () => {
    const [owner, reader] = [await someone(), await someone()];
    const folder = await calendarOf(owner);
    await update(owner, folder, {
      permissions: [...shared(owner), { entity: reader.userId, bits: VIEWER, group: false }],
    });
    const accounts = () => ask(`${ACCOUNTS}/${reader.contextId}/${reader.userId}`);
    await until(async () => (await accounts()).length === 1);
    expect(await accounts()).toMatchObject([
      { accountId: `${owner.userId}@${owner.contextId}`, entityInfo: { entity: owner.userId } },
    ]);
    expect(await purge(`/outbound/${owner.contextId}/${owner.userId}`)).toMatchObject({ retracted: 0 });
    expect(await accounts()).toHaveLength(1);
    await remove(owner, [folder], { timestamp: Date.now() * 2 });
    await until(async () => (await accounts()).length === 0);
  });
});
