import type { Redis, Result } from 'ioredis';

/** Owner of a bounded quantity. */
export interface QuotaOwner {
  readonly key: string;
  /** The most that all leases of the owner may hold together. */
  readonly max: number;
}

/** Request for more of the quantity. */
export interface QuotaRequest {
  /** Quantity that the lease holds already. */
  readonly held: number;
  /** Quantity that it needs in any case. */
  readonly need: number;
  /** Quantity that it wants, at least `need`. */
  readonly want: number;
}

/** How a request ended: with what it got, or with the owner who would have had too much. */
export type QuotaOutcome = { readonly granted: number } | { readonly owner: QuotaOwner; readonly total: number };

/**
 * An owner is a hash of leases, each with what it holds and its end (ms UTC, by the clock of the store): those that ended count
 * no more. The script runs alone, so that no other request comes between look and count.
 */
const REQUEST = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local lease, life = ARGV[1], tonumber(ARGV[2])
  local held, need, grant = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
  for index, key in ipairs(KEYS) do
    local total = held
    local leases = redis.call('HGETALL', key)
    for at = 1, #leases, 2 do
      local holds, ends = string.match(leases[at + 1], '^(%d+) (%d+)$')
      if tonumber(ends) <= now then redis.call('HDEL', key, leases[at])
      elseif leases[at] ~= lease then total = total + tonumber(holds) end
    end
    local max = tonumber(ARGV[5 + index])
    if need > 0 and total + need > max then return {index, string.format('%.0f', total + need)} end
    if total + grant > max then grant = need end
  end
  for _, key in ipairs(KEYS) do
    redis.call('HSET', key, lease, string.format('%.0f %.0f', held + grant, now + life))
    redis.call('PEXPIRE', key, life)
  end
  return {0, string.format('%.0f', grant)}`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    requestQuota(...args: (string | number)[]): Result<[refusedAt: number, amount: string], Context>;
  }
}

/**
 * Bounds the quantity that all processes together hold for an owner. A holder has a lease and renews it; that of a killed process
 * is free when the lease ends.
 */
export class LeasedQuota {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly leaseMs: number,
  ) {
    redis.defineCommand('requestQuota', { lua: REQUEST });
  }

  /** Takes more for a lease, from all owners or from none, and renews it; with a need of 0 it only renews. */
  async request(
    lease: string,
    owners: readonly QuotaOwner[],
    { held, need, want }: QuotaRequest,
  ): Promise<QuotaOutcome> {
    const keys = owners.map(({ key }) => this.keyOf(key));
    const limits = owners.map(({ max }) => max);
    const parts = [...keys, lease, this.leaseMs, held, need, want, ...limits];
    const [refusedAt, amount] = await this.redis.requestQuota(keys.length, ...parts);
    const owner = owners[refusedAt - 1];
    return owner ? { owner, total: Number(amount) } : { granted: Number(amount) };
  }

  /** Gives back all that a lease holds. */
  async release(lease: string, owners: readonly QuotaOwner[]): Promise<void> {
    await Promise.all(owners.map(({ key }) => this.redis.hdel(this.keyOf(key), lease)));
  }

  private keyOf(owner: string): string {
    return `${this.prefix}:quota:${owner}`;
  }
}
