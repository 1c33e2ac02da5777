import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { badRequest, forbidden } from '../login/bare-replies';

/** Takes no reservation: no single sign-on is connected that could have made one. */
@Handles(login.oidcLogin)
export class OidcLoginHandler implements Handler<typeof login.oidcLogin> {
  async handle({ query }: CallOf<typeof login.oidcLogin>) {
    return query.sessionToken ? forbidden() : badRequest();
  }
}
