import { oauthTokens, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AccountTokenSource } from '../client/account-token-source';
import { TokenSeal } from '../client/token-seal';

/** An access token for the service that uses it. */
@Handles(oauthTokens.find)
export class OAuthTokensFindHandler implements Handler<typeof oauthTokens.find> {
  constructor(
    private readonly tokens: AccountTokenSource,
    private readonly seal: TokenSeal,
  ) {}

  async handle({ principal, query }: CallOf<typeof oauthTokens.find>) {
    const user = principal.user!;
    const { id, host, refused } = query;
    const token = await this.tokens.find(user, id, host, this.seal.open(user, id, refused));
    return token === undefined ? null : { sealed: this.seal.seal(user, id, token) };
  }
}
