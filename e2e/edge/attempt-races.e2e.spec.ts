import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { pipelined, type PipelinedRequest } from '../pipeline';
import { keepOutOfLogs } from '../secrets';
import { calendarOf, invite, linkOf, shareOf, updateLink } from '../sharing/sharing';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const GUESSES = 1_000;
const REST_FAILURES = 40;
/** Address from which no client guesses. */
const HOME = '127.0.0.1';
/** Limits hold for a minute from the first failure. */
const WINDOW_MS = 60_000;
/** Errors that say that a module did not answer, as codes or status. */
const LATE = ['SVL-0032', 'SVL-0033', 'SVL-0035', '503', '504'];

let world: TestEnvironment;
let master: AdminClient;
let contextId: number;
let ann: TestUser;
let bob: TestUser;
let addresses = 0;
/** Each door has a guesser of its own, for some limits count by address. */
const newAddress = (): string => `127.0.7.${++addresses}`;

beforeAll(async () => {
  world = await startTestEnvironment({
    properties: {
      'com.example.capabilities.servedElsewhere': 'caldav,carddav',
      'com.example.oauth.provider.enabled': 'true',
    },
    variables: {
      // Above the limit of the administrators, so that theirs is the one that holds at their door.
      GATEWAY_REST_FAILURES_PER_MINUTE: String(REST_FAILURES),
      GATEWAY_LOGINS_PER_MINUTE: '100000',
    },
  });
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(master, 'races');
  [ann, bob] = [
    await createTestUser(world, master, contextId, 'ann'),
    await createTestUser(world, master, contextId, 'bob'),
  ];
}, 240_000);
afterAll(() => world?.close());

/** A thousand requests that came at once. */
interface Race {
  /** How often which code or status was answered, but those of {@link late}. */
  readonly counts: Readonly<Record<string, number>>;
  /** Answers of a busy machine: no module answered in time. Whether the secret was compared is not told. */
  readonly late: number;
  /** Windows of the limit that the race may have been in: more than one on a machine that takes minutes for it. */
  readonly windows: number;
  /** The window of the race is still open for a while. */
  readonly isRecent: boolean;
}

async function race(url: string, from: string, guess: (index: number) => PipelinedRequest): Promise<Race> {
  const counts: Record<string, number> = {};
  const requests = Array.from({ length: GUESSES }, (_, index) => guess(index));
  const begun = performance.now();
  for (const answer of await pipelined(url, requests, from)) counts[answer] = (counts[answer] ?? 0) + 1;
  const tookMs = performance.now() - begun;
  let late = 0;
  for (const code of LATE) {
    late += counts[code] ?? 0;
    delete counts[code];
  }
  return { counts, late, windows: 1 + Math.floor(tookMs / WINDOW_MS), isRecent: tookMs < WINDOW_MS / 2 };
}

/** A limit of wrong secrets, with the answers to a wrong one and to one that is not compared. */
interface GuessLimit {
  readonly most: number;
  readonly wrong: string;
  readonly refused: string;
}

/**
 * Expects that of a thousand guesses as many are compared as may fail, and the others are not.
 * @returns address for which the limit is reached, and its window open for a while
 */
async function expectLimit(
  url: string,
  guess: (index: number) => PipelinedRequest,
  { most, wrong, refused }: GuessLimit,
): Promise<string> {
  const guesser = newAddress();
  const { counts, late, windows, isRecent } = await race(url, guesser, guess);
  const { [wrong]: compared = 0, [refused]: uncompared = 0, ...others } = counts;
  expect({ others, answers: compared + uncompared + late }).toEqual({ others: {}, answers: GUESSES });
  expect(compared).toBeLessThanOrEqual(most * windows);
  expect(compared + late).toBeGreaterThanOrEqual(most);
  // Otherwise the race would prove little.
  expect(late).toBeLessThan(GUESSES / 2);
  if (isRecent && late === 0) return guesser;
  const exhausted = newAddress();
  const answers: string[] = [];
  for (let index = 0; index <= most || answers.at(-1) !== refused; index++) {
    answers.push(await answerTo(url, guess(index), exhausted));
    expect(index).toBeLessThan(GUESSES);
  }
  return exhausted;
}

