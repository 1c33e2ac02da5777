import type { Notice } from '@groupware/contracts';
import type { AdministrationTransaction, ModuleDatabase, Transaction } from '@groupware/persistence';
import { expectTenantIsolation, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { DeliveryRepository } from './delivery/delivery.repository';
import { PushedMailRepository } from './mail/pushed-mail.repository';
import { ListenerRepository } from './persistence/listener.repository';
import { NoticeRepository } from './persistence/notice.repository';
import { StreamReset } from './stream-reset';
import { SubscriptionRepository, type NewSubscription } from './persistence/subscription.repository';
import { migrations } from './push.parts';

const tenant = { contextId: 1 };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TOPIC = 'ox:mail:new';
const notices = new NoticeRepository();
const subscriptions = new SubscriptionRepository();
const deliveries = new DeliveryRepository();
const listeners = new ListenerRepository();
const queue = new PushedMailRepository();
let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ push: migrations });
  database = await databases.of('push');
}, 60_000);
afterAll(() => databases?.close());
beforeEach(() =>
  database.acrossContexts('a test looks at all', async (db) => {
    for (const table of ['stream', 'notice', 'seen_mail', 'delivery', 'subscription', 'pushed_mail', 'event_stream'])
      await db.run(`delete from ${table}`);
  }),
);

const transact = <T>(work: (tx: Transaction) => Promise<T>) => database.transact(tenant, work);
const opened = (userId: number, now: number) => transact((tx) => notices.open(tx, userId, now, now + HOUR));
const tell = (users: readonly number[], at: number, data: object = {}, keep = 1_000) =>
  transact((tx) => notices.append(tx, [{ users, topic: TOPIC, data }], at, keep));
const after = (userId: number, epoch: number, seq: number, at?: number) =>
  database.read(tenant, (db) => notices.after(db, userId, { epoch, seq, at }), { snapshot: true });
