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
import type { InputRules } from './domain/account-input';
import { accountView } from './domain/account-view';
import { PRIMARY_ID, type StoredAccount } from './domain/stored-account';
import { AccountRepository } from './persistence/account.repository';
import { PrimaryAccounts } from './primary-accounts';

/** An account with what clients see of it. */
export interface OwnAccount {
  readonly account: StoredAccount;
  readonly view: MailAccountData;
}

/** True when a user may have accounts beside the primary one. */
export const mayHaveSeveral = (user: UserPrincipal): boolean => user.capabilities.includes('multiple_mail_accounts');

/** @throws ACC-0014 */
export function requireSeveral(user: UserPrincipal): void {
  if (!mayHaveSeveral(user)) throw MailAccountErrors.multipleNotEnabled(user.userId, user.contextId);
}

/** Error of an account that is not there. */
export const noAccount = (id: number, user: UserPrincipal) =>
  MailAccountErrors.notFound(id, user.userId, user.contextId);

/** What tells the mailbox of one account from that of another. */
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

  /** All accounts, the primary one first; only that one without the permission for several. */
  async of(user: UserPrincipal): Promise<OwnAccount[]> {
    const rows = await this.database.read(user, (db) => this.repository.ofUser(db, user.userId));
    const primary = await this.primary(
      user,
      rows.find(({ id }) => id === PRIMARY_ID),
    );
    const others = mayHaveSeveral(user) ? rows.filter(({ id }) => id !== PRIMARY_ID) : [];
    return [...(primary ? [primary] : []), ...others.map((account) => ({ account, view: accountView(account) }))];
  }

  /** One account. @throws ACC-0002, ACC-0014 */
  async find(user: UserPrincipal, id: number): Promise<OwnAccount> {
    if (id !== PRIMARY_ID) requireSeveral(user);
    const row = await this.database.read(user, (db) => this.repository.find(db, user.userId, id));
    if (id === PRIMARY_ID) {
      const primary = await this.primary(user, row);
      if (!primary) throw noAccount(id, user);
      return primary;
    }
    if (!row) throw noAccount(id, user);
    return { account: row, view: accountView(row) };
  }

  /**
   * Refuses an address and a mailbox that are those of the primary account, which has no row with them.
   * @param before the account as it was: what it has already it keeps
   * @throws ACC-0015, ACC-0017
   */
  async requireOther(user: UserPrincipal, account: StoredAccount, before?: StoredAccount): Promise<void> {
    const { primary_address: address } = account;
    if (address !== before?.primary_address && address?.toLowerCase() === user.email.toLowerCase())
      throw MailAccountErrors.addressTaken(address);
    if (!account.mail_server || (before && isSameMailbox(account, before))) return;
    const primary = await this.primaries.of(user, user.userId, undefined);
    if (primary && isSameMailbox(account, primary.account))
      throw MailAccountErrors.mailboxTaken(account.mail_server, account.login);
  }

  /** What input rules take from the configuration. */
  async rules(user: UserPrincipal): Promise<InputRules> {
    const [transportPort, minPop3Refresh] = await Promise.all([
      this.properties.get(DEFAULT_TRANSPORT_PORT, user),
      this.properties.get(MIN_POP3_REFRESH, user),
    ]);
    return { transportPort, minPop3Refresh };
  }

  private async primary(user: UserPrincipal, row: StoredAccount | undefined): Promise<OwnAccount | undefined> {
    const primary = await this.primaries.of(user, user.userId, row);
    return primary && { account: primary.account, view: accountView(primary.account, primary.addresses) };
  }
}
