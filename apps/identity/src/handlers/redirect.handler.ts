import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { replyBadRequest, replyForbidden } from '../authentication/browser-replies';
import { LoginFlow } from '../authentication/login-flow';
import { LoginTokens } from '../authentication/login-tokens';
import { RandomTokenLogin } from '../authentication/random-token-login';

/** Redirects to the web client with the session of a random token. */
@Handles(login.redirect)
export class RedirectHandler implements Handler<typeof login.redirect> {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly random: RandomTokenLogin,
    private readonly flow: LoginFlow,
  ) {}

  async handle({ query, edge }: CallOf<typeof login.redirect>) {
    if (!this.tokens.hasRandomTokens || !query.random) return replyBadRequest();
    const opened = await this.random.redeemToken(query.random, query.client, edge!);
    if (!opened) return replyForbidden();
    return this.flow.redirectToWebClient(
      opened,
      query.uiWebPath,
      query.store === undefined ? {} : { store: query.store },
    );
  }
}
