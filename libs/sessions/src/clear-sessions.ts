import { Redis } from 'ioredis';

/** Key kinds of sessions and their users; attempt counters and shared tables stay. */
const KINDS = ['session', 'user', 'context', 'auth', 'once'];
const BATCH = 500;

/**
 * Ends all sessions of an installation, for restores: their users may not exist any more.
 * @returns how many there were
 */
export async function clearSessions(url: string, prefix: string): Promise<number> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => null });
  redis.on('error', () => undefined);
  await redis.connect();
  try {
    let sessions = 0;
    for (const kind of KINDS) {
      const match = `${prefix.replace(/[[\]*?\\^-]/g, '\\$&')}:${kind}:*`;
      for await (const keys of redis.scanStream({ match, count: BATCH }) as AsyncIterable<string[]>) {
        // A key may come twice.
        const removed = keys.length > 0 ? await redis.unlink(...keys) : 0;
        if (kind === 'session') sessions += removed;
      }
    }
    return sessions;
  } finally {
    redis.disconnect();
  }
}
