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
import { AccountWriter } from '../account-writer';
import { Accounts, requireSeveral } from '../accounts';
import { namesUnified, readNewAccount } from '../domain/account-input';
import { accountView } from '../domain/account-view';
import { PRIMARY_ID, UNIFIED } from '../domain/stored-account';
import { FolderDetection } from '../folder-detection';
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
    requireSeveral(principal);
    await this.requireOrdinary(principal, body);
    const [rules, max] = await Promise.all([
      this.accounts.rules(principal),
      this.properties.get(MAX_MAIL_ACCOUNTS, principal),
    ]);
    const input = readNewAccount(-1, body, rules);
    await this.accounts.requireOther(principal, input);
    const first = await this.detection.detect(principal, input, body, signal);
    const account = await this.database.transact(principal, async (tx) => {
      const id = await this.repository.nextId(tx, principal.userId);
      if ((await this.repository.count(tx, principal.userId)) >= max) throw MailAccountErrors.tooMany(max);
      const created = { ...input, ...first.folders, id };
      await this.writer.create(tx, principal, created, first.secure);
      return created;
    });
    const warnings = first.secure === false ? [MailConnectionErrors.createdInsecurely()] : [];
    return reply(accountView(account), { warnings });
  }

  private async requireOrdinary(user: UserPrincipal, body: MailAccountData): Promise<void> {
    if (body.id === PRIMARY_ID) throw MailAccountErrors.secondPrimary();
    if (!namesUnified(body)) return;
    const known = await this.database.read(user, (db) => this.repository.ofUser(db, user.userId));
    if (known.some(({ mail_protocol }) => mail_protocol === UNIFIED)) throw MailAccountErrors.unifiedExists();
    throw MailAccountErrors.unifiedNotCreatable(UNIFIED);
  }
}
