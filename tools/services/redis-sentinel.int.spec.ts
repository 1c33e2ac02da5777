import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { connectRedis } from '@groupware/sessions';
import { until } from '@groupware/test-kit';
import { debianProgram } from './debian.mjs';
import { programAtHand } from './programs.mjs';
import { answers, onFreePort, untilReady } from './readiness.mjs';

const canStart = programAtHand('apt-get') || programAtHand('redis-server');
(canStart ? describe : describe.skip)('a connection to Redis that sentinels lead to', () => {
  let folder: string;
  const servers: { child: ChildProcess; port: number }[] = [];

  /** Starts a server of Redis or a sentinel with a configuration file of its own, which sentinels rewrite. */
  async function start(lines: readonly string[], options: readonly string[], answer: RegExp): Promise<number> {
    const installed = programAtHand('redis-server');
    const { file, env } = installed
      ? { file: installed, env: process.env }
      : (await debianProgram(path.join(__dirname, '..', '..', '.data', 'tools'), 'redis-server', ['redis-server']))!;
    return onFreePort(async (port: number) => {
      const configuration = path.join(folder, `${port}.conf`);
      fs.writeFileSync(
        configuration,
        [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, 'save ""', ...lines].join('\n'),
      );
      const child = spawn(file, [configuration, ...options], { env, stdio: 'ignore' });
      await untilReady(() => answers(port, 'PING\r\n', answer), child);
      servers.push({ child, port });
      return port;
    });
  }

  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sentinel-'));
  });
  afterAll(() => {
    for (const { child } of servers) child.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('goes to the new master when the old one is gone', async () => {
    const login = ['requirepass secret', 'masterauth secret', 'repl-diskless-sync-delay 0'];
    const first = await start([...login, 'dbfilename first.rdb'], [], /^-NOAUTH/);
    const second = await start([...login, 'dbfilename second.rdb', `replicaof 127.0.0.1 ${first}`], [], /^-NOAUTH/);
    const sentinel = await start(
      [
        `sentinel monitor groupware 127.0.0.1 ${first} 1`,
        'sentinel auth-pass groupware secret',
        'sentinel down-after-milliseconds groupware 500',
        'sentinel failover-timeout groupware 2000',
      ],
      ['--sentinel'],
      /^\+PONG/,
    );
    const redis = await connectRedis(`redis-sentinel://:secret@127.0.0.1:1,127.0.0.1:${sentinel}#groupware`);
    const watch = await connectRedis(`redis://127.0.0.1:${sentinel}`);
    try {
      expect(await redis.set('kept', '1')).toBe('OK');
      expect(redis.stream.remotePort).toBe(first);
      // Sentinels learn of replicas from INFO of the master.
      await until(
        async () => ((await watch.call('SENTINEL', 'REPLICAS', 'groupware')) as unknown[]).length === 1,
        15_000,
      );
      await until(async () => (await redis.wait(1, 500)) === 1, 15_000);
      servers.find(({ port }) => port === first)!.child.kill('SIGKILL');
      await until(
        () =>
          redis.set('more', '2').then(
            () => true,
            () => false,
          ),
        30_000,
      );
      expect(redis.stream.remotePort).toBe(second);
      expect(await redis.get('kept')).toBe('1');
    } finally {
      redis.disconnect();
      watch.disconnect();
    }
  }, 60_000);
});
