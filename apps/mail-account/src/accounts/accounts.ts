import {
  DEFAULT_TRANSPORT_PORT,
  MailAccountErrors,
  MIN_POP3_REFRESH,
  type MailAccountData,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { InputRules } from '../domain/account-input';
import { toAccountView } from '../domain/account-view';
import { PRIMARY_ID, type StoredAccount } from '../domain/stored-account';
import { AccountRepository } from '../persistence/account.repository';
import { PrimaryAccounts } from '../primary-account/primary-accounts';

/** An account with its view for clients. */
export interface OwnAccount {
  readonly account: StoredAccount;
  readonly view: MailAccountData;
}

/** True when a user may have accounts beside the primary one. */
const canHaveSeveralAccounts = (user: UserPrincipal): boolean => user.capabilities.includes('multiple_mail_accounts');

/** @throws ACC-0014 */
export function requireSeveralAccounts(user: UserPrincipal): void {
  if (!canHaveSeveralAccounts(user)) throw MailAccountErrors.multipleNotEnabled(user.userId, user.contextId);
}

/** Error of an account that is not there. */
export const toNotFoundError = (id: number, user: UserPrincipal) =>
  MailAccountErrors.notFound(id, user.userId, user.contextId);

/** Fields that identify a mailbox. */
const MAILBOX = ['mail_protocol', 'mail_server', 'mail_port', 'login'] as const;
const isSameMailbox = (one: StoredAccount, other: StoredAccount): boolean =>
  MAILBOX.every((field) => (one[field] ?? null) === (other[field] ?? null));

/** The accounts of a user: the primary one as derived, the others as stored. */
@Injectable()
export class Accounts {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: AccountRepository,
    private readonly primaries: PrimaryAccounts,
    private readonly properties: Properties,
  ) {}

  /** Lists all accounts, the primary one first; only that one without the capability for several. */
  async listAccounts(user: UserPrincipal): Promise<OwnAccount[]> {
    const rows = await this.database.read(user, (db) => this.repository.listByUser(db, user.userId));
    const primary = await this.findPrimary(
      user,
      rows.find(({ id }) => id === PRIMARY_ID),
    );
    const others = canHaveSeveralAccounts(user) ? rows.filter(({ id }) => id !== PRIMARY_ID) : [];
    return [...(primary ? [primary] : []), ...others.map((account) => ({ account, view: toAccountView(account) }))];
  }

  /** One account. @throws ACC-0002, ACC-0014 */
  async getAccount(user: UserPrincipal, id: number): Promise<OwnAccount> {
    if (id !== PRIMARY_ID) requireSeveralAccounts(user);
    const row = await this.database.read(user, (db) => this.repository.findById(db, user.userId, id));
    if (id === PRIMARY_ID) {
      const primary = await this.findPrimary(user, row);
      if (!primary) throw toNotFoundError(id, user);
      return primary;
    }
    if (!row) throw toNotFoundError(id, user);
    return { account: row, view: toAccountView(row) };
  }

  /**
   * Requires an address and a mailbox other than those of the primary account, which has no row for a unique index.
   * @param before the account before the change: it may keep what it has
   * @throws ACC-0015, ACC-0017
   */
  async requireUnusedMailbox(user: UserPrincipal, account: StoredAccount, before?: StoredAccount): Promise<void> {
    const { primary_address: address } = account;
    if (address !== before?.primary_address && address?.toLowerCase() === user.email.toLowerCase())
      throw MailAccountErrors.addressTaken(address);
    if (!account.mail_server || (before && isSameMailbox(account, before))) return;
    const primary = await this.primaries.findPrimaryAccount(user, user.userId, undefined);
    if (primary && isSameMailbox(account, primary.account))
      throw MailAccountErrors.mailboxTaken(account.mail_server, account.login);
  }

  /** Configuration of the input rules. */
  async getInputRules(user: UserPrincipal): Promise<InputRules> {
    const [transportPort, minPop3Refresh] = await Promise.all([
      this.properties.get(DEFAULT_TRANSPORT_PORT, user),
      this.properties.get(MIN_POP3_REFRESH, user),
    ]);
    return { transportPort, minPop3Refresh };
  }

  private async findPrimary(user: UserPrincipal, row: StoredAccount | undefined): Promise<OwnAccount | undefined> {
    const primary = await this.primaries.findPrimaryAccount(user, user.userId, row);
    return primary && { account: primary.account, view: toAccountView(primary.account, primary.addresses) };
  }
}
