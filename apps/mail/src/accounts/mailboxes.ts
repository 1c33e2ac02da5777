import {
  CertificateErrors,
  ImapErrors,
  MAILBOX_SECRET_PURPOSE,
  MailAccountErrors,
  mailboxAccess,
  MailConnectionErrors,
  MailErrors,
  toMailboxSecretOwner,
  type CatalogueError,
  type MailboxAccess,
  type MailboxServer,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import {
  findRefusal,
  ImapPool,
  MailFailure,
  type ImapLogin,
  type ImapRefusal,
  type ImapSession,
  type MailCredentials,
} from '@groupware/mail-access';
import { Caller } from '@groupware/messaging';
import { Clock, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { toMailFolderId, type MailFolder } from '../domain/mail-folder';
import type { FolderIndex } from '../listing/index/folder-index';
import { MailboxIndex } from '../listing/index/mailbox-index';
import { EndedSessions, toOwner } from './ended-sessions';
import { MailboxTokens, type TokenRequest } from './mailbox-tokens';

/** How a mailbox is used. */
export interface MailboxUse {
  /** True for what may be done twice: a broken connection is replaced once. */
  readonly repeatable?: boolean;
  /** UIDVALIDITY under which ids are known: a session that has the folder selected under it is used as it is. */
  readonly validity?: bigint;
}

/** Work in one folder. */
export interface OpenFolder {
  readonly session: ImapSession;
  readonly account: MailboxAccess;
  readonly folder: MailFolder;
  /** Index kept of a large folder. */
  readonly index?: FolderIndex | undefined;
}

/** Told of all accounts of a user who uses mail, those without an IMAP server included. */
export type AccountsListener = (request: UserRequest, accounts: readonly MailboxAccess[]) => void;

/** So long what a session may open is remembered, ms: the requests of one click are many. */
const REMEMBERED_MS = 3_000;
const MAX_REMEMBERED = 5_000;

/** The mailboxes of users: who may open which, and their sessions. */
@Injectable()
export class Mailboxes {
  private readonly known = new Map<
    string,
    { readonly until: number; readonly accounts: Promise<readonly MailboxAccess[]> }
  >();
  private readonly texts: SealedText;
  private readonly listeners: AccountsListener[] = [];

  constructor(
    private readonly caller: Caller,
    private readonly pool: ImapPool,
    private readonly clock: Clock,
    private readonly tokens: MailboxTokens,
    private readonly index: MailboxIndex,
    private readonly sessions: EndedSessions,
    keys: SecretKeySettings,
  ) {
    this.texts = new SealedText(keys.secretKeys(), MAILBOX_SECRET_PURPOSE);
  }

  /** Tells of accounts from now on whenever they were asked for. */
  onAccounts(listener: AccountsListener): void {
    this.listeners.push(listener);
  }

  /** Accounts of the user with an IMAP server, the primary one first. */
  async listAccounts(request: UserRequest): Promise<readonly MailboxAccess[]> {
    return (await this.listAllAccounts(request)).filter(({ server }) => server !== undefined);
  }

  /** Accounts of the user that mails are read in or collected from, the primary one first. */
  async listSources(request: UserRequest): Promise<readonly MailboxAccess[]> {
    return (await this.listAllAccounts(request)).filter(
      ({ server, pop3 }) => server !== undefined || pop3 !== undefined,
    );
  }

  private async listAllAccounts(request: UserRequest): Promise<readonly MailboxAccess[]> {
    const key = toSessionKey(request);
    const now = this.clock.now();
    const known = this.known.get(key);
    if (known && known.until > now) return known.accounts;
    const accounts = this.loadAccounts(request);
    if (this.known.size >= MAX_REMEMBERED) this.known.clear();
    this.known.set(key, { until: now + REMEMBERED_MS, accounts });
    accounts.catch(() => this.known.delete(key));
    return accounts;
  }

  /** Gets one account. @throws ACC-0002 */
  async getAccount(request: UserRequest, id: number): Promise<MailboxAccess> {
    const find = async () => (await this.listAccounts(request)).find((each) => each.id === id);
    const key = toSessionKey(request);
    const remembered = this.known.get(key);
    let account = await find();
    if (!account && remembered && this.known.get(key) === remembered) {
      this.known.delete(key); // It may be newer than what is remembered.
      account = await find();
    }
    if (!account) throw MailAccountErrors.notFound(id, request.principal.userId, request.principal.contextId);
    return account;
  }

  /**
   * Selects a folder and works in it.
   * @throws IMAP-1002 for a missing folder and one that was made anew, MSG-0050 for one without mails, and what the server refuses
   */
  async useFolder<T>(
    request: UserRequest,
    folder: MailFolder,
    use: MailboxUse,
    work: (open: OpenFolder) => Promise<T>,
  ): Promise<T> {
    if (folder.path === '') throw MailErrors.holdsNoMessages(toMailFolderId(folder));
    return this.useAccount(
      request,
      folder.account,
      use,
      async (session, account) => {
        const { validity } = use;
        const isValid = () => session.selected === folder.path && session.mailbox.uidValidity === validity;
        if (validity === undefined || !isValid()) await selectFolder(session, folder);
        if (validity !== undefined && !isValid()) throw ImapErrors.folderNotFound(toMailFolderId(folder));
        const index = this.openIndex(request.principal, account, folder, session);
        return work({ session, account, folder, index });
      },
      folder,
    );
  }

  /** Works with a session of an account. @param folder the one that errors name, and that a session may have selected */
  async useAccount<T>(
    request: UserRequest,
    id: number,
    { repeatable = false }: MailboxUse,
    work: (session: ImapSession, account: MailboxAccess) => Promise<T>,
    folder: MailFolder = { account: id, path: '' },
  ): Promise<T> {
    const account = await this.getAccount(request, id);
    this.sessions.noteUse(request.principal);
    try {
      return await this.withLogin(request, account, (login) =>
        this.pool.use(login, { mailbox: folder.path || undefined, repeatable, signal: request.signal }, (session) =>
          work(session, account),
        ),
      );
    } catch (error) {
      throw toCatalogueError(error, account, folder);
    }
  }

  /**
   * Runs work with what logs in to an account: its password, or an access token, which is asked for each time.
   * @throws the error of a refused login for an account without either
   */
  async withLogin<T>(
    request: TokenRequest,
    account: MailboxAccess,
    work: (login: ImapLogin) => Promise<T>,
  ): Promise<T> {
    const { server, login } = account;
    if (!server) throw loginError(account);
    const logIn = (credentials: MailCredentials) => work(toLogin(request.principal, account, server, credentials));
    if (!account.usesToken) return logIn({ login, password: this.unsealPassword(request.principal, account) });
    return this.tokens.use(request, account, { side: 'mail', host: server.host }, (accessToken) =>
      logIn({ login, accessToken }),
    );
  }

  private openIndex(
    { contextId, userId }: UserPrincipal,
    { id, server, login }: MailboxAccess,
    { path }: MailFolder,
    session: ImapSession,
  ): FolderIndex | undefined {
    const key = JSON.stringify([contextId, userId, id, server?.host, server?.port, login, path]);
    const index = this.index.openFolder(key, session.state);
    session.useLists(index);
    return index;
  }

  private async loadAccounts(request: UserRequest): Promise<readonly MailboxAccess[]> {
    const { principal, deadline, requestId } = request;
    const caller = { kind: 'internal', service: 'mail', contextId: principal.contextId, user: principal } as const;
    const found = await this.caller.call(mailboxAccess.list, {
      principal: caller,
      deadline,
      requestId,
      // Without the signal of the request: others of the session wait for the same answer.
      query: {},
    });
    for (const listener of this.listeners) listener(request, found);
    return found;
  }

  /** @throws MSG-1000, MSG-1001 without a password */
  private unsealPassword(user: UserPrincipal, account: MailboxAccess): string {
    const { id, secret } = account;
    const password = secret && this.texts.open(secret, toMailboxSecretOwner(user, id));
    if (!password) throw loginError(account);
    return password;
  }
}

function toLogin(
  user: UserPrincipal,
  { id, acceptedCertificates }: MailboxAccess,
  server: MailboxServer,
  credentials: MailCredentials,
): ImapLogin {
  const owner = toOwner(user);
  return {
    server: { protocol: 'imap', ...server },
    credentials,
    use: {
      account: `${owner}:${id}`,
      onBehalfOf: owner,
      acceptsCertificate: async ({ fingerprint }) => acceptedCertificates.includes(fingerprint),
    },
  };
}

const toSessionKey = ({ principal: { contextId, userId, sessionId } }: UserRequest): string =>
  JSON.stringify([contextId, userId, sessionId]);

/** Selects a folder. @throws IMAP-1002, MSG-0050 */
export async function selectFolder(session: ImapSession, folder: MailFolder): Promise<void> {
  try {
    await session.select(folder.path);
  } catch (error) {
    const refusal = findRefusal(error);
    if (!refusal) throw error;
    if (session.isUnselectable(folder.path)) throw MailErrors.holdsNoMessages(toMailFolderId(folder));
    // Whatever the server says: a folder that cannot be selected is not there for this user.
    throw refusal.code === '' || refusal.code === 'CANNOT' || refusal.code === 'NOPERM'
      ? ImapErrors.folderNotFound(toMailFolderId(folder))
      : toRefusalError(refusal, '', folder);
  }
}

const loginError = ({ id, server, login }: MailboxAccess): CatalogueError =>
  id === 0
    ? MailErrors.loginFailed(server?.host ?? '', login)
    : MailErrors.externalLoginFailed(server?.host ?? '', login);

/** The error of the API for what went wrong with a mailbox. */
function toCatalogueError(error: unknown, account: MailboxAccess, folder: MailFolder): unknown {
  const host = account.server?.host ?? '';
  const refusal = findRefusal(error);
  if (refusal) return toRefusalError(refusal, host, folder).with({ cause: error });
  if (!(error instanceof MailFailure)) return error;
  switch (error.kind) {
    case 'credentials':
    case 'authentication':
      return toLoginError(error, account).with({ cause: error });
    case 'certificate':
      return CertificateErrors.untrusted(error.detail, host).with({ cause: error });
    case 'plain':
      return (
        error.detail === 'PRIVACYREQUIRED'
          ? MailErrors.encryptionRequired(host)
          : MailConnectionErrors.insecureNotAllowed()
      ).with({ cause: error });
    case 'busy':
      return toBusyError(error.detail, host).with({ cause: error });
    case 'timeout':
      return MailErrors.timedOut(host).with({ cause: error });
    case 'unreachable':
      return MailErrors.unreachable(host).with({ cause: error });
    default:
      return MailErrors.connectionLost(host).with({ cause: error });
  }
}

/** Why a login is refused, by what the server tells. */
function toLoginError({ detail }: MailFailure, account: MailboxAccess): CatalogueError {
  const host = account.server?.host ?? '';
  if (detail === 'EXPIRED') return MailErrors.passwordExpired(host, account.login);
  return detail === 'AUTHORIZATIONFAILED' ? MailErrors.accessDenied(host, account.login) : loginError(account);
}

/** Why a server does nothing now, by the response code that it tells. */
function toBusyError(code: string, host: string): CatalogueError {
  if (code === 'UNAVAILABLE') return MailErrors.loginUnavailable(host);
  return code === 'INUSE' ? MailErrors.inUse(host) : MailErrors.tooManyConnections(host);
}

function toRefusalError({ code }: ImapRefusal, host: string, folder: MailFolder): CatalogueError {
  switch (code) {
    case 'NONEXISTENT':
    case 'TRYCREATE':
      return ImapErrors.folderNotFound(toMailFolderId(folder));
    case 'OVERQUOTA':
      return MailErrors.overQuota();
    case 'NOPERM':
    case 'READ-ONLY':
      return MailErrors.readOnly(toMailFolderId(folder));
    case 'INUSE':
    case 'LIMIT':
    case 'UNAVAILABLE':
      return toBusyError(code, host);
    default:
      return MailErrors.commandFailed(host);
  }
}
