import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { replyBadRequest, replyForbidden } from '../authentication/browser-replies';

/** Refuses all reservations: no single sign-on is connected. */
@Handles(login.oidcLogin)
export class OidcLoginHandler implements Handler<typeof login.oidcLogin> {
  async handle({ query }: CallOf<typeof login.oidcLogin>) {
    return query.sessionToken ? replyForbidden() : replyBadRequest();
  }
}
