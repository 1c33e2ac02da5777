import fs from 'node:fs';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { BreakableLink } from '@groupware/test-kit';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

/** Connections of each kind; all of them come from the address that all others here have, too. */
const IDLE = 1_000;
const DRIPPING = 1_000;
const AT_ONCE = 100;

let world: TestEnvironment;
let link: BreakableLink;
let admin: AdminClient;
let ann: Client;
const sockets = new Set<net.Socket>();

beforeAll(async () => {
  const redis = new URL(process.env.REDIS_URL!);
  redis.pathname = `/${Number(process.env.JEST_WORKER_ID ?? 1) % 16}`;
  link = await BreakableLink.openTo(redis.href);
  world = await startTestEnvironment({
    modules: ['identity', 'gateway'],
    // Others keep this machine busy, too: a server that answers slowly for their sake is not down.
    variables: { REDIS_URL: link.url(redis.href), GROUPWARE_HEALTH_TIMEOUT_MS: '20000' },
  });
  admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const context = await createContext(admin, 'slow');
  ann = new Client(world.publicUrl);
  await ann.login(`admin@${context}`, PASSWORD);
}, 60_000);
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});
afterAll(async () => {
  await world?.close();
  await link?.close();
});

/** Opens connections to a listener that begin with a text, and waits until each is open. */
async function connectMany(url: string, count: number, text: (number: number) => string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (let begun = 0; begun < count; begun += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - begun) }, (_value, index) => {
        const socket = net.connect({ port: Number(port), host: hostname });
        sockets.add(socket);
        return new Promise<void>((resolve) => {
          socket
            .on('error', () => resolve())
            .once('connect', () => {
              socket.write(text(begun + index), () => resolve());
            });
        });
      }),
    );
}

/** Expects that all others are served: a call, a log-in with a body, probes and an administrator. */
async function expectOthersAreServed(): Promise<void> {
  expect((await ann.get('user/me', undefined as never)).data).toMatchObject({ user_id: ann.userId });
  const login = await new Client(world.publicUrl).login('nobody', 'x');
  expect(login).toMatchObject({ code: 'LGI-0006' });
  for (const probe of ['live', 'ready', 'health', 'metrics']) {
    const response = await fetch(`${world.internalUrl}/${probe}`);
    const text = await response.text();
    expect({ probe, status: response.status, text }).toEqual({ probe, status: 200, text });
  }
  await admin.expect('GET', '/admin/v1/contexts');
}

// This process is the product and all of its clients: on a busy machine that takes minutes.
describe('2,000 clients that are slow', () => {
  it('by asking nothing, or by sending heads and bodies in drips, keep nobody else from being served', async () => {
    const session = ann.session;
    const heads = ['', 'GET /user/me', 'GET /user/me HTTP/1.1\r\nHost: a\r\nX: '];
    await connectMany(world.publicUrl, IDLE, (number) => heads[number % heads.length]!);
    await connectMany(
      world.publicUrl,
      DRIPPING,
      (number) => `PUT /multiple?session=${session}&n=${number} HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n[`,
    );
    const drips = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write(' ')), 200);
    try {
      for (let round = 0; round < 5; round++) await expectOthersAreServed();
    } finally {
      clearInterval(drips);
    }
  }, 240_000);

  it('by not reading their answers, keep nobody else from being served', async () => {
    const request = 'GET /docs/openapi/client.json HTTP/1.1\r\nHost: a\r\n\r\n';
    await connectMany(world.publicUrl, 200, () => request.repeat(3));
    for (const socket of sockets) socket.pause();
    await expectOthersAreServed();
  }, 240_000);

  it('at the internal listener are counted there, and keep nobody else out there either', async () => {
    await connectMany(
      world.internalUrl,
      600,
      () => 'POST /admin/v1/contexts HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n{',
    );
    await expectOthersAreServed();
  }, 240_000);
});

describe('what a gateway can do without', () => {
  const health = async () => {
    const response = await fetch(`${world.internalUrl}/health`);
    const { checks } = (await response.json()) as { checks: { name: string; status: string }[] };
    return checks.filter(({ status }) => status === 'DOWN').map(({ name }) => name);
  };
  const ready = async () => (await fetch(`${world.internalUrl}/ready`)).status;

  it('a session store that is away: 503 and when to come again, the session lives on', async () => {
    const broken = link.break(3_000);
    let response = await ann.fetch('GET', '/user/me', { session: ann.session });
    while (response.status !== 503) response = await ann.fetch('GET', '/user/me', { session: ann.session });
    expect(response.headers.get('retry-after')).toBe('5');
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await response.json()).toMatchObject({ code: 'SES-0208' });
    while (!(await health()).includes('redis')) await wait(50);
    expect(await ready()).toBe(200);
    await broken;
    let answer = await ann.get('user/me', undefined as never);
    while (answer.code === 'SES-0208') {
      await wait(50);
      answer = await ann.get('user/me', undefined as never);
    }
    expect(answer.data).toMatchObject({ user_id: ann.userId });
  }, 240_000);

  it('a file store that takes nothing', async () => {
    const folder = new URL(world.environment.FILESTORE_URL!).pathname;
    fs.rmSync(folder, { recursive: true, force: true });
    fs.writeFileSync(folder, 'no folder');
    try {
      while (!(await health()).includes('filestore')) await wait(100);
      expect(await ready()).toBe(200);
      expect((await ann.get('user/me', undefined as never)).data).toMatchObject({ user_id: ann.userId });
    } finally {
      fs.rmSync(folder);
      fs.mkdirSync(folder);
    }
  }, 240_000);
});
