import net, { type AddressInfo } from 'node:net';
import { OutboundGuard, OutboundSettings, PortList } from '@groupware/outbound';
import { startDovecot, testAuthority, uniquePrefix, until, type Dovecot } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { ConnectionGovernor } from '../governor/connection-governor';
import { MailConnector } from '../mail-connector';
import { MailFailure } from '../mail-failure';
import type { MailCredentials, MailServer } from '../mail-server';
import { SIEVE_LIMITS, type SieveUse } from './sieve-attempt';
import { SievePool } from './sieve-pool';
import { findSieveRefusal, type SieveRefusal } from './sieve-refusal';
import type { SieveSession } from './sieve-session';

const ann: MailCredentials = { login: 'ann', password: 'secret' };
const closers: (() => unknown)[] = [];
let dovecot: Dovecot;
let redis: Redis;
let connector: MailConnector;

const server = (changes: Partial<MailServer> = {}): MailServer => ({
  protocol: 'sieve',
  host: '127.0.0.1',
  port: dovecot.sieve,
  protection: 'offered',
  allowPlain: false,
  ...changes,
});
async function withSieve<T>(
  work: (session: SieveSession) => Promise<T>,
  {
    changes = {},
    credentials = ann,
    limits = SIEVE_LIMITS,
  }: {
    changes?: Partial<MailServer>;
    credentials?: MailCredentials;
    limits?: SieveUse;
  } = {},
): Promise<T> {
  const use = { account: '1:3:0', timeoutMs: 20_000, acceptsCertificate: async () => true };
  const held = await connector.openSieve(server(changes), credentials, use, limits);
  try {
    return await work(held.connection);
  } finally {
    held.close();
  }
}
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ succeeded: value }),
    (error: unknown) => error,
  );
const refusalOf = async (work: Promise<unknown>): Promise<SieveRefusal> => findSieveRefusal(await failureOf(work))!;
const kindOf = async (work: Promise<unknown>) => {
  const error = await failureOf(work);
  return error instanceof MailFailure ? error.kind : error;
};
/** A server that greets, and answers each line it hears by what a function says. */
const peer = async (greeting: string, answer: (line: string) => string | undefined): Promise<number> => {
  const listener = net.createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        for (const line of String(data).split('\r\n').filter(Boolean)) {
          const text = answer(line);
          if (text === undefined) socket.destroy();
          else socket.write(text);
        }
      });
    closers.push(() => socket.destroy());
    socket.write(greeting);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closers.push(() => listener.close());
  return (listener.address() as AddressInfo).port;
};
const GREETING =
  '"IMPLEMENTATION" "x"\r\n"SASL" "PLAIN"\r\n"SIEVE" "FileInto vacation"\r\n"MAXREDIRECTS" "4"\r\nOK\r\n';
const OPEN = { allowPlain: true, protection: 'offered' } as const;

beforeAll(async () => {
  dovecot = await startDovecot({
    certificate: testAuthority().issue(['127.0.0.1']),
    sieve: { maxScriptBytes: 2_000, master: { login: 'boss', password: 'master secret' } },
  });
  redis = new Redis(process.env.REDIS_URL!);
  const settings = Object.assign(new OutboundSettings(), { allow: ['127.0.0.1'], failureStepMs: 0 });
  const governor = new ConnectionGovernor(redis, uniquePrefix());
  connector = new MailConnector(new OutboundGuard(settings), governor, new PortList(['1024-65535']));
}, 60_000);
afterAll(async () => {
  for (const close of closers) close();
  redis?.disconnect();
  await dovecot?.stop();
});