const numbers = (found: readonly Notice[]) => found.map(({ seq }) => seq);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('notices', () => {
  it('are numbered in the order of commits, without gaps, however many transactions tell several users at once', async () => {
    await Promise.all([3, 4, 5].map((user) => opened(user, 0)));
    const orders = [[3, 4, 5], [5, 4, 3], [4], [3, 5]];
    await Promise.all(upTo(40).map((n) => tell(orders[n % orders.length]!, n, { n })));
    for (const [user, count] of [
      [3, 30],
      [4, 30],
      [5, 30],
    ] as const) {
      const { epoch, last } = await opened(user, 1);
      expect(last).toBe(count);
      expect(numbers((await after(user, epoch, 0)).notices)).toEqual(upTo(count));
    }
  });

  it('that are stored together follow the order of the news for each user, and are trimmed alike', async () => {
    const { epoch } = await opened(3, 0);
    await opened(4, 0);
    const news = upTo(60).map((n) => ({ users: n % 2 ? [3, 4] : [3], topic: TOPIC, data: { n } }));
    const stored = await transact((tx) => notices.append(tx, news, 5, 20));
    expect(stored.filter(({ userId }) => userId === 3).map(({ seq }) => seq)).toEqual(upTo(60));
    const found = await after(3, epoch, 31, 5);
    expect(found).toMatchObject({ lost: false, last: 60, at: 5 });
    expect(found.notices.map(({ data }) => (data as { n: number }).n)).toEqual(upTo(60).slice(31));
    expect((await after(4, (await opened(4, 1)).epoch, 0)).notices.map(({ data }) => data)).toEqual(
      upTo(30).map((n) => ({ n: 2 * n - 1 })),
    );
    expect((await after(3, epoch, 29)).lost).toBe(true);
  });

  it('with a number that was used before a restore are not taken for the former ones', async () => {
    const { epoch } = await opened(3, 0);
    for (const at of [10, 20, 30]) await tell([3], at);
    // As a backup from between the first and the second one does.
    await database.acrossContexts('a test looks at all', (db) => db.run('delete from notice where seq > 1'));
    await database.acrossContexts('a test looks at all', (db) =>
      db.run('update stream set last_seq = 1, last_at = 10'),
    );
    expect((await after(3, epoch, 3, 30)).lost).toBe(true);
    for (const at of [40, 50, 60]) await tell([3], at);
    expect((await after(3, epoch, 3, 30)).lost).toBe(true);
    expect((await after(3, epoch, 2, 20)).lost).toBe(true);
    expect(numbers((await after(3, epoch, 1, 10)).notices)).toEqual([2, 3, 4]);
    expect(await after(3, epoch, 4, 60)).toMatchObject({ lost: false, notices: [] });
    expect((await after(3, epoch, 4, 59)).lost).toBe(true);
  });

  it('begin anew for all streams when the stream of events is another one, once for all processes', async () => {
    const at = async () => (await opened(3, 1)).epoch;
    const first = (await opened(3, 0)).epoch;
    await tell([3], 1);
    const events = { generation: { id: 'a' }, onGeneration: () => () => undefined, broadcast: jest.fn() };
    const process = () => new StreamReset(events as any, database, notices, { now: () => 100 });
    await process().compare('a');
    await process().compare('a');
    expect(await at()).toBe(first);
    await Promise.all([process().compare('b'), process().compare('b')]);
    expect(await opened(3, 1)).toEqual({ epoch: 100, last: 0, at: 0 });
    expect(events.broadcast).toHaveBeenCalledTimes(1);
    expect((await after(3, first, 1)).lost).toBe(true);
  });

  it('are kept for a client that is away for five minutes: no gap, nothing twice', async () => {
    let now = 1_000_000;
    const { epoch, last } = await opened(3, now);
    const seen: number[] = [];
    let at = last;
    // A notice every five seconds; every five minutes the client is there for a moment.
    for (let count = 1; count <= 180; count++) {
      now += 5_000;
      await tell([3], now, { count });
      if (count % 60 !== 0) continue;
      for (let replay = await after(3, epoch, at); replay.notices.length > 0; replay = await after(3, epoch, at)) {
        expect(replay).toMatchObject({ lost: false, epoch, last: count });
        seen.push(...replay.notices.map(({ data }) => (data as { count: number }).count));
        at = replay.notices.at(-1)!.seq;
      }
      // The edge of the client asks again for it.
      expect(await opened(3, now)).toEqual({ epoch, last: count, at: now });
    }
    expect(seen).toEqual(upTo(180));
  }, 60_000);

  it('are lost, and said to be, beyond the number that is kept, for another epoch and for a number to come', async () => {
    const { epoch } = await opened(3, 1);
    for (const n of upTo(100)) await tell([3], n, {}, 60);
    expect(await after(3, epoch, 0)).toEqual({ epoch, last: 100, at: 100, notices: [], lost: true });
    expect(numbers((await after(3, epoch, 40)).notices)).toEqual(upTo(100).slice(40));
    for (const [otherEpoch, seq] of [
      [epoch + 1, 100],
      [epoch, 101],
    ] as const)
      expect((await after(3, otherEpoch, seq)).lost).toBe(true);
    expect((await after(4, epoch, 0)).lost).toBe(true);
  });

  it('cost nothing for users nobody listens for, and begin anew in another epoch', async () => {
    expect(await tell([3], 0)).toEqual([]);
    const first = await opened(3, 0);
    expect(await tell([3], 1)).toMatchObject([{ userId: 3, epoch: first.epoch, seq: 1 }]);
    expect(await tell([3], HOUR)).toEqual([]);
    const second = await opened(3, HOUR + 1);
    expect(second).toEqual({ epoch: HOUR + 1, last: 0, at: 0 });
    expect((await after(3, second.epoch, 0)).notices).toEqual([]);
    expect((await after(3, first.epoch, 1)).lost).toBe(true);
    expect(await transact((tx) => notices.positions(tx, [3, 4], HOUR + 2, 3 * HOUR))).toEqual({ 3: second });
    expect(await tell([3], 2 * HOUR + 2)).toHaveLength(1);
  });

  it('go when their time is over, those of mails too', async () => {
    await opened(3, 0);
    for (const at of [10, 20]) await tell([3], at);
    const note = (now: number, since: number) => transact((tx) => notices.noteMail(tx, 3, 'm', now, since));
    expect([await note(10, 0), await note(15, 0), await note(20, 15)]).toEqual([true, false, true]);
    await database.acrossContexts('a test looks at all', (db) => notices.removeOld(db, { notices: 20, mails: 20 }));
    expect(await transact((tx) => tx.rows('select seq from notice where context_id = $1'))).toEqual([[2]]);
    const has = () => database.read(tenant, (db) => notices.hasMail(db, 3, 'm'));
    expect(await has()).toBe(true);
    await database.acrossContexts('a test looks at all', (db) => notices.removeOld(db, { notices: 20, mails: 21 }));
    expect(await has()).toBe(false);
  });
});

