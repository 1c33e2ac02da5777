import { createHash, randomBytes } from 'node:crypto';
import { SessionErrors, type UserPrincipal } from '@groupware/contracts';
import type { Redis } from 'ioredis';
import { connectRedis } from './redis';
import { JobTable, type JobTableOptions } from './job-table';
import { LeasedQuota } from './leased-quota';
import { OneTimeTokens, type OneTimeTokenOptions } from './one-time-tokens';
import { AttemptLimiter, type AttemptLimiterOptions } from './attempts/attempt-limiter';
import { RateLimiter, type RateLimit } from './rate-limiter';
import { SealedText, SecretPermutation } from './sealed-text';
import { SessionIndex } from './session-index';
import { SharedTable } from './shared-table';
import { isSessionId, type NewSession, type Session, type SessionLimits } from './session';
import { sessionDigest, SessionRecords, type SessionRecord } from './session-records';
import { defineSessionScripts } from './session-scripts';
import { createSessionSettings, type SessionSettings } from './session-settings';

/** Options of the store. */
export interface SessionStoreOptions {
  /** `redis://…` */
  readonly url: string;
  /** Separates installations and tests on one server. */
  readonly prefix?: string;
  /** Keys of 32 bytes (`GROUPWARE_SECRET_KEY` first); the first seals, all open. */
  readonly secretKeys: readonly Uint8Array[];
  readonly settings?: SessionSettings;
  /** Hears of connection problems. */
  readonly onError?: (error: Error) => void;
  /** Clock in ms UTC. */
  readonly now?: () => number;
}

const UNLIMITED: SessionLimits = { perUser: -1, perClient: -1 };
/** Attempts to change a session that others change at the same time. */
const MAX_CONFLICTS = 10;
/** Sessions that are handled in one round trip. */
const BATCH = 200;
/** Idle times that an entry of an index outlives the last new session of its name. */
const KEPT_IDLE_TIMES = 12;
/** Keys that the store looks at in one step. */
const SCANNED_AT_ONCE = 1_000;
/** Users whose sessions end in one step of the store: some milliseconds, in which others wait. */
const USERS_PER_STEP = 500;

/**
 * Sessions in Redis. One key per session whose expiry is the idle time; per user a hash of sessions with their clients,
 * per context a set of users with sessions. Keys and indexes name a session by the digest of its id, the session itself is
 * sealed: the store alone opens no session.
 *
 * The first bit of a session id tells its idle time (1: staySignedIn), so that reading and touching is one GETEX. When
 * the store is away every call throws SES-0208 at once; it heals by itself.
 */
export class SessionStore {
  private readonly prefix: string;
  private readonly now: () => number;
  private readonly passwords: SealedText;
  private readonly facts: SealedText;
  private readonly jobAnswers: SealedText;
  private readonly alternativeIds: SecretPermutation;
  private readonly records: SessionRecords;

  private constructor(
    private readonly redis: Redis,
    private readonly options: SessionStoreOptions,
    /** The settings the store was made with. */
    readonly settings: SessionSettings,
  ) {
    this.prefix = options.prefix ?? 'gw';
    this.now = options.now ?? Date.now;
    this.passwords = new SealedText(options.secretKeys, 'session-password');
    this.facts = new SealedText(options.secretKeys, 'one-time-token');
    this.jobAnswers = new SealedText(options.secretKeys, 'job-answer');
    this.records = new SessionRecords(new SealedText(options.secretKeys, 'session'));
    this.alternativeIds = new SecretPermutation(options.secretKeys[0]!, 'alternative-session-id');
    defineSessionScripts(redis);
  }

  /** Connects; a server that is away is no error here, calls fail until it is back. */
  static async connect(options: SessionStoreOptions): Promise<SessionStore> {
    const redis = await connectRedis(options.url, options.onError);
    return new SessionStore(redis, options, options.settings ?? createSessionSettings());
  }

  /** Waits for running commands and closes the connection. */
  async close(): Promise<void> {
    if (this.redis.status === 'ready') await this.redis.quit().catch(() => undefined);
    this.redis.disconnect();
  }

  /** Round trip to the store. @throws SES-0208 */
  async ping(): Promise<void> {
    await this.guard(this.redis.ping());
  }

  /** A limiter of events on the same store. */
  rateLimiter(limit: Omit<RateLimit, 'prefix'>): RateLimiter {
    return new RateLimiter(this.redis, { ...limit, prefix: this.prefix });
  }

  /** A limiter of attempts at secrets on the same store. */
  attemptLimiter<Name extends string>(options: AttemptLimiterOptions<Name>): AttemptLimiter<Name> {
    return new AttemptLimiter(this.redis, { ...options, prefix: this.prefix });
  }

