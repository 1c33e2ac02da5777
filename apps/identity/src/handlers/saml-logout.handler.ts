import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Logout } from '../authentication/logout';

/** Closes the session of the request and redirects to the web client. */
@Handles(login.samlLogout)
export class SamlLogoutHandler implements Handler<typeof login.samlLogout> {
  constructor(private readonly ending: Logout) {}

  handle({ query, edge }: CallOf<typeof login.samlLogout>) {
    return this.ending.closeSessionAndRedirect(edge!, query.loginPath);
  }
}
