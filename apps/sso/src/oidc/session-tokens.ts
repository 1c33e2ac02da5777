import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  OIDC_MAIL_SERVERS,
  OIDC_REFRESH_TIME,
  OidcErrors,
  SessionErrors,
  type OidcBackend,
} from '@groupware/contracts';
import { Clock } from '@groupware/service-kit';
import { SESSION_FACTS, sessionDigest, SessionStore, signOnOf, type Session, type SignOn } from '@groupware/sessions';
import * as client from 'openid-client';
import { isGrantEnded } from '../client/service-client';
import { TokenRefreshes, type KeptTokens } from '../client/token-refreshes';
import { EndedSessions } from '../ended-sessions';
import { OidcBackends } from './oidc-backends';
import { OidcClient, toOidcError } from './oidc-client';

/** The access token of a login. */
export interface SessionToken {
  readonly access: string;
  /** ms UTC; absent where the provider does not say. */
  readonly expiresAt?: number;
}

/** A login by OpenID Connect that gave a token. */
type TokenSignOn = SignOn & { readonly accessToken: string };

/** Access tokens that sessions have of their login by OpenID Connect. */
@Injectable()
export class SessionTokens {
  constructor(
    private readonly sessions: SessionStore,
    private readonly backends: OidcBackends,
    private readonly oidc: OidcClient,
    private readonly ended: EndedSessions,
    private readonly refreshes: TokenRefreshes,
    private readonly clock: Clock,
  ) {}

  /**
   * The access token of a live session, for a server that may be shown it; undefined for another one, and for a login without.
   * @param refused one that the server refused before its end: another one is got, undefined when there is none
   * @throws SES-0203 when the provider refused to renew it, which ends the session; OIDC-0007, OIDC-0009, OIDC-0013
   */
  async find({ id: sessionId }: Session, host: string, refused?: string): Promise<SessionToken | undefined> {
    const signOn = await this.load(sessionId);
    const backend = signOn && this.backends.findByName(signOn.backend);
    if (!backend || !isShown(backend, host)) return undefined;
    if (this.judge(backend, signOn, refused).state === 'good') return toToken(signOn);
    if (signOn.refreshToken === undefined) return undefined;
    const next = await this.refreshes.refresh<TokenSignOn>({
      name: `session:${sessionDigest(sessionId)}`,
      read: async () => {
        const current = await this.load(sessionId);
        if (!current) throw SessionErrors.unknown(sessionId);
        return this.judge(backend, current, refused);
      },
      renew: (former) => this.askProvider(sessionId, backend, former),
      late: () => OidcErrors.noToken(),
    });
    return next && toToken(next);
  }

  private async load(sessionId: string): Promise<TokenSignOn | undefined> {
    const session = await this.sessions.peek(sessionId);
    const signOn = session && signOnOf(session);
    return signOn?.way === 'oidc' && signOn.accessToken !== undefined ? (signOn as TokenSignOn) : undefined;
  }

  private judge(backend: OidcBackend, signOn: TokenSignOn, refused: string | undefined): KeptTokens<TokenSignOn> {
    const { accessToken, accessExpiresAt: end } = signOn;
    const isFresh = end === undefined || end > this.clock.now() + backend.value(OIDC_REFRESH_TIME);
    return { tokens: signOn, state: !isFresh ? 'old' : accessToken === refused ? 'refused' : 'good' };
  }

  private async askProvider(sessionId: string, backend: OidcBackend, signOn: TokenSignOn): Promise<TokenSignOn> {
    const { accessExpiresAt: _former, ...lasting } = signOn;
    try {
      const answer = await client.refreshTokenGrant(await this.oidc.configure(backend), signOn.refreshToken!);
      const seconds = answer.expiresIn();
      const next = {
        ...lasting,
        accessToken: answer.access_token,
        ...(answer.refresh_token ? { refreshToken: answer.refresh_token } : {}),
        ...(seconds === undefined ? {} : { accessExpiresAt: this.clock.now() + seconds * 1000 }),
      };
      await this.sessions.setParameter(sessionId, SESSION_FACTS.signOn, JSON.stringify(next));
      return next;
    } catch (cause) {
      if (cause instanceof CatalogueError) throw cause;
      if (!isGrantEnded(cause)) throw toOidcError(cause);
      await this.ended.endById([sessionId]);
      throw SessionErrors.unknown(sessionId).with({ cause });
    }
  }
}

const toToken = ({ accessToken, accessExpiresAt }: TokenSignOn): SessionToken => ({
  access: accessToken,
  ...(accessExpiresAt === undefined ? {} : { expiresAt: accessExpiresAt }),
});

function isShown(backend: OidcBackend, host: string): boolean {
  const hosts = backend
    .value(OIDC_MAIL_SERVERS)
    .toLowerCase()
    .split(/[\s,]+/);
  return host !== '' && hosts.includes(host.toLowerCase());
}