  /** Bounds quantities of owners over all processes, on the same store; leases end after `leaseMs` unless renewed. */
  leasedQuota(name: string, leaseMs: number): LeasedQuota {
    return new LeasedQuota(this.redis, `${this.prefix}:${name}`, leaseMs);
  }

  /** Tokens that are good once, on the same store. */
  oneTimeTokens<T extends object>(options: OneTimeTokenOptions): OneTimeTokens<T> {
    return new OneTimeTokens<T>(this.redis, this.facts, { ...options, prefix: this.prefix });
  }

  /** Jobs of users, on the same store. */
  jobTable(options: JobTableOptions): JobTable {
    return new JobTable(this.redis, this.prefix, this.jobAnswers, options, this.now);
  }

  /** A table that all processes share, on the same store. */
  sharedTable(name: string): SharedTable {
    return new SharedTable(this.redis, `${this.prefix}:table:${name}`);
  }

  /** Sessions by names from elsewhere, on the same store. */
  sessionIndex(kind: string): SessionIndex {
    const keptMs = KEPT_IDLE_TIMES * Math.max(this.settings.longLifetimeMs, this.settings.defaultLifetimeMs);
    return new SessionIndex(this.redis, `${this.prefix}:index:${kind}`, keptMs, this.now);
  }

  /** Claims a name for a time; false when it is claimed already. @throws SES-0208 */
  async claimName(name: string, lifetimeMs: number): Promise<boolean> {
    const key = `${this.prefix}:claim:${name}`;
    return (await this.guard(this.redis.set(key, '1', 'PX', lifetimeMs, 'NX'))) === 'OK';
  }

  /** Gives a claimed name back before its time. @throws SES-0208 */
  async releaseName(name: string): Promise<void> {
    await this.guard(this.redis.del(`${this.prefix}:claim:${name}`));
  }

  /**
   * Opens a session.
   * @throws SES-0007 or SES-0207 at a limit, SES-0008 when a live session has the same authId
   */
  async createSession(input: NewSession, limits: SessionLimits = UNLIMITED): Promise<Session> {
    for (;;) {
      const id = input.id ?? generateSessionId(input.staySignedIn);
      const { password, principal, parameters, authId, ...rest } = input;
      const createdAt = this.now();
      const stored: SessionRecord = {
        ...rest,
        id,
        secret: randomBytes(16).toString('hex'),
        alternativeId: this.alternativeIds.apply(id),
        authId: authId ?? randomBytes(16).toString('hex'),
        createdAt,
        principal: { ...principal, sessionId: id },
        parameters: parameters ?? {},
        ...(password === undefined ? {} : { password: this.passwords.seal(password, id) }),
      };
      const lifetime = this.resolveLifetime(id);
      const digest = sessionDigest(id);
      const outcome = await this.guard(
        this.redis.createSession(
          this.sessionKey(digest),
          this.userKey(input.contextId, input.userId),
          this.contextKey(input.contextId),
          this.authKey(stored.authId),
          this.records.sealRecord(stored),
          lifetime,
          digest,
          input.client,
          input.userId,
          limits.perUser,
          limits.perClient,
          this.settings.longLifetimeMs,
          this.sessionKey(''),
        ),
      );
      switch (outcome) {
        case 'created':
          return { ...stored, lastActive: createdAt, expiresAt: createdAt + lifetime };
        case 'authId':
          throw SessionErrors.duplicateAuthId('*', input.login);
        case 'user':
          throw SessionErrors.tooManyForUser(input.userId, input.contextId);
        case 'client':
          throw SessionErrors.tooManyForClient(input.client, input.userId, input.contextId);
        // 'id': the id is taken; generate another one, unless it was given.
        default:
          if (input.id !== undefined) throw SessionErrors.storeDown();
      }
    }
  }

  /** Reads a session and moves its end, in one round trip. Undefined when it ended or never was. */
  async lookUp(id: string): Promise<Session | undefined> {
    if (!isSessionId(id)) return undefined;
    const lifetime = this.resolveLifetime(id);
    const digest = sessionDigest(id);
    const text = await this.guard(this.redis.getex(this.sessionKey(digest), 'PX', lifetime));
    return text === null ? undefined : this.unsealSession(text, digest, lifetime);
  }

  /** Reads a session by the value of its public session cookie, and moves its end. */
  async lookUpAlternative(alternativeId: string): Promise<Session | undefined> {
    return isSessionId(alternativeId) ? this.lookUp(this.alternativeIds.invert(alternativeId)) : undefined;
  }

