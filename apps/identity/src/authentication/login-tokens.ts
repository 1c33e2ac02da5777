import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  LOGIN_TOKEN_LIFETIME,
  RANDOM_TOKEN_LIFETIME,
  RANDOM_TOKENS,
  type ClientParameters,
} from '@groupware/contracts';
import { SessionStore, type OneTimeTokens } from '@groupware/sessions';
import { IdentityConfig } from '../configuration/identity.config';
import { Cascade } from '../configuration/cascade';
import type { AuthenticatedUser } from './session-opener';

/** A login that waits for its second step. */
export interface PendingLogin {
  readonly user: AuthenticatedUser;
  readonly parameters: ClientParameters;
  /** Digest of the client's own token. */
  readonly clientToken: string;
}

/** What the login page of a link shows. */
export interface ShareLoginFacts {
  readonly share: string;
  readonly target: string;
  readonly login_type: string;
  readonly login_name?: string;
}

/** Time in which a login page asks what it is to show, ms. */
const SHARE_LOGIN_MS = 600_000;

/** An application that may redeem tokens. */
export interface TokenApplication {
  /** The new session may know the password of the one the token came from. */
  readonly accessPassword: boolean;
}

const digestToken = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** One-time tokens of the login module. */
@Injectable()
export class LoginTokens {
  /** Stand for a live session, in `redirect` and `redeem`. */
  readonly random: OneTimeTokens<{ sessionId: string }>;
  /** Stand for a login whose second step is to come. */
  readonly pending: OneTimeTokens<PendingLogin>;
  /** Stand for the user of a live session, for another application. */
  readonly acquired: OneTimeTokens<{ sessionId: string }>;
  /** Stand for what the login page of a link shows. */
  readonly shares: OneTimeTokens<ShareLoginFacts>;

  private readonly applications: readonly (TokenApplication & { readonly secret: string })[];

  constructor(
    store: SessionStore,
    private readonly cascade: Cascade,
    config: IdentityConfig,
  ) {
    const lifetimeMs = cascade.value(LOGIN_TOKEN_LIFETIME);
    this.random = store.oneTimeTokens({ kind: 'random', lifetimeMs: cascade.value(RANDOM_TOKEN_LIFETIME) });
    this.pending = store.oneTimeTokens({ kind: 'token-login', lifetimeMs });
    this.acquired = store.oneTimeTokens({ kind: 'acquired', lifetimeMs });
    this.shares = store.oneTimeTokens({ kind: 'share-login', lifetimeMs: SHARE_LOGIN_MS });
    this.applications = config.tokenLoginSecrets
      .reveal()
      .split(',')
      .map((entry) => entry.split(';').map((part) => part.trim()))
      .filter(([secret]) => secret)
      .map(([secret, ...options]) => ({
        secret: digestToken(secret!),
        accessPassword: options.some((option) => /^accessPassword\s*=\s*true$/i.test(option)),
      }));
  }

  /** Whether random tokens are enabled. */
  get hasRandomTokens(): boolean {
    return this.cascade.value(RANDOM_TOKENS);
  }

  /** Issues a random token for a session, where enabled. */
  async issueRandomToken(sessionId: string): Promise<{ random?: string }> {
    return this.hasRandomTokens ? { random: await this.random.issueToken({ sessionId }) } : {};
  }

  /** Stores an authenticated login for its second step; answers the server token. */
  issuePendingLogin(user: AuthenticatedUser, parameters: ClientParameters, clientToken: string): Promise<string> {
    return this.pending.issueToken({ user, parameters, clientToken: digestToken(clientToken) });
  }

  /** Whether a client token is the one of the first step. */
  isClientToken(login: PendingLogin, clientToken: string): boolean {
    return timingSafeEqual(Buffer.from(login.clientToken), Buffer.from(digestToken(clientToken)));
  }

  /** Finds the application of a secret. */
  findApplication(secret: string): TokenApplication | undefined {
    const wanted = Buffer.from(digestToken(secret));
    return this.applications.find((application) => timingSafeEqual(Buffer.from(application.secret), wanted));
  }
}
