import { isDeepStrictEqual } from 'node:util';
import {
  mailAccount,
  MailAccountErrors,
  RequestErrors,
  type CallOf,
  type Handler,
  type MailAccountData,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AccountWriter } from '../accounts/account-writer';
import { Accounts, toNotFoundError, requireSeveralAccounts } from '../accounts/accounts';
import { isUnifiedRequest, parseChanges, type AccountChanges, type InputRules } from '../domain/account-input';
import { toAccountView, withServerFolders } from '../domain/account-view';
import { findGrant, listServers } from '../domain/password-grant';
import { pickEditableChanges, requireEditable } from '../domain/primary-account';
import { isUnified, PRIMARY_ID, UNIFIED, type StoredAccount } from '../domain/stored-account';
import { PasswordVault } from '../credentials/password-vault';
import { AccountRepository } from '../persistence/account.repository';
import { PrimaryFolders } from '../primary-account/primary-folders';

/** `update`: changes the given fields and answers the updated account. */
@Handles(mailAccount.update)
export class UpdateHandler implements Handler<typeof mailAccount.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly accounts: Accounts,
    private readonly repository: AccountRepository,
    private readonly writer: AccountWriter,
    private readonly vault: PasswordVault,
    private readonly folders: PrimaryFolders,
  ) {}

  async handle(call: CallOf<typeof mailAccount.update>) {
    const { principal, body } = call;
    const { id } = body;
    if (id === undefined || id === null) throw RequestErrors.missingParameter('id');
    if (id !== PRIMARY_ID) requireSeveralAccounts(principal);
    const rules = await this.accounts.getInputRules(principal);
    if (id === PRIMARY_ID) {
      const { account, view } = await this.accounts.getAccount(principal, id);
      const changes = parseChanges(body, account, rules);
      requireEditable(body, view, toAccountView({ ...account, ...changes }));
      const remaining = pickEditableChanges(changes, account);
      await this.database.transact(principal, (tx) => this.writer.changeAccount(tx, principal, account, remaining));
    } else {
      await this.requireUnusedMailbox(principal, id, body, rules);
      await this.database.transact(principal, async (tx) => {
        const before = await this.repository.lockById(tx, principal.userId, id);
        if (!before) throw toNotFoundError(id, principal);
        if (!isUnified(before) && isUnifiedRequest(body))
          throw MailAccountErrors.protocolChange(before.mail_protocol, UNIFIED);
        const changes = parseChanges(body, before, rules);
        requirePossible(before, changes);
        this.requirePasswords(principal, before, changes);
        await this.writer.changeAccount(tx, principal, before, changes);
      });
    }
    const own = await this.accounts.getAccount(principal, id);
    const found = id === PRIMARY_ID ? await this.folders.findFolders(call) : undefined;
    return found ? withServerFolders(own, found) : own.view;
  }

  /** Queries the directory, hence outside of the transaction. */
  private async requireUnusedMailbox(
    user: UserPrincipal,
    id: number,
    body: MailAccountData,
    rules: InputRules,
  ): Promise<void> {
    const before = await this.database.read(user, (db) => this.repository.findById(db, user.userId, id));
    if (!before || isUnifiedRequest(body)) return;
    const changes = parseChanges(body, before, rules);
    await this.accounts.requireUnusedMailbox(user, { ...before, ...changes }, before);
  }

  /** Requires passwords again for other servers than those they were granted for. @throws SVL-0002 */
  private requirePasswords(user: UserPrincipal, before: StoredAccount, changes: AccountChanges): void {
    const after = { ...before, ...changes };
    for (const side of ['mail', 'transport'] as const) {
      const field = side === 'mail' ? 'password' : 'transport_password';
      if (!before[field] || changes[field]) continue;
      const known = listServers(before, side);
      const fresh = listServers(after, side).filter((server) => !known.some((one) => isDeepStrictEqual(one, server)));
      const granted = fresh.length > 0 ? this.vault.unsealPassword(user, before, side) : undefined;
      if (!fresh.every((server) => findGrant(granted?.servers ?? [], server)))
        throw RequestErrors.missingParameter(field);
    }
  }
}

function requirePossible(before: StoredAccount, changes: AccountChanges): void {
  const { mail_protocol: protocol } = changes;
  // Required fields of new accounts stay required.
  for (const field of ['login', 'primary_address'] as const)
    if (before[field] && changes[field] === null) throw RequestErrors.missingParameter(field);
  const changesProtocol = protocol !== undefined && protocol !== before.mail_protocol;
  if (changesProtocol) throw MailAccountErrors.protocolChange(before.mail_protocol, protocol ?? '');
  if (isUnified(before) && 'mail_server' in changes) throw MailAccountErrors.unifiedNotCreatable(before.mail_protocol);
}
