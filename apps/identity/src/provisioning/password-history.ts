import { Injectable } from '@nestjs/common';
import { PASSWORD_HISTORY, PASSWORD_HISTORY_LIMIT } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Cascade } from '../login/cascade';
import { PasswordChangeRepository } from '../persistence/password-change.repository';
import { PropertyRepository } from '../persistence/property.repository';

/** Client id of changes by administrators. */
export const PROVISIONING_CLIENT = 'provisioning-api';

/** Where a change of a password came from. */
export interface PasswordChangeOrigin {
  /** Default: {@link PROVISIONING_CLIENT}. */
  readonly client?: string;
  readonly address?: string;
}

/** Notes changes of passwords, as far as the user's configuration wants it. */
@Injectable()
export class PasswordHistory {
  constructor(
    private readonly changes: PasswordChangeRepository,
    private readonly properties: PropertyRepository,
    private readonly cascade: Cascade,
    private readonly clock: Clock,
  ) {}

  /** Notes a change, in its transaction. */
  async note(tx: Transaction, userId: number, origin: PasswordChangeOrigin): Promise<void> {
    const scoped = await this.properties.effective(tx, userId);
    if (!this.cascade.value(PASSWORD_HISTORY, scoped)) return;
    const change = {
      at: this.clock.now(),
      clientId: (origin.client ?? PROVISIONING_CLIENT) || 'unknown',
      clientAddress: origin.address ?? null,
    };
    await this.changes.add(tx, userId, change, this.cascade.value(PASSWORD_HISTORY_LIMIT, scoped));
  }
}
