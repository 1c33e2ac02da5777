import { Injectable } from '@nestjs/common';
import {
  authentication,
  OIDC_AUTOLOGIN,
  OIDC_CONTEXT_CLAIM,
  OIDC_SCOPE,
  OIDC_UI_PATH,
  OIDC_USER_CLAIM,
  OidcErrors,
  UI_WEB_PATH,
  type EdgeRequest,
  type OidcAuthQuery,
  type OidcBackend,
  type OidcInitQuery,
  type Reply,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import {
  bindBrowser,
  isSameBrowser,
  SessionGuard,
  SessionStore,
  SIGN_ON_RESERVATIONS,
  signOnOf,
  toLocalPath,
  toWebAddress,
  type OneTimeTokens,
  type SignOn,
  type SignOnReservation,
} from '@groupware/sessions';
import * as client from 'openid-client';
import { redirectTo } from '../web/pages';
import { userOfClaims } from './claim-mapping';
import { OidcBackends } from './oidc-backends';
import { OidcClient, toOidcError } from './oidc-client';

/** A login that is under way at a provider. */
interface PendingLogin {
  readonly backend: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** Digest of the browser's binding cookie. */
  readonly browser: string;
  readonly client?: string;
  readonly version?: string;
  readonly hash?: string;
}

/** How long a login may take at the provider, ms. */
const LOGIN_LIFE_MS = 300_000;

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

/** Logins by OpenID Connect: authorization code flow with PKCE, nonce and a state that is good once, in one browser. */
@Injectable()
export class OidcLogins {
  private readonly pending: OneTimeTokens<PendingLogin>;
  private readonly reservations: OneTimeTokens<SignOnReservation>;
  private readonly guard: SessionGuard;

  constructor(
    sessions: SessionStore,
    private readonly backends: OidcBackends,
    private readonly oidc: OidcClient,
    private readonly caller: Caller,
    private readonly properties: Properties,
  ) {
    this.guard = new SessionGuard(sessions);
    this.pending = sessions.oneTimeTokens({ kind: 'oidc-login', lifetimeMs: LOGIN_LIFE_MS });
    this.reservations = sessions.oneTimeTokens(SIGN_ON_RESERVATIONS);
  }

  /**
   * Begins a login: answers the provider's address and the cookie that binds it, or that of the web client for a browser that comes
   * back to its session. @throws OIDC-0013
   */
  async begin(backend: OidcBackend, query: OidcInitQuery, edge: EdgeRequest) {
    const mode = backend.value(OIDC_AUTOLOGIN);
    const known =
      mode === 'off' ? undefined : await this.guard.findReturning({ way: 'oidc', backend: backend.name }, edge);
    if (known && mode === 'svc_direct') {
      const path = toLocalPath(backend.value(OIDC_UI_PATH)) ?? this.properties.serverValue(UI_WEB_PATH);
      return { address: toWebAddress(path, known, query.hash), cookies: [] };
    }
    const idToken = known && signOnOf(known)?.idToken;
    const configuration = await this.oidc.configure(backend);
    const { digest, cookie } = bindBrowser(edge.cookies);
    const verifier = client.randomPKCECodeVerifier();
    const nonce = client.randomNonce();
    const redirectUri = this.backends.redirectUri(backend, edge);
    const { client: clientId, version, hash } = query;
    const state = await this.pending.issueToken({
      backend: backend.name,
      nonce,
      verifier,
      redirectUri,
      browser: digest,
      ...(clientId ? { client: clientId } : {}),
      ...(version ? { version } : {}),
      ...(hash ? { hash } : {}),
    });
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: backend.value(OIDC_SCOPE),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(query.login_hint ? { login_hint: query.login_hint } : {}),
      ...(idToken ? { id_token_hint: idToken } : {}),
    });
    return { address: address.href, cookies: [cookie] };
  }

  /**
   * Finishes a login: checks what the provider sent and reserves the session.
   * @throws OIDC-0010 for an unknown, used or old state and one of another browser or backend; OIDC-0023, OIDC-0009, OIDC-0007, OIDC-0016
   */
  async finish(query: OidcAuthQuery, edge: EdgeRequest): Promise<Reply<undefined>> {
    const state = query.state ?? '';
    const login = state ? await this.pending.redeemToken(state) : undefined;
    if (!login || login.backend !== (query.backend ?? login.backend)) throw OidcErrors.unknownState();
    if (!isSameBrowser(edge.cookies, login.browser)) throw OidcErrors.unknownState();
    const backend = this.backends.findByName(login.backend);
    if (!backend) throw OidcErrors.noBackend();
    const configuration = await this.oidc.configure(backend);
    const tokens = await this.exchangeCode(configuration, login, query, state);
    const claims = await this.readClaims(configuration, backend, tokens);
    const named = userOfClaims(backend, claims);
    const user =
      named &&
      (await this.caller.call(authentication.signOnUser, {
        principal: { kind: 'internal', service: 'sso', contextId: 0 },
        query: named,
      }));
    if (!user) throw OidcErrors.noUser();
    const uiWebPath = backend.value(OIDC_UI_PATH);
    const token = await this.reservations.issueToken({
      ...user,
      signOn: toSignOn(configuration, backend, tokens),
      browser: login.browser,
      ...(login.client ? { client: login.client } : {}),
      ...(login.version ? { version: login.version } : {}),
      ...(login.hash ? { hash: login.hash } : {}),
      ...(uiWebPath ? { uiWebPath } : {}),
      returns: backend.value(OIDC_AUTOLOGIN) !== 'off',
    });
    const parameters = new URLSearchParams({ action: 'oidcLogin', sessionToken: token, shard: 'default' });
    if (login.client) parameters.set('client', login.client);
    return redirectTo(`${this.backends.loginPath}?${parameters}`);
  }

  private async exchangeCode(
    configuration: client.Configuration,
    login: PendingLogin,
    query: OidcAuthQuery,
    state: string,
  ): Promise<Tokens> {
    const address = new URL(login.redirectUri);
    const { code, iss, error, error_description, session_state } = query;
    for (const [name, text] of Object.entries({ code, state, iss, error, error_description, session_state }))
      if (text !== undefined) address.searchParams.set(name, text);
    try {
      return await client.authorizationCodeGrant(configuration, address, {
        pkceCodeVerifier: login.verifier,
        expectedNonce: login.nonce,
        expectedState: state,
        idTokenExpected: true,
      });
    } catch (cause) {
      throw toOidcError(cause);
    }
  }

  /** Claims of the ID token; what is missing there of those that name the user is asked for. */
  private async readClaims(configuration: client.Configuration, backend: OidcBackend, tokens: Tokens) {
    const claims = tokens.claims();
    if (!claims) throw OidcErrors.badToken();
    const needed = [backend.value(OIDC_USER_CLAIM), backend.value(OIDC_CONTEXT_CLAIM)];
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
    if (!endpoint || needed.every((name) => claims[name] !== undefined)) return claims;
    try {
      return { ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
    } catch (cause) {
      throw toOidcError(cause);
    }
  }
}

/** Facts of the login that the session keeps. */
function toSignOn(configuration: client.Configuration, backend: OidcBackend, tokens: Tokens): SignOn {
  const claims = tokens.claims()!;
  const seconds = tokens.expiresIn();
  return {
    way: 'oidc',
    provider: configuration.serverMetadata().issuer,
    backend: backend.name,
    subject: claims.sub,
    ...(typeof claims.sid === 'string' ? { sid: claims.sid } : {}),
    ...(tokens.id_token ? { idToken: tokens.id_token } : {}),
    accessToken: tokens.access_token,
    ...(tokens.refresh_token ? { refreshToken: tokens.refresh_token } : {}),
    ...(seconds === undefined ? {} : { accessExpiresAt: Date.now() + seconds * 1000 }),
  };
}
