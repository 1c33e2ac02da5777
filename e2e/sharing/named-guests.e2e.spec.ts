import { created } from '../calendar/calendar';
import { createCast, createPlayer, type Cast, type Player } from '../cast';
import { get, make, update, VIEWER } from '../folders/folders';
import { startWorld, type World } from '../world';
import { calendarOf, entriesOf, getLink, invite, shared, shareOf, Visitor } from './sharing';

let world: World;
let cast: Cast;
let count = 0;
const someone = (): Promise<Player> => createPlayer(world, cast.admin, cast.contextId, `n${(count += 1)}`);
const visitor = (agent = `Named/${(count += 1)}`): Visitor => new Visitor(world.publicUrl, agent);
const freshAddress = (): string => `guest${(count += 1)}@outside.example`;
const times = { start_date: 1588582800000, end_date: 1588586400000 };
const PASSWORD = 'Gina knows 1 word';

beforeAll(async () => {
  world = await startWorld();
  cast = await createCast(world);
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

  it('choose their password by the first login and need it from then on', async () => {
    const folder = await calendarOf(cast.U1);
    await created(cast.U1, { ...times, title: 'For Gina', folder_id: folder });
    const email = freshAddress();
    await invite(cast.U1, folder, email);
    const { url, token, entity } = await shareOf(cast.U1, folder, email);
    const guest = await visitor().open(url);
    expect(Object.fromEntries(guest.facts)).toMatchObject({ login_type: 'guest', login_name: email, share: token });
    expect(guest.session).toBe('');
    const bare = await guest.enter('guest', { share: token });
    expect(bare).toMatchObject({ user_id: entity, user: email });
    expect(await guest.titles(folder)).toEqual(['For Gina']);
    const refused = await visitor().enter('guest', { share: token, name: 'other@outside.example', password: PASSWORD });
    expect(refused).toMatchObject({ code: 'LGI-0025' });
    expect(await visitor().enter('guest', { share: token, password: 'x' })).toMatchObject({ code: 'USR-0020' });
    const chooser = visitor();
    expect(await chooser.enter('guest', { share: token, name: email, password: PASSWORD })).toHaveProperty('session');
    // Whoever came without the password is out.
    expect(await guest.get('folders', 'root', { columns: '1' })).toMatchObject({ code: 'SES-0203' });
    expect((await visitor().open(url)).facts.get('login_type')).toBe('guest_password');
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
    const allow = (who: Player, value: number) =>
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

  it('of one user see nothing that another user gives to the same address', async () => {
    const [mine, theirs] = [await calendarOf(cast.U1), await calendarOf(cast.U2)];
    const email = freshAddress();
    await invite(cast.U1, mine, email);
    await invite(cast.U2, theirs, email);
    const [first, second] = [await shareOf(cast.U1, mine, email), await shareOf(cast.U2, theirs, email)];
    expect(first.entity).not.toBe(second.entity);
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
    const deadline = Date.now() + 10_000;
    while ((await guest.get('folders', 'root', { columns: '1' })).code !== 'SES-0203')
      if (Date.now() > deadline) throw new Error('the guest is still there');
    await invite(cast.U1, one, email);
    expect((await shareOf(cast.U1, one, email)).token).not.toBe(token);
  }, 30_000);

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
