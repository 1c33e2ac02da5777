import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionEnding } from '../login/session-ending';

/** Closes the session of the request and leads to the web client. */
@Handles(login.oidcLogout)
export class OidcLogoutHandler implements Handler<typeof login.oidcLogout> {
  constructor(private readonly ending: SessionEnding) {}

  handle({ query, edge }: CallOf<typeof login.oidcLogout>) {
    return this.ending.endAndLeave(edge!, query.loginPath);
  }
}
