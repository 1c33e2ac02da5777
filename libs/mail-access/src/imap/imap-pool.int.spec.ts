import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { OutboundGuard, OutboundSettings, PortList } from '@groupware/outbound';
import { BreakableLink, startDovecot, testAuthority, uniquePrefix, until, type Dovecot } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { ConnectionGovernor } from '../governor/connection-governor';
import { GovernorSettings } from '../governor/governor-settings';
import { MailConnector } from '../mail-connector';
import { ImapPool, type ImapLogin } from './imap-pool';
import { ImapPoolSettings } from './imap-pool-settings';
import { ImapRefusal } from './imap-refusal';
import type { ImapSession } from './imap-session';
import { atom, formatUidSet, text } from './imap-tokens';

let dovecot: Dovecot;
let redis: Redis;
let pool: ImapPool;
const settings = Object.assign(new ImapPoolSettings(), { perAccount: 2, idleMs: 60_000, waitMs: 400 });
const never = new AbortController().signal;

const login = (account = '1:3:0', password = 'secret'): ImapLogin => ({
  server: { protocol: 'imap', host: '127.0.0.1', port: dovecot.imap, protection: 'offered', allowPlain: true },
  credentials: { login: 'ann', password },
  use: { account, timeoutMs: 20_000, acceptsCertificate: async () => true },
});
const outbound = Object.assign(new OutboundSettings(), { allow: ['127.0.0.1'], failureStepMs: 10 });
const poolOf = (governor: ConnectionGovernor): ImapPool =>
  new ImapPool(new MailConnector(new OutboundGuard(outbound), governor, new PortList(['1024-65535'])), settings);
const use = <T>(work: (session: ImapSession) => Promise<T>, options: Partial<Parameters<ImapPool['use']>[1]> = {}) =>
  pool.use(login(), { repeatable: true, signal: never, ...options }, work);
const failure = (work: Promise<unknown>): Promise<{ kind?: string; code?: string; message: string }> =>
  work.then(
    () => ({ message: 'none' }),
    (error: Error) => error,
  );

beforeAll(async () => {
  dovecot = await startDovecot({ certificate: testAuthority().issue(['127.0.0.1']) });
  redis = new Redis(process.env.REDIS_URL!);
  pool = poolOf(new ConnectionGovernor(redis, uniquePrefix()));
}, 60_000);
afterAll(async () => {
  pool?.close();
  redis?.disconnect();
  await dovecot?.stop();
});

