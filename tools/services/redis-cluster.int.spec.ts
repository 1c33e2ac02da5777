import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { clearSessions } from '@groupware/sessions';
import { findFreePort, until } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { Client } from '../../e2e/client';
import { createFixtures, PASSWORD, type Fixtures } from '../../e2e/fixtures';
import { MAIL_PASSWORD, startOutside, type Outside } from '../../e2e/mail-account/outside';
import { createSingleProcessWorld, type SingleProcessWorld } from '../../e2e/processes';
import { debianProgram } from './debian.mjs';
import { programAtHand } from './programs.mjs';
import { answers, onFreePort, untilReady } from './readiness.mjs';

/** Slots of a cluster. */
const SLOTS = 16_384;
const MASTERS = 3;

/** A node, and a connection to it alone. */
interface Node {
  readonly child: ChildProcess;
  readonly port: number;
  readonly busPort: number;
  readonly redis: Redis;
}

const canStart = programAtHand('apt-get') || programAtHand('redis-server');
(canStart ? describe : describe.skip)('an installation on a Redis Cluster', () => {
  let folder: string;
  let nodes: Node[];
  let outside: Outside;
  let world: SingleProcessWorld;
  let cast: Fixtures;

  async function startNode(number: number): Promise<Node> {
    const installed = programAtHand('redis-server');
    const { file, env } = installed
      ? { file: installed, env: process.env }
      : (await debianProgram(path.join(__dirname, '..', '..', '.data', 'tools'), 'redis-server', ['redis-server']))!;
    return onFreePort(async (port: number) => {
      const own = path.join(folder, String(number));
      fs.mkdirSync(own, { recursive: true });
      const busPort = await findFreePort();
      const settings = {
        ...{ port, bind: '127.0.0.1', dir: own, save: '', 'repl-diskless-sync-delay': 0, requirepass: 'secret' },
        ...{ masterauth: 'secret', 'cluster-enabled': 'yes', 'cluster-port': busPort, 'cluster-node-timeout': 2000 },
      };
      const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const child = spawn(file, options, { env, stdio: 'ignore' });
      await untilReady(() => answers(port, 'PING\r\n', /^-NOAUTH/), child);
      const redis = new Redis({ port, host: '127.0.0.1', password: 'secret' });
      redis.on('error', () => undefined);
      return { child, port, busPort, redis };
    });
  }

  const roleOf = async ({ child, redis }: Node): Promise<string | undefined> =>
    child.signalCode === null ? /role:(\w+)/.exec(await redis.info('replication'))?.[1] : undefined;
  const mastersWithKeys = async (): Promise<Node[]> => {
    const found: Node[] = [];
    for (const node of nodes)
      if ((await roleOf(node)) === 'master' && (await node.redis.dbsize()) > 0) found.push(node);
    return found;
  };

  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'redis-cluster-'));
    nodes = [];
    for (let number = 0; number <= MASTERS; number++) nodes.push(await startNode(number));
    const [first, ...others] = nodes as [Node, ...Node[]];
    const share = Math.ceil(SLOTS / MASTERS);
    for (const [index, { redis }] of nodes.slice(0, MASTERS).entries())
      await redis.call('CLUSTER', 'ADDSLOTSRANGE', index * share, Math.min((index + 1) * share, SLOTS) - 1);
    for (const { port, busPort } of others) await first.redis.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
    await until(async () => {
      const states = await Promise.all(nodes.map(({ redis }) => redis.call('CLUSTER', 'INFO')));
      return states.every((state) => /cluster_state:ok[^]*cluster_known_nodes:4/.test(String(state)));
    }, 30_000);
    outside = await startOutside(['ann']);
    const hosts = nodes.slice(0, MASTERS).map(({ port }) => `127.0.0.1:${port}`);
    world = await createSingleProcessWorld({
      ...outside.variables,
      REDIS_URL: `redis-cluster://default:secret@${hosts.join(',')}`,
      MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: `imaps://mail.test:${outside.dovecot.imaps}`,
      GROUPWARE_PROPERTY_COM_EXAMPLE_MAIL_PASSWORDSOURCE: 'global',
    });
    cast = await createFixtures(world);
    await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${cast.U1.userId}/mail-account`, {
      imap: { host: 'mail.test', port: outside.dovecot.imaps, secure: true, login: 'ann' },
    });
  }, 180_000);
  afterAll(async () => {
    await world?.close();
    await outside?.close();
    for (const { child, redis } of nodes ?? []) {
      redis.disconnect();
      child.kill('SIGKILL');
    }
    fs.rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const ask = (client: Client) => client.get('user/me', undefined as never);
  const isLoggedIn = (): Promise<boolean> =>
    ask(cast.U1).then(
      ({ data }) => data?.user_id === cast.U1.userId,
      () => false,
    );

  it('counts attempts, opens and ends sessions', async () => {
    const stranger = new Client(world.publicUrl, 'another');
    expect((await stranger.login(cast.U1.loginName, 'wrong')).code).toBe('LGI-0006');
    await stranger.login(cast.U1.loginName, PASSWORD);
    expect((await ask(stranger)).data).toMatchObject({ user_id: cast.U1.userId });
    await cast.U1.get('sessionmanagement', 'clear');
    expect((await ask(stranger)).code).toBe('SES-0203');
    expect(await isLoggedIn()).toBe(true);
  });

  it('shares connections to mail servers, and claims writes', async () => {
    const store = async () => {
      const form = new FormData();
      form.append('file', new Blob(['From: ann@mail.test\r\nSubject: once\r\n\r\nx\r\n']), 'mail.eml');
      const where = { action: 'import', session: cast.U1.session, folder: 'default0/INBOX', force: true };
      const init = { body: form, headers: { 'idempotency-key': 'once' } };
      const parameters = { ...where, force_json_response: true, plainJson: true };
      return (await cast.U1.fetch('POST', '/mail', parameters, init)).json() as any;
    };
    const answer = await store();
    expect(answer).toEqual({ data: [{ folder_id: 'default0/INBOX', id: expect.any(String) }] });
    expect(await store()).toEqual(answer);
    const listed = await cast.U1.get('mail', 'all', { folder: 'default0/INBOX', columns: '607' });
    expect(listed.data).toEqual([['once']]);
  });

  it('keeps all its keys in one slot, so that nothing asks for several', async () => {
    const [holder, ...more] = await mastersWithKeys();
    expect(more).toEqual([]);
    const keys = await holder!.redis.keys('*');
    const prefix = `{${world.environment.GROUPWARE_BUS_PREFIX}}:`;
    expect(keys.filter((key) => !key.startsWith(prefix))).toEqual([]);
    const kinds = new Set(keys.map((key) => key.slice(prefix.length).split(':')[0]));
    expect([...kinds]).toEqual(expect.arrayContaining(['session', 'user', 'context', 'attempts', 'mail', 'call']));
  });

  it('goes on when a replica takes the place of the master', async () => {
    const [holder] = await mastersWithKeys();
    const replica = nodes[MASTERS]!;
    await replica.redis.call('CLUSTER', 'REPLICATE', String(await holder!.redis.call('CLUSTER', 'MYID')));
    await until(async () => /master_link_status:up/.test(await replica.redis.info('replication')), 20_000);
    holder!.child.kill('SIGKILL');
    await until(async () => (await roleOf(replica)) === 'master' && (await isLoggedIn()), 40_000);
  }, 90_000);

  it('has its sessions ended by a restore', async () => {
    const { REDIS_URL, GROUPWARE_BUS_PREFIX } = world.environment;
    expect(await clearSessions(REDIS_URL!, `{${GROUPWARE_BUS_PREFIX}}`)).toBeGreaterThan(0);
    expect((await ask(cast.U1)).code).toBe('SES-0203');
  });
});
