import { PushErrors } from '@groupware/contracts';
import type { ModuleDatabase } from '@groupware/persistence';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { SubscriptionRepository } from '../persistence/subscription.repository';
import { migrations } from '../push.parts';
import { DeliveryConfig } from './delivery.config';
import { pauseAfter } from '../domain/pause-after';
import { DeliveryLoop } from './delivery-loop';
import { DeliveryRepository, type Delivery } from './delivery.repository';

const tenant = { contextId: 1 };
const deliveries = new DeliveryRepository();
const subscriptions = new SubscriptionRepository();
const config = Object.assign(new DeliveryConfig(), { debounceMs: 5_000, burst: 5, retryMs: 1_000, maxAttempts: 3 });
let databases: TestDatabase;
let database: ModuleDatabase;
let now: number;
/** Deliveries that were sent, as ids, and what is answered: a status, with headers, or a failure. */
let sent: string[][];
let answers: (number | Error | { status: number; headers: Record<string, string> })[];

beforeAll(async () => {
  databases = await testDatabase({ push: migrations });
  database = await databases.of('push');
}, 60_000);
afterAll(() => databases?.close());
beforeEach(async () => {
  now = 1_000_000;
  sent = [];
  answers = [];
  await database.transact(tenant, (tx) => subscriptions.removeContext(tx));
  const key = { userId: 3, client: '', transport: 'webhook', tokenHash: 'h' } as const;
  await database.transact(tenant, (tx) => subscriptions.store(tx, { ...key, token: 'sealed', topics: ['*'] }, now));
});

const senders = {
  send: async (_due: unknown, _token: string, waiting: readonly Delivery[]) => {
    sent.push(waiting.map(({ noticeId }) => noticeId));
    const answer = answers.shift() ?? 201;
    if (answer instanceof Error) throw answer;
    const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
    return { count: waiting.length, answer: { status, headers } };
  },
};
const vault = { open: (sealed: string) => (sealed === 'sealed' ? 'token' : undefined) };
const tell = () =>
  database.transact(tenant, (tx) => deliveries.add(tx, [{ users: [3], topic: 'ox:mail:new', data: {} }], now));
/** One round of a process, with everything it began. */
async function round(data: ModuleDatabase = database): Promise<void> {
  const loop = new DeliveryLoop(data, deliveries, senders as never, vault as never, { now: () => now }, config);
  loop.poke();
  await loop.stop();
}
const left = async () => {
  const rows = await database.read(tenant, (db) =>
    db.rows('select attempts, due_at from subscription where context_id = $1'),
  );
  return rows.map(([attempts, due]) => ({ attempts: attempts as number, due: due as number }))[0];
};

describe('the delivery loop', () => {
  it('calls a subscription once in a window, with what came meanwhile, in pieces of the largest burst', async () => {
    for (let count = 0; count < 60; count++) {
      await tell();
      await round();
      now += 500;
    }
    // 30 seconds, one call in five.
    expect(sent.length).toBeGreaterThanOrEqual(6);
    expect(sent.length).toBeLessThanOrEqual(7);
    expect(Math.max(...sent.map((ids) => ids.length))).toBe(5);
    for (let steps = 0; steps < 12; steps++) {
      now += 5_000;
      await round();
    }
    expect(new Set(sent.flat()).size).toBe(60);
    expect(sent.flat()).toHaveLength(60);
  }, 60_000);

  it.each([404, 410])('forgets a subscription that answers %i', async (status) => {
    answers = [status];
    await tell();
    await round();
    expect(await left()).toBeUndefined();
    await tell();
    await round();
    expect(sent).toHaveLength(1);
  });

  it('tries again after growing pauses, with the same ids, and gives up in the end', async () => {
    answers = [500, new Error('no connection'), 302];
    await tell();
    await round();
    const first = await left();
    expect(first).toMatchObject({ attempts: 1 });
    expect(first!.due - now).toBeGreaterThanOrEqual(750);
    expect(first!.due - now).toBeLessThanOrEqual(1_250);
    await round();
    expect(sent).toHaveLength(1);
    now = first!.due;
    await round();
    const second = await left();
    expect(second!.due - now).toBeGreaterThanOrEqual(1_500);
    now = second!.due;
    await round();
    expect(await left()).toBeUndefined();
    expect(sent).toHaveLength(3);
    expect(new Set(sent.flat()).size).toBe(1);
  });

  it('begins anew after a success, and waits as long as it is asked to, an hour at most', async () => {
    answers = [
      503,
      201,
      { status: 429, headers: { 'retry-after': '120' } },
      { status: 503, headers: { 'retry-after': '999999' } },
    ];
    await tell();
    await round();
    now = (await left())!.due;
    await round();
    expect(await left()).toEqual({ attempts: 0, due: null });
    now += 10_000;
    await tell();
    await round();
    expect(await left()).toEqual({ attempts: 1, due: now + 120_000 });
    now += 120_000;
    await round();
    expect(await left()).toEqual({ attempts: 2, due: now + 3_600_000 });
  });

  it('calls again when its process died before it noted the success: at least once, under the same id', async () => {
    await tell();
    const dying = Object.create(database, {
      transact: { value: () => Promise.reject(new Error('killed')) },
    }) as ModuleDatabase;
    await round(dying);
    expect(sent).toHaveLength(1);
    await round();
    expect(sent).toHaveLength(1);
    now += config.timeoutMs * 2 + 10_000;
    await round();
    await round();
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(await left()).toEqual({ attempts: 0, due: null });
  });

  it('forgets subscriptions whose token nobody can read', async () => {
    answers = [PushErrors.badToken('webhook', 'x')];
    await tell();
    await round();
    expect(await left()).toBeUndefined();
  });

  it('pauses twice as long each time, never the same for all, and never more than an hour and a quarter', () => {
    expect([0, 1, 5].map((attempts) => pauseAfter(attempts, 1_000, 0.5))).toEqual([1_000, 2_000, 32_000]);
    expect(pauseAfter(100, 5_000, 1)).toBe(4_500_000);
    expect(new Set(Array.from({ length: 20 }, () => pauseAfter(3, 1_000))).size).toBeGreaterThan(10);
  });
});
