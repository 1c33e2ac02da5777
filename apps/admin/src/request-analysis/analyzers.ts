import { Injectable } from '@nestjs/common';
import {
  authentication,
  isCatalogueError,
  ContextErrors,
  contextStorage,
  DEFAULT_CLIENT,
  RequestAnalysisErrors,
  type IdentifiedUser,
  guestOfToken,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { basicCredentials, Clock, Properties } from '@groupware/service-kit';
import {
  computeCookieHash,
  publicCookieCandidates,
  listPublicCookieValues,
  publicCookieNames,
  findCookie,
  SESSION_FACTS,
  sessionCookieNames,
  SessionStore,
  SIGN_ON_RESERVATIONS,
  toTokenSessionId,
  type OneTimeTokens,
  type Session,
  type SignOnReservation,
} from '@groupware/sessions';
import { SetUpTokens } from '../davclient/set-up-tokens';
import type { AnalysedRequest } from './domain/analysed-request';
import { takesPublicSession } from './domain/public-calls';

/** Owner of a request; without user where only the context is known. */
export interface Owner {
  readonly contextId: number;
  readonly userId?: number;
  readonly login?: string;
}

/** `unknown` ends the analysis, undefined leaves the request to the next analyzer. */
type Finding = Owner | 'unknown' | undefined;
type Analyzer = (request: AnalysedRequest) => Finding | Promise<Finding>;

const DAV_PATHS = /^\/(caldav|carddav|dav|servlet\/dav)(\/|$)/;
const SET_UP_PATH = /^\/davclient\/v1\/config\/([^/]+)\/?$/;
/** Logins that a single sign-on leads to, with the parameters that name their reservations. */
const SIGN_ON_ACTIONS: ReadonlyMap<string, { readonly way: 'oidc' | 'saml'; readonly parameter: string }> = new Map([
  ['oidcLogin', { way: 'oidc', parameter: 'sessionToken' }],
  ['samlLogin', { way: 'saml', parameter: 'token' }],
]);
/** RFC 6750, section 2.1; clients write the scheme as they like. */
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;
const SHARE_PATH = /^share\/([^/]+)/;
const FREE_BUSY_PATH = '/servlet/webdav.freebusy';

const toSessionOwner = (session: Session | undefined): Owner | 'unknown' =>
  session ? { contextId: session.contextId, userId: session.userId, login: session.login } : 'unknown';
const toUserOwner = ({ contextId, userId, login }: IdentifiedUser): Owner | 'unknown' =>
  contextId === undefined ? 'unknown' : { contextId, userId, login };

/** Ways to find out whom a request belongs to. None of them changes anything. */
@Injectable()
export class Analyzers {
  private readonly reservations: OneTimeTokens<SignOnReservation>;

  constructor(
    private readonly sessions: SessionStore,
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly setUpTokens: SetUpTokens,
    private readonly clock: Clock,
  ) {
    this.reservations = sessions.oneTimeTokens(SIGN_ON_RESERVATIONS);
  }

  /** The owner of a request by the first analyzer that knows it. @throws REQUEST_ANALYSIS-0002 */
  async findOwner(request: AnalysedRequest): Promise<Owner | undefined> {
    for (const analyze of this.inOrder) {
      const finding = await analyze(request);
      if (finding !== undefined) return finding === 'unknown' ? undefined : finding;
    }
    return undefined;
  }

  private readonly session: Analyzer = async ({ apiPath, query }) => {
    const id = query.get('session');
    return apiPath === undefined || id === undefined ? undefined : toSessionOwner(await this.sessions.peek(id));
  };

  private readonly login: Analyzer = async ({ apiPath, query, form, remoteAddress }) => {
    const action = query.get('action');
    if (apiPath !== 'login' || (action !== 'login' && action !== 'formlogin')) return undefined;
    if (!form) throw RequestAnalysisErrors.missingBody();
    const login = form.get(action === 'login' ? 'name' : 'login');
    const password = form.get('password');
    return login && password ? this.identify(login, password, remoteAddress) : 'unknown';
  };

  private readonly publicCookie: Analyzer = async ({ apiPath, query, headers }) => {
    if (!takesPublicSession(apiPath ?? '', query.get('action')) || headers.cookie === undefined) return undefined;
    const { settings } = this.sessions;
    const context = { userAgent: headers['user-agent'] ?? '', headers };
    const [user, tenant] = [query.get('user'), query.get('context')];
    if (user !== undefined && tenant !== undefined) {
      const hash = computeCookieHash({ ...context, additional: [tenant, user] }, settings);
      const value = findCookie(headers.cookie, publicCookieNames(hash, settings.compatNames));
      const session = value === undefined ? undefined : await this.sessions.peekAlternative(value);
      return session && toSessionOwner(session);
    }
    for (const value of listPublicCookieValues(headers.cookie, settings)) {
      const session = await this.sessions.peekAlternative(value);
      const names = session && publicCookieCandidates(session, context, settings);
      if (names && findCookie(headers.cookie, names) === value) return toSessionOwner(session);
    }
    return undefined;
  };

  private readonly autologin: Analyzer = async ({ apiPath, query, headers }) => {
    if (apiPath !== 'login' || query.get('action') !== 'autologin') return undefined;
    const { settings } = this.sessions;
    const client = query.get('client') || this.properties.serverValue(DEFAULT_CLIENT);
    const hash = computeCookieHash({ userAgent: headers['user-agent'] ?? '', client, headers }, settings);
    const id = findCookie(headers.cookie, sessionCookieNames(hash, settings.compatNames));
    if (id === undefined) return 'unknown';
    return toSessionOwner((await this.sessions.peek(id)) ?? (await this.sessions.peekAlternative(id)));
  };

  private readonly token: Analyzer = async ({ apiPath, query, form }) => {
    if (apiPath !== 'login' || query.get('action') !== 'redeemToken') return undefined;
    if (!form) throw RequestAnalysisErrors.missingBody();
    const token = form.get('token');
    if (!token) return 'unknown';
    const principal = { kind: 'internal', service: 'admin', contextId: 0 } as const;
    return toUserOwner(await this.caller.call(authentication.tokenOwner, { principal, query: { token } }));
  };

  private readonly dav: Analyzer = async ({ path, headers, remoteAddress }) => {
    if (!DAV_PATHS.test(path)) return undefined;
    const { authorization } = headers;
    if (!authorization) return 'unknown';
    if (!/^basic\b/i.test(authorization)) return undefined;
    const pair = basicCredentials(authorization);
    return pair ? this.identify(pair.login, pair.password, remoteAddress) : 'unknown';
  };

  /** The session of an access token is found by its digest. */
  private readonly bearer: Analyzer = async ({ headers }) => {
    const { authorization = '' } = headers;
    if (!/^bearer\b/i.test(authorization)) return undefined;
    const token = BEARER.exec(authorization)?.[1];
    const session = token === undefined ? undefined : await this.sessions.peek(toTokenSessionId(token));
    const validUntil = Number(session?.parameters[SESSION_FACTS.validUntil] ?? 0);
    return validUntil > this.clock.now() ? toSessionOwner(session) : 'unknown';
  };

  private readonly share: Analyzer = ({ apiPath }) => {
    const token = SHARE_PATH.exec(apiPath ?? '')?.[1];
    if (token === undefined) return undefined;
    const guest = guestOfToken(token);
    return this.verifyOwner(guest && { contextId: guest.contextId, userId: guest.guestId });
  };

  private readonly freeBusy: Analyzer = ({ path, query }) => {
    if (path !== FREE_BUSY_PATH) return undefined;
    const contextId = query.get('contextId') ?? '';
    const isId = /^[1-9]\d{0,9}$/.test(contextId) && Number(contextId) < 2 ** 31;
    return this.verifyOwner(isId ? { contextId: Number(contextId) } : undefined);
  };

  /** The reservation that a single sign-on made; it stays good. */
  private readonly signOn: Analyzer = async ({ apiPath, query }) => {
    const action = apiPath === 'login' ? SIGN_ON_ACTIONS.get(query.get('action') ?? '') : undefined;
    if (!action) return undefined;
    const token = query.get(action.parameter);
    const reserved = token ? await this.reservations.peekToken(token) : undefined;
    if (reserved?.signOn.way !== action.way) return 'unknown';
    const { contextId, userId, login } = reserved;
    return { contextId, userId, login };
  };

  /** With credentials it is they who count, as at the operation itself; a token is looked at, not taken. */
  private readonly setUp: Analyzer = async ({ path, headers, remoteAddress }) => {
    const token = SET_UP_PATH.exec(path)?.[1];
    if (token === undefined) return undefined;
    if (headers.authorization) {
      const pair = basicCredentials(headers.authorization);
      return pair ? this.identify(pair.login, pair.password, remoteAddress) : 'unknown';
    }
    const facts = await this.setUpTokens.peekToken(token);
    return facts
      ? this.verifyOwner({ contextId: facts.contextId, userId: facts.userId, login: facts.login })
      : 'unknown';
  };

  private readonly inOrder: readonly Analyzer[] = [
    this.session,
    this.login,
    this.publicCookie,
    this.autologin,
    this.token,
    this.dav,
    this.bearer,
    this.share,
    this.freeBusy,
    this.signOn,
    this.setUp,
  ];

  /** Verifies ids taken from the request, which may not exist. */
  private async verifyOwner(owner: Owner | undefined): Promise<Owner | 'unknown'> {
    if (!owner) return 'unknown';
    const principal = { kind: 'internal', service: 'admin', contextId: owner.contextId } as const;
    try {
      await this.caller.call(contextStorage.get, { principal });
      return owner;
    } catch (error) {
      if (isCatalogueError(error, ContextErrors.notFound)) return 'unknown';
      throw error;
    }
  }

  private async identify(login: string, password: string, remoteAddress: string): Promise<Owner | 'unknown'> {
    const principal = { kind: 'internal', service: 'admin', contextId: 0 } as const;
    const query = { login, password, remoteAddress };
    return toUserOwner(await this.caller.call(authentication.identify, { principal, query }));
  }
}
