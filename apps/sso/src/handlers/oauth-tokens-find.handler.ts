import { OAUTH_TOKEN_PURPOSE, oauthTokens, toOAuthTokenOwner, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { AccountTokenSource } from '../client/account-token-source';

/** An access token for the service that uses it. */
@Handles(oauthTokens.find)
export class OAuthTokensFindHandler implements Handler<typeof oauthTokens.find> {
  private readonly texts: SealedText;

  constructor(
    private readonly tokens: AccountTokenSource,
    keys: SecretKeySettings,
  ) {
    this.texts = new SealedText(keys.secretKeys(), OAUTH_TOKEN_PURPOSE);
  }

  async handle({ principal, query }: CallOf<typeof oauthTokens.find>) {
    const user = principal.user!;
    const token = await this.tokens.find(user, query.id, query.host);
    return token === undefined ? null : { sealed: this.texts.seal(token, toOAuthTokenOwner(user, query.id)) };
  }
}
