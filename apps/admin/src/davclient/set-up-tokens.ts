import { createHash, randomBytes } from 'node:crypto';
import type { OnModuleDestroy } from '@nestjs/common';
import { DAV_TOKEN_LIFE, DavClientErrors } from '@groupware/contracts';
import { Clock, Logger, ProcessSettings, Properties, RedisSettings } from '@groupware/service-kit';
import { connectRedis } from '@groupware/sessions';
import type { FactoryProvider } from '@nestjs/common';
import type { Redis } from 'ioredis';

/** Facts bound to a token. */
export interface SetUpFacts {
  readonly contextId: number;
  readonly userId: number;
  readonly login: string;
  /** Setup flow: `caldav`, `carddav` or `dav`. */
  readonly flow: string;
  readonly locale: string;
  /** Whether the session that asked for the token showed a second factor. Absent in older tokens. */
  readonly showedFactor?: boolean;
  /** ms UTC. */
  readonly createdAt: number;
}

const TOKEN_BYTES = 32;
/** Lease of a token while it is redeemed, ms; it expires when its holder dies. */
const REDEEMING_MS = 30_000;
const log = Logger.for('admin.davclient');

// The older open token of the same user and flow ends with the new one.
const ISSUE = `
  local older = redis.call('get', KEYS[2])
  if older then redis.call('del', older) end
  redis.call('hset', KEYS[1], 'state', 'unused', 'facts', ARGV[1])
  redis.call('pexpire', KEYS[1], ARGV[2])
  redis.call('set', KEYS[2], KEYS[1], 'px', ARGV[2])`;
// One caller gets the facts; others get nothing until the token is released or the lease expires.
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
  async issueToken(facts: Omit<SetUpFacts, 'createdAt'>): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const stored: SetUpFacts = { ...facts, createdAt: this.clock.now() };
    const open = `${this.prefix}:dav:open:${facts.contextId}:${facts.userId}:${facts.flow}`;
    await this.runScript(ISSUE, [this.toKey(token), open], [JSON.stringify(stored), this.lifetimeMs()]);
    return token;
  }

  /** The facts of a token, which is held for its taker; undefined for one that is unknown, old, used or held. */
  async reserveToken(token: string): Promise<SetUpFacts | undefined> {
    const facts = await this.runScript(TAKE, [this.toKey(token)], [this.clock.now(), REDEEMING_MS]);
    return typeof facts === 'string' ? (JSON.parse(facts) as SetUpFacts) : undefined;
  }

  /** Reads the facts of an unused token without changing it. */
  async peekToken(token: string): Promise<SetUpFacts | undefined> {
    const facts = await this.runScript(PEEK, [this.toKey(token)], []);
    return typeof facts === 'string' ? (JSON.parse(facts) as SetUpFacts) : undefined;
  }

  /** Gives a token free for the rest of its life. */
  async releaseToken(token: string): Promise<void> {
    await this.runScript(PUT_BACK, [this.toKey(token)], []);
  }

  /** Ends a token; that it was there is remembered for the rest of its life. */
  async finishToken(token: string): Promise<void> {
    await this.runScript(FINISH, [this.toKey(token)], []);
  }

  /** Called by Nest when the service stops. */
  onModuleDestroy(): void {
    this.redis.disconnect();
  }

  private toKey(token: string): string {
    return `${this.prefix}:dav:token:${createHash('sha256').update(token).digest('base64url')}`;
  }

  private async runScript(
    script: string,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<unknown> {
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
  useFactory: async (settings: RedisSettings, process: ProcessSettings, properties: Properties, clock: Clock) =>
    new SetUpTokens(
      await connectRedis(settings.redisUrl.reveal(), (error) => log.warn({ error: error.message }, 'store of tokens')),
      settings.keyPrefix(process.busPrefix),
      () => properties.serverValue(DAV_TOKEN_LIFE),
      clock,
    ),
};
