import { pushMails, type MailboxAccess, type NewMail } from '@groupware/contracts';
import { ConnectionGovernor, ImapPoolSettings, MailConnector, type ImapLogin } from '@groupware/mail-access';
import { OutboundGuard, OutboundSettings, PortList } from '@groupware/outbound';
import { RedisSettings } from '@groupware/service-kit';
import { person, startDovecot, testAuthority, uniquePrefix, until, type Dovecot } from '@groupware/test-kit';
import { ImapFlow } from 'imapflow';
import { Redis } from 'ioredis';
import type { TokenRequest } from '../accounts/mailbox-tokens';
import { MailWatch } from './mail-watch';
import { MailWatchSettings } from './mail-watch-settings';
import { WatchLeases } from './watch-leases';

const ACCOUNT = { login: 'ann', secret: 'sealed', addresses: [] } as unknown as MailboxAccess;
const LOGINS = ['ann', ...Array.from({ length: 8 }, (_, index) => `user${index}`)];

let dovecot: Dovecot;
let redis: Redis;
let governor: ConnectionGovernor;
let prefix: string;
/** Mails that all replicas told push, in its order. */
let told: (NewMail & { readonly user: number })[];
const replicas: Replica[] = [];

interface ReplicaOptions {
  readonly settings?: Partial<MailWatchSettings>;
  readonly ignored?: string[];
  readonly accounts?: readonly number[];
  readonly password?: string;
  /** Servers of its clients tell no next UID when a mailbox is opened. */
  readonly hidesUidNext?: boolean;
}

/** A process of the mail service. */
class Replica {
  readonly watch: MailWatch;
  private readonly redis = new Redis(process.env.REDIS_URL!);
  private readonly clients = new Set<ImapFlow>();
  private isDead = false;
  attempts = 0;
  opening = 0;
  mostOpening = 0;

  private readonly hidesUidNext: boolean;

  constructor({
    settings = {},
    ignored = [],
    accounts = [0],
    password = 'secret',
    hidesUidNext = false,
  }: ReplicaOptions = {}) {
    this.hidesUidNext = hidesUidNext;
    const own = { idleMs: 60_000, leaseMs: 300, retryMs: 20, ...settings };
    const watchSettings = Object.assign(new MailWatchSettings(), own);
    const outbound = Object.assign(new OutboundSettings(), { allow: ['127.0.0.1'], failureStepMs: 10 });
    const connector = new MailConnector(new OutboundGuard(outbound), governor, new PortList(['1024-65535']));
    const mailboxes = {
      listAccounts: async () => accounts.map((id) => ({ ...ACCOUNT, id })),
      withLogin: <T>(
        { principal: { contextId, userId } }: TokenRequest,
        { id }: MailboxAccess,
        work: (login: ImapLogin) => Promise<T>,
      ) =>
        work({
          server: { protocol: 'imap', host: '127.0.0.1', port: dovecot.imap, protection: 'offered', allowPlain: true },
          credentials: { login: LOGINS[userId]!, password },
          use: { account: `${contextId}:${userId}:${id}`, timeoutMs: 20_000, acceptsCertificate: async () => true },
        }),
    };
    this.watch = new MailWatch(
      mailboxes as never,
      new WatchLeases(this.redis, { busPrefix: prefix } as never, new RedisSettings(), watchSettings),
      { openImap: (...request: Parameters<MailConnector['openImap']>) => this.open(connector, request) } as never,
      { call: async (...call: [unknown, never]) => this.hear(...call) } as never,
      watchSettings,
      Object.assign(new ImapPoolSettings(), { ignoredCapabilities: ignored }),
    );
    this.watch.begin();
    replicas.push(this);
  }

  /** The user begins to look. */
  start(userId: number): Promise<void> {
    return this.watch.start({ principal: person(userId, { contextId: 1 }) } as never);
  }

  /** Whatever it held is lost, without a word. */
  async die(): Promise<void> {
    this.isDead = true;
    this.redis.disconnect();
    for (const client of this.clients) client.close();
    await this.end();
  }

  async end(): Promise<void> {
    await this.watch.stop();
    this.redis.disconnect();
  }