describe('ManageSieve', () => {
  it('stores, lists, activates, gives and deletes scripts', async () => {
    const script = `# "quotes" \\ and ä€😀 {5}\r\nredirect "a@b.example";\r\n`;
    await withSieve(async (session) => {
      expect(await session.listScripts()).toEqual([]);
      await session.putScript('one "and" ü', script);
      await session.putScript('two', '');
      await session.setActive('one "and" ü');
      expect([...(await session.listScripts())].sort((a, b) => a.name.localeCompare(b.name))).toEqual([
        { name: 'one "and" ü', isActive: true },
        { name: 'two', isActive: false },
      ]);
      expect(await session.getScript('one "and" ü')).toBe(script);
      expect(await session.getScript('two')).toBe('');
      expect((await refusalOf(session.deleteScript('one "and" ü'))).code).toBe('ACTIVE');
      expect((await refusalOf(session.getScript('three'))).code).toBe('NONEXISTENT');
      await session.deleteScript('two');
    });
  });

  it('says what is wrong in a script, and that it is too large, and keeps the one before', async () => {
    await withSieve(async (session) => {
      await session.putScript('kept', 'keep;');
      const wrong = await refusalOf(session.putScript('kept', 'if {'));
      expect(wrong).toMatchObject({ code: '', text: expect.stringContaining('error') });
      const large = await refusalOf(session.putScript('kept', `#${'x'.repeat(3_000)}\r\nkeep;`));
      expect(large.code).toBe('QUOTA/MAXSIZE');
      expect(await session.getScript('kept')).toBe('keep;');
    });
  });

  it('secures the connection before it logs in, and reads again what the server can do (FM-04)', async () => {
    const { mechanisms, extensions, notify, hasStartTls, version } = await withSieve(
      async (session) => session.capabilities,
    );
    expect({ hasStartTls, version, notify }).toEqual({ hasStartTls: false, version: '1.0', notify: ['mailto'] });
    expect([...mechanisms]).toContain('PLAIN');
    expect([...extensions]).toEqual(expect.arrayContaining(['vacation', 'imap4flags', 'regex']));
    expect(dovecot.log()).toMatch(/managesieve-login: Info: Login: user=<ann>, method=PLAIN,.* TLS/);
  });

  it('lets a master work for somebody else', async () => {
    const credentials = { login: 'boss', password: 'master secret', authorizeAs: 'ann' };
    expect(await withSieve((session) => session.getScript('kept'), { credentials })).toBe('keep;');
  });

  it.each([
    ['a wrong password', { login: 'ann', password: 'wrong' }],
    ['nobody', { login: 'nobody', password: 'secret' }],
    ['a name with a zero byte', { login: 'ann\0ann', password: 'secret' }],
  ])('refuses %s (FM-02)', async (_name, credentials) => {
    expect(await kindOf(withSieve(async () => 1, { credentials }))).toBe('credentials');
  });

  it('sends no password in clear text unless that is allowed', async () => {
    const heard: string[] = [];
    const port = await peer(GREETING, (line) => (heard.push(line), 'NO\r\n'));
    expect(await kindOf(withSieve(async () => 1, { changes: { port } }))).toBe('plain');
    expect(await kindOf(withSieve(async () => 1, { changes: { port, ...OPEN, protection: 'starttls' } }))).toBe(
      'plain',
    );
    expect(heard).toEqual([]);
  });

  it('is not fooled by what comes with the answer to STARTTLS', async () => {
    const heard: string[] = [];
    const port = await peer(`"STARTTLS"\r\n${GREETING}`, (line) => (heard.push(line), `OK\r\n${GREETING}`));
    expect(await kindOf(withSieve(async () => 1, { changes: { port, ...OPEN } }))).toBe('unreachable');
    expect(heard).toEqual(['STARTTLS']);
  });

  it('reads counted and quoted texts alike (FM-08)', async () => {
    const port = await peer(GREETING, (line) =>
      line.startsWith('LIST')
        ? '{1}\r\na ACTIVE\r\n"b \\"\\\\"\r\nOK\r\n'
        : line.startsWith('GET')
          ? '{3+}\r\n"\r\n\r\nOK (WARNINGS) {2}\r\nxx\r\n'
          : line.startsWith('PUT')
            ? 'NO (QUOTA/MAXSIZE) {4}\r\nfull\r\n'
            : 'OK\r\n',
    );
    await withSieve(
      async (session) => {
        expect(session.capabilities).toMatchObject({ maxRedirects: 4, hasStartTls: false });
        expect([...session.capabilities.extensions]).toEqual(['fileinto', 'vacation']);
        expect(await session.listScripts()).toEqual([
          { name: 'a', isActive: true },
          { name: 'b "\\', isActive: false },
        ]);
        expect(await session.getScript('a')).toBe('"\r\n');
        expect(await refusalOf(session.putScript('a', ''))).toMatchObject({ code: 'QUOTA/MAXSIZE', text: 'full' });
      },
      { changes: { port, ...OPEN } },
    );
  });

  it('ends what takes too long or has no end', async () => {
    const limits = { maxLineBytes: 100, maxLiteralBytes: 100, commandTimeoutMs: 300 };
    const answers = [
      'nothing',
      `"${'x'.repeat(1_000)}"\r\n`,
      '{101}\r\n',
      '{99999999999}\r\n',
      '"a"\r\n'.repeat(11_000) + 'OK\r\n',
    ];
    for (const text of answers) {
      const port = await peer(GREETING, (line) => (line.startsWith('LIST') ? text : 'OK\r\n'));
      const failed = withSieve((session) => session.listScripts(), { changes: { port, ...OPEN }, limits });
      expect(await failureOf(failed)).toBeInstanceOf(Error);
    }
  });

  it('fails when the connection breaks, or the server says goodbye', async () => {
    const broken = await peer(GREETING, (line) => (line.startsWith('AUTH') ? 'OK\r\n' : undefined));
    const failed = withSieve((session) => session.putScript('a', 'keep;'), { changes: { port: broken, ...OPEN } });
    expect(await failureOf(failed)).toBeInstanceOf(Error);
    const leaving = await peer('BYE "too many"\r\n', () => '');
    expect(await kindOf(withSieve(async () => 1, { changes: { port: leaving, ...OPEN } }))).toBe('busy');
    const dead = await peer('', () => undefined);
    closers.pop()!();
    expect(await kindOf(withSieve(async () => 1, { changes: { port: dead, ...OPEN } }))).toBe('unreachable');
  });
});

