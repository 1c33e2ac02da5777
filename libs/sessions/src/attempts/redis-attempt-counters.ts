import { randomBytes } from 'node:crypto';
import type { Redis, Result } from 'ioredis';
import type { AttemptCounters, BegunAttempt, CounterRule, RefusedAttempt } from './attempt-counters';

/**
 * A counter is a hash whose expiry is its window: `count` holds attempts that failed or are under way, `pending` those
 * under way, `window` a name of the window. Scripts run alone, so that no attempt comes between look and count.
 */
const SCRIPTS = {
  /** counters | name for new windows, then per counter: points, window ms, 1 for a gauge, position of the counter that must be full or 0 */
  beginAttempt: `
    local counts, full = {}, {}
    for i = 1, #KEYS do
      counts[i] = tonumber(redis.call('HGET', KEYS[i], 'count') or '0')
      full[i] = counts[i] >= tonumber(ARGV[4 * i - 2])
    end
    local function holds(i)
      local guard = tonumber(ARGV[4 * i + 1])
      return ARGV[4 * i] == '0' and (guard == 0 or full[guard])
    end
    local busy = 0
    for i = 1, #KEYS do
      if full[i] and holds(i) then
        local pending = tonumber(redis.call('HGET', KEYS[i], 'pending') or '0')
        if counts[i] - pending >= tonumber(ARGV[4 * i - 2]) then
          return {'refused', i, redis.call('PTTL', KEYS[i])}
        end
        if busy == 0 then busy = i end
      end
    end
    if busy > 0 then return {'busy', busy, redis.call('PTTL', KEYS[busy])} end
    local remaining = 0x7fffffff
    local begun = {'begun', 0}
    for i = 1, #KEYS do
      if redis.call('HSETNX', KEYS[i], 'window', ARGV[1]) == 1 then
        redis.call('PEXPIRE', KEYS[i], ARGV[4 * i - 1])
      end
      local count = redis.call('HINCRBY', KEYS[i], 'count', 1)
      redis.call('HINCRBY', KEYS[i], 'pending', 1)
      if holds(i) then remaining = math.min(remaining, tonumber(ARGV[4 * i - 2]) - count) end
      begun[i + 2] = redis.call('HGET', KEYS[i], 'window')
    end
    begun[2] = remaining
    return begun`,
  /** counters | 1 to take the attempt back, then the window of each counter */
  settleAttempt: `
    for i = 1, #KEYS do
      if redis.call('HGET', KEYS[i], 'window') == ARGV[i + 1] then
        if tonumber(redis.call('HGET', KEYS[i], 'pending')) > 0 then redis.call('HINCRBY', KEYS[i], 'pending', -1) end
        if ARGV[1] == '1' and tonumber(redis.call('HGET', KEYS[i], 'count')) > 0 then
          redis.call('HINCRBY', KEYS[i], 'count', -1)
        end
      end
    end
    return 1`,
} as const;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    beginAttempt(...args: (string | number)[]): Result<[kind: string, number: number, ...(string | number)[]], Context>;
    settleAttempt(...args: (string | number)[]): Result<number, Context>;
  }
}

/** Counters that all processes share. */
export class RedisAttemptCounters implements AttemptCounters {
  constructor(private readonly redis: Redis) {
    // The number of counters comes with each call, as its first argument.
    for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { lua });
  }

  /** @throws what the client library throws while the store is away */
  async beginAttempt(rules: readonly CounterRule[]): Promise<BegunAttempt | RefusedAttempt> {
    const [kind, number, ...rest] = await this.redis.beginAttempt(
      rules.length,
      ...rules.map(({ key }) => key),
      randomBytes(6).toString('base64url'),
      ...rules.flatMap(({ points, windowMs, gauge, whileFull }) => [
        points,
        windowMs,
        gauge ? 1 : 0,
        whileFull === undefined ? 0 : whileFull + 1,
      ]),
    );
    if (kind === 'begun') return { kind, remaining: number, windows: rest.map(String) };
    return { kind: kind === 'busy' ? 'busy' : 'refused', at: number - 1, waitMs: Number(rest[0]) };
  }

  /** @throws what the client library throws while the store is away */
  async settleAttempt(rules: readonly CounterRule[], windows: readonly string[], refund: boolean): Promise<void> {
    await this.redis.settleAttempt(rules.length, ...rules.map(({ key }) => key), refund ? 1 : 0, ...windows);
  }
}
