import { login, reply, type CallOf, type Handler } from '@groupware/contracts';
import { AnnouncedCapabilities, Handles } from '@groupware/service-kit';
import { replyBadRequest, replyForbidden } from '../authentication/browser-replies';
import { LoginTokens } from '../authentication/login-tokens';
import { moduleSettingsBeside } from '../authentication/module-settings';
import { RandomTokenLogin } from '../authentication/random-token-login';
import { toLoginObject } from '../authentication/session-opener';

/** Redeems a random token for its session. */
@Handles(login.redeem)
export class RedeemHandler implements Handler<typeof login.redeem> {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly random: RandomTokenLogin,
    private readonly announced: AnnouncedCapabilities,
  ) {}

  async handle({ query, edge }: CallOf<typeof login.redeem>) {
    if (!this.tokens.hasRandomTokens || !query.random) return replyBadRequest();
    const opened = await this.random.redeemToken(query.random, query.client, edge!);
    if (!opened) return replyForbidden();
    return reply(
      {
        ...toLoginObject(opened.session),
        ...moduleSettingsBeside(opened.session, { modules: query.modules }, this.announced),
      },
      { cookies: opened.cookies },
    );
  }
}
