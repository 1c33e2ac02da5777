import fs from 'node:fs';
import path from 'node:path';
import { fieldsOf, operations, type Operation } from '@groupware/contracts';
import { Redis } from 'ioredis';
import { created } from '../calendar/calendar';
import { createFixtures, createContext, createTestUser, type Fixtures } from '../fixtures';
import { ask, type Attempt, type AttemptCaller, HOSTILE, isUnforeseen, validCall } from '../edge/attempts';
import { createSingleProcessWorld, type SingleProcessWorld } from '../processes';
import { nameOf } from '../samples';
import { delayOf, LONGEST_DELAY_MS, readDelay, readMetric } from './event-loop';

/** How long random calls are made, s. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 30);
/** Draws the calls: the same ones in every run, unless another seed is named. */
const SEED = Number(process.env.FUZZ_SEED ?? 1);
/** Calls of a round, at the same time; one user or context bears them. */
const ROUND = 8;
/** Rounds that are compared with the last ones; those before them fill caches. */
const WINDOW = 40;
/** A database of Redis that no other test uses. */
const REDIS_DATABASE = 15;
/** Most growth of the heap from the first calls to the end, bytes: caches fill, and then no more. */
const MOST_HEAP_GROWTH = 100 * 1024 * 1024;
const MOST_HANDLE_GROWTH = 20;

/** There is no more than one of these for each user, context or table; they are kept while there are entries. */
const KEPT_KEY = /:(user|context|table):/;

