import { createHash, timingSafeEqual } from 'node:crypto';
import {
  CatalogueError,
  isCatalogueError,
  MAIL_AUTH_TYPE,
  mailSession,
  MailSessionErrors,
  RequestErrors,
  SessionErrors,
  type CallOf,
  type DirectoryUser,
  type EdgeRequest,
  type Handler,
  type MailSession,
  type MailSessionAuthentication,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import {
  clientNetwork,
  BASIC_CHALLENGE,
  Clock,
  describeError,
  Handles,
  Logger,
  Properties,
} from '@groupware/service-kit';
import { SessionStore, type AttemptLimiter, type Session } from '@groupware/sessions';
import { AccountCredentials } from '../credentials/account-credentials';
import { AccountTokens } from '../credentials/account-tokens';
import { findStoredServer } from '../domain/account-view';
import { PRIMARY_ID, type StoredAccount } from '../domain/stored-account';
import { AccountRepository } from '../persistence/account.repository';
import { PrimaryAccounts } from '../primary-account/primary-accounts';

const HEADER = 'x-svc-session-secret';
/** The same in the original product. */
const ORIGINAL_HEADER = 'x-ox-session-secret';
/** Limit of wrong secrets per address, session and minute. */
const WRONG_SECRETS = 5;
const WINDOW_MS = 60_000;
const log = Logger.for('mail-account.mail-session');

/** Validates a session for a mail proxy. All failures are answered alike; the session is not touched. */
@Handles(mailSession.validateMailSession)
export class ValidateMailSessionHandler implements Handler<typeof mailSession.validateMailSession> {
  private readonly attempts: AttemptLimiter<'session'>;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: AccountRepository,
    private readonly primaries: PrimaryAccounts,
    private readonly credentials: AccountCredentials,
    private readonly tokens: AccountTokens,
    private readonly properties: Properties,
    private readonly directory: Directory,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {
    this.attempts = sessions.attemptLimiter({
      name: 'mail-session',
      limits: { session: { points: WRONG_SECRETS, windowMs: WINDOW_MS } },
    });
  }

  async handle({ query, edge }: CallOf<typeof mailSession.validateMailSession>): Promise<MailSession> {
    const session = await this.findSession(query.session, edge);
    const user = session && (await this.findUser(session));
    if (!session || !user) throw toUnknown(query.session);
    const { contextId, userId } = session;
    const row = await this.database.read(session, (db) => this.repository.findById(db, userId, PRIMARY_ID));
    const primary = await this.primaries.findPrimaryAccount(session, userId, row);
    const server = primary && findStoredServer(primary.account, 'mail');
    if (!user.capabilities.includes('webmail') || !server || primary.account.mail_disabled)
      throw MailSessionErrors.noPrimaryAccount(userId, contextId);
    const expiresInSeconds = Math.max(0, Math.floor((session.expiresAt - this.clock.now()) / 1000));
    return {
      identity: {
        user: String(userId),
        context: String(contextId),
        displayName: user.displayName || null,
        primaryEmail: user.email,
      },
      imap: { host: server.host, port: server.port, secure: server.secure },
      auth: {
        loginName: primary.account.login ?? '',
        ...(await this.findSecret(session, primary.account, server.host, expiresInSeconds)),
      },
      session: { expiresInSeconds },
    };
  }

  /** The access token of the session, where primary accounts log in with it; else the password. */
  private async findSecret(
    { principal, guest }: Session,
    account: StoredAccount,
    host: string,
    sessionSeconds: number,
  ): Promise<Omit<MailSessionAuthentication, 'loginName'>> {
    const none = { type: 'LOGIN', secret: '', secretExpiresInSeconds: null };
    if (guest) return none;
    const source = await this.tokens.findSource(principal, account, 'mail');
    if (!source) {
      const found = await this.credentials.findLogin(principal, account, 'mail');
      return found ? { ...none, secret: found.password } : none;
    }
    const token = await this.tokens.findToken(principal, source, { host }).catch((error: unknown) => {
      if (isCatalogueError(error, SessionErrors.unknown)) throw toUnknown(principal.sessionId);
      log.info({ error: describeError(error) }, 'the login service did not renew a token');
      return undefined;
    });
    if (!token) return none;
    const type = await this.properties.get(MAIL_AUTH_TYPE, principal);
    const left = token.expiresAt === undefined ? Infinity : Math.floor((token.expiresAt - this.clock.now()) / 1000);
    return {
      type: type.toUpperCase(),
      secret: token.accessToken,
      secretExpiresInSeconds: Math.max(0, Math.min(left, sessionSeconds)),
    };
  }

  private async findSession(id: string, edge: EdgeRequest | undefined): Promise<Session | undefined> {
    if (!edge) return undefined;
    const { compatNames } = this.sessions.settings;
    const secret = edge.headers[HEADER] ?? (compatNames ? edge.headers[ORIGINAL_HEADER] : undefined);
    if (!secret) return undefined;
    const key = `${id}\n${clientNetwork(edge.remoteAddress)}`;
    try {
      const { found } = await this.attempts.attempt({ session: key }, async () => {
        const session = await this.sessions.peek(id);
        return session && isEqualConstantTime(session.secret, secret) ? session : undefined;
      });
      return found;
    } catch (error) {
      if (isCatalogueError(error, RequestErrors.tooManyRequests)) return undefined;
      throw error;
    }
  }

  private async findUser({ contextId, userId }: Session): Promise<DirectoryUser | undefined> {
    const user = (await this.directory.getEntities({ contextId }, [userId])).get(userId);
    return user?.kind === 'user' && user.enabled ? user : undefined;
  }
}

const toUnknown = (session: string): CatalogueError =>
  SessionErrors.unknown(session).with({ headers: { 'WWW-Authenticate': BASIC_CHALLENGE } });

/** Compares in constant time, whatever content and length. */
function isEqualConstantTime(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
