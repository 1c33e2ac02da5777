import {
  MAIL_AUTH_TYPE,
  OAUTH_TOKEN_PURPOSE,
  oauthTokens,
  SESSION_TOKEN_ID,
  toOAuthTokenOwner,
  type SessionAccessToken,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Properties, SecretKeySettings } from '@groupware/service-kit';
import { SealedText, SessionStore, signOnOf } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { sharesPassword } from '../domain/password-grant';
import type { ServerSide } from '../domain/server-address';
import { PRIMARY_ID, type StoredAccount } from '../domain/stored-account';

/** Source of the access tokens of an account: an account elsewhere, or the login of the session. */
export type TokenSource = { readonly oauthAccount: number } | { readonly oauthAccount?: undefined };

/** An access token. */
export interface FoundToken {
  readonly accessToken: string;
  /** ms UTC, where it is known. */
  readonly expiresAt?: number;
}

/** Which host is to be shown a token, and which one it refused before. */
export interface TokenUse {
  readonly host: string;
  readonly refused?: string;
}

/**
 * Access tokens with which accounts log in. The service of single sign-on has them, and gives them for hosts that the operator names
 * only, whatever the account says.
 */
@Injectable()
export class AccountTokens {
  private readonly texts: SealedText;

  constructor(
    private readonly caller: Caller,
    private readonly sessions: SessionStore,
    private readonly properties: Properties,
    keys: SecretKeySettings,
  ) {
    this.texts = new SealedText(keys.secretKeys(), OAUTH_TOKEN_PURPOSE);
  }

  /** Finds the source of the tokens of an account; undefined for one that logs in with a password. */
  async findSource(user: UserPrincipal, account: StoredAccount, purpose: ServerSide): Promise<TokenSource | undefined> {
    if (account.id === PRIMARY_ID) return (await this.usesSession(user)) ? {} : undefined;
    const oauthAccount =
      purpose === 'transport' && !sharesPassword(account) ? account.transport_oauth : account.mail_oauth;
    return (oauthAccount ?? -1) >= 0 ? { oauthAccount: oauthAccount! } : undefined;
  }

  /**
   * A token that is good for a while.
   * @returns undefined when the host may not be shown it, or when there is no other one than the refused
   * @throws OAUTH-0004, OAUTH-0006, OAUTH-0013, OAUTH-0017, OAUTH-0018; SES-0203, OIDC-0007, OIDC-0009, OIDC-0013 for the session
   */
  async findToken(
    user: UserPrincipal,
    { oauthAccount }: TokenSource,
    { host, refused }: TokenUse,
  ): Promise<FoundToken | undefined> {
    const owner = toOAuthTokenOwner(user, oauthAccount ?? SESSION_TOKEN_ID);
    const former = refused === undefined ? {} : { refused: this.texts.seal(refused, owner) };
    const internal = { kind: 'internal', service: 'mail-account', contextId: user.contextId } as const;
    const found: Partial<SessionAccessToken> | null =
      oauthAccount === undefined
        ? await this.caller.call(oauthTokens.findOfSession, {
            // A mail proxy has the session and no user for whom we might call.
            principal: internal,
            query: { session: user.sessionId, host, ...former },
          })
        : await this.caller.call(oauthTokens.find, {
            principal: { ...internal, user },
            query: { id: oauthAccount, host, ...former },
          });
    const accessToken = found?.sealed ? this.texts.open(found.sealed, owner) : undefined;
    if (accessToken === undefined) return undefined;
    return { accessToken, ...(found?.expiresAt === undefined ? {} : { expiresAt: found.expiresAt }) };
  }

  private async usesSession(user: UserPrincipal): Promise<boolean> {
    if ((await this.properties.get(MAIL_AUTH_TYPE, user)) === 'login') return false;
    const session = await this.sessions.peek(user.sessionId);
    const signOn = session && signOnOf(session);
    return signOn?.way === 'oidc' && signOn.accessToken !== undefined;
  }
}
