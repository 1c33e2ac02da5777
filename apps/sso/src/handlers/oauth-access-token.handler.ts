import { oauthAccessToken, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { TokenEndpoint } from '../provider/token-endpoint';

/** Exchanges codes and refresh tokens of applications. */
@Handles(oauthAccessToken.exchange)
export class OAuthAccessTokenHandler implements Handler<typeof oauthAccessToken.exchange> {
  constructor(private readonly tokens: TokenEndpoint) {}

  handle({ body, edge }: CallOf<typeof oauthAccessToken.exchange>) {
    return this.tokens.exchange(body, edge!);
  }
}
