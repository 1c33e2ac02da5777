import { timingSafeEqual } from 'node:crypto';
import { CatalogueError, SessionErrors, type CookieChange } from '@groupware/contracts';
import { AddressCheck } from './address-check';
import { isSessionId, SESSION_FACTS, type Session } from './session';
import { toTokenSessionId } from './access-tokens';
import {
  resolveCookieLifetime,
  createEndedCookieRemovals,
  createLogoutCookies,
  publicCookieCandidates,
  listPublicCookieValues,
  listSignOnCookieValues,
  findCookie,
  secretCookieNames,
  resolveSessionHash,
  SHARD,
  shardCookieNames,
  type RequestCookies,
} from './session-cookies';
import type { SessionSettings } from './session-settings';
import type { SessionStore } from './session-store';
import { signOnOf, type SignOn } from './sign-on';

/** Input of the checks of a request. */
export interface SessionRequest {
  /** The `session` parameter of the URL. */
  readonly sessionId: string | undefined;
  /** The Cookie header, or its names and values. */
  readonly cookies: RequestCookies;
  readonly userAgent: string;
  readonly remoteAddress: string;
  /** Headers by lower-case name; needed only where the cookie hash includes some. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Longest text that is looked up as an access token. */
const MAX_TOKEN_LENGTH = 512;

const isEqual = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

/** An id that is not in the form of one could be anything: it is not repeated. */
const maskSessionId = (id: string): string => (isSessionId(id) ? id : '(no session id)');

/** Answers undefined for a session that was refused. @throws SES-0208 */
async function withoutRefusal(session: Promise<Session>): Promise<Session | undefined> {
  try {
    return await session;
  } catch (error) {
    if (error instanceof CatalogueError && !error.is(SessionErrors.storeDown)) return undefined;
    throw error;
  }
}

/** Checks of every request that needs a session, in the order of the API's page on sessions. */
export class SessionGuard {
  private readonly addresses: AddressCheck;
  private readonly removals = new WeakMap<CatalogueError, readonly CookieChange[]>();

  constructor(
    private readonly store: SessionStore,
    private readonly settings: SessionSettings = store.settings,
  ) {
    this.addresses = new AddressCheck(settings);
  }

  /**
   * The live session of the request, touched.
   * @throws SES-0201 without session parameter, SES-0203 for an unknown session, SES-0206 for a missing or wrong secret
   * cookie, SES-0205 for a changed address, SES-0208 when the store is away
   */
  async authenticate(request: SessionRequest): Promise<Session> {
    if (!request.sessionId) throw SessionErrors.missing();
    const session = await this.store.lookUp(request.sessionId);
    if (!session) throw this.toEndedError(request.sessionId, request);
    this.requireValid(session, request);
    return session;
  }

  /** The live session of a request that may have none: one that ended, or whose cookies are missing, is none. @throws SES-0208 */
  findSession(request: SessionRequest): Promise<Session | undefined> {
    return withoutRefusal(this.authenticate(request));
  }

  /** The live session of the public session cookies of a request that may have none. @throws SES-0208 */
  findPublicSession(request: Omit<SessionRequest, 'sessionId'>): Promise<Session | undefined> {
    return withoutRefusal(this.authenticatePublic(undefined, request));
  }

  /**
   * The live session that the parameter `public_session` names, else the first of the public session cookies whose secret
   * the request has, too: for addresses in pages, such as those of pictures.
   * @throws as {@link authenticate}
   */
  async authenticatePublic(named: string | undefined, request: Omit<SessionRequest, 'sessionId'>): Promise<Session> {
    const candidates = named ? [named] : listPublicCookieValues(request.cookies, this.settings);
    let refusal: unknown = SessionErrors.missing();
    for (const alternativeId of candidates)
      try {
        const session = await this.store.lookUpAlternative(alternativeId);
        if (!session) throw SessionErrors.unknown('(public session)');
        this.requireValid(session, request);
        return session;
      } catch (error) {
        if (!(error instanceof CatalogueError) || error.is(SessionErrors.storeDown)) throw error;
        refusal = error;
      }
    throw refusal;
  }

