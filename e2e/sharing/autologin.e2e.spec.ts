import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { calendarOf, linkOf, updateLink, Visitor } from './sharing';

const WEEK = 604_800;
let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const visitor = (): Visitor => new Visitor(world.publicUrl, `Returning/${(count += 1)}`);
const shareCookies = (guest: Visitor): string[] =>
  [...guest.jar.keys()].filter((name) => name.startsWith('svc-share-'));

beforeAll(async () => {
  world = await startTestEnvironment({
    properties: { 'com.example.share.transientSessions': 'false', 'com.example.share.cookieTTL': String(WEEK * 1000) },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const autologin = async (guest: Visitor, parameters: Record<string, string> = {}): Promise<Record<string, any>> => {
  const response = await guest.fetch('GET', '/login', { action: 'autologin', ...parameters });
  return (await response.json()) as Record<string, any>;
};

describe('automatic login of guests', () => {
  it('returns to the session of the share that the browser opened last', async () => {
    const folder = await calendarOf(cast.U1);
    const { url, entity } = await linkOf(cast.U1, folder);
    const guest = await visitor().open(url);
    expect(shareCookies(guest)).toHaveLength(1);
    expect(await autologin(guest, { client: 'any' })).toMatchObject({
      ...{ session: guest.session, user_id: entity, context_id: cast.contextId },
    });
  });

  it('goes before that of a user, and leaves that to browsers without a share', async () => {
    const folder = await calendarOf(cast.U1);
    const { url } = await linkOf(cast.U1, folder);
    const browser = visitor();
    const own = await browser.login(cast.U2.loginName, 'correct horse 1', { client: 'web' });
    expect(await autologin(browser, { client: 'web' })).toMatchObject({ session: own.session });
    const { session } = await browser.open(url);
    expect(await autologin(browser, { client: 'web' })).toMatchObject({ session });
    browser.session = session;
    await browser.fetch('GET', '/login', { action: 'logout', session });
    expect(await autologin(browser, { client: 'web' })).toMatchObject({ session: own.session });
  });

  it('returns to the share that is asked for', async () => {
    const links = [await linkOf(cast.U1, await calendarOf(cast.U1)), await linkOf(cast.U1, await calendarOf(cast.U1))];
    const browser = visitor();
    const sessions: string[] = [];
    for (const { url } of links) sessions.push((await browser.open(url)).session);
    expect(await autologin(browser)).toMatchObject({ session: sessions[1] });
    expect(await autologin(browser, { share: links[0]!.token })).toMatchObject({ session: sessions[0] });
  });

  it('opens nothing without the secret cookie, in another browser, or after the link changed', async () => {
    const folder = await calendarOf(cast.U1);
    const { url, token, timestamp } = await linkOf(cast.U1, folder);
    const guest = await visitor().open(url);
    const thief = new Visitor(world.publicUrl, guest.userAgent);
    for (const [name, value] of guest.jar) if (!name.includes('-secret-')) thief.setCookie(name, value);
    expect(await autologin(thief)).toMatchObject({ code: 'SVL-0003' });
    const other = visitor();
    for (const [name, value] of guest.jar) other.setCookie(name, value);
    expect(await autologin(other, { share: token })).toMatchObject({ code: 'SVL-0003' });
    await updateLink(cast.U1, folder, timestamp, { password: 'pin that came later' });
    expect(await autologin(guest)).toMatchObject({ code: 'SVL-0003' });
  });

  it('lasts as long as the cookies of guests, where sessions are not transient', async () => {
    const { url } = await linkOf(cast.U1, await calendarOf(cast.U1));
    const response = await visitor().fetch('GET', new URL(url).pathname);
    const cookies = response.headers.getSetCookie().filter((cookie) => /^svc-(secret|session|share)-/.test(cookie));
    expect(cookies).toHaveLength(3);
    for (const cookie of cookies) expect(cookie).toMatch(new RegExp(`max-age=${WEEK}`, 'i'));
  });
});