  /** The value of the public session cookie of a session id, whether there is such a session or not. */
  toAlternativeId(id: string): string {
    return this.alternativeIds.apply(id);
  }

  /** Reads a session without touching it. */
  async peek(id: string): Promise<Session | undefined> {
    return isSessionId(id) ? this.peekByDigest(sessionDigest(id)) : undefined;
  }

  /** Reads a session by the {@link sessionDigest} of its id, without touching it. */
  async peekByDigest(digest: string): Promise<Session | undefined> {
    const key = this.sessionKey(digest);
    const [text, remaining] = await this.guard(Promise.all([this.redis.get(key), this.redis.pttl(key)]));
    return text === null || remaining < 0 ? undefined : this.unsealSession(text, digest, remaining);
  }

  /** Reads a session by the value of its public session cookie, without touching it. */
  async peekAlternative(alternativeId: string): Promise<Session | undefined> {
    return isSessionId(alternativeId) ? this.peek(this.alternativeIds.invert(alternativeId)) : undefined;
  }

  /** The live sessions of a user, untouched, in no particular order. */
  async listByUser(contextId: number, userId: number): Promise<Session[]> {
    const digests = await this.guard(this.redis.hkeys(this.userKey(contextId, userId)));
    // Commands of one turn travel together: two round trips, whatever the number of sessions.
    const sessions = await Promise.all(digests.map((digest) => this.peekByDigest(digest)));
    return sessions.filter((session) => session !== undefined);
  }

  /** Ids of users of the context who may have sessions. */
  async listUsersWithSessions(contextId: number): Promise<number[]> {
    return (await this.guard(this.redis.smembers(this.contextKey(contextId)))).map(Number);
  }

  /** Ids of contexts that may have sessions, some at a time; one may come twice. */
  async *scanContextsWithSessions(): AsyncGenerator<number[]> {
    const start = this.contextKey('');
    const match = `${start.replace(/[*?[\]\\]/g, '\\$&')}*`;
    let cursor = '0';
    do {
      const [next, keys] = await this.guard(this.redis.scan(cursor, 'MATCH', match, 'COUNT', SCANNED_AT_ONCE));
      cursor = next;
      if (keys.length > 0) yield keys.map((key) => Number(key.slice(start.length)));
    } while (cursor !== '0');
  }

  /** The password the session was opened with, for modules that log in to mail servers for the user. */
  unsealPassword(session: Session): string | undefined {
    return session.password === undefined ? undefined : this.passwords.open(session.password, session.id);
  }

  /** Ends a session and answers it; undefined when there was none. */
  async removeSession(id: string): Promise<Session | undefined> {
    if (!isSessionId(id)) return undefined;
    const digest = sessionDigest(id);
    const text = await this.guard(this.redis.getdel(this.sessionKey(digest)));
    const session = text === null ? undefined : this.unsealSession(text, digest, 0);
    if (!session) return undefined;
    // A crash before this leaves an index entry without session; readers of the index skip those.
    await this.guard(
      this.redis
        .pipeline()
        .forgetSession(
          this.userKey(session.contextId, session.userId),
          this.contextKey(session.contextId),
          session.userId,
          digest,
        )
        .del(this.authKey(session.authId))
        .exec(),
    );
    return session;
  }

  /** Ends sessions by id; answers the ids of those that were live. */
  async removeMany(ids: readonly string[]): Promise<string[]> {
    const removed: string[] = [];
    for (let at = 0; at < ids.length; at += BATCH) {
      const batch = await Promise.all(ids.slice(at, at + BATCH).map((id) => this.removeSession(id)));
      removed.push(...batch.flatMap((session) => (session ? [session.id] : [])));
    }
    return removed;
  }

  /** Ends the sessions of a user, except one; answers their ids. */
  async removeByUser(contextId: number, userId: number, options: { except?: string } = {}): Promise<string[]> {
    const removed = await this.guard(
      this.redis.removeUserSessions(
        this.userKey(contextId, userId),
        this.contextKey(contextId),
        userId,
        this.sessionKey(''),
        options.except === undefined ? '' : sessionDigest(options.except),
      ),
    );
    return this.toIds(removed);
  }

  /** Ends all sessions of a context, some hundred users per round trip; answers their ids. */
  async removeByContext(contextId: number): Promise<string[]> {
    const removed: string[] = [];
    for (;;) {
      const step = await this.guard(
        this.redis.removeContextSessions(
          this.contextKey(contextId),
          USERS_PER_STEP,
          this.sessionKey(''),
          this.userKey(contextId, ''),
        ),
      );
      if (step === null) return removed;
      for (const id of this.toIds(step)) removed.push(id);
    }
  }

