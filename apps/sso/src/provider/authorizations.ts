import { Injectable } from '@nestjs/common';
import {
  authentication,
  CatalogueError,
  httpStatusOf,
  displayText,
  localeOf,
  localText,
  OAUTH_CODE_LIFE,
  OAUTH_PROVIDER,
  OAUTH_REQUIRE_PKCE,
  OAuthProviderErrors,
  type AuthorizationForm,
  type AuthorizationQuery,
  type EdgeRequest,
  type Reply,
  type UserPrincipal,
  type UserProof,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import {
  bindBrowser,
  isSameBrowser,
  SessionGuard,
  SessionStore,
  toPrincipal,
  type OneTimeTokens,
} from '@groupware/sessions';
import type { ClientRow } from '../persistence/client.repository';
import { localeOfRequest, redirectTo } from '../web/pages';
import { renderCode, renderConsent, renderLogin, type AuthorizationPage } from './authorization-pages';
import { OAuthClients } from './oauth-clients';
import { OAuthGrants } from './oauth-grants';
import { narrowScopes, parseScopes } from './scopes';

/** Checked request of an application. */
interface Wanted {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly scopes: readonly string[];
  readonly challenge?: string;
  /** Language of the pages. */
  readonly locale: string;
}

/** A page that waits for its user. */
interface PendingPage {
  readonly wanted: Wanted;
  /** Digest of the browser's binding cookie. */
  readonly browser: string;
  /** User who logged in; absent on the pages of the login. */
  readonly user?: GrantingUser;
  /** User who showed the password, and has to show a code, too. */
  readonly halfway?: HalfwayUser;
}

interface HalfwayUser {
  readonly contextId: number;
  readonly userId: number;
}

/** Why a page is shown again. */
interface Problem {
  readonly text: string;
  readonly status: number;
}

interface GrantingUser {
  readonly contextId: number;
  readonly userId: number;
  readonly login: string;
  readonly scopes: readonly string[];
}

/** Facts that a code stands for. */
export interface CodeFacts {
  readonly contextId: number;
  readonly userId: number;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly challenge?: string;
}

/** How long a page may wait, ms. */
const PAGE_LIFE_MS = 600_000;
const CHALLENGE = /^[\w-]{43}$/;

/** The pages on which a user logs in and grants access; the decision goes back to the application. */
@Injectable()
export class Authorizations {
  private readonly pages: OneTimeTokens<PendingPage>;
  private readonly codes: OneTimeTokens<CodeFacts>;
  private readonly guard: SessionGuard;

  constructor(
    sessions: SessionStore,
    private readonly clients: OAuthClients,
    private readonly grants: OAuthGrants,
    private readonly caller: Caller,
    private readonly properties: Properties,
  ) {
    this.pages = sessions.oneTimeTokens({ kind: 'oauth-page', lifetimeMs: PAGE_LIFE_MS });
    this.codes = codesOf(sessions, properties);
    this.guard = new SessionGuard(sessions);
  }

  /** The first page. @throws OAUTH_PROVIDER-0004 for an unknown application or address: no user is led there */
  async show(query: AuthorizationQuery, edge: EdgeRequest): Promise<Reply<undefined>> {
    const client = await this.clients.findEnabled(query.client_id);
    const redirectUri = query.redirect_uri ?? '';
    if (!client?.redirectURIs.includes(redirectUri)) throw OAuthProviderErrors.badRequest();
    const checked = this.check(query, client, redirectUri, edge);
    if ('error' in checked) return toApplication(redirectUri, { ...checked, state: query.state });
    const user = await this.findUserOfBrowser(edge);
    if (user) return this.askConsent(client, checked, user, edge);
    return this.askLogin(client, checked, edge);
  }

  /** Takes the form of a page. @throws OAUTH_PROVIDER-0005 for a page that is old, was used, or of another browser */
  async decide(form: AuthorizationForm, edge: EdgeRequest): Promise<Reply<undefined>> {
    const page = form.request ? await this.pages.redeemToken(form.request) : undefined;
    if (!page || !isSameBrowser(edge.cookies, page.browser)) throw OAuthProviderErrors.formExpired();
    const client = await this.clients.findEnabled(page.wanted.clientId);
    if (!client) throw OAuthProviderErrors.badRequest();
    if (page.halfway) return this.takeCode(client, page.wanted, page.halfway, form, edge);
    if (!page.user) return this.logIn(client, page.wanted, form, edge);
    const { state, redirectUri, clientId, challenge } = page.wanted;
    if (form.decision !== 'allow') return toApplication(redirectUri, { error: 'access_denied', state });
    const { contextId, userId, scopes } = page.user;
    const code = await this.codes.issueToken({
      contextId,
      userId,
      clientId,
      redirectUri,
      scopes,
      ...(challenge === undefined ? {} : { challenge }),
    });
    return toApplication(redirectUri, { code, state });
  }

  private check(
    query: AuthorizationQuery,
    client: ClientRow,
    redirectUri: string,
    edge: EdgeRequest,
  ): Wanted | { error: string; error_description: string } {
    const refuse = (error: string, error_description: string) => ({ error, error_description });
    if (!query.state) return refuse('invalid_request', 'missing parameter: state');
    if (!query.response_type) return refuse('invalid_request', 'missing parameter: response_type');
    if (query.response_type !== 'code') return refuse('unsupported_response_type', 'response_type must be code');
    const scopes = query.scope === undefined ? client.defaultScope : parseScopes(query.scope);
    if (!scopes || scopes.length === 0) return refuse('invalid_scope', 'unknown scope');
    const { code_challenge: challenge, code_challenge_method: method } = query;
    const needsChallenge = this.properties.serverValue(OAUTH_REQUIRE_PKCE);
    const isFit = challenge === undefined ? !needsChallenge : method === 'S256' && CHALLENGE.test(challenge);
    if (!isFit) return refuse('invalid_request', 'a code_challenge with the method S256 is needed');
    const locale = localeOf(query.language) ?? localeOfRequest(edge);
    const base = { clientId: client.id, redirectUri, state: query.state, scopes, locale };
    return challenge === undefined ? base : { ...base, challenge };
  }

  /** The user whose session this browser has, with its secret; sessions of applications and half logins do not count. */
  private async findUserOfBrowser(edge: EdgeRequest): Promise<UserPrincipal | undefined> {
    try {
      const session = await this.guard.authenticatePublic(undefined, edge);
      const principal = toPrincipal(session);
      return principal.appScopes || principal.secondFactorPending || principal.guest ? undefined : principal;
    } catch {
      return undefined;
    }
  }

  private async logIn(
    client: ClientRow,
    wanted: Wanted,
    { login = '', password = '' }: AuthorizationForm,
    edge: EdgeRequest,
  ): Promise<Reply<undefined>> {
    const ask = (problem: Problem) => this.askLogin(client, wanted, edge, problem);
    const { locale } = wanted;
    const proof = await this.tryProof(locale, () =>
      this.caller.call(authentication.prove, {
        principal: { kind: 'internal', service: 'sso', contextId: 0 },
        query: { login, password, remoteAddress: edge.remoteAddress, scopes: [] },
      }),
    );
    if ('text' in proof) return ask(proof);
    const { principal, missingFactor } = proof;
    if (principal && !principal.appScopes) return this.askConsent(client, wanted, principal, edge);
    if (missingFactor?.takesCode) return this.askCode(client, wanted, missingFactor, edge);
    return ask({ text: localText(missingFactor ? 'oauth.factorElsewhere' : 'oauth.wrong', locale), status: 403 });
  }

  private async takeCode(
    client: ClientRow,
    wanted: Wanted,
    { contextId, userId }: HalfwayUser,
    { secret_code: code = '' }: AuthorizationForm,
    edge: EdgeRequest,
  ): Promise<Reply<undefined>> {
    const proof = await this.tryProof(wanted.locale, () =>
      this.caller.call(authentication.proveFactor, {
        principal: { kind: 'internal', service: 'sso', contextId },
        query: { userId, code, remoteAddress: edge.remoteAddress },
      }),
    );
    if ('text' in proof) return this.askCode(client, wanted, { contextId, userId }, edge, proof);
    if (proof.principal) return this.askConsent(client, wanted, proof.principal, edge);
    return this.askLogin(client, wanted, edge, { text: localText('oauth.wrong', wanted.locale), status: 403 });
  }

  /** Proves who a user is; what prevents it, such as too many attempts, is for the page. */
  private async tryProof(locale: string, prove: () => Promise<UserProof>): Promise<UserProof | Problem> {
    try {
      return await prove();
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      return { text: displayText(error.entry, error.params, locale), status: httpStatusOf(error.entry) };
    }
  }

  private async askCode(
    client: ClientRow,
    wanted: Wanted,
    { contextId, userId }: HalfwayUser,
    edge: EdgeRequest,
    problem?: Problem,
  ): Promise<Reply<undefined>> {
    const page = await this.openPage(client, { wanted, halfway: { contextId, userId } }, edge);
    return renderCode(page, problem?.text, problem?.status);
  }

  private async askLogin(
    client: ClientRow,
    wanted: Wanted,
    edge: EdgeRequest,
    problem?: Problem,
  ): Promise<Reply<undefined>> {
    return renderLogin(await this.openPage(client, { wanted }, edge), problem?.text, problem?.status);
  }

  private async askConsent(
    client: ClientRow,
    wanted: Wanted,
    principal: UserPrincipal,
    edge: EdgeRequest,
  ): Promise<Reply<undefined>> {
    const { contextId, userId, login, capabilities } = principal;
    const { redirectUri, state } = wanted;
    if (!(await this.properties.get(OAUTH_PROVIDER, { contextId, userId })))
      return toApplication(redirectUri, { error: 'access_denied', state });
    const scopes = narrowScopes(wanted.scopes, capabilities);
    if (scopes.length === 0) return toApplication(redirectUri, { error: 'invalid_scope', state });
    const page = await this.openPage(client, { wanted, user: { contextId, userId, login, scopes } }, edge);
    return renderConsent(page, login, scopes);
  }

  private async openPage(
    client: ClientRow,
    pending: Omit<PendingPage, 'browser'>,
    edge: EdgeRequest,
  ): Promise<AuthorizationPage> {
    const { digest, cookie } = bindBrowser(edge.cookies);
    const request = await this.pages.issueToken({ ...pending, browser: digest });
    const { redirectUri, locale } = pending.wanted;
    return { request, application: client.name, locale, redirectUri, cookie };
  }
}

/** Codes on the way to their application. */
export const codesOf = (sessions: SessionStore, properties: Properties): OneTimeTokens<CodeFacts> =>
  sessions.oneTimeTokens({ kind: 'oauth-code', lifetimeMs: properties.serverValue(OAUTH_CODE_LIFE) });

/** Leads back to the application. */
function toApplication(redirectUri: string, parameters: Readonly<Record<string, string | undefined>>) {
  const address = new URL(redirectUri);
  for (const [name, text] of Object.entries(parameters)) if (text) address.searchParams.set(name, text);
  return redirectTo(address.href);
}
