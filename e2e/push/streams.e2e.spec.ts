import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { EventBus } from '@groupware/messaging';
import { until } from '@groupware/test-kit';
import { created, FAR_FUTURE, HOUR } from '../calendar/calendar';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { openEvents, openSocket, type OpenStream } from './streams';

let world: TestEnvironment;
let cast: Fixtures;
let mailServer: AdminClient;
const open: OpenStream[] = [];
const events = async (...parameters: Parameters<typeof openEvents>) => {
  const stream = await openEvents(...parameters);
  open.push(stream);
  return stream;
};
const socket = async (...parameters: Parameters<typeof openSocket>) => {
  const stream = await openSocket(...parameters);
  open.push(stream);
  return stream;
};

beforeAll(async () => {
  world = await startTestEnvironment({
    variables: {
      GATEWAY_STREAMS_PER_USER: '4',
      GATEWAY_STREAM_HEARTBEAT_MS: '500',
      GATEWAY_STREAM_CHECK_MS: '400',
      GATEWAY_STREAM_MAX_BUFFER_BYTES: '20000',
      PUSH_RETENTION_COUNT: '60',
    },
  });
  cast = await createFixtures(world);
  mailServer = new AdminClient(world.internalUrl, world.service.login, world.service.password);
}, 120_000);
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(() => world?.close());

let uid = 0;
/** A mail server tells of mails; answers their ids. */
async function mails(player: TestUser, count = 1, snippet = ''): Promise<string[]> {
  const ids = Array.from({ length: count }, () => String((uid += 1)));
  for (const id of ids)
    await mailServer.expect('PUT', '/preliminary/http-notify/v1/notify', {
      event: 'messageNew',
      user: `${player.userId}@${player.contextId}`,
      folder: 'INBOX',
      'imap-uid': id,
      from: 'Ann <ann@example.org>',
      subject: `Mail ${id}`,
      snippet,
    });
  return ids;
}
const idsOf = (stream: OpenStream) => stream.notices.map(({ data }) => data.id);
let count = 0;
const someone = () => createTestUser(world, cast.admin, cast.contextId, `p${(count += 1)}`);

