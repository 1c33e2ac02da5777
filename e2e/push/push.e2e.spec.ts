import { until } from '@groupware/test-kit';
import { createFixtures, createTestUser, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient, Client } from '../client';
import { SENT_TWICE, startTestEnvironment, type TestEnvironment } from '../test-environment';
import { openEvents, openSocket } from './streams';

let world: TestEnvironment;
let cast: Fixtures;
let mailServer: AdminClient;
beforeAll(async () => {
  world = await startTestEnvironment({ variables: SENT_TWICE });
  cast = await createFixtures(world);
  mailServer = new AdminClient(world.internalUrl, world.service.login, world.service.password);
}, 120_000);
afterAll(() => world?.close());

const NOTIFY = '/preliminary/http-notify/v1/notify';
const notify = (body: object | string) => mailServer.request('PUT', NOTIFY, body);

describe('pns: subscribe and unsubscribe', () => {
  const token = 'window 1';
  const subscription = { client: 'c', token, transport: 'sse', topics: ['ox:mail:*'] };

  it('take their values from the body or the URL', async () => {
    expect(await cast.U1.put('pns', 'subscribe', {}, subscription)).toEqual({ data: { success: true } });
    const parameters = { ...subscription, topics: 'ox:mail:new,*' };
    expect(await cast.U1.call('PUT', 'pns', 'subscribe', parameters)).toEqual({ data: { success: true } });
    expect(await cast.U1.call('PUT', 'pns', 'unsubscribe', { token, transport: 'sse' })).toEqual({
      data: { success: true },
    });
    expect(await cast.U1.put('pns', 'unsubscribe', {}, { token, transport: 'sse' })).toEqual({
      data: { success: true },
    });
  });

  it.each(['apn', 'apn_http2', 'gcm', 'wns', 'websocket'])('take the transport %s of clients', async (transport) => {
    const body = { token: `device ${transport}`, transport, topics: ['ox:mail:new'] };
    expect(await cast.U2.put('pns', 'subscribe', {}, body)).toEqual({ data: { success: true } });
    expect(await cast.U2.put('pns', 'unsubscribe', {}, body)).toEqual({ data: { success: true } });
  });

  it('say what is wrong', async () => {
    const answer = async (change: object) =>
      (await cast.U1.put('pns', 'subscribe', {}, { ...subscription, ...change })).code;
    for (const name of ['token', 'transport', 'topics']) expect(await answer({ [name]: null })).toBe('SVL-0002');
    expect(await answer({ topics: [] })).toBe('SVL-0002');
    expect(await answer({ transport: 'pigeon' })).toBe('PNS-0005');
    expect(await answer({ topics: ['ox:*:new'] })).toBe('PNS-0007');
    expect(await answer({ transport: 'webpush' })).toBe('PNS-9003');
    expect(await answer({ transport: 'webhook', token: '{"url":"https://example.org"}' })).toBe('PNS-9003');
    expect((await cast.U1.put('pns', 'unsubscribe', {}, { token, transport: 'pigeon' })).code).toBe('PNS-0005');
  });

  it('keep to the number and the transports a user may have', async () => {
    const configure = (key: string, value: unknown) =>
      cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${cast.U3.userId}/config/${key}`, { value });
    await configure('com.example.pns.maxSubscriptions', 2);
    await configure('com.example.pns.transport.webhook.enabled', false);
    const subscribe = async (change: object) =>
      (await cast.U3.put('pns', 'subscribe', {}, { ...subscription, ...change })).code;
    expect(await subscribe({ token: '1' })).toBeUndefined();
    expect(await subscribe({ token: '2' })).toBeUndefined();
    expect(await subscribe({ token: '3' })).toBe('PNS-9004');
    expect(await subscribe({ token: '2', topics: ['*'] })).toBeUndefined();
    const webhook = JSON.stringify({ url: 'https://example.org', secret: 'x'.repeat(32) });
    expect(await subscribe({ transport: 'webhook', token: webhook })).toBe('PNS-9005');
  });
});

/** The sessions of streams are looked at every 20 seconds here: what ends sooner was told to. */
describe('a stream ends at once when its session', () => {
  it.each<[string, (player: TestUser, other: Client) => Promise<unknown>]>([
    ['is logged out', (player) => player.fetch('GET', '/login', { action: 'logout', session: player.session })],
    [
      'is closed by an operator',
      (player) =>
        cast.admin.expect('POST', '/admin/v1/close-sessions/by-user', {
          users: [{ contextId: player.contextId, userId: player.userId }],
        }),
    ],
    ['is ended by another one of the user', (_player, other) => other.call('GET', 'sessionmanagement', 'clear')],
  ])('%s', async (how, end) => {
    const player = await createTestUser(world, cast.admin, cast.contextId, `p${how.length}`);
    const other = new Client(world.publicUrl);
    await other.login(player.loginName, PASSWORD);
    const streams = [await openEvents(player), await openSocket(player)];
    await end(player, other);
    await until(() => streams.every(({ isOver }) => isOver), 10_000);
    expect(streams[0]!.events.at(-1)).toMatchObject({ event: 'closed', data: { reason: 'session' } });
  });
});

/** Five minutes of real time: `E2E_PUSH_AWAY_MS=300000`. */
it('a client that was away for a while goes on: no gap, nothing twice', async () => {
  const awayMs = Number(process.env.E2E_PUSH_AWAY_MS ?? 2_000);
  const player = await createTestUser(world, cast.admin, cast.contextId, 'away');
  const first = await openSocket(player);
  let uid = 0;
  const told: string[] = [];
  const tell = async () => {
    told.push(String((uid += 1)));
    const user = `${player.userId}@${player.contextId}`;
    expect((await notify({ event: 'messageNew', user, folder: 'INBOX', 'imap-uid': uid })).status).toBe(200);
  };
  await tell();
  await first.expect(1);
  const { lastId } = first;
  first.close();
  await until(() => first.isOver);
  for (const end = Date.now() + awayMs; Date.now() < end;) {
    await tell();
    await new Promise((resolve) => setTimeout(resolve, Math.min(1_000, awayMs / 5)));
  }
  const second = await openSocket(player, { lastEventId: lastId });
  await tell();
  await second.expect(told.length - 1);
  second.close();
  expect([...first.notices, ...second.notices].map(({ data }) => data.id)).toEqual(told);
  expect(second.events.some(({ event }) => event === 'resync')).toBe(false);
}, 420_000);

describe('push input', () => {
  it('RX-14 takes a message of a mail server', async () => {
    const user = `${cast.U1.userId}@${cast.contextId}`;
    const message = { event: 'messageNew', user, folder: 'INBOX', 'imap-uid': '1', from: 'a@b.example', subject: 's' };
    expect(await notify(message)).toMatchObject({ status: 200, body: { success: true } });
  });

  it('is a success whatever it means, so that mail servers never queue', async () => {
    for (const body of [
      { event: 'messageRead', user: '3@1' },
      { event: 'messageNew', user: 'nobody' },
      { event: 5, user: 5, folder: 5, 'imap-uid': [], from: {}, subject: 5, unseen: 'many', snippet: [] },
      { event: 'messageNew', user: `${cast.U1.userId}@${cast.contextId}`, folder: 'INBOX', 'imap-uid': 9, unseen: '4' },
      { event: 'messageNew', user: `999@${cast.contextId}`, folder: 'INBOX', 'imap-uid': 4 },
      { event: 'messageNew', user: '3@2147483000', folder: 'INBOX', 'imap-uid': 4 },
      {},
    ])
      expect(await notify(body)).toMatchObject({ status: 200, body: { success: true } });
  });

  it('refuses what is no JSON object, and strangers', async () => {
    for (const body of ['[]', '"x"', '{', '']) expect((await notify(body)).status).toBe(400);
    const stranger = new AdminClient(world.internalUrl, world.service.login, 'wrong');
    expect((await stranger.request('PUT', NOTIFY, {})).status).toBe(401);
  });
});
