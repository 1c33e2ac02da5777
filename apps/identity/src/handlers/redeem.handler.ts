import { login, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { badRequest, forbidden } from '../login/bare-replies';
import { LoginTokens } from '../login/login-tokens';
import { RampUp } from '../login/ramp-up';
import { RandomTokenLogin } from '../login/random-token-login';
import { loginObject } from '../login/session-opener';

/** Answers the session that a random token stands for. */
@Handles(login.redeem)
export class RedeemHandler implements Handler<typeof login.redeem> {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly random: RandomTokenLogin,
    private readonly rampUp: RampUp,
  ) {}

  async handle({ query, edge }: CallOf<typeof login.redeem>) {
    if (!this.tokens.hasRandomTokens || !query.random) return badRequest();
    const opened = await this.random.redeem(query.random, query.client, edge!);
    if (!opened) return forbidden();
    const beside = await this.rampUp.besideLogin(opened.session, { modules: query.modules });
    return reply({ ...loginObject(opened.session), ...beside }, { cookies: opened.cookies });
  }
}
