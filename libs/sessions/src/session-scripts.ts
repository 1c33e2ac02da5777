import type { Redis, Result } from 'ioredis';

/**
 * Lua scripts for atomic changes. Indexes name sessions by the digests of their ids. Keys of sessions are made inside
 * the scripts from these: one Redis server (with replicas) allows that, and so does a cluster for keys of one slot.
 */
const SCRIPTS = {
  /** session key, user index, context index, key of the authId | record, ttl, digest, client, user, limits …, ttl, prefix */
  createSession: {
    numberOfKeys: 4,
    lua: `
      local prefix = ARGV[9]
      local owner = redis.call('GET', KEYS[4])
      if owner and redis.call('EXISTS', prefix .. owner) == 1 then return 'authId' end
      local users, clients = 0, 0
      local index = redis.call('HGETALL', KEYS[2])
      for i = 1, #index, 2 do
        if redis.call('EXISTS', prefix .. index[i]) == 0 then
          redis.call('HDEL', KEYS[2], index[i])
        else
          users = users + 1
          if index[i + 1] == ARGV[4] then clients = clients + 1 end
        end
      end
      local perUser, perClient = tonumber(ARGV[6]), tonumber(ARGV[7])
      if perUser >= 0 and users >= perUser then return 'user' end
      if perClient >= 0 and clients >= perClient then return 'client' end
      if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 'id' end
      redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
      redis.call('SADD', KEYS[3], ARGV[5])
      redis.call('SET', KEYS[4], ARGV[3], 'PX', ARGV[8])
      return 'created'`,
  },
  /** user index, context index | user, digest */
  forgetSession: {
    numberOfKeys: 2,
    lua: `
      redis.call('HDEL', KEYS[1], ARGV[2])
      if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[1]) end
      return 1`,
  },
  /** user index, context index | user, prefix, digest to keep or ''; answers digests and records in turns */
  removeUserSessions: {
    numberOfKeys: 2,
    lua: `
      local removed = {}
      for _, digest in ipairs(redis.call('HKEYS', KEYS[1])) do
        if digest ~= ARGV[3] then
          local record = redis.call('GETDEL', ARGV[2] .. digest)
          if record then
            table.insert(removed, digest)
            table.insert(removed, record)
          end
          redis.call('HDEL', KEYS[1], digest)
        end
      end
      if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[1]) end
      return removed`,
  },
  /** context index | most users, prefix of sessions, prefix of user indexes; nil when no user is left */
  removeContextSessions: {
    numberOfKeys: 1,
    lua: `
      local users = redis.call('SPOP', KEYS[1], ARGV[1])
      if #users == 0 then return false end
      local removed = {}
      for _, user in ipairs(users) do
        local index = ARGV[3] .. user
        for _, digest in ipairs(redis.call('HKEYS', index)) do
          local record = redis.call('GETDEL', ARGV[2] .. digest)
          if record then
            table.insert(removed, digest)
            table.insert(removed, record)
          end
        end
        redis.call('DEL', index)
      end
      return removed`,
  },
  /** session key | expected, replacement: a change never revives a session that was removed meanwhile */
  replaceSession: {
    numberOfKeys: 1,
    lua: `
      if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
      redis.call('SET', KEYS[1], ARGV[2], 'XX', 'KEEPTTL')
      return 1`,
  },
} as const;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    createSession(...args: (string | number)[]): Result<string, Context>;
    forgetSession(...args: (string | number)[]): Result<number, Context>;
    removeUserSessions(...args: (string | number)[]): Result<string[], Context>;
    removeContextSessions(...args: (string | number)[]): Result<string[] | null, Context>;
    replaceSession(...args: (string | number)[]): Result<number, Context>;
  }
}

/** Teaches a connection the scripts of the session store. */
export function defineSessionScripts(redis: Redis): void {
  for (const [name, script] of Object.entries(SCRIPTS)) redis.defineCommand(name, script);
}
