import { localText, shareRedeemToken, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { resolveLocale } from '../authentication/error-reply';
import { LoginTokens } from '../authentication/login-tokens';

/** Tells the login page of a link what to show, once. */
@Handles(shareRedeemToken.redeem)
export class RedeemShareHandler implements Handler<typeof shareRedeemToken.redeem> {
  constructor(private readonly tokens: LoginTokens) {}

  async handle({ query, edge }: CallOf<typeof shareRedeemToken.redeem>): Promise<Readonly<Record<string, string>>> {
    const locale = resolveLocale(edge!, query.language);
    const facts = await this.tokens.shares.redeemToken(query.token);
    if (!facts) return { error: localText('share.tokenGone', locale) };
    const isNew = facts.login_type === 'guest_password';
    return {
      ...facts,
      message_type: 'INFO',
      message: localText(isNew ? 'share.choosePassword' : 'share.askPassword', locale),
      status: 'ask_password',
    };
  }
}
