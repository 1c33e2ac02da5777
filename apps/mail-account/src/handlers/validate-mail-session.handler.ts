import { createHash, timingSafeEqual } from 'node:crypto';
import {
  mailSession,
  MailSessionErrors,
  SessionErrors,
  type CallOf,
  type DirectoryUser,
  type Handler,
  type MailSession,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { BASIC_CHALLENGE, Clock, Handles } from '@groupware/service-kit';
import { SessionStore, type RateLimiter, type Session } from '@groupware/sessions';
import { AccountCredentials } from '../account-credentials';
import { storedServer } from '../domain/account-view';
import { PRIMARY_ID } from '../domain/stored-account';
import { AccountRepository } from '../persistence/account.repository';
import { PrimaryAccounts } from '../primary-accounts';

const HEADER = 'x-svc-session-secret';
/** After so many wrong secrets a session is not validated for a minute. */
const WRONG_SECRETS = 5;

/** Tells a mail proxy whose session it is. Every failure of the session has the same answer; the session is not touched. */
@Handles(mailSession.validateMailSession)
export class ValidateMailSessionHandler implements Handler<typeof mailSession.validateMailSession> {
  private readonly wrong: RateLimiter;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: AccountRepository,
    private readonly primaries: PrimaryAccounts,
    private readonly credentials: AccountCredentials,
    private readonly directory: Directory,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {
    this.wrong = sessions.rateLimiter({ name: 'mail-session', points: WRONG_SECRETS, windowMs: 60_000 });
  }

  async handle({ query, edge }: CallOf<typeof mailSession.validateMailSession>): Promise<MailSession> {
    const session = await this.session(query.session, edge?.headers[HEADER]);
    const user = session && (await this.user(session));
    if (!session || !user)
      throw SessionErrors.unknown(query.session).with({
        headers: { 'WWW-Authenticate': BASIC_CHALLENGE },
      });
    const { principal, contextId, userId } = session;
    const row = await this.database.read(session, (db) => this.repository.find(db, userId, PRIMARY_ID));
    const primary = await this.primaries.of(session, userId, row);
    const server = primary && storedServer(primary.account, 'mail');
    if (!user.capabilities.includes('webmail') || !server || primary.account.mail_disabled)
      throw MailSessionErrors.noPrimaryAccount(userId, contextId);
    const secret = session.guest ? undefined : await this.credentials.find(principal, primary.account, 'mail');
    return {
      identity: {
        user: String(userId),
        context: String(contextId),
        displayName: user.displayName || null,
        primaryEmail: user.email,
      },
      imap: { host: server.host, port: server.port, secure: server.secure },
      auth: {
        type: 'LOGIN',
        loginName: primary.account.login ?? '',
        secret: secret?.password ?? '',
        secretExpiresInSeconds: null,
      },
      session: { expiresInSeconds: Math.max(0, Math.floor((session.expiresAt - this.clock.now()) / 1000)) },
    };
  }

  private async session(id: string, secret: string | undefined): Promise<Session | undefined> {
    if (!secret || (await this.wrong.waitSeconds(id)) > 0) return undefined;
    const session = await this.sessions.peek(id);
    if (session && equal(session.secret, secret)) return session;
    await this.wrong.count(id);
    return undefined;
  }

  private async user({ contextId, userId }: Session): Promise<DirectoryUser | undefined> {
    const user = (await this.directory.entities({ contextId }, [userId])).get(userId);
    return user?.kind === 'user' && user.enabled ? user : undefined;
  }
}

/** Compares in a time that depends on neither content nor length. */
function equal(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
