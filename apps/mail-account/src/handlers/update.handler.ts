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
import { AccountWriter } from '../account-writer';
import { Accounts, noAccount, requireSeveral } from '../accounts';
import { namesUnified, readChanges, type AccountChanges, type InputRules } from '../domain/account-input';
import { accountView } from '../domain/account-view';
import { findGrant, serversOf } from '../domain/password-grant';
import { editableOf, requireEditable } from '../domain/primary-account';
import { isUnified, PRIMARY_ID, UNIFIED, type StoredAccount } from '../domain/stored-account';
import { PasswordVault } from '../password-vault';
import { AccountRepository } from '../persistence/account.repository';

/** `update`: changes the fields that are given and answers the account as it is then. */
@Handles(mailAccount.update)
export class UpdateHandler implements Handler<typeof mailAccount.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly accounts: Accounts,
    private readonly repository: AccountRepository,
    private readonly writer: AccountWriter,
    private readonly vault: PasswordVault,
  ) {}

  async handle({ principal, body }: CallOf<typeof mailAccount.update>) {
    const { id } = body;
    if (id === undefined || id === null) throw RequestErrors.missingParameter('id');
    if (id !== PRIMARY_ID) requireSeveral(principal);
    const rules = await this.accounts.rules(principal);
    if (id === PRIMARY_ID) {
      const { account, view } = await this.accounts.find(principal, id);
      const changes = readChanges(body, account, rules);
      requireEditable(body, view, accountView({ ...account, ...changes }));
      const remaining = editableOf(changes, account);
      await this.database.transact(principal, (tx) => this.writer.change(tx, principal, account, remaining));
    } else {
      await this.requireOther(principal, id, body, rules);
      await this.database.transact(principal, async (tx) => {
        const before = await this.repository.lock(tx, principal.userId, id);
        if (!before) throw noAccount(id, principal);
        if (!isUnified(before) && namesUnified(body))
          throw MailAccountErrors.protocolChange(before.mail_protocol, UNIFIED);
        const changes = readChanges(body, before, rules);
        requirePossible(before, changes);
        this.requirePasswords(principal, before, changes);
        await this.writer.change(tx, principal, before, changes);
      });
    }
    return (await this.accounts.find(principal, id)).view;
  }

  /** Asks the directory, which must not happen within the transaction. */
  private async requireOther(user: UserPrincipal, id: number, body: MailAccountData, rules: InputRules): Promise<void> {
    const before = await this.database.read(user, (db) => this.repository.find(db, user.userId, id));
    if (!before || namesUnified(body)) return;
    const changes = readChanges(body, before, rules);
    await this.accounts.requireOther(user, { ...before, ...changes }, before);
  }

  /**
   * Stored passwords stay with the servers they were given for: others need them again.
   * @throws SVL-0002
   */
  private requirePasswords(user: UserPrincipal, before: StoredAccount, changes: AccountChanges): void {
    const after = { ...before, ...changes };
    for (const side of ['mail', 'transport'] as const) {
      const field = side === 'mail' ? 'password' : 'transport_password';
      if (!before[field] || changes[field]) continue;
      const known = serversOf(before, side);
      const fresh = serversOf(after, side).filter((server) => !known.some((one) => isDeepStrictEqual(one, server)));
      const granted = fresh.length > 0 ? this.vault.open(user, before, side) : undefined;
      if (!fresh.every((server) => findGrant(granted?.servers ?? [], server)))
        throw RequestErrors.missingParameter(field);
    }
  }
}

function requirePossible(before: StoredAccount, changes: AccountChanges): void {
  const { mail_protocol: protocol } = changes;
  // What a new account needs stays needed.
  for (const field of ['login', 'primary_address'] as const)
    if (before[field] && changes[field] === null) throw RequestErrors.missingParameter(field);
  const changesProtocol = protocol !== undefined && protocol !== before.mail_protocol;
  if (changesProtocol) throw MailAccountErrors.protocolChange(before.mail_protocol, protocol ?? '');
  if (isUnified(before) && 'mail_server' in changes) throw MailAccountErrors.unifiedNotCreatable(before.mail_protocol);
}
