import { Injectable } from '@nestjs/common';
import {
  SAML_IDP_ENTITY_ID,
  SAML_IDP_LOGOUT,
  SAML_SINGLE_LOGOUT,
  SAML_SLS_URL,
  SamlErrors,
  type EdgeRequest,
  type Reply,
  type SamlSlsBody,
  type SamlTenant,
} from '@groupware/contracts';
import { BasePathSettings } from '@groupware/service-kit';
import { SessionGuard, SessionStore, signOnOf, type OneTimeTokens } from '@groupware/sessions';
import type { Profile, SAML } from '@node-saml/node-saml';
import { EndedSessions } from '../ended-sessions';
import { redirectTo } from '../web/pages';
import { inflateRawSync } from 'node:zlib';
import { hasWeakSignature, isHarmlessXml, isSentTo } from './message-check';
import { CLOCK_SKEW_MS, SamlProvider } from './saml-provider';

/** A logout that is under way at a provider. */
interface PendingLogout {
  readonly tenant: string;
  readonly sessionId: string;
}

const LOGOUT_LIFE_MS = 300_000;
/** Largest message after decompression, bytes. */
const MAX_MESSAGE_BYTES = 131_072;
/** How long the id of a logout request is remembered, ms: longer than it can be good. */
const REQUEST_LIFE_MS = 86_400_000;
/** Signatures over queries that are taken. */
const STRONG = /#(?:rsa|ecdsa)-sha(?:256|384|512)$/;

/** Single logout in both directions. */
@Injectable()
export class SamlLogouts {
  private readonly pending: OneTimeTokens<PendingLogout>;
  private readonly guard: SessionGuard;

  constructor(
    private readonly sessions: SessionStore,
    private readonly provider: SamlProvider,
    private readonly ended: EndedSessions,
    private readonly base: BasePathSettings,
  ) {
    this.pending = sessions.oneTimeTokens({ kind: 'saml-logout', lifetimeMs: LOGOUT_LIFE_MS });
    this.guard = new SessionGuard(sessions);
  }

  /** The address that ends the session of a request; undefined when there is none or its cookies are not there. */
  async begin(tenant: SamlTenant, edge: EdgeRequest): Promise<string | undefined> {
    const session = await this.guard.findSession({ ...edge, sessionId: edge.session });
    if (!session) return undefined;
    const signOn = signOnOf(session);
    const isSingle = tenant.value(SAML_SINGLE_LOGOUT) && tenant.value(SAML_IDP_LOGOUT) !== '';
    if (!isSingle || signOn?.way !== 'saml' || signOn.backend !== tenant.name) return this.localLogout(session.id);
    const state = await this.pending.issueToken({ tenant: tenant.name, sessionId: session.id });
    const profile = {
      issuer: signOn.provider,
      nameID: signOn.subject,
      nameIDFormat: signOn.format ?? 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
      ...(signOn.sid === undefined ? {} : { sessionIndex: signOn.sid }),
    };
    return this.provider.configure(tenant).getLogoutUrlAsync(profile, state, {});
  }

  /** A message of the redirect binding. @throws SAML-0007, SAML-0008 */
  async takeRedirect(tenant: SamlTenant, edge: EdgeRequest): Promise<Reply<undefined>> {
    const query = readSignedQuery(edge.rawQuery ?? '');
    if (!query || !STRONG.test(query.container.SigAlg ?? '')) throw SamlErrors.notValid();
    const message = query.container.SAMLRequest ?? query.container.SAMLResponse ?? '';
    const xml = inflate(message);
    if (!isHarmlessXml(xml) || !isSentTo(xml, tenant.value(SAML_SLS_URL))) throw SamlErrors.notValid();
    const saml = this.requireSingleLogout(tenant);
    let profile: Profile | null;
    try {
      ({ profile } = await saml.validateRedirectAsync(query.container, query.text));
    } catch (cause) {
      throw SamlErrors.notValid().with({ cause });
    }
    if (query.container.SAMLResponse !== undefined) return this.finish(tenant, query.container.RelayState);
    return this.endForProvider(tenant, saml, profile, query.container.RelayState);
  }