describe.each([
  ['events', events],
  ['socket', socket],
] as const)('a stream of %s', (_name, openStream) => {
  it('tells its user about mails, once and in order, and nobody else', async () => {
    const [mine, other, stranger] = [
      await openStream(cast.U1),
      await openStream(cast.U2),
      await openStream(cast.X1, { topics: '*' }),
    ];
    const ids = await mails(cast.U1, 3);
    await mails(cast.U1, 0);
    const again = { event: 'messageNew', user: `${cast.U1.userId}@${cast.contextId}`, folder: 'INBOX' };
    await mailServer.expect('PUT', '/preliminary/http-notify/v1/notify', { ...again, 'imap-uid': Number(ids[0]) });
    const [last] = await mails(cast.U1);
    const notices = await mine.expect(4);
    expect(idsOf(mine)).toEqual([...ids, last]);
    expect(notices[0]).toEqual({
      id: expect.stringMatching(/./),
      event: 'ox:mail:new',
      data: {
        folder: 'default0/INBOX',
        id: ids[0],
        email: 'ann@example.org',
        displayname: 'Ann',
        subject: `Mail ${ids[0]}`,
      },
    });
    expect(other.notices).toEqual([]);
    expect(stranger.notices).toEqual([]);
  });

  it('tells everybody who takes part about changed appointments', async () => {
    const streams = [await openStream(cast.U1), await openStream(cast.U2)];
    const start = Date.UTC(2033, 1, 1, 9);
    const id = await created(cast.U1, {
      title: 'together',
      start_date: start,
      end_date: start + HOUR,
      participants: [
        { id: cast.U1.userId, type: 1 },
        { id: cast.U2.userId, type: 1 },
      ],
    });
    for (const stream of streams) {
      const [notice] = await stream.expect(1);
      expect(notice).toMatchObject({
        event: 'ox:calendar:updates',
        data: { id: String(id), change: 'created', by: cast.U1.userId },
      });
      expect(notice!.data.folders).toContain(cast.U1.folder);
    }
  });

  it('tells who only reads a calendar that something changed there, and not what', async () => {
    const [owner, reader, stranger, late] = [await someone(), await someone(), await someone(), await someone()];
    const share = (...readers: TestUser[]) =>
      owner.put(
        'folders',
        'update',
        { id: owner.folder, timestamp: FAR_FUTURE },
        {
          permissions: [
            { entity: owner.userId, bits: 403710016, group: false },
            ...readers.map(({ userId }) => ({ entity: userId, bits: 257, group: false })),
            // Sees the folder and nothing in it.
            { entity: stranger.userId, bits: 1, group: false },
            { entity: cast.team, bits: 257, group: true },
          ],
        },
      );
    await share(reader);
    const streams = [await openStream(owner), await openStream(reader), await openStream(stranger)];
    const member = await openStream(cast.U1);
    const start = Date.UTC(2033, 3, 1, 9);
    const id = await created(owner, { title: 'x', start_date: start, end_date: start + HOUR, private_flag: true });
    await streams[1]!.expect(1);
    expect(streams[1]!.notices[0]).toMatchObject({
      event: 'ox:calendar:updates',
      data: { folders: [owner.folder], change: 'folder' },
    });
    expect((await member.about({ change: 'folder' })).map(({ data }) => data.folders)).toEqual([[owner.folder]]);
    expect(JSON.stringify(streams[1]!.notices)).not.toContain(`"${id}"`);
    await share(late);
    const lateStream = await openStream(late);
    await owner.put('calendar', 'delete', { timestamp: FAR_FUTURE }, { id, folder: owner.folder });
    await lateStream.expect(1);
    await streams[0]!.expect(2);
    expect(streams[0]!.notices[1]!.data).toMatchObject({ id, change: 'deleted' });
    expect(streams[1]!.notices).toHaveLength(1);
    expect(streams[2]!.notices).toEqual([]);
  });

  it('goes on where a client was when it comes back: nothing missing, nothing twice', async () => {
    const player = await someone();
    const first = await openStream(player);
    const before = await mails(player, 2);
    await first.expect(2);
    first.close();
    await until(() => first.isOver);
    const during = await mails(player, 5);
    const second =
      openStream === events
        ? await events(player, {}, first.lastId)
        : await openStream(player, { lastEventId: first.lastId });
    const after = await mails(player, 2);
    await second.expect(7);
    expect([...idsOf(first), ...idsOf(second)]).toEqual([...before, ...during, ...after]);
    expect(second.events.some(({ event }) => event === 'resync')).toBe(false);
  });

  it('says so when too much was missed, or the position means nothing', async () => {
    const player = await someone();
    const first = await openStream(player);
    const { lastId } = first;
    first.close();
    const missed = await mails(player, 110);
    for (const lastEventId of [lastId, 'zzz-5', 'rubbish']) {
      const stream = await openStream(player, { lastEventId });
      await until(() => stream.events.length > 1);
      expect(stream.events[1]!.event).toBe('resync');
      const [next] = await mails(player);
      await stream.expect(1);
      expect(idsOf(stream)).toEqual([next]);
      stream.close();
    }
    expect(missed).toHaveLength(110);
  }, 60_000);

  it('tells only the topics that were asked for or subscribed', async () => {
    const player = await someone();
    const transport = openStream === events ? 'sse' : 'websocket';
    const all = await openStream(player);
    const asked = await openStream(player, { topics: 'ox:calendar:*,ox:reminder:due' });
    await player.put('pns', 'subscribe', {}, { token: 't', transport, topics: ['ox:none'] });
    const subscribed = await openStream(player);
    await mails(player);
    const start = Date.UTC(2033, 2, 1, 9);
    await created(player, { title: 'x', start_date: start, end_date: start + HOUR });
    await asked.expect(1);
    expect(asked.notices[0]!.event).toBe('ox:calendar:updates');
    await player.put('pns', 'unsubscribe', {}, { token: 't', transport });
    await player.put('pns', 'subscribe', {}, { token: 't', transport, topics: ['ox:mail:*'] });
    await until(async () => {
      await mails(player);
      return subscribed.notices.length > 0;
    });
    expect(new Set(subscribed.notices.map(({ event }) => event))).toEqual(new Set(['ox:mail:new']));
    expect(all.events[0]!.event).toBe('hello');
  });

  it('ends with its session', async () => {
    const player = await someone();
    const stream = await openStream(player);
    await player.fetch('GET', '/login', { action: 'logout', session: player.session });
    await until(() => stream.isOver);
    await expect(openStream(player)).rejects.toThrow();
  });

  it('has so many places for a user', async () => {
    const player = await someone();
    for (let index = 0; index < 4; index++) await openStream(player);
    await expect(openStream(player)).rejects.toThrow('429');
    open.at(-1)!.close();
    await until(() =>
      openStream(player).then(
        () => true,
        () => false,
      ),
    );
  });

  it('gives signs of life that move the position', async () => {
    const player = await someone();
    const stream = await openStream(player, { topics: 'ox:none' });
    const before = stream.lastId;
    await mails(player);
    await until(() => stream.lastId !== before);
    expect(stream.notices).toEqual([]);
  });
});

