import { createHash } from 'node:crypto';
import { SessionErrors } from '@groupware/contracts';
import type { Redis } from 'ioredis';
import { sessionDigest } from './session-records';

/**
 * Finds live sessions by a name from elsewhere, such as that of a session at an identity provider. The store holds digests of names and
 * of session ids only. Entries of ended sessions stay until no session of their time can live any more; readers look up each session.
 */
export class SessionIndex {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    /** Longest idle time of sessions, ms; each use of a session makes it live longer, so that an entry is kept far longer. */
    private readonly keptMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  /** Notes a session under names. @throws SES-0208 */
  async addSession(names: readonly string[], sessionId: string): Promise<void> {
    const digest = sessionDigest(sessionId);
    const at = this.now();
    const commands = this.redis.pipeline();
    for (const key of names.map((name) => this.toKey(name)))
      commands
        .zremrangebyscore(key, '-inf', at - this.keptMs)
        .zadd(key, at, digest)
        .pexpire(key, this.keptMs);
    await this.guard(commands.exec());
  }

  /** Digests of sessions that were noted under a name; some may have ended. @throws SES-0208 */
  listDigests(name: string): Promise<string[]> {
    return this.guard(this.redis.zrange(this.toKey(name), 0, -1));
  }

  /** Forgets a name. @throws SES-0208 */
  async removeName(name: string): Promise<void> {
    await this.guard(this.redis.del(this.toKey(name)));
  }

  private toKey(name: string): string {
    return `${this.prefix}:${createHash('sha256').update(name).digest('base64url')}`;
  }

  private async guard<R>(command: Promise<R>): Promise<R> {
    try {
      return await command;
    } catch (cause) {
      throw SessionErrors.storeDown().with({ cause });
    }
  }
}
