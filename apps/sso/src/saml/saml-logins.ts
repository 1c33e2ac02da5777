import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  authentication,
  SAML_ACS_URL,
  SAML_AUTOLOGIN,
  SAML_CONTEXT_ATTRIBUTE,
  SAML_CONTEXT_PART,
  SAML_IDP_ENTITY_ID,
  SAML_UI_PATH,
  SAML_UNSOLICITED,
  SAML_USER_ATTRIBUTE,
  SAML_USER_PART,
  SamlErrors,
  UI_WEB_PATH,
  type EdgeRequest,
  type Reply,
  type SamlAcsBody,
  type SamlInitQuery,
  type SamlTenant,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { BasePathSettings, Clock, Properties } from '@groupware/service-kit';
import {
  bindBrowser,
  SessionGuard,
  SessionStore,
  SIGN_ON_RESERVATIONS,
  toLocalPath,
  toWebAddress,
  type OneTimeTokens,
  type SignOnReservation,
} from '@groupware/sessions';
import type { CacheProvider, Profile } from '@node-saml/node-saml';
import { namePart } from '../oidc/claim-mapping';
import { redirectTo } from '../web/pages';
import { readAssertion } from './assertion';
import { hasWeakSignature, isHarmlessXml, isSentTo } from './message-check';
import { CLOCK_SKEW_MS, SamlProvider } from './saml-provider';

/** A login that is under way at a provider. */
interface PendingLogin {
  readonly tenant: string;
  readonly requestId: string;
  /** Digest of the browser's binding cookie. */
  readonly browser: string;
  readonly client?: string;
  readonly hash?: string;
}

/** How long a login may take at the provider, ms. */
const LOGIN_LIFE_MS = 300_000;

/** Logins by SAML: signed requests, answers checked by the library and once more against what was asked. */
@Injectable()
export class SamlLogins {
  private readonly pending: OneTimeTokens<PendingLogin>;
  private readonly reservations: OneTimeTokens<SignOnReservation>;
  private readonly guard: SessionGuard;

  constructor(
    private readonly sessions: SessionStore,
    private readonly provider: SamlProvider,
    private readonly caller: Caller,
    private readonly base: BasePathSettings,
    private readonly clock: Clock,
    private readonly properties: Properties,
  ) {
    this.guard = new SessionGuard(sessions);
    this.pending = sessions.oneTimeTokens({ kind: 'saml-login', lifetimeMs: LOGIN_LIFE_MS });
    this.reservations = sessions.oneTimeTokens(SIGN_ON_RESERVATIONS);
  }

  /**
   * Begins a login: answers the provider's address and the cookie that binds it, or that of the web client for a browser that comes
   * back to its session.
   */
  async begin(tenant: SamlTenant, query: SamlInitQuery, edge: EdgeRequest) {
    const isReturn = query.flow === 'login' && tenant.value(SAML_AUTOLOGIN);
    const known = isReturn ? await this.guard.findReturning({ way: 'saml', backend: tenant.name }, edge) : undefined;
    if (known) {
      const path = toLocalPath(tenant.value(SAML_UI_PATH)) ?? this.properties.serverValue(UI_WEB_PATH);
      return { address: toWebAddress(path, known, query.hash), cookies: [] };
    }
    const requestId = `_${randomBytes(16).toString('hex')}`;
    const { digest, cookie } = bindBrowser(edge.cookies);
    const state = await this.pending.issueToken({
      tenant: tenant.name,
      requestId,
      browser: digest,
      ...(query.client ? { client: query.client } : {}),
      ...(query.hash ? { hash: query.hash } : {}),
    });
    const address = await this.provider.configure(tenant, { requestId }).getAuthorizeUrlAsync(state, undefined, {});
    return { address, cookies: [cookie] };
  }