describe('connections that are kept', () => {
  const loginTo = (port: number, credentials = ann, account = '1:3:sieve') => ({
    server: server({ port, ...OPEN }),
    credentials,
    use: { account, timeoutMs: 20_000, acceptsCertificate: async () => true },
    limits: SIEVE_LIMITS,
  });
  const poolOf = (idleMs = 60_000) => {
    const pool = new SievePool(connector, idleMs);
    closers.push(() => pool.close());
    return pool;
  };
  /** A server that counts log-ins and notes commands; `isGone` ends connections at the next command of those. */
  const countingPeer = async () => {
    const state = { logins: 0, heard: [] as string[], isGone: undefined as RegExp | undefined };
    const port = await peer(GREETING, (line) => {
      state.heard.push(line);
      if (state.isGone?.test(line)) {
        state.isGone = undefined;
        return undefined;
      }
      if (line.startsWith('AUTH')) state.logins += 1;
      return line.startsWith('LIST') ? '"a" ACTIVE\r\nOK\r\n' : 'OK\r\n';
    });
    return { state, login: loginTo(port) };
  };
  const list = (session: SieveSession) => session.listScripts();

  it('serve the next caller with the same log-in, who sees what other clients changed', async () => {
    const pool = poolOf();
    const login = loginTo(dovecot.sieve);
    const read = () => pool.use(login, (session) => session.getScript('shared'));
    const first = await pool.use(login, async (session) => {
      await session.putScript('shared', 'keep;');
      return session;
    });
    await withSieve((session) => session.putScript('shared', 'stop;'));
    expect(await read()).toBe('stop;');
    expect(await pool.use(login, async (session) => session === first)).toBe(true);
    const wrong = loginTo(dovecot.sieve, { login: 'ann', password: 'wrong' });
    expect(await kindOf(pool.use(wrong, list))).toBe('credentials');
    expect(await pool.use(loginTo(dovecot.sieve, ann, '1:4:sieve'), async (session) => session === first)).toBe(false);
  });

  it('serve one caller at a time', async () => {
    const { state, login } = await countingPeer();
    const pool = poolOf();
    await Promise.all([pool.use(login, list), pool.use(login, list)]);
    expect(state.logins).toBe(2);
    await pool.use(login, list);
    expect(state.logins).toBe(2);
  });

  it('are replaced where they have ended, unless something was changed', async () => {
    const { state, login } = await countingPeer();
    const pool = poolOf();
    await pool.use(login, list);
    state.isGone = /^LIST/;
    expect(await pool.use(login, list)).toEqual([{ name: 'a', isActive: true }]);
    expect(state.logins).toBe(2);
    state.isGone = /^SETACTIVE/;
    expect(await kindOf(pool.use(login, (session) => session.setActive('a')))).toBe('broken');
    expect(state.logins).toBe(2);
    await pool.use(login, list);
    expect(state.logins).toBe(3);
  });

  it('are kept neither beyond their time nor after something that was not asked for', async () => {
    const { state, login } = await countingPeer();
    const pool = poolOf(50);
    await pool.use(login, list);
    await until(async () => state.heard.includes('LOGOUT'));
    const none = poolOf(0);
    await none.use(login, list);
    await none.use(login, list);
    expect(state.logins).toBe(3);
    const strict = poolOf();
    const chatty = loginTo(await peer(GREETING, (line) => (line.startsWith('LIST') ? 'OK\r\n"more"\r\n' : 'OK\r\n')));
    const used = await strict.use(chatty, async (session) => (await session.listScripts(), session));
    expect(await strict.use(chatty, async (session) => session === used)).toBe(false);
  });
});
