import { Injectable } from '@nestjs/common';
import { PASSWORD_HISTORY, PASSWORD_HISTORY_LIMIT } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Cascade } from '../configuration/cascade';
import { PasswordChangeRepository } from '../persistence/password-change.repository';
import { PropertyRepository } from '../configuration/property.repository';

/** Client id of changes by administrators. */
export const PROVISIONING_CLIENT = 'provisioning-api';

/** Origin of a password change. */
export interface PasswordChangeOrigin {
  /** Default: {@link PROVISIONING_CLIENT}. */
  readonly client?: string;
  readonly address?: string;
}

/** Records password changes, as far as the user's configuration enables it. */
@Injectable()
export class PasswordHistory {
  constructor(
    private readonly changes: PasswordChangeRepository,
    private readonly properties: PropertyRepository,
    private readonly cascade: Cascade,
    private readonly clock: Clock,
  ) {}

  /** Records a change in its transaction. */
  async recordChange(tx: Transaction, userId: number, origin: PasswordChangeOrigin): Promise<void> {
    const scoped = await this.properties.getEffective(tx, userId);
    if (!this.cascade.value(PASSWORD_HISTORY, scoped)) return;
    const change = {
      at: this.clock.now(),
      clientId: (origin.client ?? PROVISIONING_CLIENT) || 'unknown',
      clientAddress: origin.address ?? null,
    };
    await this.changes.insert(tx, userId, change, this.cascade.value(PASSWORD_HISTORY_LIMIT, scoped));
  }
}
