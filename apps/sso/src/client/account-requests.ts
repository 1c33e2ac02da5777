import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  OAUTH_CALLBACK_URL,
  OAUTH_PROBLEMS,
  OAuthErrors,
  reply,
  RequestErrors,
  type EdgeRequest,
  type OAuthAccountData,
  type OAuthAccountInteraction,
  type OAuthCreateQuery,
  type OAuthDeferQuery,
  type OAuthInitQuery,
  type OAuthReauthorizeQuery,
  type Reply,
  type UserPrincipal,
} from '@groupware/contracts';
import { BasePathSettings, Clock, Properties } from '@groupware/service-kit';
import { bindBrowser, isSameBrowser, SessionStore, type OneTimeTokens } from '@groupware/sessions';
import * as client from 'openid-client';
import { redirectTo } from '../web/pages';
import { OAuthAccounts } from './oauth-accounts';
import { OAuthServices, type OAuthService } from './oauth-services';
import { ServiceClient, toServiceError } from './service-client';
import { toAccountTokens, type AccountTokens } from './token-vault';

/** How long a user may take at the service, ms. */
const REQUEST_LIFE_MS = 600_000;

/** A request that is under way at a service. */
interface PendingRequest {
  readonly contextId: number;
  readonly userId: number;
  readonly session: string;
  readonly serviceId: string;
  readonly displayName: string;
  readonly scopes: readonly string[];
  /** Account whose access is granted anew. */
  readonly account?: number;
  readonly state: string;
  readonly verifier: string;
  readonly nonce?: string;
  readonly redirectUri: string;
}

/** Return of a browser from a service. */
interface PendingReturn {
  readonly uuid: string;
  readonly session: string;
  /** Digest of the browser's binding cookie. */
  readonly browser: string;
  readonly account?: number;
  readonly callback?: string;
}

/** Grant of a service. */
interface Granted {
  readonly request: PendingRequest;
  readonly service: OAuthService;
  readonly tokens: AccountTokens;
  readonly scopes: readonly string[];
}

/** Requests of users for access to their accounts elsewhere: authorization code flow with PKCE and a state that is good once. */
@Injectable()
export class AccountRequests {
  private readonly pending: OneTimeTokens<PendingRequest>;
  private readonly returns: OneTimeTokens<PendingReturn>;

  constructor(
    sessions: SessionStore,
    private readonly services: OAuthServices,
    private readonly clients: ServiceClient,
    private readonly accounts: OAuthAccounts,
    private readonly properties: Properties,
    private readonly base: BasePathSettings,
    private readonly clock: Clock,
  ) {
    this.pending = sessions.oneTimeTokens({ kind: 'oauth-request', lifetimeMs: REQUEST_LIFE_MS });
    this.returns = sessions.oneTimeTokens({ kind: 'oauth-return', lifetimeMs: REQUEST_LIFE_MS });
  }

