import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Logout } from '../authentication/logout';

/** Closes the session of the request. */
@Handles(login.logout)
export class LogoutHandler implements Handler<typeof login.logout> {
  constructor(private readonly ending: Logout) {}

  handle({ edge }: CallOf<typeof login.logout>) {
    return this.ending.closeSession(edge!);
  }
}
