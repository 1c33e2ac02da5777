import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '@groupware/service-kit';
import { Passwords } from '../domain/passwords';

/** How long a right password need not be hashed again. */
const REMEMBER_MS = 60_000;
/** Most remembered checks; the oldest go first. */
const MAX_REMEMBERED = 1_000;

/** Checks of passwords of administrators, who send theirs with every call: right ones are remembered for a minute. */
@Injectable()
export class RememberedPasswords {
  /** Checks that were right, by a keyed digest of password and stored hash: no password lies in memory. */
  private readonly remembered = new Map<string, number>();
  private readonly key = randomBytes(32);

  constructor(
    private readonly passwords: Passwords,
    private readonly clock: Clock,
  ) {}

  /** Whether the password fits the stored hash. Without hash it takes as long and does not. */
  async isRight(password: string, hash: string | undefined): Promise<boolean> {
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
