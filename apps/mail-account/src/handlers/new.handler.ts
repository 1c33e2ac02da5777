import {
  mailAccount,
  MailAccountErrors,
  MailConnectionErrors,
  MAX_MAIL_ACCOUNTS,
  reply,
  type CallOf,
  type Handler,
  type MailAccountData,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { AccountWriter } from '../accounts/account-writer';
import { Accounts, requireSeveralAccounts } from '../accounts/accounts';
import { isUnifiedRequest, parseNewAccount } from '../domain/account-input';
import { toAccountView } from '../domain/account-view';
import { PRIMARY_ID, UNIFIED } from '../domain/stored-account';
import { FolderDetection } from '../connection/folder-detection';
import { AccountRepository } from '../persistence/account.repository';

/** `new`: stores an account and answers it. */
@Handles(mailAccount.new)
export class NewHandler implements Handler<typeof mailAccount.new> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly accounts: Accounts,
    private readonly repository: AccountRepository,
    private readonly writer: AccountWriter,
    private readonly detection: FolderDetection,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, body, signal }: CallOf<typeof mailAccount.new>) {
    requireSeveralAccounts(principal);
    await this.requireOrdinary(principal, body);
    const [rules, max] = await Promise.all([
      this.accounts.getInputRules(principal),
      this.properties.get(MAX_MAIL_ACCOUNTS, principal),
    ]);
    const input = parseNewAccount(-1, body, rules);
    await this.accounts.requireUnusedMailbox(principal, input);
    const first = await this.detection.detectFolders(principal, input, body, signal);
    const account = await this.database.transact(principal, async (tx) => {
      const id = await this.repository.allocateId(tx, principal.userId);
      if ((await this.repository.count(tx, principal.userId)) >= max) throw MailAccountErrors.tooMany(max);
      const created = { ...input, ...first.folders, id };
      await this.writer.createAccount(tx, principal, created, first.secure);
      return created;
    });
    const warnings = first.secure === false ? [MailConnectionErrors.createdInsecurely()] : [];
    return reply(toAccountView(account), { warnings });
  }

  private async requireOrdinary(user: UserPrincipal, body: MailAccountData): Promise<void> {
    if (body.id === PRIMARY_ID) throw MailAccountErrors.secondPrimary();
    if (!isUnifiedRequest(body)) return;
    const known = await this.database.read(user, (db) => this.repository.listByUser(db, user.userId));
    if (known.some(({ mail_protocol }) => mail_protocol === UNIFIED)) throw MailAccountErrors.unifiedExists();
    throw MailAccountErrors.unifiedNotCreatable(UNIFIED);
  }
}