describe('connections to mailboxes', () => {
  it('are kept, with the mailbox that is selected', async () => {
    const first = await use(async (session) => {
      await session.select('INBOX');
      return session;
    });
    expect(await use(async (session) => session, { mailbox: 'INBOX' })).toBe(first);
    expect([first.selected, pool.size]).toEqual(['INBOX', 1]);
  });

  it('are not kept for long: what others came to share is seen by a new one', async () => {
    const old = await use(async (session) => session);
    const later = performance.now() + 6 * 60_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
    expect(await use(async (session) => session)).toBe(old);
    clock.mockRestore();
    expect(await use(async (session) => session)).not.toBe(old);
  });

  it('ME-05 are those of an account with its credentials', async () => {
    const own = await use(async (session) => session);
    expect(await pool.use(login('1:4:0'), { repeatable: true, signal: never }, async (session) => session)).not.toBe(
      own,
    );
    const wrong = pool.use(login('1:3:0', 'wrong'), { repeatable: true, signal: never }, async () => 0);
    expect((await failure(wrong)).kind).toBe('credentials');
  });

  it('are not tried again for a while with credentials that were refused, and at once with others', async () => {
    const opened = jest.spyOn(MailConnector.prototype, 'openImap');
    const open = (account: string, password: string) =>
      failure(pool.use(login(account, password), { repeatable: true, signal: never }, async () => 0));
    for (const _time of [1, 2, 3]) expect(await open('1:7:0', 'wrong')).toMatchObject({ kind: 'credentials' });
    expect(opened).toHaveBeenCalledTimes(1);
    expect(await open('1:7:0', 'secret')).toEqual({ message: 'none' });
    const later = performance.now() + settings.refusalMs + 1;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
    expect(await open('1:7:0', 'wrong')).toMatchObject({ kind: 'credentials' });
    clock.mockRestore();
    expect(opened).toHaveBeenCalledTimes(3);
    opened.mockRestore();
    pool.closeIdle('1:7');
  });

  it('ME-04 are not opened again for a while where the server could not be reached, except to another server', async () => {
    const opened = jest.spyOn(MailConnector.prototype, 'openImap');
    const at = (port: number, account: string) =>
      pool.use(
        { ...login(account), server: { ...login().server, port } },
        { repeatable: true, signal: never },
        async () => 'open',
      );
    const closed = net.createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    expect((await failure(at(port, '1:8:0'))).kind).toBe('unreachable');
    const tried = opened.mock.calls.length;
    expect(tried).toBe(1 + settings.reopenings);
    const since = performance.now();
    for (const _time of [1, 2, 3]) expect((await failure(at(port, '1:8:0'))).kind).toBe('unreachable');
    expect(performance.now() - since).toBeLessThan(100);
    expect(opened).toHaveBeenCalledTimes(tried);
    expect(await at(dovecot.imap, '1:8:0')).toBe('open');
    expect((await failure(at(port, '1:9:0'))).kind).toBe('unreachable');
    expect(opened.mock.calls.length).toBeGreaterThan(tried + 1);
    const later = performance.now() + settings.refusalMs + 1;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
    const before = opened.mock.calls.length;
    expect((await failure(at(port, '1:8:0'))).kind).toBe('unreachable');
    clock.mockRestore();
    expect(opened.mock.calls.length).toBeGreaterThan(before);
    opened.mockRestore();
    pool.closeIdle('1:8');
  });

  it('ME-07 are few, and who waits too long is told', async () => {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const busy = [use(() => left), use(() => left)];
    await until(async () => pool.size === 3);
    const waiting = [use(async () => 'served'), use(async () => 'served')];
    setTimeout(leave, 100);
    expect(await Promise.all(waiting)).toEqual(['served', 'served']);
    await Promise.all(busy);
    let again: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (again = resolve));
    const more = [use(() => held), use(() => held)];
    expect((await failure(use(async () => 0))).kind).toBe('busy');
    again();
    await Promise.all(more);
  });

  it('that broke are replaced once for what may be repeated', async () => {
    let runs = 0;
    const breaking = async (session: ImapSession): Promise<number> => {
      runs += 1;
      if (runs === 1) session.client.close();
      await session.select('INBOX');
      return runs;
    };
    expect(await use(breaking)).toBe(2);
    runs = 0;
    expect((await failure(use(breaking, { repeatable: false }))).kind).toBe('broken');
    expect(runs).toBe(1);
    runs = 0;
    const always = (session: ImapSession) => {
      runs += 1;
      session.client.close();
      return session.select('INBOX');
    };
    expect((await failure(use(always))).kind).toBe('broken');
    expect(runs).toBe(2);
  });

  it('are opened again when the server hung up on them, for what may be repeated', async () => {
    const url = `imap://127.0.0.1:${dovecot.imap}`;
    const link = await BreakableLink.openTo(url);
    const byLink: ImapLogin = {
      ...login('1:6:0'),
      server: { ...login().server, port: Number(new URL(link.url(url)).port) },
    };
    const inbox = (repeatable: boolean) =>
      pool.use(byLink, { repeatable, signal: never }, async (session) => (await session.select('INBOX')).path);
    try {
      const loseAnswers = async (count: number) => {
        for (let lost = 0; lost < count; lost++) await link.loseAnswerTo('STARTTLS');
      };
      void loseAnswers(2);
      expect(await inbox(true)).toBe('INBOX');
      pool.closeIdle('1:6');
      void loseAnswers(3);
      expect((await failure(inbox(true))).kind).toBe('unreachable');
      void link.loseAnswerTo('STARTTLS');
      expect((await failure(inbox(false))).kind).toBe('unreachable');
      expect(await inbox(false)).toBe('INBOX');
    } finally {
      await link.close();
    }
  });

  it('whose callers go away while they are opened keep nobody from the server', async () => {
    const silent = net.createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const governor = new ConnectionGovernor(
      redis,
      uniquePrefix(),
      Object.assign(new GovernorSettings(), { breakerFailures: 2 }),
    );
    const hasty = poolOf(governor);
    const kinds: unknown[] = [];
    for (let caller = 0; caller < 4; caller++) {
      const controller = new AbortController();
      const wanted = login(`1:${20 + caller}:0`);
      const waiting = failure(
        hasty.use(
          { ...wanted, server: { ...wanted.server, port } },
          { repeatable: true, signal: controller.signal },
          async () => 0,
        ),
      );
      await new Promise<void>((resolve) => silent.once('connection', () => resolve()));
      controller.abort();
      kinds.push((await waiting).kind);
    }
    hasty.close();
    silent.close();
    expect(kinds).toEqual(Array(4).fill('unreachable'));
    expect(
      await governor.acquire({
        host: `127.0.0.1:${port}`,
        manner: 'imap/offered',
        account: '1:30:0',
        priority: 'user',
      }),
    ).toBeDefined();
  });

  it('that fell silent are replaced before they are used, also for what may not be repeated', async () => {
    const url = `imap://127.0.0.1:${dovecot.imap}`;
    const link = await BreakableLink.openTo(url);
    const byLink: ImapLogin = {
      ...login('1:5:0'),
      server: { ...login().server, port: Number(new URL(link.url(url)).port) },
    };
    const inbox = (signal: AbortSignal) =>
      pool.use(byLink, { repeatable: false, signal }, async (session) => (await session.select('INBOX')).path);
    Object.assign(settings, { checkAfterMs: 0, checkMs: 300 });
    try {
      expect(await inbox(never)).toBe('INBOX');
      expect(link.silence()).toBe(1);
      expect(await inbox(AbortSignal.timeout(10_000))).toBe('INBOX');
    } finally {
      Object.assign(settings, { checkAfterMs: 2_000, checkMs: 3_000 });
      await link.close();
    }
  });

  it('that fall silent in the middle of a command are given up, and replaced for what may be repeated', async () => {
    const url = `imap://127.0.0.1:${dovecot.imap}`;
    const link = await BreakableLink.openTo(url);
    const byLink: ImapLogin = {
      ...login('1:6:0'),
      server: { ...login().server, port: Number(new URL(link.url(url)).port) },
    };
    let tries = 0;
    const inbox = (repeatable: boolean) =>
      pool.use(byLink, { repeatable, signal: AbortSignal.timeout(20_000) }, async (session) => {
        if ((tries += 1) === 1) link.silence();
        return (await session.select('INBOX')).path;
      });
    settings.silenceMs = 300;
    try {
      expect([await inbox(true), tries]).toEqual(['INBOX', 2]);
      tries = 0;
      expect(await failure(inbox(false))).toMatchObject({ kind: 'broken' });
    } finally {
      settings.silenceMs = 8_000;
      await link.close();
    }
  });

  it('MS-16 end with the time of the caller, and are not used again', async () => {
    const caller = new AbortController();
    const slow = use(
      async (session) => {
        setTimeout(() => caller.abort(), 20);
        await new Promise((resolve) => setTimeout(resolve, 100));
        return session.select('INBOX');
      },
      { signal: caller.signal },
    );
    expect((await failure(slow)).kind).toBe('timeout');
    expect((await failure(use(async () => 0, { signal: caller.signal }))).kind).toBe('timeout');
    expect(await use(async (session) => (await session.select('INBOX')).path)).toBe('INBOX');
  });

  it('make room for those who wait when the server has as many as it may have', async () => {
    const budget = Object.assign(new GovernorSettings(), { perHost: 2, waitMs: 10_000 });
    const few = poolOf(new ConnectionGovernor(redis, uniquePrefix(), budget));
    const select = (account: string) =>
      few.use(login(account), { repeatable: true, signal: never }, async (session) => {
        await session.select('INBOX');
        return session;
      });
    try {
      const oldest = await select('1:11:0');
      const kept = await select('1:12:0');
      await select('1:13:0');
      expect([oldest.client.usable, kept.client.usable, few.size]).toEqual([false, true, 2]);
      const many = await Promise.all(Array.from({ length: 8 }, (_each, index) => select(`1:${20 + index}:0`)));
      expect(many).toHaveLength(8);
      expect(few.size).toBeLessThanOrEqual(2);
    } finally {
      few.close();
    }
  }, 30_000);

  it('are kept when the server refuses a command, or the work fails by itself', async () => {
    const before = pool.size;
    const refused = await failure(use((session) => session.select('none')));
    expect(refused).toBeInstanceOf(ImapRefusal);
    const injected = use(async (session) => {
      await session.select('INBOX');
      return session.listUids([atom('SUBJECT'), text('a"\r\nx LOGOUT\r\n')]);
    });
    expect((await failure(injected)).message).toBe('none');
    expect((await failure(use(async () => Promise.reject(new Error('own'))))).message).toBe('own');
    expect(pool.size).toBe(before);
  });
});

describe('sets of ids', () => {
  it('are written as ranges in their order', () => {
    expect(formatUidSet([1, 2, 3, 7, 9, 10, 4])).toBe('1:3,7,9:10,4');
  });
});
