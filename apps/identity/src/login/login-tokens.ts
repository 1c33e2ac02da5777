import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  LOGIN_TOKEN_LIFETIME,
  RANDOM_TOKEN_LIFETIME,
  RANDOM_TOKENS,
  type ClientParameters,
} from '@groupware/contracts';
import { SessionStore, type OneTimeTokens } from '@groupware/sessions';
import { IdentityConfig } from '../identity.config';
import { Cascade } from './cascade';
import type { ProvenUser } from './session-opener';

/** A login whose second step is to come. */
export interface PendingLogin {
  readonly user: ProvenUser;
  readonly parameters: ClientParameters;
  /** Digest of the token that the client made up. */
  readonly clientToken: string;
}

/** An application that may redeem tokens. */
export interface TokenApplication {
  /** The new session may know the password of the one the token came from. */
  readonly accessPassword: boolean;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The tokens of the login module, each good once. */
@Injectable()
export class LoginTokens {
  /** Stand for a live session, in `redirect` and `redeem`. */
  readonly random: OneTimeTokens<{ sessionId: string }>;
  /** Stand for a login whose second step is to come. */
  readonly pending: OneTimeTokens<PendingLogin>;
  /** Stand for the user of a live session, for another application. */
  readonly acquired: OneTimeTokens<{ sessionId: string }>;

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
    this.applications = config.tokenLoginSecrets
      .reveal()
      .split(',')
      .map((entry) => entry.split(';').map((part) => part.trim()))
      .filter(([secret]) => secret)
      .map(([secret, ...options]) => ({
        secret: digest(secret!),
        accessPassword: options.some((option) => /^accessPassword\s*=\s*true$/i.test(option)),
      }));
  }

  /** False while the operator does not want random tokens. */
  get hasRandomTokens(): boolean {
    return this.cascade.value(RANDOM_TOKENS);
  }

  /** A random token for a session, where they are switched on. */
  async randomFor(sessionId: string): Promise<{ random?: string }> {
    return this.hasRandomTokens ? { random: await this.random.issue({ sessionId }) } : {};
  }

  /** Keeps a proven login for its second step; answers the server token. */
  keep(user: ProvenUser, parameters: ClientParameters, clientToken: string): Promise<string> {
    return this.pending.issue({ user, parameters, clientToken: digest(clientToken) });
  }

  /** Tells whether a client token is the one of the first step. */
  isClientToken(login: PendingLogin, clientToken: string): boolean {
    return timingSafeEqual(Buffer.from(login.clientToken), Buffer.from(digest(clientToken)));
  }

  /** The application that knows a secret. */
  applicationOf(secret: string): TokenApplication | undefined {
    const wanted = Buffer.from(digest(secret));
    return this.applications.find((application) => timingSafeEqual(Buffer.from(application.secret), wanted));
  }
}
