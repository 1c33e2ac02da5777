import { SessionErrors } from '@groupware/contracts';
import type { Redis } from 'ioredis';

/** A small table of texts that all processes of an installation share, such as settings made at run time. */
export class SharedTable {
  constructor(
    private readonly redis: Redis,
    private readonly key: string,
  ) {}

  /** Everything in the table; only for tables whose owner bounds them. @throws SES-0208 */
  readAll(): Promise<Record<string, string>> {
    return this.guard(this.redis.hgetall(this.key));
  }

  /** One text, or undefined. @throws SES-0208 */
  async getText(name: string): Promise<string | undefined> {
    return (await this.guard(this.redis.hget(this.key, name))) ?? undefined;
  }

  /** Number of texts. @throws SES-0208 */
  size(): Promise<number> {
    return this.guard(this.redis.hlen(this.key));
  }

  /** Adds or replaces texts; the others stay. @throws SES-0208 */
  async putTexts(texts: Readonly<Record<string, string>>): Promise<void> {
    if (Object.keys(texts).length > 0) await this.guard(this.redis.hset(this.key, { ...texts }));
  }

  /** Removes texts; answers how many there were. @throws SES-0208 */
  async removeTexts(names: readonly string[]): Promise<number> {
    return names.length === 0 ? 0 : this.guard(this.redis.hdel(this.key, ...names));
  }

  private async guard<R>(command: Promise<R>): Promise<R> {
    try {
      return await command;
    } catch (cause) {
      throw SessionErrors.storeDown().with({ cause });
    }
  }
}