const answerTo = async (url: string, request: PipelinedRequest, from: string): Promise<string> =>
  (await pipelined(url, [request], from))[0]!;

const withPassword = (path: string, login: string, password: string): PipelinedRequest => ({
  method: 'GET',
  path,
  headers: { Authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}` },
});

describe('of a thousand guesses that come at once, no more are compared than may fail', () => {
  it('at the credentials of services', async () => {
    const path = `/preliminary/capabilities/v1/all/${contextId}/${ann.userId}`;
    const { login, password } = world.service;
    const guess = (index: number) => withPassword(path, login, `guess ${index}`);
    const limit = { most: REST_FAILURES, wrong: 'REST-0401', refused: 'SVL-0019' };
    const guesser = await expectLimit(world.internalUrl, guess, limit);
    const right = withPassword(path, login, password);
    expect(await answerTo(world.internalUrl, right, guesser)).toBe('SVL-0019');
    expect(await answerTo(world.internalUrl, right, HOME)).toBe('200');
  }, 240_000);

  it('at the password of an administrator', async () => {
    const other = await createContext(master, 'races');
    const users = (context: number, password: string) =>
      withPassword(`/admin/v1/contexts/${context}/users`, 'admin', password);
    const guess = (index: number) => users(contextId, `guess ${index}`);
    const limit = { most: 10, wrong: 'REST-0401', refused: 'SVL-0019' };
    const guesser = await expectLimit(world.internalUrl, guess, limit);
    expect(await answerTo(world.internalUrl, users(contextId, PASSWORD), guesser)).toBe('SVL-0019');
    expect(await answerTo(world.internalUrl, users(other, PASSWORD), guesser)).toBe('200');
    expect(await answerTo(world.internalUrl, users(contextId, PASSWORD), HOME)).toBe('200');
  }, 240_000);

  it('at the pin of a share', async () => {
    const shares: string[] = [];
    for (const player of [ann, bob]) {
      const { token, timestamp } = await linkOf(player, player.folder);
      await updateLink(player, player.folder, timestamp, { password: 'pin of the link' });
      shares.push(token);
    }
    const enter = (share: string, password: string) => ({
      method: 'POST',
      path: '/login?action=anonymous',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ share, password })),
    });
    const guess = (index: number) => enter(shares[0]!, `guess ${index}`);
    const guesser = await expectLimit(world.publicUrl, guess, { most: 20, wrong: 'LGI-0025', refused: 'LGI-0028' });
    expect(await answerTo(world.publicUrl, enter(shares[0]!, 'pin of the link'), guesser)).toBe('LGI-0028');
    expect(await answerTo(world.publicUrl, enter(shares[1]!, 'pin of the link'), guesser)).toBe('200');
    expect(await answerTo(world.publicUrl, enter(shares[0]!, 'pin of the link'), HOME)).toBe('200');
  }, 240_000);

  it('at the password of a named guest', async () => {
    const enter = (share: string, password: string) => ({
      method: 'POST',
      path: '/login?action=guest',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ share, password })),
    });
    const right = 'Gina knows 1 word';
    const folder = await calendarOf(ann);
    const shares: string[] = [];
    for (const email of ['gina@outside.example', 'hugo@outside.example']) {
      await invite(ann, folder, email);
      const { token } = await shareOf(ann, folder, email);
      expect(await answerTo(world.publicUrl, enter(token, right), HOME)).toBe('200');
      shares.push(token);
    }
    const guess = (index: number) => enter(shares[1]!, `guess ${index}`);
    const guesser = await expectLimit(world.publicUrl, guess, { most: 20, wrong: 'LGI-0025', refused: 'LGI-0028' });
    expect(await answerTo(world.publicUrl, enter(shares[1]!, right), guesser)).toBe('LGI-0028');
    expect(await answerTo(world.publicUrl, enter(shares[1]!, right), HOME)).toBe('200');
  }, 240_000);

  it('at the secret of an application', async () => {
    const register = async (): Promise<{ id: string; secret: string }> => {
      const made = await master.expect('POST', '/admin/v1/oauth/clients', {
        ...{ name: 'App', description: 'Plans', website: 'https://planner.example' },
        ...{ redirectURIs: ['https://planner.example/back'], defaultScope: ['read_calendar'] },
      });
      keepOutOfLogs(made.secret);
      return made;
    };
    const [app, other] = [await register(), await register()];
    const exchange = ({ id, secret }: { id: string; secret: string }): PipelinedRequest => ({
      method: 'POST',
      path: '/oauth/provider/accessToken',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: String(
        new URLSearchParams({
          ...{ grant_type: 'refresh_token', refresh_token: 'not one', client_id: id, client_secret: secret },
        }),
      ),
    });
    const guess = (index: number) => exchange({ ...app, secret: `guess ${index}` });
    const guesser = await expectLimit(world.publicUrl, guess, { most: 20, wrong: '401', refused: 'SVL-0019' });
    expect(await answerTo(world.publicUrl, exchange(app), guesser)).toBe('SVL-0019');
    // The token is refused, not the application.
    expect(await answerTo(world.publicUrl, exchange(other), guesser)).toBe('400');
    expect(await answerTo(world.publicUrl, exchange(app), HOME)).toBe('400');
  }, 240_000);

  it('at tokens that set up DAV clients', async () => {
    const setUp = (token: string) => ({ method: 'GET', path: `/davclient/v1/config/${token}` });
    const { data, code } = await ann.get<string>('onboarding', 'link', { type: 'dav' });
    expect(code).toBeUndefined();
    const token = decodeURIComponent(data!).split('/').at(-1)!;
    keepOutOfLogs(token);
    const guess = (index: number) => setUp(String(index).padStart(43, 'x'));
    const guesser = await expectLimit(world.publicUrl, guess, { most: 10, wrong: '403', refused: '429' });
    expect(await answerTo(world.publicUrl, setUp(token), guesser)).toBe('429');
    expect(await answerTo(world.publicUrl, setUp(token), HOME)).toBe('200');
  }, 240_000);

  it('at the secret of a session, for a mail proxy', async () => {
    const guesser = newAddress();
    for (const { userId } of [ann, bob])
      await master.expect('PUT', `/admin/v1/contexts/${contextId}/users/${userId}/mail-account`, {
        imap: { host: 'imap.test', secure: true },
      });
    const secretOf = ({ jar }: TestUser) => [...jar].find(([name]) => /-secret-/.test(name))![1];
    const { login, password } = world.service;
    const validate = ({ session }: TestUser, secret: string): PipelinedRequest => {
      const { headers, ...call } = withPassword(`/preliminary/mail/v1/validate-session/${session}`, login, password);
      return { ...call, headers: { ...headers, 'X-Svc-Session-Secret': secret } };
    };
    // All failures have one answer: what shows that nothing is compared any more is that right secrets fail, too.
    const { counts, late, windows } = await race(world.internalUrl, guesser, (index) =>
      validate(ann, index < GUESSES / 2 ? `guess ${index}` : secretOf(ann)),
    );
    // Attempts that waited too long for pending ones got SVL-0019, and were not compared either.
    const { 'SES-0203': failed = 0, 'SVL-0019': busy = 0, ...others } = counts;
    expect(others).toEqual(windows > 1 ? expect.any(Object) : {});
    const { 200: successful = 0, ...unforeseen } = others;
    expect({ answers: failed + busy + late + successful, unforeseen }).toEqual({ answers: GUESSES, unforeseen: {} });
    expect(failed).toBeGreaterThan(0);
    expect(await answerTo(world.internalUrl, validate(bob, secretOf(bob)), guesser)).toBe('200');
    expect(await answerTo(world.internalUrl, validate(ann, secretOf(ann)), HOME)).toBe('200');
  }, 240_000);
});
