import { login, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { isIP } from 'node:net';

/** Moves the session to another client address. The gateway checked session, secret and current address. */
@Handles(login.changeip)
export class ChangeIpHandler implements Handler<typeof login.changeip> {
  constructor(private readonly sessions: SessionStore) {}

  async handle({ principal, query }: CallOf<typeof login.changeip>) {
    if (isIP(query.clientIP) === 0) throw RequestErrors.badParameter('clientIP', query.clientIP);
    await this.sessions.updateAddress(principal.sessionId, query.clientIP);
    return '1';
  }
}
