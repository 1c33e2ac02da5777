import { createDecipheriv, createECDH, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@groupware/test-kit';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

/** A server that push messages are sent to, with the answers it is told to give. */
class Receiver {
  readonly requests: { path: string; headers: http.IncomingHttpHeaders; body: Buffer; at: number }[] = [];
  /** Status by path, the first ones first; then 201. */
  readonly answers = new Map<string, number[]>();
  private readonly server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const path = request.url!;
      this.requests.push({ path, headers: request.headers, body: Buffer.concat(parts), at: Date.now() });
      response.writeHead(this.answers.get(path)?.shift() ?? 201, { location: '/elsewhere' }).end();
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  start = () => new Promise<void>((resolve) => void this.server.listen(0, '127.0.0.1', resolve));
  stop = () => new Promise((resolve) => this.server.close(resolve));
  of = (path: string) => this.requests.filter((request) => request.path === path);
}

let world: TestEnvironment;
let cast: Fixtures;
let mailServer: AdminClient;
const receiver = new Receiver();
beforeAll(async () => {
  await receiver.start();
  world = await startTestEnvironment({
    variables: {
      PUSH_ALLOW_PLAIN: 'true',
      PUSH_DEBOUNCE_MS: '700',
      PUSH_RETRY_MS: '50',
      PUSH_MAX_ATTEMPTS: '4',
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535',
      GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
    },
  });
  cast = await createFixtures(world);
  mailServer = new AdminClient(world.internalUrl, world.service.login, world.service.password);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await receiver.stop();
});

let uid = 0;
async function mail(player: TestUser): Promise<string> {
  const id = String((uid += 1));
  await mailServer.expect('PUT', '/preliminary/http-notify/v1/notify', {
    event: 'messageNew',
    user: `${player.userId}@${player.contextId}`,
    folder: 'INBOX',
    'imap-uid': id,
    subject: `Mail ${id}`,
  });
  return id;
}
let count = 0;
const someone = () => createTestUser(world, cast.admin, cast.contextId, `d${(count += 1)}`);
const secret = 'a secret of the webhook';
async function hook(player: TestUser, path: string, topic = 'ox:mail:*'): Promise<string> {
  const token = JSON.stringify({ url: receiver.url + path, secret });
  const answer = await player.put('pns', 'subscribe', {}, { token, transport: 'webhook', topics: [topic] });
  expect(answer).toEqual({ data: { success: true } });
  return token;
}
const mailsOf = (path: string) =>
  receiver.of(path).map(({ body }) => JSON.parse(String(body)).notices.map((notice: any) => notice.data.id));

describe('webhooks', () => {
  it('are called signed, with a time stamp; what comes in a burst goes together', async () => {
    const player = await someone();
    const token = await hook(player, '/burst');
    const first = await mail(player);
    await until(() => receiver.of('/burst').length === 1);
    const { headers, body } = receiver.of('/burst')[0]!;
    const stamp = String(headers['x-svc-push-timestamp']);
    expect(Math.abs(Number(stamp) * 1000 - Date.now())).toBeLessThan(60_000);
    const signature = createHmac('sha256', secret).update(`${stamp}.${body}`).digest('hex');
    expect(headers['x-svc-push-signature']).toBe(`v1=${signature}`);
    expect(JSON.parse(String(body))).toEqual({
      notices: [
        {
          id: headers['x-svc-push-id'],
          topic: 'ox:mail:new',
          at: expect.any(Number),
          data: { folder: 'default0/INBOX', id: first, subject: `Mail ${first}` },
        },
      ],
    });
    const more: string[] = [];
    for (let index = 0; index < 7; index++) more.push(await mail(player));
    await until(() => mailsOf('/burst').flat().length === 8, 15_000);
    const calls = mailsOf('/burst');
    expect(calls.flat()).toEqual([first, ...more]);
    expect(Math.max(...calls.map((ids) => ids.length))).toBeLessThanOrEqual(5);
    expect(calls.length).toBeLessThan(8);
    await player.put('pns', 'unsubscribe', {}, { token, transport: 'webhook' });
    await mail(player);
    const other = await someone();
    await hook(other, '/other');
    await mail(other);
    await until(() => receiver.of('/other').length === 1);
    expect(mailsOf('/burst').flat()).toHaveLength(8);
  }, 40_000);

  it('are called again after a failure, with the same id, until the subscription is given up', async () => {
    const player = await someone();
    receiver.answers.set('/flaky', [500, 302]);
    await hook(player, '/flaky');
    const id = await mail(player);
    await until(() => receiver.of('/flaky').length === 3, 15_000);
    expect(mailsOf('/flaky')).toEqual([[id], [id], [id]]);
    expect(new Set(receiver.of('/flaky').map(({ headers }) => headers['x-svc-push-id'])).size).toBe(1);
    expect(receiver.of('/elsewhere')).toEqual([]);
    receiver.answers.set(
      '/dead',
      Array.from({ length: 20 }, () => 503),
    );
    const lost = await someone();
    await hook(lost, '/dead');
    await mail(lost);
    await until(() => receiver.of('/dead').length === 4, 15_000);
    await mail(lost);
    await mail(player);
    await until(() => receiver.of('/flaky').length === 4, 15_000);
    expect(receiver.of('/dead')).toHaveLength(4);
  }, 40_000);

  it('must not lead into other networks', async () => {
    const player = await someone();
    const token = JSON.stringify({ url: receiver.url.replace('127.0.0.1', '127.0.0.2') + '/inside', secret });
    await player.put('pns', 'subscribe', {}, { token, transport: 'webhook', topics: ['*'] });
    await hook(player, '/outside');
    await mail(player);
    await until(() => receiver.of('/outside').length === 1);
    expect(receiver.of('/inside')).toEqual([]);
  });
});

/** A browser as Web Push sees it: keys and an endpoint (RFC 8291). */
class FakeBrowser {
  private readonly ecdh = createECDH('prime256v1');
  private readonly auth = randomBytes(16);
  private readonly publicKey = this.ecdh.generateKeys();

  constructor(readonly path: string) {}

  get token(): string {
    const keys = { p256dh: this.publicKey.toString('base64url'), auth: this.auth.toString('base64url') };
    return JSON.stringify({ endpoint: receiver.url + this.path, expirationTime: null, keys });
  }

  /** Opens a message of one record (RFC 8188). */
  open(body: Buffer): any {
    const salt = body.subarray(0, 16);
    const keyLength = body[20]!;
    const sender = body.subarray(21, 21 + keyLength);
    const shared = this.ecdh.computeSecret(sender);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.publicKey, sender]);
    const key = Buffer.from(hkdfSync('sha256', shared, this.auth, info, 32));
    const derive = (what: string, size: number) =>
      Buffer.from(hkdfSync('sha256', key, salt, `Content-Encoding: ${what}\0`, size));
    const sealed = body.subarray(21 + keyLength);
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString();
    return JSON.parse(text.slice(0, text.lastIndexOf('\u0002')));
  }
}

