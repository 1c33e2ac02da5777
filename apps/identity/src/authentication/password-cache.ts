import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '@groupware/service-kit';
import { Passwords } from '../domain/passwords';

/** Cache lifetime of a successful check, ms. */
const REMEMBER_MS = 60_000;
/** Maximum cache size; the oldest entries are evicted first. */
const MAX_REMEMBERED = 1_000;

/** Caches successful password checks for a minute: administrators send their password with every call. */
@Injectable()
export class PasswordCache {
  /** Expiry by keyed digest of password and stored hash: no password stays in memory. */
  private readonly remembered = new Map<string, number>();
  private readonly key = randomBytes(32);

  constructor(
    private readonly passwords: Passwords,
    private readonly clock: Clock,
  ) {}

  /** Verifies a password; without hash it fails in constant time. */
  async verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
    if (hash !== undefined && (this.remembered.get(this.digest(password, hash)) ?? 0) > this.clock.now()) return true;
    const { correct } = await this.passwords.check(password, hash);
    if (correct && hash !== undefined) this.remember(password, hash);
    return correct;
  }

  private digest(password: string, hash: string): string {
    return createHmac('sha256', this.key).update(`${password}\n${hash}`).digest('base64');
  }

  private remember(password: string, hash: string): void {
    for (const oldest of this.remembered.keys()) {
      if (this.remembered.size < MAX_REMEMBERED) break;
      this.remembered.delete(oldest);
    }
    this.remembered.set(this.digest(password, hash), this.clock.now() + REMEMBER_MS);
  }
}
