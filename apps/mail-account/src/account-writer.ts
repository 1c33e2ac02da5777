import { mailAccountEvents, type UserPrincipal } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { AccountChanges } from './domain/account-input';
import { UNIFIED, type StoredAccount } from './domain/stored-account';
import { PasswordVault } from './password-vault';
import { AccountRepository } from './persistence/account.repository';

/** Stores accounts: seals their passwords, tells others, makes the unified account with the first one that wants it. */
@Injectable()
export class AccountWriter {
  constructor(
    private readonly repository: AccountRepository,
    private readonly vault: PasswordVault,
    private readonly clock: Clock,
  ) {}

  /** Stores a new account. @throws ACC-0015 */
  async create(tx: Transaction, user: UserPrincipal, account: StoredAccount): Promise<void> {
    const { id } = account;
    await this.repository.insert(tx, user.userId, { id, ...this.sealed(user, id, account) }, this.clock.now());
    await tx.publish(mailAccountEvents['account.created'], { userId: user.userId, id });
    if (account.unified_inbox_enabled) await this.ensureUnified(tx, user);
  }

  /** Stores changes of an account. @throws ACC-0015 */
  async change(tx: Transaction, user: UserPrincipal, id: number, changes: AccountChanges): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    await this.repository.change(tx, user.userId, id, this.sealed(user, id, changes), this.clock.now());
    await tx.publish(mailAccountEvents['account.changed'], { userId: user.userId, id });
    if (changes.unified_inbox_enabled) await this.ensureUnified(tx, user);
  }

  private async ensureUnified(tx: Transaction, user: UserPrincipal): Promise<void> {
    const rows = await this.repository.ofUser(tx, user.userId);
    if (rows.some(({ mail_protocol }) => mail_protocol === UNIFIED)) return;
    const id = await this.repository.nextId(tx, user.userId);
    const account: StoredAccount = {
      id,
      name: 'Unified Mail',
      login: UNIFIED,
      mail_protocol: UNIFIED,
      mail_server: UNIFIED,
      transport_auth: 'none',
    };
    await this.repository.insert(tx, user.userId, account, this.clock.now());
    await tx.publish(mailAccountEvents['account.created'], { userId: user.userId, id });
  }

  private sealed(user: UserPrincipal, id: number, changes: AccountChanges): AccountChanges {
    const place = { contextId: user.contextId, userId: user.userId, id };
    return {
      ...changes,
      ...(changes.password ? { password: this.vault.seal(changes.password, { ...place, side: 'mail' }) } : {}),
      ...(changes.transport_password
        ? { transport_password: this.vault.seal(changes.transport_password, { ...place, side: 'transport' }) }
        : {}),
    };
  }
}