describe('the client that changes an event', () => {
  const eventsAt = (path: string): string[] => mailsOf(path).flat();
  const changes = async (at: TestUser, calendar: string, other: string, token: string): Promise<void> => {
    const write = async (action: string, query: object, body: object = {}) => {
      const answer = await at.put('chronos', action, { pushToken: token, folder: calendar, ...query }, body);
      expect(answer.error).toBeUndefined();
      return answer;
    };
    const event = {
      summary: 'Walk',
      startDate: { value: '20300101T100000Z' },
      endDate: { value: '20300101T110000Z' },
      alarms: [{ action: 'DISPLAY', trigger: { duration: '-PT15M' } }],
    };
    const { data, timestamp } = await write('new', {}, event);
    const { id } = data.created[0];
    const named = { id, timestamp };
    const next = async (action: string, query: object, body?: object): Promise<void> => {
      named.timestamp = (await write(action, { ...named, ...query }, body)).timestamp!;
    };
    await next('update', {}, { event: { summary: 'Long walk' } });
    await next('updateAttendee', {}, { alarms: [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }] });
    await next('move', { targetFolder: other });
    await write('delete', { timestamp: named.timestamp }, { events: [{ folder: other, id }] });
  };

  it('is not told of it when it names the token of its subscription; other clients of the user are', async () => {
    const player = await someone();
    const calendar = String(player.folder);
    const place = { folder_id: '1', tree: 1 };
    const { data: other } = await player.put('folders', 'new', place, { title: 'Other', module: 'calendar' });
    const token = await hook(player, '/own', 'ox:calendar:*');
    await hook(player, '/second', 'ox:calendar:*');
    await changes(player, calendar, String(other), token);
    await until(() => eventsAt('/second').length >= 5, 15_000);
    expect(eventsAt('/own')).toEqual([]);
    await changes(player, calendar, String(other), 'of nobody');
    await until(() => eventsAt('/own').length >= 5, 15_000);
    expect(new Set(eventsAt('/own')).size).toBe(1);
    expect(eventsAt('/own')[0]).not.toBe(eventsAt('/second')[0]);
  }, 40_000);
});

describe('web push', () => {
  const subscribe = (player: TestUser, browser: FakeBrowser) =>
    player.put('pns', 'subscribe', {}, { token: browser.token, transport: 'webpush', topics: ['ox:mail:new'] });

  it('tells a browser, sealed for it, under the key that clients are given', async () => {
    const player = await someone();
    const { data } = await player.get('pns', 'webPushKey');
    expect(Buffer.from(data.key, 'base64url')).toHaveLength(65);
    const browser = new FakeBrowser('/browser');
    expect(await subscribe(player, browser)).toEqual({ data: { success: true } });
    const id = await mail(player);
    await until(() => receiver.of('/browser').length === 1);
    const { headers, body } = receiver.of('/browser')[0]!;
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: expect.stringMatching(/^\d+$/) });
    expect(headers.authorization).toContain(`k=${data.key}`);
    expect(browser.open(body).notices).toEqual([expect.objectContaining({ data: expect.objectContaining({ id }) })]);
    expect(body.includes(`Mail ${id}`)).toBe(false);
  });

  it('forgets browsers that are gone, and those that somebody else uses now', async () => {
    const [player, next] = [await someone(), await someone()];
    receiver.answers.set('/gone', [410]);
    await subscribe(player, new FakeBrowser('/gone'));
    const shared = new FakeBrowser('/shared');
    await subscribe(player, shared);
    await subscribe(next, shared);
    await mail(player);
    await until(() => receiver.of('/gone').length === 1);
    await hook(player, '/witness');
    await mail(player);
    await until(() => receiver.of('/witness').length === 1);
    expect(receiver.of('/gone')).toHaveLength(1);
    expect(receiver.of('/shared')).toEqual([]);
    await mail(next);
    await until(() => receiver.of('/shared').length === 1);
  });
});
