import { createHmac } from 'node:crypto';
import { OutboundGuard, OutboundSettings, PortList } from '@groupware/outbound';
import { startDovecot, testAuthority, uniquePrefix, type Dovecot, until } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { ConnectionGovernor } from './governor/connection-governor';
import { MailConnector } from './mail-connector';
import type { MailFailure } from './mail-failure';
import type { MailServer } from './mail-server';

const SECRET = 'the secret of the token service';
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** An access token as a log-in service issues it (RFC 7519). */
function tokenOf(login: string, secret = SECRET, lifeSeconds = 60): string {
  const now = Math.floor(Date.now() / 1000);
  const head = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: login, iat: now - 90, exp: now + lifeSeconds })}`;
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
}

describe.each(['xoauth2', 'oauthbearer'] as const)('a mail server that speaks %s', (mechanism) => {
  let dovecot: Dovecot;
  let redis: Redis;
  let connector: MailConnector;
  beforeAll(async () => {
    const certificate = testAuthority().issue(['127.0.0.1']);
    dovecot = await startDovecot({ certificate, tokens: { mechanism, secret: SECRET }, sieve: {} });
    redis = new Redis(process.env.REDIS_URL!);
    const settings = Object.assign(new OutboundSettings(), { allow: ['127.0.0.1'], failureStepMs: 0 });
    const governor = new ConnectionGovernor(redis, uniquePrefix());
    connector = new MailConnector(new OutboundGuard(settings), governor, new PortList(['1024-65535']));
  });
  afterAll(async () => {
    redis?.disconnect();
    await dovecot?.stop();
  });

  const server = (protocol: MailServer['protocol'], port: number): MailServer => ({
    protocol,
    host: '127.0.0.1',
    port,
    protection: 'offered',
    allowPlain: false,
  });
  const use = { account: 'tokens', timeoutMs: 20_000, acceptsCertificate: async () => true };
  const imap = (accessToken: string) =>
    connector.withImap(server('imap', dovecot.imap), { login: 'ann', accessToken }, use, ({ client }) => client.list());
  const pop3 = (accessToken: string) =>
    connector.withPop3(server('pop3', dovecot.pop3), { login: 'ann', accessToken }, use, async ({ secure }) => ({
      secure,
    }));
  const sieve = async (accessToken: string) =>
    (await connector.openSieve(server('sieve', dovecot.sieve), { login: 'ann', accessToken }, use)).close();
  const kindOf = (work: Promise<unknown>) =>
    work.then(
      () => 'in',
      ({ kind }: MailFailure) => kind,
    );

  it('lets the owner of a token in', async () => {
    expect((await imap(tokenOf('ann'))).map(({ path }) => path)).toContain('INBOX');
    expect((await pop3(tokenOf('ann'))).secure).toBe(true);
    await sieve(tokenOf('ann'));
    const logins = /(imap|pop3|managesieve)-login: Info: Login: user=<ann>, method=(\w+),.* TLS/g;
    await until(() => /managesieve-login: Info: Login: user=<ann>/.test(dovecot.log())); // It writes after it answered.
    expect([...dovecot.log().matchAll(logins)].map(([, protocol, method]) => [protocol, method])).toEqual([
      ['imap', mechanism.toUpperCase()],
      ['pop3', mechanism.toUpperCase()],
      ['managesieve', mechanism.toUpperCase()],
    ]);
  });

  it.each([
    ['is of somebody else', () => tokenOf('bob')],
    ['is over', () => tokenOf('ann', SECRET, -60)],
    ['was issued by somebody else', () => tokenOf('ann', 'another secret')],
    ['is none', () => 'nonsense'],
  ])('refuses a token that %s', async (_name, token) => {
    expect(await kindOf(imap(token()))).toBe('credentials');
    expect(await kindOf(pop3(token()))).toBe('credentials');
    expect(await kindOf(sieve(token()))).toBe('credentials');
  });
});
