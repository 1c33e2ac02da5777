import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Logout } from '../authentication/logout';

/** Closes the session of the request and redirects to the web client. */
@Handles(login.oidcLogout)
export class OidcLogoutHandler implements Handler<typeof login.oidcLogout> {
  constructor(private readonly ending: Logout) {}

  handle({ query, edge }: CallOf<typeof login.oidcLogout>) {
    return this.ending.closeSessionAndRedirect(edge!, query.loginPath);
  }
}
