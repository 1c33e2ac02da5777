import { connectRedis, serversOf } from './redis';

/** Key kinds of sessions and their users; attempt counters and shared tables stay. */
const KINDS = ['session', 'user', 'context', 'auth', 'once'];
const BATCH = 500;

/**
 * Ends all sessions of an installation, for restores: their users may not exist any more.
 * @returns how many there were
 */
export async function clearSessions(url: string, prefix: string): Promise<number> {
  const redis = await connectRedis(url);
  try {
    // A server that is away is told at once: a scan of none would find nothing.
    await redis.ping();
    let sessions = 0;
    for (const server of serversOf(redis))
      for (const kind of KINDS) {
        const match = `${prefix.replace(/[[\]*?\\^-]/g, '\\$&')}:${kind}:*`;
        for await (const keys of server.scanStream({ match, count: BATCH }) as AsyncIterable<string[]>) {
          // A key may come twice.
          const removed = keys.length > 0 ? await server.unlink(...keys) : 0;
          if (kind === 'session') sessions += removed;
        }
      }
    return sessions;
  } finally {
    redis.disconnect();
  }
}
