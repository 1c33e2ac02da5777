import { mailAccountEvents, type UserPrincipal } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { AccountChanges } from '../domain/account-input';
import { createGrant, listServers } from '../domain/password-grant';
import type { ServerSide } from '../domain/server-address';
import { UNIFIED, type StoredAccount } from '../domain/stored-account';
import { PasswordVault } from '../credentials/password-vault';
import { AccountRepository } from '../persistence/account.repository';

/** Stores accounts: seals passwords, publishes events, creates the unified account when first needed. */
@Injectable()
export class AccountWriter {
  constructor(
    private readonly repository: AccountRepository,
    private readonly vault: PasswordVault,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a new account.
   * @param wasEncrypted whether the first connection to the mail server was encrypted, if there was one
   * @throws ACC-0015, ACC-0017
   */
  async createAccount(
    tx: Transaction,
    user: UserPrincipal,
    account: StoredAccount,
    wasEncrypted?: boolean,
  ): Promise<void> {
    const { id } = account;
    const sealed = this.sealPasswords(user, account, account, wasEncrypted);
    await this.repository.insert(tx, user.userId, { id, ...sealed }, this.clock.now());
    await tx.publish(mailAccountEvents['account.created'], { userId: user.userId, id });
    if (account.unified_inbox_enabled) await this.ensureUnified(tx, user);
  }

  /** Stores changes of an account. @throws ACC-0015, ACC-0017 */
  async changeAccount(
    tx: Transaction,
    user: UserPrincipal,
    before: StoredAccount,
    changes: AccountChanges,
  ): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    const { id } = before;
    const sealed = this.sealPasswords(user, { ...before, ...changes }, changes);
    await this.repository.upsert(tx, user.userId, id, sealed, this.clock.now());
    await tx.publish(mailAccountEvents['account.changed'], { userId: user.userId, id });
    if (changes.unified_inbox_enabled) await this.ensureUnified(tx, user);
  }

  private async ensureUnified(tx: Transaction, user: UserPrincipal): Promise<void> {
    const rows = await this.repository.listByUser(tx, user.userId);
    if (rows.some(({ mail_protocol }) => mail_protocol === UNIFIED)) return;
    const id = await this.repository.allocateId(tx, user.userId);
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

  /** New passwords, sealed for the servers that the account has with them. */
  private sealPasswords(
    user: UserPrincipal,
    account: StoredAccount,
    changes: AccountChanges,
    wasEncrypted?: boolean,
  ): AccountChanges {
    const seal = (password: string, side: ServerSide): string => {
      const servers = listServers(account, side).map((server) =>
        createGrant(server, server.protocol !== 'smtp' && wasEncrypted),
      );
      const { contextId, userId } = user;
      return this.vault.sealPassword({ password, servers }, { contextId, userId, id: account.id, side });
    };
    return {
      ...changes,
      ...(changes.password ? { password: seal(changes.password, 'mail') } : {}),
      ...(changes.transport_password ? { transport_password: seal(changes.transport_password, 'transport') } : {}),
    };
  }
}