  /** A message of the POST binding. @throws SAML-0007, SAML-0008 */
  async takePost(tenant: SamlTenant, body: SamlSlsBody): Promise<Reply<undefined>> {
    const message = body.SAMLRequest ?? body.SAMLResponse ?? '';
    const xml = Buffer.from(message, 'base64').toString('utf8');
    if (!isHarmlessXml(xml) || hasWeakSignature(xml) || !isSentTo(xml, tenant.value(SAML_SLS_URL)))
      throw SamlErrors.notValid();
    const saml = this.requireSingleLogout(tenant);
    try {
      if (body.SAMLRequest === undefined) {
        const { loggedOut } = await saml.validatePostResponseAsync({ SAMLResponse: message });
        if (!loggedOut) throw SamlErrors.notValid();
        return await this.finish(tenant, body.RelayState);
      }
      const { profile } = await saml.validatePostRequestAsync({ SAMLRequest: message });
      return await this.endForProvider(tenant, saml, profile ?? null, body.RelayState);
    } catch (cause) {
      throw SamlErrors.notValid().with({ cause });
    }
  }

  /** The provider ended its session: ends those here that came from it, and answers there. */
  private async endForProvider(
    tenant: SamlTenant,
    saml: SAML,
    profile: Profile | null,
    state: string | undefined,
  ): Promise<Reply<undefined>> {
    const issuer = tenant.value(SAML_IDP_ENTITY_ID);
    if (!profile?.nameID || profile.issuer !== issuer || !profile.ID) throw SamlErrors.notValid();
    if (!(await this.sessions.claimName(`saml:${issuer}:${profile.ID}`, REQUEST_LIFE_MS + CLOCK_SKEW_MS)))
      throw SamlErrors.badRequest();
    await this.ended.endSignOn({
      way: 'saml',
      provider: issuer,
      backend: tenant.name,
      subject: profile.nameID,
      ...(profile.sessionIndex ? { sid: profile.sessionIndex } : {}),
    });
    return redirectTo(await saml.getLogoutResponseUrlAsync(profile, state ?? '', {}, true));
  }

  /** The provider answered a logout that began here. */
  private async finish(tenant: SamlTenant, state: string | undefined): Promise<Reply<undefined>> {
    const logout = state ? await this.pending.redeemToken(state) : undefined;
    if (logout?.tenant !== tenant.name) throw SamlErrors.badRequest();
    return redirectTo(this.localLogout(logout.sessionId));
  }

  private requireSingleLogout(tenant: SamlTenant): SAML {
    if (!tenant.value(SAML_SINGLE_LOGOUT)) throw SamlErrors.badRequest();
    return this.provider.configure(tenant);
  }

  private localLogout(session: string): string {
    return `${this.base.basePaths()[0] ?? ''}/login?${new URLSearchParams({ action: 'samlLogout', session })}`;
  }
}

const SIGNED = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature'] as const;

/**
 * The parts of a query that a signature covers, each once and as they were sent (SAML bindings, section 3.4.4.1): what is checked is what is
 * read. Undefined without signature, and when a name comes twice.
 */
function readSignedQuery(raw: string) {
  const parts = raw.split('&').flatMap((part) => {
    const name = SIGNED.find((each) => part.startsWith(`${each}=`));
    return name ? [{ name, part }] : [];
  });
  const names = parts.map(({ name }) => name);
  const isRequest = names.includes('SAMLRequest');
  const isUnique = new Set(names).size === names.length && isRequest !== names.includes('SAMLResponse');
  if (!isUnique || !names.includes('Signature') || !names.includes('SigAlg')) return undefined;
  const container: Partial<Record<(typeof SIGNED)[number], string>> = {};
  try {
    for (const { name, part } of parts)
      container[name] = decodeURIComponent(part.slice(name.length + 1).replaceAll('+', ' '));
  } catch {
    return undefined;
  }
  return { container, text: parts.map(({ part }) => part).join('&') };
}

/** The XML of a compressed message; empty for one that is none or too large. */
function inflate(message: string): string {
  try {
    return inflateRawSync(Buffer.from(message, 'base64'), { maxOutputLength: MAX_MESSAGE_BYTES }).toString('utf8');
  } catch {
    return '';
  }
}