const subscription = (userId: number, change: Partial<NewSubscription> = {}): NewSubscription => ({
  userId,
  client: '',
  transport: 'webhook',
  tokenHash: `hash ${userId}`,
  token: 'sealed',
  topics: ['ox:mail:*'],
  ...change,
});
const subscribe = (subscribed: NewSubscription, now = 0) => transact((tx) => subscriptions.store(tx, subscribed, now));
const add = (users: readonly number[], now: number) =>
  transact((tx) => deliveries.add(tx, [{ users, topic: TOPIC, data: {} }], now));
const take = (now: number, limit = 1_000) =>
  database.acrossContexts('a test looks at all', (db) => deliveries.take(db, now, 30_000, limit));
const dueTimes = async () =>
  (await transact((tx) => tx.rows('select due_at from subscription where context_id = $1 order by due_at'))).map(
    ([due]) => due,
  );

describe('subscriptions', () => {
  it('are replaced by the same token, counted without it, and found by topic', async () => {
    await subscribe(subscription(3));
    await subscribe(subscription(3, { topics: ['*', 'ox:calendar:*'] }));
    await subscribe(subscription(3, { client: 'other', transport: 'sse', tokenHash: 'x' }));
    expect(await transact((tx) => subscriptions.lockOthers(tx, subscription(3)))).toBe(1);
    const topics = (transport: string) => database.read(tenant, (db) => subscriptions.topicsOf(db, 3, transport));
    expect((await topics('webhook'))!.sort()).toEqual(['*', 'ox:calendar:*']);
    expect(await topics('sse')).toEqual(['ox:mail:*']);
    expect(await topics('websocket')).toBeUndefined();
    const remove = (client?: string) =>
      transact((tx) => subscriptions.remove(tx, { userId: 3, transport: 'sse', tokenHash: 'x', client }));
    expect([await remove('nobody'), await remove(), await remove()]).toEqual([0, 1, 0]);
  });

  it('of a browser belong to who came last', async () => {
    const browser = { transport: 'webpush', tokenHash: 'browser' } as const;
    for (const user of [3, 4]) await subscribe(subscription(user, browser));
    await transact((tx) => subscriptions.takeOver(tx, subscription(4, browser)));
    expect(await transact((tx) => tx.rows('select user_id from subscription where context_id = $1'))).toEqual([[4]]);
  });

  it('and streams say who listens', async () => {
    await opened(3, 0);
    await opened(4, -HOUR);
    await subscribe(subscription(5));
    await subscribe(subscription(6, { topics: ['ox:calendar:*'] }));
    await subscribe(subscription(7, { transport: 'sse' }));
    expect(await database.read(tenant, (db) => listeners.of(db, [TOPIC, 'ox:mail:*', '*'], 1))).toEqual([3, 5]);
  });
});

