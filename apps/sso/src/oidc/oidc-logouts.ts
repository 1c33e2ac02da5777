import { Injectable } from '@nestjs/common';
import {
  OIDC_AFTER_LOGOUT,
  OIDC_ALGORITHM,
  OIDC_CLIENT_ID,
  OIDC_SSO_LOGOUT,
  OidcErrors,
  UI_WEB_PATH,
  type EdgeRequest,
  type OidcBackend,
  type OidcLogoutQuery,
  type Reply,
} from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { createLogoutCookies, SessionGuard, SessionStore, signOnOf, type OneTimeTokens } from '@groupware/sessions';
import * as jose from 'jose';
import * as client from 'openid-client';
import { EndedSessions } from '../ended-sessions';
import { redirectTo } from '../web/pages';
import { OidcBackends } from './oidc-backends';
import { CLOCK_SKEW_SECONDS, OidcClient } from './oidc-client';

/** How long a logout may take at the provider, ms. */
const LOGOUT_LIFE_MS = 300_000;
/** Oldest logout token, and how long its id is remembered, seconds. */
const TOKEN_LIFE_SECONDS = 600;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** A logout that is under way at a provider. */
interface PendingLogout {
  readonly backend: string;
  readonly sessionId: string;
}

/** Logouts by OpenID Connect: from here through the provider, and from the provider by a token. */
@Injectable()
export class OidcLogouts {
  private readonly pending: OneTimeTokens<PendingLogout>;
  private readonly guard: SessionGuard;

  constructor(
    private readonly sessions: SessionStore,
    private readonly backends: OidcBackends,
    private readonly oidc: OidcClient,
    private readonly ended: EndedSessions,
    private readonly properties: Properties,
  ) {
    this.pending = sessions.oneTimeTokens({ kind: 'oidc-logout', lifetimeMs: LOGOUT_LIFE_MS });
    this.guard = new SessionGuard(sessions);
  }

  /** The address that ends the session of a request; undefined when there is none or its cookies are not there. */
  async begin(backend: OidcBackend, edge: EdgeRequest): Promise<string | undefined> {
    const session = await this.guard.findSession({ ...edge, sessionId: edge.session });
    if (!session) return undefined;
    const signOn = signOnOf(session);
    if (signOn?.way === 'oidc' && signOn.backend === backend.name && backend.value(OIDC_SSO_LOGOUT)) {
      const configuration = await this.oidc.configure(backend);
      if (configuration.serverMetadata().end_session_endpoint) {
        const state = await this.pending.issueToken({ backend: backend.name, sessionId: session.id });
        return client.buildEndSessionUrl(configuration, {
          ...(signOn.idToken ? { id_token_hint: signOn.idToken } : {}),
          post_logout_redirect_uri: this.backends.postLogoutUri(backend, edge),
          state,
        }).href;
      }
    }
    return `${this.backends.loginPath}?${new URLSearchParams({ action: 'oidcLogout', session: session.id })}`;
  }

  /** The browser is back: ends the session, unless the user stays. @throws OIDC-0018 */
  async finish(query: OidcLogoutQuery, edge: EdgeRequest): Promise<Reply<undefined>> {
    const logout = query.state ? await this.pending.redeemToken(query.state) : undefined;
    const backend = logout && this.backends.findByName(logout.backend);
    if (!logout || !backend || (query.backend ?? logout.backend) !== logout.backend) throw OidcErrors.badLogout();
    const session = await this.sessions.peek(logout.sessionId);
    if (query.type === 'resume') {
      const place = session ? `#${new URLSearchParams({ session: session.id })}` : '';
      return redirectTo(`${this.properties.serverValue(UI_WEB_PATH)}${place}`);
    }
    await this.ended.endById([logout.sessionId]);
    const context = { userAgent: edge.userAgent, headers: edge.headers };
    const cookies = session ? createLogoutCookies(session, context, this.sessions.settings) : [];
    return redirectTo(backend.value(OIDC_AFTER_LOGOUT) || this.properties.serverValue(UI_WEB_PATH), cookies);
  }

  /** A logout that the provider reports (OpenID Connect Back-Channel Logout 1.0, section 2.6). @throws OIDC-0017 */
  async logOutByToken(backend: OidcBackend, token: string): Promise<void> {
    const configuration = await this.oidc.configure(backend);
    const { issuer, jwks_uri: jwksUri } = configuration.serverMetadata();
    if (!jwksUri) throw OidcErrors.noLogoutToken();
    const keys = jose.createRemoteJWKSet(new URL(jwksUri), { [jose.customFetch]: this.oidc.fetchFor(backend) });
    let claims: jose.JWTPayload;
    try {
      ({ payload: claims } = await jose.jwtVerify(token, keys, {
        issuer,
        audience: backend.value(OIDC_CLIENT_ID),
        algorithms: [backend.value(OIDC_ALGORITHM)],
        clockTolerance: CLOCK_SKEW_SECONDS,
        maxTokenAge: TOKEN_LIFE_SECONDS,
        requiredClaims: ['iat', 'jti', 'events'],
      }));
    } catch (cause) {
      throw OidcErrors.noLogoutToken().with({ cause });
    }
    const { sub, sid, events, nonce, jti } = claims;
    const event = isObject(events) ? events[LOGOUT_EVENT] : undefined;
    const hasSession = typeof sid === 'string';
    if (!isObject(event) || nonce !== undefined || (sub === undefined && !hasSession)) throw OidcErrors.noLogoutToken();
    const lifetimeMs = 2 * TOKEN_LIFE_SECONDS * 1000;
    if (!(await this.sessions.claimName(`logout-token:${jose.base64url.encode(`${issuer} ${jti}`)}`, lifetimeMs)))
      throw OidcErrors.noLogoutToken().with({ cause: 'token was used already' });
    await this.ended.endSignOn({
      way: 'oidc',
      provider: issuer,
      backend: backend.name,
      subject: sub ?? '',
      ...(hasSession ? { sid } : {}),
    });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
