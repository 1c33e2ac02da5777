import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionEnding } from '../login/session-ending';

/** Closes the session of the request and leads to the web client. */
@Handles(login.samlLogout)
export class SamlLogoutHandler implements Handler<typeof login.samlLogout> {
  constructor(private readonly ending: SessionEnding) {}

  handle({ query, edge }: CallOf<typeof login.samlLogout>) {
    return this.ending.endAndLeave(edge!, query.loginPath);
  }
}