  /** Takes an assertion and reserves the session. @throws SAML-0008, SAML-0007, SAML-0010 */
  async finish(tenant: SamlTenant, body: SamlAcsBody, edge: EdgeRequest): Promise<Reply<undefined>> {
    const { SAMLResponse: response } = body;
    if (!response) throw SamlErrors.badRequest();
    const xml = Buffer.from(response, 'base64').toString('utf8');
    if (!isHarmlessXml(xml) || hasWeakSignature(xml)) throw SamlErrors.notValid().with({ cause: 'refused form' });
    if (!isSentTo(xml, tenant.value(SAML_ACS_URL))) throw SamlErrors.notValid().with({ cause: 'sent elsewhere' });
    const login = body.RelayState ? await this.pending.redeemToken(body.RelayState) : undefined;
    if (login ? login.tenant !== tenant.name : !tenant.value(SAML_UNSOLICITED)) throw SamlErrors.badRequest();
    const profile = await this.validate(tenant, response, login?.requestId);
    const facts = readAssertion(profile, {
      recipient: tenant.value(SAML_ACS_URL),
      issuer: tenant.value(SAML_IDP_ENTITY_ID),
      requestId: login?.requestId,
      nowMs: this.clock.now(),
      skewMs: CLOCK_SKEW_MS,
    });
    if (!facts) throw SamlErrors.notValid().with({ cause: 'assertion does not fit' });
    const keptMs = Math.max(facts.validUntil - this.clock.now(), 0) + 2 * CLOCK_SKEW_MS;
    if (!(await this.sessions.claimName(`saml:${facts.issuer}:${facts.id}`, keptMs)))
      throw SamlErrors.badRequest().with({ cause: 'assertion was used already' });
    const user = await this.findUser(tenant, profile);
    if (!user) throw SamlErrors.noUser();
    const binding = login ? undefined : bindBrowser(edge.cookies);
    const uiWebPath = tenant.value(SAML_UI_PATH);
    const token = await this.reservations.issueToken({
      ...user,
      signOn: {
        way: 'saml',
        provider: facts.issuer,
        backend: tenant.name,
        subject: profile.nameID,
        ...(profile.sessionIndex ? { sid: profile.sessionIndex } : {}),
        ...(profile.nameIDFormat ? { format: profile.nameIDFormat } : {}),
      },
      browser: login?.browser ?? binding!.digest,
      ...(login?.client ? { client: login.client } : {}),
      ...(login?.hash ? { hash: login.hash } : {}),
      ...(uiWebPath ? { uiWebPath } : {}),
      returns: tenant.value(SAML_AUTOLOGIN),
    });
    const parameters = new URLSearchParams({ action: 'samlLogin', token, shard: 'default' });
    if (login?.client) parameters.set('client', login.client);
    const path = `${this.base.basePaths()[0] ?? ''}/login?${parameters}`;
    return redirectTo(path, binding ? [binding.cookie] : []);
  }

  private async validate(tenant: SamlTenant, response: string, requestId: string | undefined): Promise<Profile> {
    try {
      const options = requestId === undefined ? {} : { requests: oneRequest(requestId, this.clock.now()) };
      const { profile } = await this.provider
        .configure(tenant, options)
        .validatePostResponseAsync({ SAMLResponse: response });
      if (profile) return profile;
    } catch (cause) {
      throw SamlErrors.notValid().with({ cause });
    }
    throw SamlErrors.notValid().with({ cause: 'no assertion' });
  }

  private async findUser(tenant: SamlTenant, profile: Profile) {
    const attributes = (profile.attributes ?? {}) as Readonly<Record<string, unknown>>;
    const read = (name: string): string => {
      const value = name === '' ? profile.nameID : attributes[name];
      return typeof value === 'string' && value.length <= 1024 ? value : '';
    };
    const user = namePart(read(tenant.value(SAML_USER_ATTRIBUTE)), tenant.value(SAML_USER_PART));
    if (user === '') return null;
    const mapping = namePart(read(tenant.value(SAML_CONTEXT_ATTRIBUTE)), tenant.value(SAML_CONTEXT_PART));
    return this.caller.call(authentication.signOnUser, {
      principal: { kind: 'internal', service: 'sso', contextId: 0 },
      query: { user, mapping, isProvisioned: false },
    });
  }
}

/** Cache of requests under way that the library asks: the one that the state named, which was taken with it. */
function oneRequest(requestId: string, nowMs: number): CacheProvider {
  const at = new Date(nowMs).toISOString();
  return {
    saveAsync: async () => null,
    getAsync: async (id) => (id === requestId ? at : null),
    removeAsync: async (id) => id,
  };
}