describe('deliveries', () => {
  it('of one piece of news to many are spread: twenty at once, then fifty a second', async () => {
    const users = upTo(120);
    for (const user of users) await subscribe(subscription(user));
    expect(await add(users, 1_000)).toBe(120);
    const due = await dueTimes();
    expect(due.filter((time) => time === 1_000)).toHaveLength(20);
    expect(due.slice(20)).toEqual(upTo(100).map((step) => 1_000 + step * 20));
    expect(await take(1_000)).toHaveLength(20);
    expect(await take(1_000 + 50 * 20)).toHaveLength(50);
  });

  it('wait for the end of the window, and go together then', async () => {
    await subscribe(subscription(3));
    await add([3], 1_000);
    const [first] = await take(1_000);
    const [delivery] = await transact((tx) => deliveries.next(tx, first!.id, 5));
    await transact((tx) => deliveries.delivered(tx, first!.id, delivery!.id, 6_000));
    expect(await dueTimes()).toEqual([null]);
    for (const now of [1_500, 2_000, 3_000]) await add([3], now);
    expect(await dueTimes()).toEqual([6_000]);
    expect(await take(5_999)).toEqual([]);
    const [second] = await take(6_000);
    const waiting = await transact((tx) => deliveries.next(tx, second!.id, 2));
    expect(waiting.map(({ at }) => at)).toEqual([1_500, 2_000]);
    await transact((tx) => deliveries.delivered(tx, second!.id, waiting.at(-1)!.id, 11_000));
    expect(await dueTimes()).toEqual([11_000]);
  });

  it('are taken by one of many processes; what a dead one held comes again, under the same ids', async () => {
    for (const user of upTo(30)) await subscribe(subscription(user));
    await add(upTo(20), 0);
    const taken = (await Promise.all(upTo(6).map(() => take(0, 7)))).flat();
    expect(taken).toHaveLength(20);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(20);
    const before = await transact((tx) => deliveries.next(tx, taken[0]!.id, 5));
    expect(await take(29_999)).toEqual([]);
    expect(await take(30_000)).toHaveLength(20);
    expect(await transact((tx) => deliveries.next(tx, taken[0]!.id, 5))).toEqual(before);
  });

  it('that failed wait their time whatever happens meanwhile, and go with their subscription', async () => {
    await subscribe(subscription(3));
    await add([3], 0);
    const [due] = await take(0);
    await transact((tx) => deliveries.failed(tx, due!.id, 90_000));
    await add([3], 10_000);
    expect(await dueTimes()).toEqual([90_000]);
    expect((await take(90_000))[0]).toMatchObject({ attempts: 1 });
    const waiting = () => database.acrossContexts('a test looks at all', (db) => deliveries.waiting(db));
    expect(await waiting()).toBe(2);
    await database.acrossContexts('a test looks at all', (db) => deliveries.removeOld(db, 1));
    expect(await waiting()).toBe(1);
    await transact((tx) => deliveries.removeSubscription(tx, due!.id));
    expect(await waiting()).toBe(0);
  });
});

