import type { ClusterNode, RedisOptions } from 'ioredis';

/** Schemes as Lettuce writes them; with the second `s` they speak TLS with all servers. */
const SCHEME = /^redis(s?)-(sentinel|cluster):\/\//;
const PORTS = { sentinel: 26_379, cluster: 6_379 } as const;
/** Maximum pause before all sentinels are queried again, ms. */
const LONGEST_SENTINEL_PAUSE_MS = 1_000;

/** Address of Redis: of one server, of the sentinels that know it, or of some nodes of a cluster. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string }
  | { readonly kind: 'sentinel'; readonly options: RedisOptions }
  | { readonly kind: 'cluster'; readonly nodes: readonly ClusterNode[]; readonly options: RedisOptions };

/**
 * Reads an address of Redis: `redis://` and `rediss://` addresses name it, a
 * `redis-sentinel://[user:password@]host[:port][,host[:port]…][/database][?sentinelUsername=…&sentinelPassword=…]#master` names the
 * sentinels that know which one is the master of a group, a `redis-cluster://[user:password@]host[:port][,host[:port]…]` some nodes of
 * a cluster.
 * @throws for an address that cannot be read; the message holds no password
 */
export function parseRedisAddress(url: string): RedisAddress {
  const scheme = SCHEME.exec(url);
  if (!scheme) return { kind: 'server', url };
  const kind = scheme[2] as keyof typeof PORTS;
  const rest = url.slice(scheme[0].length);
  const at = rest.lastIndexOf('@');
  const end = rest.slice(at + 1).search(/[/?#]/);
  const hosts = end === -1 ? rest.slice(at + 1) : rest.slice(at + 1, at + 1 + end);
  // A URL has one host: the rest of it is read with the first one.
  const parsed = parseUrl(
    `redis${scheme[1]}://${rest.slice(0, at + 1)}host${end === -1 ? '' : rest.slice(at + 1 + end)}`,
  );
  const found = hosts.split(',').map((host) => parseUrl(`redis://${host}`));
  if (!parsed || found.some((each) => !each?.hostname)) throw new Error(EXPECTED[kind]);
  const nodes = found.map((each) => ({
    host: each!.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(each!.port || PORTS[kind]),
  }));
  const login = {
    username: decodeURIComponent(parsed.username) || undefined,
    password: decodeURIComponent(parsed.password) || undefined,
  };
  const tls = scheme[1] ? { tls: {} } : {};
  if (kind === 'sentinel') return { kind, options: { ...login, ...tls, ...sentinelOptions(parsed, nodes) } };
  // A cluster has one database.
  if (!/^\/?0?$/.test(parsed.pathname)) throw new Error(EXPECTED[kind]);
  return { kind, nodes, options: { ...login, ...tls } };
}

const EXPECTED = {
  sentinel: 'REDIS_URL: sentinels are named as redis-sentinel://user:password@host:26379,host:26379#master',
  cluster: 'REDIS_URL: nodes of a cluster are named as redis-cluster://user:password@host:6379,host:6379',
} as const;

function sentinelOptions(parsed: URL, sentinels: { host: string; port: number }[]): RedisOptions {
  const name = decodeURIComponent(parsed.hash.slice(1));
  const database = /^\/?(\d*)$/.exec(parsed.pathname)?.[1];
  if (!name || database === undefined) throw new Error(EXPECTED.sentinel);
  const tls = parsed.protocol === 'rediss:' ? {} : undefined;
  return {
    name,
    sentinels,
    db: Number(database),
    sentinelUsername: parsed.searchParams.get('sentinelUsername') ?? undefined,
    sentinelPassword: parsed.searchParams.get('sentinelPassword') ?? undefined,
    sentinelRetryStrategy: (attempt) => Math.min(25 * 2 ** Math.min(attempt, 10), LONGEST_SENTINEL_PAUSE_MS),
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
