import { login, reply, TokenLoginErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { LoginFlow } from '../authentication/login-flow';
import { LoginTokens } from '../authentication/login-tokens';
import { toLoginObject, SessionOpener } from '../authentication/session-opener';
import { mergeParameters } from './login.handler';

/** Opens a session for another application, with the rights of the session the token came from and no others. */
@Handles(login.redeemToken)
export class RedeemTokenHandler implements Handler<typeof login.redeemToken> {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly sessions: SessionStore,
    private readonly opener: SessionOpener,
    private readonly flow: LoginFlow,
  ) {}

  async handle({ query, body, edge }: CallOf<typeof login.redeemToken>) {
    const parameters = mergeParameters(query, body);
    const application = this.tokens.findApplication(body.secret);
    // A wrong secret must not consume the token.
    const facts = application && (await this.tokens.acquired.redeemToken(body.token));
    const source = facts && (await this.sessions.peek(facts.sessionId));
    if (!source) throw TokenLoginErrors.unknownToken();
    const client = this.opener.resolveClient(parameters, edge!);
    const password = application.accessPassword ? this.sessions.unsealPassword(source) : undefined;
    const user = {
      contextId: source.contextId,
      userId: source.userId,
      login: source.login,
      parameters: source.parameters,
      ...(password === undefined ? {} : { password }),
    };
    const { session, cookies } = await this.flow.openSession(user, client, parameters, edge!);
    return reply(toLoginObject(session), { cookies });
  }
}
