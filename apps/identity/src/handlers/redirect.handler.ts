import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { badRequest, forbidden } from '../login/bare-replies';
import { LoginFlow } from '../login/login-flow';
import { LoginTokens } from '../login/login-tokens';
import { RandomTokenLogin } from '../login/random-token-login';

/** Leads to the web client with the session that a random token stands for. */
@Handles(login.redirect)
export class RedirectHandler implements Handler<typeof login.redirect> {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly random: RandomTokenLogin,
    private readonly flow: LoginFlow,
  ) {}

  async handle({ query, edge }: CallOf<typeof login.redirect>) {
    if (!this.tokens.hasRandomTokens || !query.random) return badRequest();
    const opened = await this.random.redeem(query.random, query.client, edge!);
    if (!opened) return forbidden();
    return this.flow.redirect(opened, query.uiWebPath, query.store === undefined ? {} : { store: query.store });
  }
}
