import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { createProcessWorld, HostProcess, type ProcessWorld } from '../processes';
import { Balancer, PROBE_MS } from './balancer';

const LEAVING = { GROUPWARE_LEAVE_PAUSE_MS: '1500', GROUPWARE_LEAVE_LINGER_MS: '1500' };
const CLIENTS = 12;

let world: ProcessWorld;
let gateways: HostProcess[];
let ann: Client;

beforeAll(async () => {
  world = await createProcessWorld(['identity']);
  // The gateway of the world does not leave politely: these do.
  gateways = [];
  for (const name of ['one', 'two']) {
    const gateway = new HostProcess(`gateway ${name}`, {
      ...(world.environment as Record<string, string>),
      ...LEAVING,
      GROUPWARE_MODULES: 'gateway',
    });
    await gateway.start();
    gateways.push(gateway);
  }
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const context = await createContext(admin, 'rolling');
  ann = new Client(world.publicUrl);
  await ann.login(`admin@${context}`, PASSWORD);
}, 120_000);
afterAll(async () => {
  await Promise.all((gateways ?? []).map((gateway) => gateway.kill('SIGTERM')));
  await world?.close();
}, 60_000);

/** One request on a kept connection. Rejects when the connection breaks. */
function ask(agent: http.Agent, { publicUrl }: HostProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'user-agent': ann.userAgent,
      cookie: [...ann.jar].map(([name, value]) => `${name}=${value}`).join('; '),
    };
    const path = `/user/me?session=${ann.session}`;
    http
      .get(`${publicUrl}${path}`, { agent, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode!));
        response.on('error', reject);
      })
      .on('error', reject);
  });
}

describe('a rolling restart of gateways', () => {
  it('resets no connection and loses no answer, for clients that keep their connections', async () => {
    const balancer = new Balancer(() => gateways);
    const failures: string[] = [];
    const outcomes = { ok: 0 };
    let isOver = false;
    // Half of them stay with one gateway for as long as they can, as clients behind their own balancer do.
    const clients = Array.from({ length: CLIENTS }, async (_value, number) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      for (let turn = number; !isOver; turn++) {
        const { targets } = balancer;
        const target = targets[(number % 2 === 0 ? number / 2 : turn) % targets.length];
        if (target)
          await ask(agent, target).then(
            (status) => (status === 200 ? outcomes.ok++ : failures.push(`HTTP ${status}`)),
            (error: NodeJS.ErrnoException) => failures.push(`${error.code} ${error.message}`),
          );
        await wait(5 + (number % 4) * 20);
      }
      agent.destroy();
    });
    for (const gateway of gateways) {
      const before = outcomes.ok;
      await gateway.kill('SIGTERM');
      await gateway.start();
      while (!(await fetch(`${gateway.internalUrl}/ready`)).ok) await wait(50);
      while (outcomes.ok < before + CLIENTS * 10) await wait(20);
      await wait(2 * PROBE_MS);
    }
    isOver = true;
    await Promise.all([...clients, balancer.close()]);
    expect(failures).toEqual([]);
  }, 120_000);

  it('goes on serving while it leaves, says so to probes at once, and then with every answer', async () => {
    const gateway = gateways[0]!;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ready = () => fetch(`${gateway.internalUrl}/ready`).then(({ status }) => status);
    expect(await ready()).toBe(200);
    expect(await ask(agent, gateway)).toBe(200);
    const ended = gateway.kill('SIGTERM');
    while ((await ready()) === 200) await wait(10);
    expect(await ask(agent, gateway)).toBe(200);
    const closing = new Promise<void>((resolve) =>
      agent.once('free', (socket: NodeJS.EventEmitter) => socket.once('close', resolve)),
    );
    expect(await ask(agent, gateway)).toBe(200);
    await closing;
    await ended;
    await gateway.start();
  }, 60_000);
});
