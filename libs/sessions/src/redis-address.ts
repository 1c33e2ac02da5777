import type { RedisOptions } from 'ioredis';

/** Two schemes as Lettuce writes them: the second one speaks TLS with sentinels and servers. */
const SENTINEL_SCHEME = /^redis(s?)-sentinel:\/\//;
const SENTINEL_PORT = 26_379;
/** Maximum pause before all sentinels are queried again, ms. */
const LONGEST_SENTINEL_PAUSE_MS = 1_000;

/**
 * Reads an address of Redis: `redis://` and `rediss://` addresses name it, a
 * `redis-sentinel://[user:password@]host[:port][,host[:port]…][/database][?sentinelUsername=…&sentinelPassword=…]#master` names the
 * sentinels that know which one is the master of a group.
 * @throws for an address of sentinels that cannot be read; the message holds no password
 */
export function parseRedisAddress(url: string): string | RedisOptions {
  const scheme = SENTINEL_SCHEME.exec(url);
  if (!scheme) return url;
  const rest = url.slice(scheme[0].length);
  const at = rest.lastIndexOf('@');
  const end = rest.slice(at + 1).search(/[/?#]/);
  const hosts = end === -1 ? rest.slice(at + 1) : rest.slice(at + 1, at + 1 + end);
  // A URL has one host: the rest of it is read with the first one.
  const parsed = parseUrl(`redis://${rest.slice(0, at + 1)}sentinel${end === -1 ? '' : rest.slice(at + 1 + end)}`);
  const name = decodeURIComponent(parsed?.hash.slice(1) ?? '');
  const sentinels = hosts.split(',').map((host) => parseUrl(`redis://${host}`));
  const database = /^\/?(\d*)$/.exec(parsed?.pathname ?? '')?.[1];
  if (!parsed || !name || database === undefined || sentinels.some((each) => !each?.hostname))
    throw new Error('REDIS_URL: sentinels are named as redis-sentinel://user:password@host:26379,host:26379#master');
  const tls = scheme[1] ? {} : undefined;
  return {
    name,
    sentinels: sentinels.map((each) => ({
      host: each!.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(each!.port || SENTINEL_PORT),
    })),
    username: decodeURIComponent(parsed.username) || undefined,
    password: decodeURIComponent(parsed.password) || undefined,
    db: Number(database),
    sentinelUsername: parsed.searchParams.get('sentinelUsername') ?? undefined,
    sentinelPassword: parsed.searchParams.get('sentinelPassword') ?? undefined,
    sentinelRetryStrategy: (attempt) => Math.min(25 * 2 ** Math.min(attempt, 10), LONGEST_SENTINEL_PAUSE_MS),
    ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
