import { AdminClient } from '../client';
import { createCast, type Cast } from '../cast';
import { startWorld, type World } from '../world';

let world: World;
let cast: Cast;
let mailServer: AdminClient;
beforeAll(async () => {
  world = await startWorld();
  cast = await createCast(world);
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

  it('say what is wrong', async () => {
    const answer = async (change: object) =>
      (await cast.U1.put('pns', 'subscribe', {}, { ...subscription, ...change })).code;
    for (const name of ['token', 'transport', 'topics']) expect(await answer({ [name]: null })).toBe('SVL-0002');
    expect(await answer({ topics: [] })).toBe('SVL-0002');
    expect(await answer({ transport: 'pigeon' })).toBe('PNS-9001');
    expect(await answer({ topics: ['ox:*:new'] })).toBe('PNS-9002');
    expect(await answer({ transport: 'webpush' })).toBe('PNS-9003');
    expect(await answer({ transport: 'webhook', token: '{"url":"https://example.org"}' })).toBe('PNS-9003');
    expect((await cast.U1.put('pns', 'unsubscribe', {}, { token, transport: 'pigeon' })).code).toBe('PNS-9001');
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
