import {
  mailAccount,
  MailAccountErrors,
  MailConnectionErrors,
  reply,
  RequestErrors,
  type CallOf,
  type CatalogueError,
  type Handler,
  type MailAccountData,
  type MailFolderTree,
  type UserPrincipal,
} from '@groupware/contracts';
import { MailFailure, mailFailureOf, warningOf, type MailCredentials, type MailServer } from '@groupware/mail-access';
import { Handles } from '@groupware/service-kit';
import { AccountCheck, type CheckOutcome } from '../account-check';
import { AccountCredentials } from '../account-credentials';
import { Accounts, requireSeveral } from '../accounts';
import { namesUnified, readChanges, requireConnectionFields } from '../domain/account-input';
import { storedServer } from '../domain/account-view';
import { folderTree } from '../domain/folder-tree';
import { sharesPassword } from '../domain/password-grant';
import { portHint, type ServerAddress, type ServerSide } from '../domain/server-address';
import { isUnified, PRIMARY_ID, rootFolder, type StoredAccount } from '../domain/stored-account';

/** `validate`: logs in with the data of the body. A failure is no error: what is wrong stands in the warnings. */
@Handles(mailAccount.validate)
export class ValidateHandler implements Handler<typeof mailAccount.validate> {
  constructor(
    private readonly accounts: Accounts,
    private readonly credentials: AccountCredentials,
    private readonly check: AccountCheck,
  ) {}

  async handle({ principal, query, body, signal }: CallOf<typeof mailAccount.validate>) {
    if (body.id !== PRIMARY_ID) requireSeveral(principal);
    if (namesUnified(body)) throw MailAccountErrors.unifiedNotValidatable();
    const { account, mailLogin, transportLogin } = await this.complete(principal, body);
    const warnings = SIDES.flatMap((side) => hintOf(side, account, body) ?? []);
    const mail = await this.attempt('mail', account, warnings, (server) =>
      this.check.mail({
        user: principal,
        id: account.id,
        server,
        credentials: mailLogin,
        withFolders: query.tree,
        signal,
      }),
    );
    const hasTransport = needsTransport(account);
    const transport =
      mail && hasTransport
        ? await this.attempt('transport', account, warnings, (server) =>
            this.check.transport({
              user: principal,
              id: account.id,
              server,
              credentials: transportLogin,
              signal,
            }),
          )
        : undefined;
    const works = Boolean(mail && (!hasTransport || transport || query.ignoreInvalidTransport));
    if (works && (mail?.secure === false || transport?.secure === false))
      warnings.push(MailConnectionErrors.worksInsecurely());
    if (!query.tree) return reply<boolean | MailFolderTree | null>(works, { warnings });
    const title = account.name ?? account.primary_address ?? '';
    const tree = works ? folderTree(rootFolder(account.id), title, mail!.folders) : null;
    return reply<boolean | MailFolderTree | null>(tree, { warnings });
  }

  /**
   * The account to check: the body, with what is stored where the body leaves it out. A password that is not in the body goes only
   * to servers it was given for.
   * @throws ACC-0002, ACC-0013, SVL-0002
   */
  private async complete(user: UserPrincipal, body: MailAccountData): Promise<CompleteAccount> {
    const rules = await this.accounts.rules(user);
    if (body.id === undefined || body.id < PRIMARY_ID) {
      requireConnectionFields(body);
      const account = { id: -1, ...readChanges(body, { id: -1 }, rules) };
      return { account, mailLogin: mailLoginOf(account), transportLogin: transportLoginOf(account) };
    }
    const { account } = await this.accounts.find(user, body.id);
    if (isUnified(account)) throw MailAccountErrors.unifiedNotValidatable();
    const fresh = { password: null, transport_password: null };
    const merged: StoredAccount = { ...account, ...fresh, ...readChanges(body, account, rules) };
    requireConnectionFields({ ...merged, password: 'to be looked up' });
    const mailLogin = merged.password
      ? mailLoginOf(merged)
      : await this.credentials.find(user, account, 'mail', merged);
    const isOauth = (merged.mail_oauth ?? -1) >= 0;
    if (!mailLogin && !isOauth) throw RequestErrors.missingParameter('password');

    const isGiven = sharesPassword(merged) ? merged.password : merged.transport_password;
    const transportLogin = isGiven
      ? transportLoginOf(merged)
      : await this.credentials.find(user, account, 'transport', merged);
    if (!transportLogin && !isOauth && needsTransport(merged))
      throw RequestErrors.missingParameter(sharesPassword(merged) ? 'password' : 'transport_password');
    return {
      account: merged,
      mailLogin: mailLogin ?? mailLoginOf(merged),
      transportLogin: transportLogin ?? transportLoginOf(merged),
    };
  }

  /** Undefined for a failed log-in, with its cause among the warnings. */
  private async attempt(
    side: ServerSide,
    account: StoredAccount,
    warnings: CatalogueError[],
    work: (server: ServerAddress) => Promise<CheckOutcome>,
  ): Promise<CheckOutcome | undefined> {
    const server = storedServer(account, side)!;
    const login = (side === 'transport' && account.transport_login) || account.login || '';
    try {
      const oauth = side === 'mail' ? account.mail_oauth : account.transport_oauth;
      // There is no service yet that would hand out tokens.
      if ((oauth ?? -1) >= 0) throw new MailFailure('authentication', 'XOAUTH2');
      return await work(server);
    } catch (error) {
      const failure = mailFailureOf(error);
      warnings.push(warningOf(failure, server as Pick<MailServer, 'host' | 'protocol'>, login));
      return undefined;
    }
  }
}

const SIDES = ['mail', 'transport'] as const satisfies readonly ServerSide[];

/** What is strange about a server, whether it can be connected to or not. */
function hintOf(side: ServerSide, account: StoredAccount, body: MailAccountData): CatalogueError | undefined {
  const server = storedServer(account, side);
  return server && portHint(side, server, server.secure || body[`${side}_secure`] === true);
}

/** An account with what to log in to its servers with. */
interface CompleteAccount {
  readonly account: StoredAccount;
  readonly mailLogin: MailCredentials;
  readonly transportLogin: MailCredentials;
}

/** True when there is a transport server to log in to. */
const needsTransport = (account: StoredAccount): boolean =>
  account.transport_auth !== 'none' && Boolean(account.transport_server);

const mailLoginOf = ({ login, password }: StoredAccount): MailCredentials => ({
  login: login ?? '',
  password: password ?? '',
});

const transportLoginOf = (account: StoredAccount): MailCredentials =>
  sharesPassword(account)
    ? mailLoginOf(account)
    : { login: account.transport_login ?? '', password: account.transport_password ?? '' };
