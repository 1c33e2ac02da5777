import type { Redis } from 'ioredis';

/**
 * Keys: 1 connections of the host (id by end of lease), 2 connections of the account, 3 users that wait (id by arrival),
 * 4 the same ids by last sign of life, 5 state of the breaker, 6 earliest time of the next connect.
 * Arguments: now, id, lease, per host, per account, background (0 or 1), background percent, interval between connects,
 * life of a waiting entry, life of a probe.
 * Answers 0 for a lease, 1 for a lease at a host that failed lately, otherwise the ms to wait before the next try;
 * negative: the host is left alone for so long. Those who wait longer ask less often: asking costs both sides.
 */
const ACQUIRE = `
local now, id, lease = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local perHost, perAccount = tonumber(ARGV[4]), tonumber(ARGV[5])
local background, interval = ARGV[6] == '1', tonumber(ARGV[8])
local open = tonumber(redis.call('hget', KEYS[5], 'until') or '0')
if open > now then return -(open - now) end
local probing = redis.call('hget', KEYS[5], 'probe')
local tripped = tonumber(redis.call('hget', KEYS[5], 'trips') or '0') > 0
if tripped and probing and tonumber(probing) > now then return 50 end

redis.call('zremrangebyscore', KEYS[1], '-inf', now)
redis.call('zremrangebyscore', KEYS[2], '-inf', now)
for _, gone in ipairs(redis.call('zrangebyscore', KEYS[4], '-inf', now - tonumber(ARGV[9]))) do
  redis.call('zrem', KEYS[3], gone)
  redis.call('zrem', KEYS[4], gone)
end

local free = perHost - redis.call('zcard', KEYS[1])
local mine = perAccount - redis.call('zcard', KEYS[2])
local waiting = redis.call('zcard', KEYS[3])
local allowed
if background then
  allowed = waiting == 0 and free > perHost - math.max(1, math.floor(perHost * tonumber(ARGV[7]) / 100))
else
  -- Who came first goes first; whoever waits for his own account only holds nobody up.
  local rank = redis.call('zrank', KEYS[3], id)
  allowed = free > (rank or waiting)
end
local earliest = tonumber(redis.call('get', KEYS[6]) or '0')
if mine > 0 and allowed and earliest <= now then
  redis.call('zrem', KEYS[3], id)
  redis.call('zrem', KEYS[4], id)
  redis.call('zadd', KEYS[1], now + lease, id)
  redis.call('zadd', KEYS[2], now + lease, id)
  redis.call('pexpire', KEYS[1], lease * 2)
  redis.call('pexpire', KEYS[2], lease * 2)
  redis.call('set', KEYS[6], math.max(earliest + interval, now - 1000 + interval), 'px', 2000)
  if tripped then redis.call('hset', KEYS[5], 'probe', now + tonumber(ARGV[10])) end
  return redis.call('exists', KEYS[5])
end
-- Only a connection of the account itself that ends can help.
if background or mine <= 0 then return 100 end
if not redis.call('zscore', KEYS[3], id) then redis.call('zadd', KEYS[3], now, id) end
redis.call('zadd', KEYS[4], now, id)
redis.call('pexpire', KEYS[3], 60000)
redis.call('pexpire', KEYS[4], 60000)
local ahead = redis.call('zrank', KEYS[3], id)
-- For a place by the pace of connects, or for one that somebody leaves.
if free > ahead then return math.max(10, math.min(500, earliest - now + ahead * interval)) end
return math.max(20, math.min(500, (ahead - free + 1) * 10))
`;

/** Keys 1 to 4 as above; argument: id. */
const RELEASE = `
for index = 1, 4 do redis.call('zrem', KEYS[index], ARGV[1]) end
return 1
`;

/** Keys 1 and 2 as above; arguments: now, id, lease. A lease that was lost with the store comes back. */
const RENEW = `
local lease = tonumber(ARGV[3])
for index = 1, 2 do
  redis.call('zadd', KEYS[index], tonumber(ARGV[1]) + lease, ARGV[2])
  redis.call('pexpire', KEYS[index], lease * 2)
end
return 1
`;

/**
 * Key: state of the breaker. Arguments: now, 1 for a failure, failures in a row that trip it, first pause, longest pause,
 * a random number from 0 to 1. Answers the ms of the pause that begins, or 0.
 */
const REPORT = `
if ARGV[2] == '0' then redis.call('del', KEYS[1]) return 0 end
local now = tonumber(ARGV[1])
local failures = redis.call('hincrby', KEYS[1], 'failures', 1)
local trips = tonumber(redis.call('hget', KEYS[1], 'trips') or '0')
redis.call('pexpire', KEYS[1], tonumber(ARGV[5]) * 4)
if trips == 0 and failures < tonumber(ARGV[3]) then return 0 end
if tonumber(redis.call('hget', KEYS[1], 'until') or '0') > now then return 0 end
local pause = math.min(tonumber(ARGV[5]), tonumber(ARGV[4]) * 2 ^ math.min(trips, 20))
pause = math.floor(pause * (0.75 + tonumber(ARGV[6]) / 2))
redis.call('hset', KEYS[1], 'until', now + pause, 'trips', trips + 1)
redis.call('hdel', KEYS[1], 'probe')
return pause
`;

/** The scripts as commands. */
export interface GovernorCommands {
  mailAcquire(...values: (string | number)[]): Promise<number>;
  mailRelease(...values: (string | number)[]): Promise<number>;
  mailRenew(...values: (string | number)[]): Promise<number>;
  mailReport(...values: (string | number)[]): Promise<number>;
}

/** Adds the commands to a connection. */
export function defineGovernorScripts(redis: Redis): Redis & GovernorCommands {
  redis.defineCommand('mailAcquire', { numberOfKeys: 6, lua: ACQUIRE });
  redis.defineCommand('mailRelease', { numberOfKeys: 4, lua: RELEASE });
  redis.defineCommand('mailRenew', { numberOfKeys: 2, lua: RENEW });
  redis.defineCommand('mailReport', { numberOfKeys: 1, lua: REPORT });
  return redis as Redis & GovernorCommands;
}