  /**
   * Begins a request.
   * @throws SVL-0014 over plain HTTP, OAUTH-0004, OAUTH-0006, OAUTH-0014, OAUTH-0018, OAUTH-0041
   */
  async begin(user: UserPrincipal, query: OAuthInitQuery, edge: EdgeRequest): Promise<Reply<OAuthAccountInteraction>> {
    const service = await this.services.require(query.serviceId, user);
    if (!edge.secure && !service.allowPlain) throw RequestErrors.needsSecureConnection('init');
    if (!query.displayName.trim()) throw OAuthErrors.missingDisplayName();
    const scopes = parseScopes(query.scopes, service);
    await this.requireAccount(user, service, query.id);
    const configuration = await this.clients.configure(service);
    const { digest, cookie } = bindBrowser(edge.cookies);
    const uuid = randomBytes(16).toString('hex');
    const session = user.sessionId;
    const account = query.id === undefined ? {} : { account: query.id };
    const callback = query.cb === undefined ? {} : { callback: query.cb };
    const state = await this.returns.issueToken({ uuid, session, browser: digest, ...account, ...callback });
    const verifier = client.randomPKCECodeVerifier();
    const nonce = service.issuer ? client.randomNonce() : undefined;
    const redirectUri = this.redirectUri(edge);
    await this.pending.putFacts(uuid, {
      contextId: user.contextId,
      userId: user.userId,
      session,
      serviceId: service.id,
      displayName: query.displayName.trim(),
      scopes,
      ...account,
      state,
      verifier,
      ...(nonce ? { nonce } : {}),
      redirectUri,
    });
    const { href: authUrl } = client.buildAuthorizationUrl(configuration, {
      ...Object.fromEntries(service.parameters),
      redirect_uri: redirectUri,
      scope: mapScopes(service, scopes),
      state,
      ...(nonce ? { nonce } : {}),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return query.redirect
      ? redirectTo<OAuthAccountInteraction>(authUrl, [cookie])
      : reply<OAuthAccountInteraction>({ authUrl, type: 'callback', token: '', uuid }, { cookies: [cookie] });
  }

  /** Leads a browser that comes back to the call that ends its request. @throws OAUTH-0016 */
  async forward(query: OAuthDeferQuery, edge: EdgeRequest): Promise<Reply<undefined>> {
    const found = query.state ? await this.returns.redeemToken(query.state) : undefined;
    if (!found || !isSameBrowser(edge.cookies, found.browser)) throw OAuthErrors.cancelled();
    const { uuid, session, account, callback } = found;
    const { state, code, iss, error } = query;
    const parameters = {
      action: account === undefined ? 'create' : 'reauthorize',
      respondWithHTML: 'true',
      id: account === undefined ? undefined : String(account),
      ...{ session, uuid, state, code, iss, error, callback },
    };
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return redirectTo(`${this.basePath}/oauth/accounts?${new URLSearchParams(given)}`);
  }

  /** Ends a request for a new account. @throws OAUTH-0016, OAUTH-0041 and what the service reports */
  async create(user: UserPrincipal, query: OAuthCreateQuery): Promise<OAuthAccountData> {
    const answer = { ...query, code: query.code ?? query.oauth_token, state: query.state ?? query.oauth_verifier };
    const { request, service, tokens, scopes } = await this.finish(user, answer);
    const displayName = query.displayName?.trim() || request.displayName;
    const wanted = query.scopes ? parseScopes(query.scopes, service) : scopes;
    const enabled = scopes.filter((scope) => wanted.includes(scope));
    return this.accounts.create(user, { service, displayName, scopes: enabled, tokens });
  }

  /** Ends a request for new access of an account. @throws OAUTH-0016, OAUTH-0040 and what the service reports */
  async reauthorize(user: UserPrincipal, query: OAuthReauthorizeQuery): Promise<void> {
    const { tokens, scopes } = await this.finish(user, query, query.id);
    await this.accounts.replaceGrant(user, query.id, tokens, scopes);
  }

  /** @param account whose access is granted anew */
  private async finish(
    user: UserPrincipal,
    query: OAuthDeferQuery & { uuid: string; serviceId?: string },
    account?: number,
  ): Promise<Granted> {
    const seen = await this.pending.peekToken(query.uuid);
    const isOwn = seen?.session === user.sessionId && seen.userId === user.userId && seen.contextId === user.contextId;
    if (!isOwn || seen.account !== account || (query.serviceId ?? seen.serviceId) !== seen.serviceId)
      throw OAuthErrors.cancelled();
    // Of several that come at once one takes it.
    const request = query.state === seen.state ? await this.pending.redeemToken(query.uuid) : undefined;
    if (!request) throw OAuthErrors.cancelled();
    const service = await this.services.require(request.serviceId, user);
    if (query.error !== undefined) throw toProblem(query.error);
    return { request, service, ...(await this.exchange(request, service, query)) };
  }

  private async exchange(request: PendingRequest, service: OAuthService, { code, iss }: OAuthDeferQuery) {
    const configuration = await this.clients.configure(service);
    const address = new URL(request.redirectUri);
    for (const [name, text] of Object.entries({ code, iss, state: request.state }))
      if (text !== undefined) address.searchParams.set(name, text);
    try {
      const answer = await client.authorizationCodeGrant(configuration, address, {
        pkceCodeVerifier: request.verifier,
        expectedState: request.state,
        ...(request.nonce === undefined ? {} : { expectedNonce: request.nonce, idTokenExpected: true }),
      });
      const identity = await this.clients.readIdentity(service, configuration, answer);
      const scopes = findGranted(service, request.scopes, answer.scope);
      return { tokens: toAccountTokens(answer, identity, this.clock.now()), scopes };
    } catch (cause) {
      throw toServiceError(cause, service);
    }
  }

  private async requireAccount(user: UserPrincipal, service: OAuthService, id: number | undefined): Promise<void> {
    if (id === undefined) return this.accounts.requireRoom(user);
    const account = await this.accounts.require(user, id);
    if (account.service !== service.name) throw OAuthErrors.accountNotFound(id);
  }

  private redirectUri({ secure, host }: EdgeRequest): string {
    const configured = this.properties.serverValue(OAUTH_CALLBACK_URL);
    return configured || `${secure ? 'https' : 'http'}://${host}${this.basePath}/defer`;
  }

  private get basePath(): string {
    return this.base.basePaths()[0] ?? '';
  }
}

/** Scopes of a parameter, each once; without it all of the service. @throws SVL-0010 naming one that the service does not have */
function parseScopes(text: string | undefined, service: OAuthService): string[] {
  const wanted = [...new Set((text ?? '').split(/\s+/).filter(Boolean))];
  const unknown = wanted.find((scope) => !service.scopes.has(scope));
  if (unknown !== undefined) throw RequestErrors.badParameter('scopes', unknown);
  return wanted.length > 0 ? wanted : [...service.scopes.keys()];
}

/** Scopes that the service is asked for. Access that lasts is always wanted: without, an account would be good for an hour. */
function mapScopes({ scopes, issuer }: OAuthService, wanted: readonly string[]): string {
  const mapped = [...wanted, 'offline'].flatMap((scope) => scopes.get(scope) ?? []);
  return [...new Set([...(issuer ? ['openid'] : []), ...mapped])].join(' ');
}

/** Those of the scopes that were granted: all, where the service does not say (RFC 6749, section 5.1). */
function findGranted({ scopes }: OAuthService, wanted: readonly string[], answered: string | undefined): string[] {
  if (answered === undefined) return [...wanted];
  const granted = new Set(answered.split(' '));
  return wanted.filter((scope) => scopes.get(scope)?.every((mapped) => granted.has(mapped)));
}

const toProblem = (problem: string) =>
  Object.hasOwn(OAUTH_PROBLEMS, problem) ? OAUTH_PROBLEMS[problem]!() : OAuthErrors.unknownProblem();
