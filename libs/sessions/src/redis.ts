import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { parseRedisAddress, type RedisAddress } from './redis-address';
import { measureRedis } from './redis-metrics';

/** Longest wait for one command, ms: a request must not hang on a dead store. */
const COMMAND_TIMEOUT_MS = 2_000;
/**
 * A connection that owes answers and brings nothing for so long is made anew, ms: its other end may have gone without a word,
 * as in a fail-over behind one address.
 */
const SILENCE_MS = 2_000;
/** A connection on which nothing happens is probed by TCP after so long, ms. */
const KEEP_ALIVE_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;
const LONGEST_RETRY_PAUSE_MS = 1_000;

/**
 * A connection that fails at once while the server is away and comes back by itself.
 * @param url see {@link parseRedisAddress}
 * @param onError hears of every connection problem; without a listener ioredis would print them
 */
export async function connectRedis(url: string, onError: (error: Error) => void = () => undefined): Promise<Redis> {
  const options: RedisOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    keepAlive: KEEP_ALIVE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: retryPause,
    // A demoted master refuses writes: the command goes to the new one.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
  };
  // A cluster takes the commands of one server: all keys of an installation are in one slot.
  const redis = createConnection(parseRedisAddress(url), options) as Redis;
  redis.on('error', onError);
  measureRedis(redis);
  if (redis instanceof Redis) joinWrites(redis);
  // A server that is away now may come later: the client keeps trying, callers get errors until then. Sentinels are
  // queried forever: a start must not wait for them.
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((done) => (timer = setTimeout(done, CONNECT_TIMEOUT_MS)));
  await Promise.race([redis.connect().catch(onError), timeout]);
  clearTimeout(timer);
  return redis;
}

const retryPause = (attempt: number): number => Math.min(25 * 2 ** Math.min(attempt, 10), LONGEST_RETRY_PAUSE_MS);

function createConnection(address: RedisAddress, options: RedisOptions): Redis | Cluster {
  if (address.kind === 'server') return new Redis(address.url, options);
  if (address.kind === 'sentinel') return new Redis({ ...options, ...address.options });
  const { lazyConnect, enableOfflineQueue, ...ofNodes } = options;
  return new Cluster([...address.nodes], {
    lazyConnect,
    enableOfflineQueue,
    redisOptions: { ...ofNodes, ...address.options },
    clusterRetryStrategy: retryPause,
    slotsRefreshTimeout: COMMAND_TIMEOUT_MS,
    // Names in certificates are those that the nodes announce.
    dnsLookup: (name, done) => done(null, name),
  });
}

/** Connections to the servers that hold keys: the one, or all masters of a cluster. */
export const serversOf = (redis: Redis | Cluster): Redis[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis];

/**
 * Sends the commands that are given within one turn of the event loop in one write. Requests of several clients that came
 * in the same turn ask for their sessions together: a write of its own for each costs more than the rest of the command.
 */
function joinWrites(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  let isJoining = false;
  redis.sendCommand = (command, stream) => {
    if (!isJoining && redis.status === 'ready') {
      isJoining = true;
      // The connection may be another one by then.
      const { stream: connection } = redis;
      connection.cork();
      setImmediate(() => {
        isJoining = false;
        connection.uncork();
      });
    }
    return send(command, stream);
  };
}
