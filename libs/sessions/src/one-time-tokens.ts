import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { SessionErrors } from '@groupware/contracts';
import type { SealedText } from './sealed-text';

/** Kind and lifetime of tokens. */
export interface OneTimeTokenOptions {
  /** Tokens of one kind are no tokens of another. */
  readonly kind: string;
  readonly lifetimeMs: number;
}

/**
 * Random tokens that are good once and for a short time. The store holds a digest of the token and the sealed facts, so
 * readers of the store can neither use a token nor see its facts.
 */
export class OneTimeTokens<T extends object> {
  constructor(
    private readonly redis: Redis,
    private readonly seal: SealedText,
    private readonly options: OneTimeTokenOptions & { readonly prefix: string },
  ) {}

  /** A fresh token of 32 hex digits that stands for the facts. @throws SES-0208 */
  async issueToken(facts: T): Promise<string> {
    const token = randomBytes(16).toString('hex');
    await this.putFacts(token, facts);
    return token;
  }

  /** Keeps facts under a name the caller chose, replacing what was there. @throws SES-0208 */
  async putFacts(name: string, facts: T): Promise<void> {
    const key = this.toKey(name);
    const sealed = this.seal.seal(JSON.stringify(facts), key);
    await this.guard(this.redis.set(key, sealed, 'PX', this.options.lifetimeMs));
  }

  /** The facts of a token, which is used up by this; undefined for an unknown, used or old one. @throws SES-0208 */
  async redeemToken(name: string): Promise<T | undefined> {
    return this.open(name, await this.guard(this.redis.getdel(this.toKey(name))));
  }

  /** The facts of a token that stays good. @throws SES-0208 */
  async peekToken(name: string): Promise<T | undefined> {
    return this.open(name, await this.guard(this.redis.get(this.toKey(name))));
  }

  private open(name: string, sealed: string | null): T | undefined {
    const text = sealed === null ? undefined : this.seal.open(sealed, this.toKey(name));
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  private toKey(name: string): string {
    const digest = createHash('sha256').update(name).digest('base64url');
    return `${this.options.prefix}:once:${this.options.kind}:${digest}`;
  }

  private async guard<R>(command: Promise<R>): Promise<R> {
    try {
      return await command;
    } catch (cause) {
      throw SessionErrors.storeDown().with({ cause });
    }
  }
}
