import {
  mailAccount,
  MailAccountErrors,
  MailConnectionErrors,
  reply,
  type CallOf,
  type CatalogueError,
  type Handler,
  type MailAccountData,
  type MailFolderTree,
  type UserPrincipal,
} from '@groupware/contracts';
import { MailFailure, mailFailureOf, warningOf, type MailServer } from '@groupware/mail-access';
import { Handles } from '@groupware/service-kit';
import { AccountCheck, type CheckOutcome } from '../account-check';
import { AccountCredentials } from '../account-credentials';
import { Accounts, requireSeveral } from '../accounts';
import { namesUnified, readChanges, requireConnectionFields } from '../domain/account-input';
import { storedServer } from '../domain/account-view';
import { folderTree } from '../domain/folder-tree';
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
    const account = await this.complete(principal, body);
    const warnings = SIDES.flatMap((side) => hintOf(side, account, body) ?? []);
    const mail = await this.attempt('mail', account, warnings, (server) =>
      this.check.mail({
        user: principal,
        id: account.id,
        server,
        credentials: { login: account.login ?? '', password: account.password ?? '' },
        withFolders: query.tree,
        signal,
      }),
    );
    const needsTransport = (account.transport_auth ?? 'mail') !== 'none' && Boolean(account.transport_server);
    const transport =
      mail && needsTransport
        ? await this.attempt('transport', account, warnings, (server) =>
            this.check.transport({
              user: principal,
              id: account.id,
              server,
              credentials: transportCredentials(account),
              signal,
            }),
          )
        : undefined;
    const works = Boolean(mail && (!needsTransport || transport || query.ignoreInvalidTransport));
    if (works && (mail?.secure === false || transport?.secure === false))
      warnings.push(MailConnectionErrors.worksInsecurely());
    if (!query.tree) return reply<boolean | MailFolderTree | null>(works, { warnings });
    const title = account.name ?? account.primary_address ?? '';
    const tree = works ? folderTree(rootFolder(account.id), title, mail!.folders) : null;
    return reply<boolean | MailFolderTree | null>(tree, { warnings });
  }

  /**
   * The account to check: the body, with what is stored where the body leaves it out. The password of the primary account,
   * which its user cannot give other servers, goes to its own host only.
   * @throws ACC-0002, ACC-0013, SVL-0002
   */
  private async complete(user: UserPrincipal, body: MailAccountData): Promise<StoredAccount> {
    const rules = await this.accounts.rules(user);
    if (body.id === undefined || body.id < PRIMARY_ID) {
      requireConnectionFields(body);
      return { id: -1, ...readChanges(body, { id: -1 }, rules) };
    }
    const { account } = await this.accounts.find(user, body.id);
    if (isUnified(account)) throw MailAccountErrors.unifiedNotValidatable();
    const merged: StoredAccount = { ...account, password: null, ...readChanges(body, account, rules) };
    const mayUse = (side: ServerSide) =>
      account.id !== PRIMARY_ID || merged[`${side}_server`] === account[`${side}_server`];
    const stored = body.password || !mayUse('mail') ? undefined : await this.credentials.mail(user, account);
    const isKnown = Boolean(body.transport_password) || !mayUse('transport');
    const out = isKnown ? undefined : await this.credentials.transport(user, account);
    const complete: StoredAccount = {
      ...merged,
      password: body.password || stored?.password || null,
      transport_password: body.transport_password || out?.password || null,
    };
    requireConnectionFields({
      mail_server: complete.mail_server,
      login: complete.login,
      password: complete.password,
      mail_oauth: complete.mail_oauth,
    });
    return complete;
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

const transportCredentials = (account: StoredAccount) =>
  account.transport_auth === 'custom'
    ? { login: account.transport_login ?? '', password: account.transport_password ?? '' }
    : { login: account.login ?? '', password: account.password ?? '' };