  private async open(connector: MailConnector, [server, credentials, use]: Parameters<MailConnector['openImap']>) {
    if (this.isDead) throw new Error('dead');
    expect(use.priority).toBe('background');
    this.attempts += 1;
    this.opening += 1;
    this.mostOpening = Math.max(this.mostOpening, this.opening);
    try {
      const held = await connector.openImap(server, credentials, use);
      const { client } = held.connection;
      this.clients.add(client);
      const { mailboxOpen } = client;
      if (this.hidesUidNext)
        client.mailboxOpen = async (...wanted) => ({ ...(await mailboxOpen.apply(client, wanted)), uidNext: 0 });
      return held;
    } finally {
      this.opening -= 1;
    }
  }

  private hear(operation: unknown, { query }: { query: { user: number; mails: NewMail[] } }): void {
    if (this.isDead) throw new Error('dead');
    expect(operation).toBe(pushMails.tell);
    told.push(...query.mails.map((mail) => ({ user: query.user, ...mail })));
  }
}

/** Connections by the books of the governor. */
const connections = () => governor.countOf(`127.0.0.1:${dovecot.imap}`);
/** The listeners wait for news: what comes from now on is new. */
const untilListening = (count: number) =>
  until(async () => (await redis.keys(`${prefix}:mail-watch:*:told`)).length === count);
const deliver = (login: string, subject: string) =>
  dovecot.deliver(
    login,
    `From: =?utf-8?q?J=C3=B6rg?= <joerg@example.org>\r\nSubject: ${subject}\r\n\r\nHello from afar\r\n`,
  );
const subjects = () => told.map(({ subject }) => subject);

beforeAll(async () => {
  const users = Object.fromEntries(LOGINS.map((login) => [login, 'secret']));
  dovecot = await startDovecot({ certificate: testAuthority().issue(['127.0.0.1']), users });
  redis = new Redis(process.env.REDIS_URL!);
}, 60_000);
beforeEach(() => {
  prefix = uniquePrefix();
  governor = new ConnectionGovernor(redis, prefix);
  told = [];
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(replicas.splice(0).map((replica) => replica.end()));
});
afterAll(async () => {
  redis?.disconnect();
  await dovecot?.stop();
});

