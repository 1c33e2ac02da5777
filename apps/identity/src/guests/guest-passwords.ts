import { Injectable } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import type { ScopedValues } from '../configuration/cascade';
import { PasswordPolicies } from '../configuration/password-policies';
import { checkPassword } from '../domain/password-policy';
import { Passwords } from '../domain/passwords';
import { GuestRepository, type Guest } from '../persistence/guest.repository';

/** Stores passwords that named guests choose. */
@Injectable()
export class GuestPasswords {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly guests: GuestRepository,
    private readonly rules: PasswordPolicies,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the password of a guest that was read before, with a hash or without one; undefined when another one was set meanwhile.
   * @param scoped configuration of the context
   * @throws USR-0015, USR-0020, USR-0021, USR-0026 for a password against the rules
   */
  async setPassword(
    contextId: number,
    guest: Guest,
    password: string,
    scoped: ScopedValues,
  ): Promise<Guest | undefined> {
    await checkPassword(password, this.rules.resolvePolicy(scoped));
    const hash = await this.passwords.hash(password);
    return this.database.transact({ contextId }, (tx) =>
      this.guests.setPassword(tx, guest.id, { hash, previous: guest.passwordHash }, this.clock.now()),
    );
  }
}
