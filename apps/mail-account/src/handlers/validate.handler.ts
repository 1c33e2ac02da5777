import {
  CatalogueError,
  mailAccount,
  MailAccountErrors,
  MailConnectionErrors,
  reply,
  RequestErrors,
  type CallOf,
  type Handler,
  type MailAccountData,
  type MailFolderTree,
  type UserPrincipal,
} from '@groupware/contracts';
import { mailFailureOf, warningOf, type MailCredentials, type MailServer } from '@groupware/mail-access';
import { Handles } from '@groupware/service-kit';
import { AccountCheck, type CheckOutcome } from '../connection/account-check';
import { AccountCredentials } from '../credentials/account-credentials';
import { AccountLogins, type LoginWork } from '../credentials/account-logins';
import { Accounts, requireSeveralAccounts } from '../accounts/accounts';
import { isUnifiedRequest, parseChanges, requireConnectionFields } from '../domain/account-input';
import { findStoredServer } from '../domain/account-view';
import { buildFolderTree } from '../domain/folder-tree';
import { findLoginName, sharesPassword } from '../domain/password-grant';
import { findPortHint, type ServerSide } from '../domain/server-address';
import { isUnified, PRIMARY_ID, toRootFolderId, type StoredAccount } from '../domain/stored-account';

/** `validate`: logs in with the data of the body. Failures are warnings, not errors. */
@Handles(mailAccount.validate)
export class ValidateHandler implements Handler<typeof mailAccount.validate> {
  constructor(
    private readonly accounts: Accounts,
    private readonly credentials: AccountCredentials,
    private readonly logins: AccountLogins,
    private readonly check: AccountCheck,
  ) {}

  async handle({ principal, query, body, signal }: CallOf<typeof mailAccount.validate>) {
    if (body.id !== PRIMARY_ID) requireSeveralAccounts(principal);
    if (isUnifiedRequest(body)) throw MailAccountErrors.unifiedNotValidatable();
    const { account, mailLogin, transportLogin } = await this.completeAccount(principal, body);
    const warnings = SIDES.flatMap((side) => findHint(side, account, body) ?? []);
    const common = { user: principal, id: account.id, signal };
    const mail = await this.attemptLogin(principal, 'mail', account, mailLogin, warnings, (server, credentials) =>
      this.check.checkMail({ ...common, server, credentials, withFolders: query.tree }),
    );
    const hasTransport = needsTransport(account);
    const transport =
      mail && hasTransport
        ? await this.attemptLogin(principal, 'transport', account, transportLogin, warnings, (server, credentials) =>
            this.check.checkTransport({ ...common, server, credentials }),
          )
        : undefined;
    const works = Boolean(mail && (!hasTransport || transport || query.ignoreInvalidTransport));
    if (works && (mail?.secure === false || transport?.secure === false))
      warnings.push(MailConnectionErrors.worksInsecurely());
    if (!query.tree) return reply<boolean | MailFolderTree | null>(works, { warnings });
    const title = account.name ?? account.primary_address ?? '';
    const tree = works ? buildFolderTree(toRootFolderId(account.id), title, mail!.folders) : null;
    return reply<boolean | MailFolderTree | null>(tree, { warnings });
  }

  /**
   * Completes the account to check with stored values. A stored password is used only for servers it was granted for.
   * @throws ACC-0002, ACC-0013, SVL-0002
   */
  private async completeAccount(user: UserPrincipal, body: MailAccountData): Promise<CompleteAccount> {
    const rules = await this.accounts.getInputRules(user);
    if (body.id === undefined || body.id < PRIMARY_ID) {
      requireConnectionFields(body);
      const account = { id: -1, ...parseChanges(body, { id: -1 }, rules) };
      return { account, mailLogin: toMailLogin(account), transportLogin: toTransportLogin(account) };
    }
    const { account } = await this.accounts.getAccount(user, body.id);
    if (isUnified(account)) throw MailAccountErrors.unifiedNotValidatable();
    const fresh = { password: null, transport_password: null };
    const merged: StoredAccount = { ...account, ...fresh, ...parseChanges(body, account, rules) };
    requireConnectionFields({ ...merged, password: 'to be looked up' });
    const mailLogin = merged.password
      ? toMailLogin(merged)
      : await this.credentials.findLogin(user, account, 'mail', merged);
    if (!mailLogin && !(await this.logins.usesToken(user, merged, 'mail')))
      throw RequestErrors.missingParameter('password');

    const isGiven = sharesPassword(merged) ? merged.password : merged.transport_password;
    const transportLogin = isGiven
      ? toTransportLogin(merged)
      : await this.credentials.findLogin(user, account, 'transport', merged);
    if (!transportLogin && needsTransport(merged) && !(await this.logins.usesToken(user, merged, 'transport')))
      throw RequestErrors.missingParameter(sharesPassword(merged) ? 'password' : 'transport_password');
    return {
      account: merged,
      mailLogin: mailLogin ?? toMailLogin(merged),
      transportLogin: transportLogin ?? toTransportLogin(merged),
    };
  }

  /** Attempts a login; undefined on failure, with its cause among the warnings. */
  private async attemptLogin(
    user: UserPrincipal,
    side: ServerSide,
    account: StoredAccount,
    credentials: MailCredentials,
    warnings: CatalogueError[],
    work: LoginWork<CheckOutcome>,
  ): Promise<CheckOutcome | undefined> {
    const server = findStoredServer(account, side)!;
    const login = (side === 'transport' && account.transport_login) || findLoginName(account, side);
    try {
      const byToken = await this.logins.tryToken(user, account, side, work);
      return byToken ? byToken.result : await work(server, credentials);
    } catch (error) {
      if (error instanceof CatalogueError) warnings.push(error);
      else warnings.push(warningOf(mailFailureOf(error), server as Pick<MailServer, 'host' | 'protocol'>, login));
      return undefined;
    }
  }
}

const SIDES = ['mail', 'transport'] as const satisfies readonly ServerSide[];

/** Finds a suspicious setting of a server. */
function findHint(side: ServerSide, account: StoredAccount, body: MailAccountData): CatalogueError | undefined {
  const server = findStoredServer(account, side);
  return server && findPortHint(side, server, server.secure || body[`${side}_secure`] === true);
}

/** An account with its credentials. */
interface CompleteAccount {
  readonly account: StoredAccount;
  readonly mailLogin: MailCredentials;
  readonly transportLogin: MailCredentials;
}

/** Whether a transport server needs a login. */
const needsTransport = (account: StoredAccount): boolean =>
  account.transport_auth !== 'none' && Boolean(account.transport_server);

const toMailLogin = ({ login, password }: StoredAccount): MailCredentials => ({
  login: login ?? '',
  password: password ?? '',
});

const toTransportLogin = (account: StoredAccount): MailCredentials =>
  sharesPassword(account)
    ? toMailLogin(account)
    : { login: account.transport_login ?? '', password: account.transport_password ?? '' };
