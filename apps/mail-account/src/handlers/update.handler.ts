import {
  mailAccount,
  MailAccountErrors,
  RequestErrors,
  type CallOf,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AccountWriter } from '../account-writer';
import { Accounts, noAccount, requireSeveral } from '../accounts';
import { namesUnified, readChanges, type AccountChanges } from '../domain/account-input';
import { accountView } from '../domain/account-view';
import { editableOf, requireEditable } from '../domain/primary-account';
import { isUnified, PRIMARY_ID, UNIFIED, type StoredAccount } from '../domain/stored-account';
import { AccountRepository } from '../persistence/account.repository';

/** `update`: changes the fields that are given and answers the account as it is then. */
@Handles(mailAccount.update)
export class UpdateHandler implements Handler<typeof mailAccount.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly accounts: Accounts,
    private readonly repository: AccountRepository,
    private readonly writer: AccountWriter,
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
      await this.database.transact(principal, (tx) => this.writer.change(tx, principal, id, remaining));
    } else {
      await this.database.transact(principal, async (tx) => {
        const before = await this.repository.lock(tx, principal.userId, id);
        if (!before) throw noAccount(id, principal);
        if (!isUnified(before) && namesUnified(body))
          throw MailAccountErrors.protocolChange(before.mail_protocol, UNIFIED);
        const changes = readChanges(body, before, rules);
        requirePossible(before, changes, principal);
        await this.writer.change(tx, principal, id, changes);
      });
    }
    return (await this.accounts.find(principal, id)).view;
  }
}

function requirePossible(before: StoredAccount, changes: AccountChanges, user: UserPrincipal): void {
  const { mail_protocol: protocol, primary_address: address } = changes;
  // What a new account needs stays needed.
  for (const field of ['login', 'primary_address'] as const)
    if (before[field] && changes[field] === null) throw RequestErrors.missingParameter(field);
  const changesProtocol = protocol !== undefined && protocol !== before.mail_protocol;
  if (changesProtocol) throw MailAccountErrors.protocolChange(before.mail_protocol, protocol ?? '');
  if (isUnified(before) && 'mail_server' in changes) throw MailAccountErrors.unifiedNotCreatable(before.mail_protocol);
  if (address?.toLowerCase() === user.email.toLowerCase()) throw MailAccountErrors.addressTaken(address);
}