describe('listening for new mails', () => {
  it('tells of each that came and was not read, at once', async () => {
    const replica = new Replica();
    await replica.start(0);
    await untilListening(1);
    expect([replica.watch.size, await connections()]).toEqual([1, 1]);
    await deliver('ann', 'first');
    const since = performance.now();
    await until(() => told.length > 0);
    // Dovecot itself waits half a second for further mails.
    expect(performance.now() - since).toBeLessThan(2_000);
    expect(told).toEqual([
      {
        user: 0,
        folder: 'default0/INBOX',
        id: '1',
        email: 'joerg@example.org',
        displayname: 'Jörg',
        subject: 'first',
        unread: 1,
        teaser: 'Hello from afar',
      },
    ]);
    const other = new ImapFlow({
      ...{ host: '127.0.0.1', port: dovecot.imap, secure: false, doSTARTTLS: false, logger: false },
      auth: { user: 'ann', pass: 'secret' },
    });
    await other.connect();
    await other.append('INBOX', Buffer.from('Subject: moved here\r\n\r\nx\r\n'), ['\\Seen']);
    await other.logout();
    await deliver('ann', 'second');
    await until(() => told.length > 1);
    expect(subjects()).toEqual(['first', 'second']);
  });

  it('tells of them at servers that do not tell the next UID of a mailbox that is opened', async () => {
    const replica = new Replica({ hidesUidNext: true });
    await deliver('user0', 'old');
    await replica.start(1);
    await untilListening(1);
    await deliver('user0', 'new');
    await until(() => told.length > 0);
    expect(subjects()).toEqual(['new']);
  });

  it('ends when the user looks no more, and with it the connection', async () => {
    const replica = new Replica({ settings: { idleMs: 700 } });
    await replica.start(0);
    await untilListening(1);
    const since = performance.now();
    await until(async () => {
      expect(await replica.watch.extend(1, [0, 5])).toEqual([5]);
      return performance.now() > since + 900;
    });
    expect(await connections()).toBe(1);
    await until(async () => (await connections()) === 0);
    expect(replica.watch.size).toBe(0);
    expect(await replica.watch.extend(1, [0])).toEqual([0]);
  });

  it('is done by one process; another takes over from one that died, and tells what came meanwhile, nothing twice', async () => {
    const [first, second] = [new Replica(), new Replica()];
    await first.start(0);
    await untilListening(1);
    await second.start(0);
    expect([first.watch.size, second.watch.size, await connections()]).toEqual([1, 0, 1]);
    await deliver('ann', 'before');
    await until(() => told.length === 1);
    await first.die();
    await deliver('ann', 'between');
    await until(async () => (await second.watch.extend(1, [0])).includes(0));
    await second.start(0);
    await until(() => told.length > 1);
    await deliver('ann', 'after');
    await until(() => told.length > 2);
    expect(subjects()).toEqual(['before', 'between', 'after']);
  });

  it('goes over to another process at once when one ends', async () => {
    const [first, second] = [new Replica({ settings: { leaseMs: 60_000 } }), new Replica()];
    await first.start(0);
    await untilListening(1);
    await first.end();
    expect(await second.watch.extend(1, [0])).toEqual([0]);
    await second.start(0);
    expect(second.watch.size).toBe(1);
  });

  it('says IDLE again and again, and connects anew after its connection broke', async () => {
    const idle = jest.spyOn(ImapFlow.prototype, 'idle');
    const replica = new Replica({ settings: { renewMs: 60 } });
    await replica.start(1);
    await until(() => idle.mock.calls.length >= 4);
    expect(replica.attempts).toBe(1);
    (idle.mock.contexts[0] as ImapFlow).close();
    await until(() => replica.attempts === 2);
    await deliver('user0', 'still there');
    await until(() => told.length > 0);
    expect(subjects()).toEqual(['still there']);
  });

  it('asks a server without IDLE now and then', async () => {
    const [idle, noop] = [jest.spyOn(ImapFlow.prototype, 'idle'), jest.spyOn(ImapFlow.prototype, 'noop')];
    const replica = new Replica({ settings: { pollMs: 200 }, ignored: ['IDLE'] });
    await replica.start(2);
    await untilListening(1);
    const since = performance.now();
    await deliver('user1', 'polled');
    await until(() => told.length > 0);
    await until(() => noop.mock.calls.length >= 3);
    expect([subjects(), idle.mock.calls.length]).toEqual([['polled'], 0]);
    expect(noop.mock.calls.length).toBeLessThanOrEqual((performance.now() - since) / 200 + 1);
  });

  it('asks a server now and then that takes IDLE and ends it at once', async () => {
    const idle = jest.spyOn(ImapFlow.prototype, 'idle').mockResolvedValue(false);
    const replica = new Replica({ settings: { pollMs: 50 } });
    await replica.start(2);
    await untilListening(1);
    await deliver('user1', 'polled all the same');
    await until(() => told.length > 0);
    expect(idle).toHaveBeenCalledTimes(1);
  });

  it('keeps to its limits: of the process, of a user, and of connections that open together', async () => {
    const [small, large] = [new Replica({ settings: { max: 1 } }), new Replica({ settings: { starts: 2 } })];
    await small.start(0);
    await small.start(3);
    expect(small.watch.size).toBe(1);
    await Promise.all([3, 4, 5, 6, 7, 8].map((user) => large.start(user)));
    await untilListening(7);
    expect([large.watch.size, large.mostOpening, await connections()]).toEqual([6, 2, 7]);
    const many = new Replica({ settings: { perUser: 2 }, accounts: [0, 1, 2] });
    await many.start(1);
    expect(many.watch.size).toBe(2);
  });

  it('leaves users alone for a while whose login is refused, who have no mailbox, and all where it is switched off', async () => {
    const refused = new Replica({ password: 'wrong', settings: { retryMs: 10 } });
    await refused.start(0);
    await until(() => refused.watch.size === 0);
    expect([refused.attempts, await refused.watch.extend(1, [0])]).toEqual([1, []]);
    await new Replica({ accounts: [] }).start(1);
    await new Replica({ settings: { max: 0 } }).start(2);
    expect(await refused.watch.extend(1, [0, 1, 2, 3])).toEqual([3]);
  });
});
