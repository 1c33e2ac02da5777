import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  OAUTH_CODE_LIFE,
  OAUTH_RFC_ERRORS,
  OAUTH_WRONG_SECRETS,
  reply,
  type AccessTokenAnswer,
  type AccessTokenForm,
  type EdgeRequest,
} from '@groupware/contracts';
import { clientNetwork, Properties } from '@groupware/service-kit';
import { SessionStore, type AttemptLimiter, type OneTimeTokens } from '@groupware/sessions';
import { calculatePKCECodeChallenge } from 'openid-client';
import type { ClientRow } from '../persistence/client.repository';
import { codesOf, type CodeFacts } from './authorizations';
import { OAuthClients } from './oauth-clients';
import { OAuthGrants, type GrantedTokens } from './oauth-grants';

const NOT_KEPT = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** Asks clients that used a header for a better one (RFC 6749, section 5.2). */
const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="OAuth 2.0", charset="UTF-8"' } as const;

/** An answer that is never kept. */
const replyTokens = (answer: AccessTokenAnswer, status = 200, headers: Readonly<Record<string, string>> = {}) =>
  reply<AccessTokenAnswer>(answer, { status, headers: { ...NOT_KEPT, ...headers } });

/** Exchanges codes and refresh tokens (RFC 6749, sections 4.1.3 and 6). */
@Injectable()
export class TokenEndpoint {
  private readonly codes: OneTimeTokens<CodeFacts>;
  /** Grants of codes that were used: who shows one again is not alone with it. */
  private readonly used: OneTimeTokens<{ contextId: number; grant: string }>;
  /** By application and address: an application is not locked out by those who guess its secret elsewhere. */
  private readonly attempts: AttemptLimiter<'client'>;

  constructor(
    sessions: SessionStore,
    private readonly clients: OAuthClients,
    private readonly grants: OAuthGrants,
    private readonly properties: Properties,
  ) {
    this.codes = codesOf(sessions, properties);
    this.used = sessions.oneTimeTokens({
      kind: 'oauth-used-code',
      lifetimeMs: 2 * properties.serverValue(OAUTH_CODE_LIFE),
    });
    this.attempts = sessions.attemptLimiter({
      name: 'oauth-client',
      limits: { client: { points: () => properties.serverValue(OAUTH_WRONG_SECRETS), windowMs: 60_000 } },
    });
  }

  /** Answers tokens, or the error of the RFC. @throws SVL-0019 after too many wrong secrets from the address */
  async exchange(form: AccessTokenForm, { remoteAddress, credentials }: EdgeRequest) {
    const basic = credentials && readBasic(credentials);
    const { client_id: id, client_secret: secret } = basic ?? form;
    const client = await this.clients.findEnabled(id);
    if (!client) return this.refuse('client_id');
    const { found } = await this.attempts.attempt({ client: `${client.id}\n${clientNetwork(remoteAddress)}` }, () =>
      this.clients.hasSecret(client, secret) ? client : undefined,
    );
    if (!found)
      return replyTokens({ error: this.isRfc ? 'invalid_client' : 'unauthorized_client' }, 401, basic && CHALLENGE);
    if (form.grant_type === 'authorization_code') return this.exchangeCode(form, client);
    if (form.grant_type !== 'refresh_token')
      return form.grant_type ? replyTokens({ error: 'unsupported_grant_type' }, 400) : this.refuse('grant_type');
    const tokens = form.refresh_token ? await this.grants.refresh(form.refresh_token, client.id) : undefined;
    return tokens ? answerTokens(tokens) : this.refuseGrant('refresh_token');
  }

  private async exchangeCode(form: AccessTokenForm, client: ClientRow) {
    const code = form.code ?? '';
    const facts = code ? await this.codes.redeemToken(code) : undefined;
    if (!facts) {
      const former = code ? await this.used.redeemToken(code) : undefined;
      if (former) await this.grants.end(former, former.grant);
      return this.refuseGrant('code');
    }
    if (facts.clientId !== client.id) return this.refuseGrant('code');
    if (facts.redirectUri !== form.redirect_uri) return this.refuseGrant('redirect_uri');
    if (!(await isVerified(facts.challenge, form.code_verifier))) return this.refuseGrant('code_verifier');
    if (!(await this.grants.isOffered(facts.contextId, facts.userId))) return this.refuseGrant('code');
    const created = await this.grants.create(facts);
    if (!created) return this.refuseGrant('code');
    await this.used.putFacts(code, { contextId: facts.contextId, grant: created.id });
    return answerTokens(created);
  }

  private get isRfc(): boolean {
    return this.properties.serverValue(OAUTH_RFC_ERRORS);
  }

  private refuse(parameter: string) {
    return replyTokens({ error: 'invalid_request', error_description: `invalid parameter value: ${parameter}` }, 400);
  }

  private refuseGrant(parameter: string) {
    return this.isRfc
      ? replyTokens({ error: 'invalid_grant', error_description: `invalid parameter value: ${parameter}` }, 400)
      : this.refuse(parameter);
  }
}

const answerTokens = ({ token, refreshToken, expiresInSeconds, scopes }: GrantedTokens) =>
  replyTokens({
    access_token: token,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    scope: scopes.join(' '),
  });

/** Whether the verifier is that of the challenge; one without the other is wrong, too. */
async function isVerified(challenge: string | undefined, verifier: string | undefined): Promise<boolean> {
  if (challenge === undefined || verifier === undefined) return challenge === verifier;
  const made = Buffer.from(await calculatePKCECodeChallenge(verifier));
  const wanted = Buffer.from(challenge);
  return made.length === wanted.length && timingSafeEqual(made, wanted);
}

/** Id and secret of an application, which stand form-encoded in the header. Clients that leave them as they are mean the same. */
function readBasic({ login, password }: { readonly login: string; readonly password: string }) {
  const [client_id, client_secret] = [login, password].map((text) => {
    try {
      return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      return text;
    }
  });
  return { client_id, client_secret };
}
