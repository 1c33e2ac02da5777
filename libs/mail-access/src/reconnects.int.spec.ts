import net, { type AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { OutboundGuard, OutboundSettings, PortList } from '@groupware/outbound';
import { uniquePrefix, until } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { ConnectionGovernor } from './governor/connection-governor';
import { GovernorSettings } from './governor/governor-settings';
import { MailConnector } from './mail-connector';

/** Connections of the test; more by hand, such as MAIL_RECONNECTS=10000. */
const RECONNECTS = Number(process.env.MAIL_RECONNECTS ?? 300);
const GROWTH_BYTES = 8 * 1024 ** 2;

it(`${RECONNECTS} connections, some of them refused, leave nothing behind`, async () => {
  const open = new Set<net.Socket>();
  let logins = 0;
  const server = net.createServer((socket) => {
    open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)));
    socket.write('* OK [CAPABILITY IMAP4rev1] hello\r\n');
    socket.on('data', (data) => {
      const [tag, command] = String(data).split(' ');
      // Every fifth one is hung up on in mid-login.
      if (command === 'LOGIN' && (logins += 1) % 5 === 0) socket.destroy();
      else socket.write(`${tag} OK\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const redis = new Redis(process.env.REDIS_URL!);
  const settings = Object.assign(new OutboundSettings(), { allow: ['127.0.0.1'], failureStepMs: 0 });
  const governor = new ConnectionGovernor(
    redis,
    uniquePrefix(),
    Object.assign(new GovernorSettings(), { breakerFailures: 1_000_000, connectsPerSecond: 10_000 }),
  );
  const connector = new MailConnector(new OutboundGuard(settings), governor, new PortList(['1024-65535']));
  const target = { protocol: 'imap', host: '127.0.0.1', port, protection: 'offered', allowPlain: true } as const;
  const connect = (index: number) =>
    connector
      .withImap(target, { login: 'ann', password: 'secret' }, { account: `1:3:${index % 8}` }, () => Promise.resolve(1))
      .catch(() => 0);
  const rounds = async (count: number) => {
    let worked = 0;
    for (let done = 0; done < count; done += 10)
      for (const result of await Promise.all(Array.from({ length: 10 }, (_each, index) => connect(index))))
        worked += result;
    return worked;
  };
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };

  try {
    await rounds(100);
    const before = used();
    expect(await rounds(RECONNECTS)).toBe(RECONNECTS * 0.8);
    await until(() => open.size === 0);
    await until(async () => (await governor.countOf(`127.0.0.1:${port}`)) === 0);
    const growth = used() - before;
    if (process.env.MAIL_RECONNECTS) process.stderr.write(`${RECONNECTS} connections: ${growth} bytes more\n`);
    expect(growth).toBeLessThan(GROWTH_BYTES);
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
    redis.disconnect();
  }
}, 600_000);