/** Enough for heads that are too large, and little enough for the client to send them to a server that has refused them. */
const MOST_PARAMETER_CHARACTERS = 50_000;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Random numbers of a seed, in [0, 1) (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomOf(SEED);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

/** A value of any kind, nested at most so deep. */
function randomValue(depth = 3): unknown {
  const kind = random();
  if (kind < 0.4) return pick(HOSTILE);
  if (kind < 0.5) return Math.floor((random() - 0.5) * 2 ** pick([4, 16, 31, 53]));
  if (kind < 0.65)
    return pick(['*', '%', '?', '0', '..', '\n', '{', '"', '\\', '\u202e', 'é']).repeat(1 + Math.floor(random() * 200));
  if (kind < 0.7) return pick(['a', '*?', '\\"']).repeat(50_000);
  if (depth === 0) return null;
  const values = Array.from({ length: Math.floor(random() * 5) }, () => randomValue(depth - 1));
  return kind < 0.85
    ? values
    : Object.fromEntries(values.map((value, index) => [pick(['id', 'name', `k${index}`]), value]));
}

/** A valid call with some of its fields set to random values. */
function randomAttempt(operation: Operation, caller: AttemptCaller): Attempt {
  const { query, body } = validCall(operation, caller);
  const places: Record<string, string> = {};
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  let changed: unknown = body;
  for (let count = Math.floor(random() * 4); count > 0; count--) {
    const where = random();
    const value = randomValue();
    const parameter = operation.query && pick(fieldsOf(operation.query))?.wireName;
    const place = operation.params && pick(fieldsOf(operation.params))?.wireName;
    const field = operation.body?.model && pick(fieldsOf(operation.body.model))?.wireName;
    if (place && where < 0.15) {
      places[place] = encodeURIComponent(Buffer.from(textOf(value).slice(0, 500)).toString()) || '%20';
    } else if (parameter && where < 0.5) query[parameter] = textOf(value).slice(0, MOST_PARAMETER_CHARACTERS);
    else if (field && where < 0.95)
      changed = isObject
        ? { ...(changed as object), [field]: value }
        : [{ ...(changed as object[])?.[0], [field]: value }];
    else if (operation.body) changed = value;
  }
  return { what: JSON.stringify({ query, body: changed, places }).slice(0, 600), query, body: changed, places };
}

let world: SingleProcessWorld;
let cast: Fixtures;
let redis: Redis;
let serial = 0;

async function freshCaller(): Promise<AttemptCaller> {
  const player = await createTestUser(world, cast.admin, cast.contextId, `z${(serial += 1)}`);
  const start = Date.UTC(2035, 4, 7, 9);
  const appointment = await created(player, { start_date: start, end_date: start + 3_600_000 });
  const contextId = await createContext(cast.admin, 'fuzz');
  const name = `v${serial}`;
  const { id: userId } = await cast.admin.expect('POST', `/admin/v1/contexts/${contextId}/users`, {
    ...{ name, displayName: name, surname: 'V', password: 'victims 1 password' },
    primaryEmail: `${name}@c${contextId}.example`,
  });
  return { world, player, appointment, victim: { contextId, userId }, nextSerial: () => (serial += 1) };
}

/** Finds remains of what a process may only have for a while. */
async function remains(): Promise<{ keys: string[]; files: string[] }> {
  const keys: string[] = [];
  for await (const found of redis.scanStream({ count: 1000 }))
    for (const key of found as string[]) if (!KEPT_KEY.test(key) && (await redis.ttl(key)) === -1) keys.push(key);
  const incoming = path.join(world.environment.DATA_DIR!, 'files', 'incoming');
  return { keys, files: fs.existsSync(incoming) ? fs.readdirSync(incoming) : [] };
}

beforeAll(async () => {
  const url = new URL(process.env.REDIS_URL!);
  url.pathname = `/${REDIS_DATABASE}`;
  redis = new Redis(url.href);
  world = await createSingleProcessWorld({
    REDIS_URL: url.href,
    GATEWAY_REST_FAILURES_PER_MINUTE: '1000000',
    GATEWAY_LOGINS_PER_MINUTE: '1000000',
    IDENTITY_HASH_MEMORY_KIB: '64',
    IDENTITY_HASH_PASSES: '1',
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(async () => {
  redis?.disconnect();
  await world?.close();
}, 60_000);

describe('random calls of all operations', () => {
  const offered = operations.filter(({ kind }) => kind !== 'internal');
  const deck: Operation[] = [];
  /** Draws operations in random order, each one before any comes again. */
  const draw = (): Operation => {
    if (deck.length === 0) deck.push(...offered);
    return deck.splice(Math.floor(random() * deck.length), 1)[0]!;
  };

  it(
    `give answers that were foreseen, hold the process nowhere and leave nothing (FUZZ_SEED=${SEED})`,
    async () => {
      const wrong: string[] = [];
      const end = Date.now() + SECONDS * 1000;
      const before = await remains();
      let caller = await freshCaller();
      const uncalled = new Set(offered.map(nameOf));
      const heaps: number[] = [];
      let handles = 0;
      for (let round = 0; Date.now() < end && wrong.length < 5; round++) {
        if ((await caller.player.get('user', 'get')).code) caller = await freshCaller();
        await readDelay(world);
        const calls = Array.from({ length: ROUND }, () => {
          const operation = draw();
          return { operation, attempt: randomAttempt(operation, caller) };
        });
        const make = async ({ operation, attempt }: (typeof calls)[number]): Promise<void> => {
          try {
            // A connection that its server closes at the moment of a request fails without a word, as clients know: they ask again.
            const answer = await ask(operation, attempt, caller).catch(() => ask(operation, attempt, caller));
            if (isUnforeseen(answer))
              wrong.push(`${nameOf(operation)} ${attempt.what}: ${answer.status} ${answer.text.slice(0, 200)}`);
          } catch (error) {
            wrong.push(`${nameOf(operation)} ${attempt.what}: ${String(error)}`);
          }
        };
        await Promise.all(calls.map(make));
        for (const { operation } of calls) uncalled.delete(nameOf(operation));
        // A busy machine holds the process as well: each call has to do it by itself.
        if ((await readDelay(world)) > LONGEST_DELAY_MS)
          for (const call of calls) {
            const delay = await delayOf(world, () => make(call));
            if (delay > LONGEST_DELAY_MS)
              wrong.push(`${nameOf(call.operation)} ${call.attempt.what}: held ${delay} ms`);
          }
        heaps.push(await readMetric(world, 'nodejs_heap_size_used_bytes'));
        if (round === WINDOW) handles = await readMetric(world, 'nodejs_active_resources_total');
      }
      expect(wrong).toEqual([]);
      const after = await remains();
      expect(after.keys.filter((key) => !before.keys.includes(key))).toEqual([]);
      expect(after.files).toEqual([]);
      if (heaps.length < 3 * WINDOW) return;
      expect([...uncalled]).toEqual([]);
      // The least of many looks is what is alive; the rest waits for its collector.
      const [early, late] = [Math.min(...heaps.slice(WINDOW, 2 * WINDOW)), Math.min(...heaps.slice(-WINDOW))];
      expect(late - early).toBeLessThan(MOST_HEAP_GROWTH);
      expect((await readMetric(world, 'nodejs_active_resources_total')) - handles).toBeLessThan(MOST_HANDLE_GROWTH);
    },
    (SECONDS + 90) * 1000,
  );
});
