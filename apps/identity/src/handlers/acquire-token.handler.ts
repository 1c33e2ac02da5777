import { token, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LoginTokens } from '../authentication/login-tokens';

/** Makes a token by which another application opens a session of this user. */
@Handles(token.acquireToken)
export class AcquireTokenHandler implements Handler<typeof token.acquireToken> {
  constructor(private readonly tokens: LoginTokens) {}

  async handle({ principal }: CallOf<typeof token.acquireToken>) {
    return { token: await this.tokens.acquired.issueToken({ sessionId: principal.sessionId }) };
  }
}
