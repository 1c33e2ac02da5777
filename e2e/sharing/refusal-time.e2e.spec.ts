import { randomBytes } from 'node:crypto';
import {
  guestOfToken,
  LOGIN_ATTEMPTS_FROM_STRANGERS,
  LOGIN_ATTEMPTS_PER_ADDRESS,
  LOGIN_ATTEMPTS_PER_NAME,
  shareToken,
} from '@groupware/contracts';
import { tellingTimes } from '@groupware/test-kit';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { calendarOf, invite, linkOf, shareOf, updateLink, Visitor } from './sharing';

const MANY = '100000';
const PASSWORD = 'Gina knows 1 word';
let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  world = await startTestEnvironment({
    // Hashes that take some time, but not so much that it hides all the rest.
    variables: { IDENTITY_HASH_MEMORY_KIB: '4096', IDENTITY_HASH_PASSES: '2', GATEWAY_LOGINS_PER_MINUTE: MANY },
    properties: {
      [LOGIN_ATTEMPTS_FROM_STRANGERS.key]: MANY,
      [LOGIN_ATTEMPTS_PER_ADDRESS.key]: MANY,
      [LOGIN_ATTEMPTS_PER_NAME.key]: MANY,
    },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

async function namedGuest(player: TestUser, email: string): Promise<string> {
  const folder = await calendarOf(player);
  await invite(player, folder, email);
  return (await shareOf(player, folder, email)).token;
}

async function linkWithPin(player: TestUser): Promise<string> {
  const folder = await calendarOf(player);
  const { token, timestamp } = await linkOf(player, folder);
  expect(await updateLink(player, folder, timestamp, { password: '1234' })).not.toHaveProperty('error');
  return token;
}

describe('the time of a refused login of a guest', () => {
  it('does not tell whether token, guest, context and password exist', async () => {
    const link = await linkWithPin(cast.U1);
    const chosen = await namedGuest(cast.U1, 'chosen@outside.example');
    const bare = await namedGuest(cast.U2, 'bare@outside.example');
    const visitor = new Visitor(world.publicUrl);
    await visitor.enter('guest', { share: chosen, password: PASSWORD });
    const { guestId } = guestOfToken(link)!;
    const tokenOf = (contextId: number, guest: number) =>
      shareToken({ contextId, guestId: guest }, randomBytes(16).toString('hex'));
    const wrong = { password: 'wrong' };
    const cases: Record<string, [action: string, form: Record<string, string>]> = {
      'a wrong pin': ['anonymous', { share: link, ...wrong }],
      'no pin': ['anonymous', { share: link }],
      'a wrong password': ['guest', { share: chosen, ...wrong }],
      'a wrong name': ['guest', { share: chosen, name: 'other@outside.example', password: PASSWORD }],
      'a wrong name where there is no password': ['guest', { share: bare, name: 'other@outside.example', ...wrong }],
      'a guest of the other kind': ['guest', { share: link, ...wrong }],
      'another token of the guest': ['anonymous', { share: tokenOf(cast.contextId, guestId), ...wrong }],
      'nobody in a context': ['guest', { share: tokenOf(cast.contextId, 999_999), ...wrong }],
      'nobody at all': ['guest', { share: tokenOf(77_777_777, 3), ...wrong }],
      'no token': ['anonymous', { share: 'nonsense', ...wrong }],
    };
    const refusals = Object.entries(cases).map(([name, [action, form]]) => {
      const refused = async (): Promise<void> =>
        expect(['SHR-0002', 'LGI-0025']).toContain((await visitor.enter(action, form)).code);
      return [name, refused];
    });
    expect(await tellingTimes(Object.fromEntries(refusals), 1.35)).toEqual([]);
  }, 120_000);
});
