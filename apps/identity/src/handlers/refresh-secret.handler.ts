import { login, reply, SessionErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { createLoginCookies, SessionStore } from '@groupware/sessions';

/** Writes the cookies of the session again. The gateway checked session, secret and address. */
@Handles(login.refreshSecret)
export class RefreshSecretHandler implements Handler<typeof login.refreshSecret> {
  constructor(private readonly sessions: SessionStore) {}

  async handle({ principal, edge }: CallOf<typeof login.refreshSecret>) {
    const session = await this.sessions.peek(principal.sessionId);
    if (!session) throw SessionErrors.unknown(principal.sessionId);
    const context = { userAgent: edge!.userAgent, headers: edge!.headers };
    return reply('1', { cookies: createLoginCookies(session, context, this.sessions.settings) });
  }
}