  /** Ids of removed sessions. @param pairs digest, record, digest, record … */
  private toIds(pairs: readonly string[]): string[] {
    const ids: string[] = [];
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const record = this.records.unsealRecord(pairs[at + 1]!, pairs[at]!);
      if (record) ids.push(record.id);
    }
    return ids;
  }

  /** Gives all sessions of a user a new principal: groups, capabilities, locale or names changed. */
  async refreshPrincipal(
    contextId: number,
    userId: number,
    principal: Omit<UserPrincipal, 'sessionId'>,
  ): Promise<void> {
    const digests = await this.guard(this.redis.hkeys(this.userKey(contextId, userId)));
    await Promise.all(
      digests.map((digest) =>
        this.updateRecord(digest, (session) => ({ ...session, principal: { ...principal, sessionId: session.id } })),
      ),
    );
  }

  /** Gives a session other capabilities. */
  async setCapabilities(id: string, capabilities: readonly string[]): Promise<void> {
    await this.updateRecord(sessionDigest(id), (session) => ({
      ...session,
      principal: { ...session.principal, capabilities },
    }));
  }

  /** Notes another address of the client. */
  async updateAddress(id: string, ip: string): Promise<void> {
    await this.updateRecord(sessionDigest(id), (session) => ({ ...session, ip }));
  }

  /** Keeps a fact with the session; undefined removes it. */
  async setParameter(id: string, name: string, value: string | undefined): Promise<void> {
    await this.updateRecord(sessionDigest(id), (session) => {
      const { [name]: _former, ...others } = session.parameters;
      return { ...session, parameters: value === undefined ? others : { ...others, [name]: value } };
    });
  }

  /** Replaces the password a session keeps, after the user changed it. */
  async setPassword(id: string, password: string): Promise<void> {
    await this.updateRecord(sessionDigest(id), (session) => ({
      ...session,
      password: this.passwords.seal(password, id),
    }));
  }

  /** Hands a session over to another client of the same user: its cookies get other names. */
  async rebindClient(id: string, client: Pick<Session, 'client' | 'userAgent' | 'agentless' | 'hash'>): Promise<void> {
    await this.updateRecord(sessionDigest(id), (session) => ({ ...session, ...client }));
  }

  private async updateRecord(digest: string, edit: (session: SessionRecord) => SessionRecord): Promise<void> {
    const key = this.sessionKey(digest);
    for (let attempt = 0; attempt < MAX_CONFLICTS; attempt++) {
      const text = await this.guard(this.redis.get(key));
      const record = text === null ? undefined : this.records.unsealRecord(text, digest);
      if (text === null || !record) return;
      const edited = edit(record);
      if (JSON.stringify(edited) === JSON.stringify(record)) return;
      if ((await this.guard(this.redis.replaceSession(key, text, this.records.sealRecord(edited)))) === 1) return;
    }
    throw SessionErrors.storeDown().with({ cause: `session changed by others ${MAX_CONFLICTS} times in a row` });
  }

  private unsealSession(text: string, digest: string, remainingMs: number): Session | undefined {
    const record = this.records.unsealRecord(text, digest);
    if (!record) return undefined;
    const expiresAt = this.now() + remainingMs;
    return { ...record, expiresAt, lastActive: expiresAt - this.resolveLifetime(record.id) };
  }

  private resolveLifetime(id: string): number {
    return isLongLived(id) ? this.settings.longLifetimeMs : this.settings.defaultLifetimeMs;
  }

  /** Maps errors of the client library to SES-0208. */
  private async guard<T>(command: Promise<T>): Promise<T> {
    try {
      return await command;
    } catch (cause) {
      throw SessionErrors.storeDown().with({ cause });
    }
  }

  private sessionKey(digest: string): string {
    return `${this.prefix}:session:${digest}`;
  }
  private userKey(contextId: number, userId: number | ''): string {
    return `${this.prefix}:user:${contextId}:${userId}`;
  }
  private contextKey(contextId: number | ''): string {
    return `${this.prefix}:context:${contextId}`;
  }
  private authKey(authId: string): string {
    return `${this.prefix}:auth:${createHash('sha256').update(authId).digest('base64url')}`;
  }
}

const isLongLived = (id: string): boolean => id.charCodeAt(0) >= '8'.charCodeAt(0);

/** 127 random bits and one that tells the idle time. */
function generateSessionId(staySignedIn: boolean): string {
  const bytes = randomBytes(16);
  bytes[0] = staySignedIn ? bytes[0]! | 0x80 : bytes[0]! & 0x7f;
  return bytes.toString('hex');
}
