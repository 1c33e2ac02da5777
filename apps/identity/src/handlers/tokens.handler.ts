import { login, reply, SessionErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LoginFlow } from '../login/login-flow';
import { LoginTokens } from '../login/login-tokens';
import { SessionOpener } from '../login/session-opener';

/** Second step of a login by tokens. The server token is used up by a wrong client token, too: nobody may guess on. */
@Handles(login.tokens)
export class TokensHandler implements Handler<typeof login.tokens> {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly opener: SessionOpener,
    private readonly flow: LoginFlow,
  ) {}

  async handle({ body, edge }: CallOf<typeof login.tokens>) {
    const pending = await this.tokens.pending.take(body.serverToken);
    if (!pending) throw SessionErrors.unknownServerToken();
    if (!this.tokens.isClientToken(pending, body.clientToken)) throw SessionErrors.wrongClientToken();
    const client = this.opener.client({ ...pending.parameters, client: body.client }, edge!);
    const { session, cookies } = await this.flow.open(pending.user, client, pending.parameters, edge!);
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
