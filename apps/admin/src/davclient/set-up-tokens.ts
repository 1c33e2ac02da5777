import { createHash, randomBytes } from 'node:crypto';
import type { OnModuleDestroy } from '@nestjs/common';
import { DAV_TOKEN_LIFE, DavClientErrors } from '@groupware/contracts';
import { Clock, Logger, ProcessSettings, Properties, RedisSettings } from '@groupware/service-kit';
import { connectRedis } from '@groupware/sessions';
import type { FactoryProvider } from '@nestjs/common';
import type { Redis } from 'ioredis';

/** What a token stands for. */
export interface SetUpFacts {
  readonly contextId: number;
  readonly userId: number;
  readonly login: string;
  /** What is set up: `caldav`, `carddav` or `dav`. */
  readonly flow: string;
  readonly locale: string;
  /** ms UTC. */
  readonly createdAt: number;
}

const TOKEN_BYTES = 32;
/** How long a token is held while it is redeemed, ms. Whoever dies in between gives it free again. */
const REDEEMING_MS = 30_000;
const log = Logger.for('admin.davclient');

// The older open token of the same user and flow ends with the new one.
const ISSUE = `
  local older = redis.call('get', KEYS[2])
  if older then redis.call('del', older) end
  redis.call('hset', KEYS[1], 'state', 'unused', 'facts', ARGV[1])
  redis.call('pexpire', KEYS[1], ARGV[2])
  redis.call('set', KEYS[2], KEYS[1], 'px', ARGV[2])`;
// One caller gets the facts; everybody else nothing, until they are put back or the time is over.
const TAKE = `
  local state = redis.call('hmget', KEYS[1], 'state', 'facts', 'until')
  if state[1] ~= 'unused' and not (state[1] == 'redeeming' and tonumber(state[3]) < tonumber(ARGV[1])) then return false end
  redis.call('hset', KEYS[1], 'state', 'redeeming', 'until', ARGV[1] + ARGV[2])
  return state[2]`;
const PEEK = `return redis.call('hget', KEYS[1], 'facts')`;
const PUT_BACK = `if redis.call('hget', KEYS[1], 'state') == 'redeeming' then redis.call('hset', KEYS[1], 'state', 'unused') end`;
const FINISH = `
  if redis.call('exists', KEYS[1]) == 1 then
    redis.call('hset', KEYS[1], 'state', 'used')
    redis.call('hdel', KEYS[1], 'facts', 'until')
  end`;

/** Tokens with which devices set themselves up, once. The store holds digests of them. */
export class SetUpTokens implements OnModuleDestroy {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly lifetimeMs: () => number,
    private readonly clock: Clock,
  ) {}

  /** A fresh token of 43 characters (base64url). @throws DAVCLIENT-0003 */
  async issue(facts: Omit<SetUpFacts, 'createdAt'>): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const stored: SetUpFacts = { ...facts, createdAt: this.clock.now() };
    const open = `${this.prefix}:dav:open:${facts.contextId}:${facts.userId}:${facts.flow}`;
    await this.run(ISSUE, [this.keyOf(token), open], [JSON.stringify(stored), this.lifetimeMs()]);
    return token;
  }

  /** The facts of a token, which is held for its taker; undefined for one that is unknown, old, used or held. */
  async take(token: string): Promise<SetUpFacts | undefined> {
    const facts = await this.run(TAKE, [this.keyOf(token)], [this.clock.now(), REDEEMING_MS]);
    return typeof facts === 'string' ? (JSON.parse(facts) as SetUpFacts) : undefined;
  }

  /** The facts of a token that nobody used yet; nothing changes. */
  async peek(token: string): Promise<SetUpFacts | undefined> {
    const facts = await this.run(PEEK, [this.keyOf(token)], []);
    return typeof facts === 'string' ? (JSON.parse(facts) as SetUpFacts) : undefined;
  }

  /** Gives a token free for the rest of its life. */
  async putBack(token: string): Promise<void> {
    await this.run(PUT_BACK, [this.keyOf(token)], []);
  }

  /** Ends a token; that it was there is remembered for the rest of its life. */
  async finish(token: string): Promise<void> {
    await this.run(FINISH, [this.keyOf(token)], []);
  }

  /** Called by Nest when the service stops. */
  onModuleDestroy(): void {
    this.redis.disconnect();
  }

  private keyOf(token: string): string {
    return `${this.prefix}:dav:token:${createHash('sha256').update(token).digest('base64url')}`;
  }

  private async run(script: string, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.redis.eval(script, keys.length, ...keys, ...values);
    } catch (cause) {
      throw DavClientErrors.unavailable().with({ cause });
    }
  }
}

/** Tokens with a connection of their own. */
export const setUpTokensProvider: FactoryProvider<SetUpTokens> = {
  provide: SetUpTokens,
  inject: [RedisSettings, ProcessSettings, Properties, Clock],
  useFactory: async ({ redisUrl }: RedisSettings, process: ProcessSettings, properties: Properties, clock: Clock) =>
    new SetUpTokens(
      await connectRedis(redisUrl.reveal(), (error) => log.warn({ error: error.message }, 'store of tokens')),
      process.busPrefix,
      () => properties.serverValue(DAV_TOKEN_LIFE),
      clock,
    ),
};