describe('pushed mails', () => {
  it('are taken once, and again when who took them died', async () => {
    const mail = { userName: '3@1', messageId: '<1>', sender: 'a@b.example', recipients: ['c@d.example'], sentAt: 5 };
    const all = <T>(work: (db: AdministrationTransaction) => Promise<T>) =>
      database.acrossContexts('a test looks at all', work);
    await all(async (db) => {
      for (const createdAt of [10, 20])
        await queue.add(db, { ...mail, method: 'REPLY', calendar: `text ${createdAt}`, createdAt });
    });
    expect(await all((db) => queue.take(db, 9, 100, 10))).toEqual([]);
    const [taken] = await all((db) => queue.take(db, 10, 100, 10));
    expect(taken).toEqual({
      id: expect.any(String),
      ...mail,
      method: 'REPLY',
      calendar: 'text 10',
      createdAt: 10,
      attempts: 1,
    });
    const rounds = await Promise.all(upTo(4).map(() => all((db) => queue.take(db, 50, 200, 10))));
    expect(rounds.flat().map(({ calendar }) => calendar)).toEqual(['text 20']);
    expect((await all((db) => queue.take(db, 100, 200, 10)))[0]).toMatchObject({ id: taken!.id, attempts: 2 });
    await all((db) => queue.postpone(db, taken!.id, 150));
    expect(await all((db) => queue.take(db, 149, 300, 10))).toEqual([]);
    await all((db) => queue.remove(db, taken!.id));
    expect(await all((db) => queue.take(db, 199, 300, 10))).toEqual([]);
  });
});

it('no repository sees or changes what belongs to another tenant', async () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const mine = 424_201;
  const key = { userId: 3, client: '', transport: 'webhook', tokenHash: 'hash' } as const;
  await expectTenantIsolation({
    database,
    fill: async (tx, { contextId }) => {
      await notices.open(tx, 3, 0, HOUR);
      const data = { text: `secret of ${contextId}` };
      await notices.append(tx, [{ users: [3], topic: TOPIC, data }], 1, 100);
      await notices.noteMail(tx, 3, 'mail', 1, 0);
      const user = { ...subscription(3, { ...key, token: `secret of ${contextId}` }) };
      await subscriptions.store(tx, user, 0);
      await tx.run('update subscription set id = $2 where context_id = $1', id);
      await deliveries.add(tx, [{ users: [3], topic: TOPIC, data }], 0);
    },
    secrets: ({ contextId }) => [`secret of ${contextId}`],
    methods: {
      'notices.open': (tx) => notices.open(tx, 3, 2 * HOUR, 3 * HOUR),
      'notices.append': (tx) => notices.append(tx, [{ users: [3], topic: TOPIC, data: {} }], 2, 0),
      'notices.positions': (tx) => notices.positions(tx, [3], 0, 9 * HOUR),
      'notices.after': (tx) => notices.after(tx, 3, { epoch: 1, seq: 0 }),
      'notices.noteMail': (tx) => notices.noteMail(tx, 3, 'mail', 5, 4),
      'notices.hasMail': (tx) => notices.hasMail(tx, 3, 'mail'),
      'listeners.of': (tx) => listeners.of(tx, ['ox:mail:*'], 0),
      'deliveries.add': (tx) => deliveries.add(tx, [{ users: [3], topic: TOPIC, data: {} }], 1),
      'deliveries.next': (tx) => deliveries.next(tx, id, 10),
      'deliveries.delivered': (tx) => deliveries.delivered(tx, id, 9_999, 5),
      'deliveries.failed': (tx) => deliveries.failed(tx, id, 5),
      'subscriptions.lockOthers': (tx) => subscriptions.lockOthers(tx, { ...key, tokenHash: 'x' }),
      'subscriptions.store': (tx) => subscriptions.store(tx, subscription(3, { ...key, topics: ['*'] }), 9),
      'subscriptions.topicsOf': (tx) => subscriptions.topicsOf(tx, 3, 'webhook'),
      'subscriptions.takeOver': (tx) => subscriptions.takeOver(tx, { ...key, userId: 4 }),
      'subscriptions.remove': (tx) => subscriptions.remove(tx, key),
      'deliveries.removeSubscription': (tx) => deliveries.removeSubscription(tx, id),
      'subscriptions.removeUser': (tx) => subscriptions.removeUser(tx, 3),
      'subscriptions.removeContext': (tx) => subscriptions.removeContext(tx),
    },
  });
  // The methods did reach the data of their own tenant.
  const left = await database.read({ contextId: mine }, (db) =>
    db.rows('select 1 from subscription where context_id = $1'),
  );
  expect(left).toEqual([]);
});