describe('streams', () => {
  it('refuse topics that are none, and ask for an upgrade', async () => {
    for (const action of ['events', 'socket'])
      expect((await cast.U1.get('pns', action, { topics: 'a b' })).code).toBe(
        action === 'events' ? 'PNS-0007' : 'PNS-9007',
      );
    await expect(openSocket(cast.U1, { topics: 'a b' })).rejects.toThrow('status 200');
    const plain = await cast.U1.fetch('GET', '/pns', { action: 'socket', session: cast.U1.session });
    expect(plain.status).toBe(426);
    expect(await plain.json()).toMatchObject({ code: 'PNS-9007' });
    expect((await cast.U1.get('pns', 'events', { session: '0'.repeat(32) })).code).toBe('SES-0203');
  });

  it('answer other upgrades like any call', async () => {
    const { hostname, port } = new URL(world.publicUrl);
    const answer = await new Promise<string>((resolve) => {
      const connection = net.connect(Number(port), hostname, () =>
        connection.write(
          'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n',
        ),
      );
      let text = '';
      connection.on('data', (data) => (text += String(data)));
      connection.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
    expect(answer).toContain('SVL-0007');
  });

  it('hear by themselves of what no word came for', async () => {
    const player = await someone();
    const stream = await events(player);
    const broadcast = jest.spyOn(EventBus.prototype, 'broadcast').mockImplementation(() => undefined);
    const ids = await mails(player, 3);
    broadcast.mockRestore();
    await stream.expect(3);
    expect(idsOf(stream)).toEqual(ids);
  });

  it('hold up nobody for a client that does not read; it goes on when it comes back', async () => {
    const player = await someone();
    const witness = await events(player);
    const { hostname, port } = new URL(world.publicUrl);
    const cookie = [...player.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const slow = http.get({
      hostname,
      port,
      path: `/pns?action=events&session=${player.session}`,
      headers: { 'user-agent': player.userAgent, cookie },
    });
    const [response] = (await once(slow, 'response')) as [http.IncomingMessage];
    response.on('error', () => undefined).socket.pause();
    const text = 'wörds '.repeat(80);
    // Events that fit into the buffers of the sockets do not count.
    for (let sent = 0; sent < 40; sent++) await mails(player, 1, text);
    await witness.expect(40);
    slow.destroy();
    const resumed = await events(player, {}, witness.events[0]!.id);
    await resumed.expect(40);
    expect(idsOf(resumed)).toEqual(idsOf(witness));
  }, 60_000);
});