  /**
   * The live session to which a browser comes back by the cookie of a single sign-on; a cookie without the secret beside it
   * counts nothing. @throws SES-0208
   */
  async findReturning(
    { way, backend }: Pick<SignOn, 'way' | 'backend'>,
    request: Omit<SessionRequest, 'sessionId'>,
  ): Promise<Session | undefined> {
    for (const alternativeId of listSignOnCookieValues(request.cookies, way, this.settings))
      try {
        const session = await this.store.lookUpAlternative(alternativeId);
        const signOn = session && signOnOf(session);
        if (signOn?.way !== way || signOn.backend !== backend) continue;
        this.requireValid(session!, request);
        return session;
      } catch (error) {
        if (!(error instanceof CatalogueError) || error.is(SessionErrors.storeDown)) throw error;
      }
    return undefined;
  }

  /** The live session of an access token, touched. Undefined for one that is unknown or ended. @throws SES-0208 */
  async authenticateToken(token: string): Promise<Session | undefined> {
    const session = token.length <= MAX_TOKEN_LENGTH ? await this.store.lookUp(toTokenSessionId(token)) : undefined;
    const isLive = Date.now() < Number(session?.parameters[SESSION_FACTS.validUntil] ?? 0);
    return isLive && session?.parameters[SESSION_FACTS.grant] !== undefined ? session : undefined;
  }

  /** Checks end, secret and address of a session that was found by other means. @throws SES-0203, SES-0206, SES-0205 */
  requireValid(session: Session, request: Omit<SessionRequest, 'sessionId'>): void {
    const validUntil = session.parameters[SESSION_FACTS.validUntil];
    if (validUntil !== undefined && Date.now() >= Number(validUntil)) throw this.toEndedError(session.id, request);
    if (session.parameters[SESSION_FACTS.grant] !== undefined) throw this.toEndedError(session.id, request);
    const hash = resolveSessionHash(session, request, this.settings);
    const secret = findCookie(request.cookies, secretCookieNames(hash, this.settings.compatNames));
    if (secret === undefined || !isEqual(secret, session.secret)) {
      const error = SessionErrors.wrongSecret();
      this.removals.set(error, createLogoutCookies(session, request, this.settings).filter(ownCookiesOnly));
      throw error;
    }
    if (request.remoteAddress === session.ip) return;
    if (this.settings.ipCheck && !this.addresses.canMove(session, request.remoteAddress))
      throw SessionErrors.addressChanged(session.ip, request.remoteAddress);
    // The stored address follows the client. A failure costs nothing: the next request tries again.
    void this.store.updateAddress(session.id, request.remoteAddress).catch(() => undefined);
  }

  /** The error of a session that is gone, with the cookies of it that the request still has. */
  private toEndedError(id: string, { cookies }: Pick<SessionRequest, 'cookies'>): CatalogueError {
    const error = SessionErrors.unknown(maskSessionId(id));
    if (isSessionId(id))
      this.removals.set(error, createEndedCookieRemovals(cookies, [id, this.store.toAlternativeId(id)]));
    return error;
  }

  /** Cookies that the answer to a failed check must expire. */
  listCookieRemovals(error: unknown): readonly CookieChange[] {
    return this.removals.get(error as CatalogueError) ?? [];
  }

  /** Public session and shard cookie, where the request lacks them or has others. */
  createMissingCookies(session: Session, request: Omit<SessionRequest, 'sessionId'>): CookieChange[] {
    const compat = this.settings.compatNames;
    const life = resolveCookieLifetime(session, this.settings);
    const open = publicCookieCandidates(session, request, this.settings);
    const cookies: CookieChange[] = [];
    if (findCookie(request.cookies, open) !== session.alternativeId)
      cookies.push({ name: open[0], value: session.alternativeId, ...life });
    const shard = shardCookieNames(compat);
    if (findCookie(request.cookies, shard) !== SHARD) cookies.push({ name: shard[0], value: SHARD, ...life });
    return cookies;
  }
}

/** Shard, share and node cookies are shared with other sessions of the browser, which stay valid. */
const ownCookiesOnly = ({ name }: CookieChange): boolean =>
  name !== 'JSESSIONID' && !shardCookieNames(true).includes(name) && !/^(svc|open-xchange)-share-/.test(name);
