import type { Client } from '../client';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { ALL, make, made, update, VIEWER } from '../folders/folders';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { calendarOf, entriesOf, invite, linkOf, shared, shareOf, Visitor } from './sharing';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const freshAddress = (): string => `numbered${(count += 1)}@outside.example`;
const visitor = (): Visitor => new Visitor(world.publicUrl, `Numbered/${(count += 1)}`);
const PUBLIC = 2;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

/** A guest whom a player invited to a calendar. */
async function guestOf(player: TestUser) {
  const folder = await calendarOf(player);
  const email = freshAddress();
  await invite(player, folder, email);
  return { folder, email, ...(await shareOf(player, folder, email)) };
}

const entry = (entity: number) => ({ entity, bits: VIEWER, group: false });
const entitiesOf = async (player: TestUser, folder: string) =>
  (await entriesOf(player, folder)).map(({ entity }) => entity);

describe('guests named by number', () => {
  it('are those whom the user invited; others look like nobody', async () => {
    const [own, foreign] = [await guestOf(cast.U1), await guestOf(cast.U2)];
    const folder = await calendarOf(cast.U1);
    const refused = await update(cast.U1, folder, { permissions: shared(cast.U1, entry(foreign.entity)) });
    expect(refused).toMatchObject({ code: 'FLD-0044', error_params: [String(foreign.entity)] });
    const nobody = await update(cast.U1, folder, { permissions: shared(cast.U1, entry(999_999)) });
    expect(nobody).toMatchObject({ code: 'FLD-0044', error_params: ['999999'] });
    expect((await make(cast.U1, { permissions: shared(cast.U1, entry(foreign.entity)) })).code).toBe('FLD-0044');
    expect(await entitiesOf(cast.U1, folder)).toEqual([cast.U1.userId]);
    expect((await update(cast.U1, folder, { permissions: shared(cast.U1, entry(own.entity)) })).error).toBeUndefined();
    expect((await make(cast.U1, { permissions: shared(cast.U1, entry(own.entity)) })).error).toBeUndefined();
    expect(await entitiesOf(cast.U1, folder)).toEqual([cast.U1.userId, own.entity]);
  });

  it('PJ-11: keep settings of their own', async () => {
    const folder = await calendarOf(cast.U1);
    const guest = await visitor().open((await linkOf(cast.U1, folder)).url);
    expect((await guest.put('jslob', 'set', { id: 'guests' }, { seen: true })).code).toBeUndefined();
    const listed = async (who: Client) => (await who.put('jslob', 'list', {}, ['guests'])).data[0].tree;
    expect([await listed(guest), await listed(cast.U1)]).toEqual([{ seen: true }, {}]);
    const other = await visitor().open((await linkOf(cast.U1, await calendarOf(cast.U1))).url);
    expect(await listed(other)).toEqual({});
  });

  it('stay in a list that another administrator writes again', async () => {
    const both = shared(cast.U1, [cast.U2, ALL]);
    const folder = await made(cast.U1, { permissions: both }, PUBLIC);
    const email = freshAddress();
    const withGuest = { permissions: [...both, { type: 'guest', bits: VIEWER, email_address: email }] };
    expect((await update(cast.U1, folder, withGuest)).error).toBeUndefined();
    const { entity } = await shareOf(cast.U1, folder, email);
    const again = { permissions: shared(cast.U1, [cast.U2, ALL], [cast.U3, VIEWER], entry(entity)) };
    expect((await update(cast.U2, folder, again)).error).toBeUndefined();
    expect((await entitiesOf(cast.U2, folder)).sort()).toEqual(
      [cast.U1.userId, cast.U2.userId, cast.U3.userId, entity].sort(),
    );
    expect((await update(cast.U2, folder, { permissions: both })).error).toBeUndefined();
    expect(await update(cast.U2, folder, again)).toMatchObject({ code: 'FLD-0044' });
  });

  it('of links are in the list of their own folder only', async () => {
    const [linked, other] = [await calendarOf(cast.U1), await calendarOf(cast.U1)];
    const { entity, url } = await linkOf(cast.U1, linked);
    const permissions = shared(cast.U1, entry(entity));
    expect((await update(cast.U1, linked, { permissions })).error).toBeUndefined();
    expect(await update(cast.U1, other, { permissions })).toMatchObject({ code: 'FLD-0044' });
    expect(await make(cast.U1, { permissions })).toMatchObject({ code: 'FLD-0044' });
    expect(await (await visitor().open(url)).calendars()).toEqual([linked]);
  });
});

describe('folders below a shared one', () => {
  it('are open to its named guests, not by its link', async () => {
    const { folder, token } = await guestOf(cast.U1);
    const { url } = await linkOf(cast.U1, folder);
    const child = await made(cast.U1, {}, folder);
    const guest = visitor();
    await guest.enter('guest', { share: token });
    expect((await guest.calendars()).sort()).toEqual([folder, child].sort());
    expect(await (await visitor().open(url)).calendars()).toEqual([folder]);
  });

  it('keep their own link, and get no other, when they take over its permissions', async () => {
    const folder = await calendarOf(cast.U1);
    const [plain, linked] = [await made(cast.U1, {}, folder), await made(cast.U1, {}, folder)];
    const own = await linkOf(cast.U1, linked);
    const { url, entity } = await linkOf(cast.U1, folder);
    const permissions = shared(cast.U1, entry(entity), [cast.U2, VIEWER]);
    expect((await update(cast.U1, folder, { permissions }, { cascadePermissions: true })).error).toBeUndefined();
    const users = [cast.U1.userId, cast.U2.userId];
    expect(new Set(await entitiesOf(cast.U1, plain))).toEqual(new Set(users));
    expect(new Set(await entitiesOf(cast.U1, linked))).toEqual(new Set([...users, own.entity]));
    expect(await (await visitor().open(url)).calendars()).toEqual([folder]);
    expect(await (await visitor().open(own.url)).calendars()).toEqual([linked]);
  });
});
