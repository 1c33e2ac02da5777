import { login, reply, SessionErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LoginFlow } from '../authentication/login-flow';
import { LoginTokens } from '../authentication/login-tokens';
import { SessionOpener } from '../authentication/session-opener';

/** Second step of a login by tokens. A wrong client token consumes the server token, too, against guessing. */
@Handles(login.tokens)
export class TokensHandler implements Handler<typeof login.tokens> {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly opener: SessionOpener,
    private readonly flow: LoginFlow,
  ) {}

  async handle({ body, edge }: CallOf<typeof login.tokens>) {
    const pending = await this.tokens.pending.redeemToken(body.serverToken);
    if (!pending) throw SessionErrors.unknownServerToken();
    if (!this.tokens.isClientToken(pending, body.clientToken)) throw SessionErrors.wrongClientToken();
    const client = this.opener.resolveClient({ ...pending.parameters, client: body.client }, edge!);
    const { session, cookies } = await this.flow.openSession(pending.user, client, pending.parameters, edge!);
    return reply(
      {
        session: session.id,
        user: session.login,
        user_id: session.userId,
        context_id: session.contextId,
        locale: session.principal.locale,
      },
      { cookies },
    );
  }
}
